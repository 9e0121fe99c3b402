# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who has sent a request: words for a process that tell whether it may still be alive, from anywhere."""

from __future__ import annotations

import os
import socket
import uuid
from pathlib import Path


def this_process() -> str:
    """Return words that name this process among those of all machines and containers, now and later.

    A host name and a process id do not: containers may share the one, and the other is given anew. It is asked anew
    each time, because a fork is another process.
    """
    home = _linux_home()
    try:
        if home:
            pid, start, _is_running = _process("self")
            return f"{home} {pid} {start}"
    except OSError:
        pass
    return f"{_host()} {os.getpid()}"


def may_be_alive(sender: str) -> bool:
    """Return False when a sender has certainly ended; one from elsewhere may be alive."""
    if sender.startswith("host "):
        home, _separator, pid = sender.rpartition(" ")
        return home != _host() or _exists(pid)
    home, _separator, start = sender.rpartition(" ")
    home, _separator, pid = home.rpartition(" ")
    if home != _linux_home():
        return True
    try:
        _pid, start_now, is_running = _process(pid)
    except OSError:
        return _exists(pid)  # /proc can be mounted so that it hides the processes of other users
    return is_running and start_now == start


def clock_of(sender: str) -> str:
    """Return what the senders have in common that share a clock: the boot of a machine, or its name and address."""
    return sender.split(" ")[1] if sender.startswith("linux ") else sender.rpartition(" ")[0]


def _linux_home() -> str | None:
    """Return what the processes of one boot of one machine, within one container, have in common."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"linux {boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return None


def _host() -> str:
    """Return the same where there is no /proc: the machine's name and network address."""
    return f"host {socket.gethostname()} {uuid.getnode()}"


def _process(pid: str) -> tuple[str, str, bool]:
    """Return a process's id, when it was started (in ticks since the boot), and whether it still runs."""
    # The program's name is in brackets, and may hold blanks and brackets.
    before, _bracket, after = Path("/proc", pid, "stat").read_text(errors="replace").rpartition(")")
    values = after.split()
    return before.split()[0], values[19], values[0] not in "ZX"


def _exists(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError, OverflowError):
        return True
    return True
