# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clock that is wrong, for a whole tree of processes: with this folder on PYTHONPATH, CLOCK_OFFSET shifts it.

The offset is in seconds, and added to what the machine says. time.monotonic() and the times of files are as ever.
"""

from __future__ import annotations

import ctypes
import gc
import os
import time
from datetime import datetime

VARIABLE = "CLOCK_OFFSET"


def shift(seconds: float) -> None:
    """Let this process, and those that it forks, believe that it is so much later."""
    real_time, real_time_ns, real_gmtime, real_localtime = time.time, time.time_ns, time.gmtime, time.localtime

    def now(cls: type[datetime], tz=None) -> datetime:
        return cls.fromtimestamp(time.time(), tz)

    time.time = lambda: real_time() + seconds
    time.time_ns = lambda: real_time_ns() + round(seconds * 1e9)
    time.gmtime = lambda moment=None: real_gmtime(time.time() if moment is None else moment)
    time.localtime = lambda moment=None: real_localtime(time.time() if moment is None else moment)
    # In place, since others have imported the class before; it is written in C and lets nobody set its attributes.
    methods = gc.get_referents(vars(datetime))[0]
    methods["now"] = methods["today"] = classmethod(now)
    methods["utcnow"] = classmethod(lambda cls: cls.utcfromtimestamp(time.time()))
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime))


if float(os.environ.get(VARIABLE) or 0):
    shift(float(os.environ[VARIABLE]))
