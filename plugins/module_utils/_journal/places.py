# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a journal can be: a file, a PostgreSQL database, or nowhere; and which of these last."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

from .._errors import JournalError


def is_postgres(location: str) -> bool:
    """Return True for the address of a PostgreSQL database."""
    return location.startswith(("postgresql://", "postgres://"))


def checked_journal(value: str) -> str:
    """Return the journal's path, or its postgresql:// address. An error does not show the value, nor its password."""
    if is_postgres(value):
        return value
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", value) or re.search(r"\b(host|dbname|user|password)=", value):
        raise ValueError("must be a path or a postgresql:// address, and is neither (the value is not shown)")
    try:
        path = value and str(Path(os.path.expandvars(value)).expanduser())
    except RuntimeError as error:
        raise ValueError(f"is no path: {error}") from None
    if path and not os.path.isabs(path):
        raise ValueError("must be an absolute path, or begin with ~ or $, because tasks run in different folders")
    return path


def default_location() -> str:
    """Return the journal's path for users who name none (the XDG base directories)."""
    state_home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return str(expanded(Path(state_home, "hosting.management", "journal.db")))


def expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise JournalError(
            f"There is no home directory for the journal {path}: {error} Set HOME, or set journal (or HOSTING_JOURNAL)"
            " to a path that can be written, or to an empty string to do without."
        ) from None


def goes_with_the_job(path: Path) -> bool:
    """Tell whether a file is on a disk that is thrown away when this job ends.

    AWX names the folder that it has made for a job, and ansible-runner that of its results, which is below /runner in a
    container. In both, only what is on a volume lasts.
    """
    is_of_awx = bool(os.environ.get("AWX_PRIVATE_DATA_DIR"))
    results = Path(os.environ.get("AWX_ISOLATED_DATA_DIR") or "/")
    if not is_of_awx and Path("/runner") not in results.parents:
        return False
    volume = next(folder for folder in path.parents if os.path.ismount(folder))
    if volume == Path("/"):
        return True
    # AWX removes the folder, which has the results in artifacts/<job>. That of another runner may stay.
    folder = results.parents[1] if len(results.parents) > 1 else results
    return is_of_awx and folder in path.parents and folder not in volume.parents


def passwords_of(location: str) -> set[str]:
    """Return the passwords within an address: libpq takes one before the host or in the query."""
    found = re.findall(r"://[^:@/?]*:([^@]*)@|(?:ssl)?password=([^&\s]*)", location)
    passwords = {password for pair in found for password in pair if password}
    return passwords | {unquote(password) for password in passwords}
