# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A set of pictures of pages: a folder of PNG files, and a manifest that says what each of them shows.

Neither the names of the files nor the manifest have the query or the fragment of an address: they may be secrets.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ._errors import InvalidInput
from ._text import last_lines, printable

MANIFEST = "manifest.json"
VERSION = 1  # of the manifest
HIDDEN = "********"
LONGEST_SLUG = 60  # characters of a file name that tell of the address
MODE = 0o644
_IN_TEXT = re.compile(r"(https?://)(?:[^\s/@'\"]*@)?([^\s?#'\"]*)[?#](?!\*{8})[^\s'\")]*")


@dataclass(frozen=True)
class Place:
    """What a picture shows: a page at a width in pixels.

    ``page`` is what two sets have in common, on whatever host: the path of the address, and which of several with this
    path it is.
    """

    page: str
    width: int

    def __str__(self) -> str:
        return f"{self.page} at {self.width} px"


@dataclass(frozen=True)
class Picture:
    """An entry of a manifest. ``url`` is fit to be shown; ``file`` is the name of the PNG file beside the manifest."""

    page: str
    url: str
    width: int
    height: int
    file: str
    sha256: str

    @property
    def place(self) -> Place:
        return Place(self.page, self.width)


def shown_url(url: str) -> str:
    """Return an address without what may be a secret: its login, its query and its fragment."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}{f'?{HIDDEN}' if parts.query else ''}"


def shown_text(text: str, urls: Iterable[str] = ()) -> str:
    """Return words of a browser or a page on one line, without queries of addresses and what else may be secret."""
    queries = {part for url in urls for part in queries_of(url)}
    values = {value for query in queries for value in re.split(r"[&=]", query) if len(value) >= 4}
    for secret in sorted(filter(None, queries | values), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    lines = last_lines(_IN_TEXT.sub(rf"\1\2?{HIDDEN}", printable(text, 2000)), 1)
    return printable(lines[0]) if lines else ""


def queries_of(url: str) -> set[str]:
    """Return what no output may show of an address that nobody has checked."""
    try:
        parts = urlsplit(url)
        return {part for part in (parts.query, parts.fragment, parts.password or "") if len(part) >= 4}
    except ValueError:
        return set()


def pages_of(urls: Iterable[str]) -> list[str]:
    """Return what the pages at these addresses are called, each differently."""
    seen: Counter[str] = Counter()
    names = []
    for url in urls:
        path = urlsplit(url).path or "/"
        seen[path] += 1
        names.append(path if seen[path] == 1 else f"{path} ({seen[path]})")
    return names


def file_of(number: int, url: str, width: int) -> str:
    """Return the name of the file for the picture of the address with this number, from 1."""
    parts = urlsplit(url)
    slug = re.sub(r"[^a-z0-9.]+", "-", f"{parts.hostname}{parts.path}".lower()).strip("-.")[:LONGEST_SLUG]
    return f"{number:02}-{slug.rstrip('-.')}-{width}.png"


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_set(folder: str) -> list[Picture]:
    """Return the pictures of a set. Raises InvalidInput when there is none, or when it is not what was written."""
    path = Path(folder) / MANIFEST
    advice = "Take the pictures with hosting.management.site_snapshot. Nothing was done."
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        pictures = [Picture(**one) for one in read["pictures"]]
    except OSError as error:
        raise InvalidInput(
            f"{folder} has no set of pictures: {path} cannot be read ({error.strerror}). {advice}"
        ) from None
    except (ValueError, TypeError, KeyError):
        raise InvalidInput(f"{path} is not what site_snapshot writes. {advice}") from None
    if read.get("version") != VERSION:
        raise InvalidInput(f"{path} is of another version of this collection. {advice}")
    for one in pictures:
        if not re.fullmatch(r"[a-z0-9.-]+\.png", one.file) or not all(
            isinstance(value, kind) for value, kind in ((one.page, str), (one.url, str), (one.width, int))
        ):
            raise InvalidInput(f"{path} is not what site_snapshot writes. {advice}")
    return pictures


def read_picture(folder: str, picture: Picture) -> bytes:
    """Return the PNG of a picture. Raises InvalidInput when it is missing, or is not the one that was taken."""
    path = Path(folder) / picture.file
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}. Take the pictures again. Nothing was done."
        ) from None
    if digest_of(content) != picture.sha256:
        raise InvalidInput(f"{path} is not the picture that was taken. Take the pictures again. Nothing was done.")
    return content


def write_set(folder: str, taken: Mapping[Picture, bytes], taken_at: str, *, writes: bool) -> bool:
    """Make a folder have exactly this set, as far as ``writes``, and return whether it had another one.

    A set of the same pictures stays as it is, with the time at which it was first taken.
    """
    place = Path(folder)
    try:
        before = read_set(folder)
    except InvalidInput:
        before = []
    there = before == list(taken) and all((place / one.file).is_file() for one in before)
    if there or not writes:
        return not there
    manifest = {"version": VERSION, "taken_at": taken_at, "pictures": [asdict(one) for one in taken]}
    try:
        for picture, content in taken.items():
            write_file(place / picture.file, content)
        write_file(place / MANIFEST, f"{json.dumps(manifest, indent=1)}\n".encode())
        for file in {one.file for one in before} - {one.file for one in taken}:
            (place / file).unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(f"{error.filename or folder} cannot be written: {error.strerror}.") from None
    return True


def make_folder(folder: str) -> None:
    """Raises InvalidInput when the folder cannot be made, or nothing can be written in it."""
    try:
        os.makedirs(folder, exist_ok=True)
        problem = None if os.access(folder, os.W_OK | os.X_OK) else "Permission denied"
    except OSError as error:
        problem = error.strerror
    if problem:
        raise InvalidInput(f"folder: {folder} cannot be written: {problem}. Nothing was done.")


def write_file(path: Path, content: bytes) -> None:
    """Write a file in one step: nobody ever reads half of it."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".picture-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, MODE & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def as_result(picture: Picture) -> dict[str, Any]:
    return asdict(picture)
