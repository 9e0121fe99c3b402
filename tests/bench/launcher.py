# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command, and write down what it and all its children took: launcher.py FILE COMMAND...

It is a process of its own because the system counts the memory of the process that starts a command as the command's.
So it is small, and imports little.
"""

import json
import os
import sys
import time


def main():
    path, *command = sys.argv[1:]
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.execv(command[0], command)
    _pid, status, usage = os.wait4(pid, 0)
    seconds = time.monotonic() - began
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
    taken = {
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss * unit / 1024**2,
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(taken, file)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
