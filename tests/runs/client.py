# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets a server start a run, with what this process has, and ends as the run ends: client.py SOCKET ARGUMENT..."""

import json
import os
import socket
import sys
from contextlib import suppress


def main() -> int:
    address, *arguments = sys.argv[1:]
    descriptors = []
    for number in map(int, os.listdir("/dev/fd")):
        with suppress(OSError):  # the one that the list was read from
            os.fstat(number)
            descriptors.append(number)
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [b"."], descriptors)
        given = {
            "arguments": arguments,
            "descriptors": descriptors,
            "folder": os.getcwd(),
            "environment": dict(os.environ),
        }
        server.sendall(json.dumps(given).encode() + b"\n")
        status = server.makefile().readline()
    return int(status) if status else 255


if __name__ == "__main__":
    sys.exit(main())
