# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of ``launcher.py`` that are forked from a process which has imported all that they need.

A run has the folder, the environment and the files of its client (see ``client.py``), and is killed when that is. The
server ends when its standard input does.
"""

import atexit
import fcntl
import json
import os
import select
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from ansible import constants
from ansible.cli import playbook
from ansible.plugins import loader

from runs.early import look_early
from runs.tasks import import_all

READ_LATE = {
    *("ANSIBLE_HOME", "CONFIG_FILE", "DEFAULT_HOST_LIST", "DEFAULT_LOCAL_TMP", "DEFAULT_REMOTE_TMP"),
    *("ANSIBLE_NOCOLOR", "RETRY_FILES_ENABLED", "DEFAULT_FORKS", "DEFAULT_STDOUT_CALLBACK", "CALLBACKS_ENABLED"),
}
"""Settings that Ansible reads when it needs them, so that they may differ. Others may be in what was imported."""

PLUGINS = {
    "BECOME_PLUGIN_PATH": loader.become_loader,
    "DEFAULT_CALLBACK_PLUGIN_PATH": loader.callback_loader,
    "DEFAULT_CONNECTION_PLUGIN_PATH": loader.connection_loader,
}
"""Settings that can be told to what was imported."""

LAUNCHER = str(Path(__file__).with_name("launcher.py"))
AWAY = 200  # from here on, no client has a descriptor


def serve(address: str) -> None:
    """Fork a run for each client that comes to this socket."""
    loader.init_plugin_loader([])
    look_early()
    import_all("module_utils", "plugin_utils", "modules")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        print("ready", flush=True)
        while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
            client, _address = listening.accept()
            with client:
                if not os.fork():
                    listening.close()
                    _attend(client)
            # Only the CPU seconds of those who were waited for are this process's.
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _attend(client: socket.socket) -> NoReturn:
    """Start a run, and tell its client how it ended."""
    _byte, received, _flags, _address = socket.recv_fds(client, 1, AWAY)
    given = json.loads(client.makefile().readline())
    run = os.fork()
    if not run:
        client.close()
        _run(given, received)
    for descriptor in received:
        os.close(descriptor)

    def kill_when_client_is_gone() -> None:
        client.recv(1)
        with suppress(ProcessLookupError):  # it ended before its client did
            os.killpg(run, signal.SIGKILL)

    threading.Thread(target=kill_when_client_is_gone, daemon=True).start()
    status = os.waitstatus_to_exitcode(os.waitpid(run, 0)[1])
    client.sendall(f"{status}\n".encode())
    os._exit(0)


def _run(given: dict[str, Any], received: list[int]) -> NoReturn:
    os.setsid()
    os.chdir(given["folder"])
    environment = dict(os.environ)
    os.environ.clear()
    os.environ.update(given["environment"])
    away = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, AWAY) for descriptor in received]
    os.closerange(3, AWAY)
    for descriptor, wanted in zip(away, given["descriptors"], strict=True):
        os.dup2(descriptor, wanted)
    os.closerange(AWAY, AWAY + len(away))
    atexit._clear()
    if not _can_be_told(environment):
        os.execv(sys.executable, [sys.executable, LAUNCHER, *given["arguments"]])
    status: Any = 1
    try:
        sys.argv[1:] = given["arguments"]
        status = playbook.main()
    except SystemExit as end:
        status = end.code
    except BaseException:  # noqa: BLE001 (Python prints it, too)
        traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else bool(status))


def _can_be_told(environment_before: dict[str, str]) -> bool:
    """Read the settings anew, and tell whether all that depends on them has come to know."""
    if os.environ.get("PYTHONPATH") != environment_before.get("PYTHONPATH"):
        return False
    now = vars(constants)
    before = dict(now)
    constants.config.__init__()
    names = constants.config.get_configuration_definitions()
    for name in names:
        constants.set_constant(name, constants.config.get_config_value(name, variables=now))
    for name, of in PLUGINS.items():
        of.config = now[name]
    homes = now["ANSIBLE_HOME"], before["ANSIBLE_HOME"]
    return all(
        repr(now[name]).replace(*homes) == repr(before[name]) for name in set(names) - READ_LATE - PLUGINS.keys()
    )
