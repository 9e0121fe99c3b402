# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""make faults: let every module that writes meet every fault, and write what is seen into docs/failures.md."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "build" / "collections")]

from faults.cases import CHUNKS, observe  # noqa: E402
from faults.guide import GUIDE, in_guide, put_into_guide, table_of, written  # noqa: E402


def main() -> None:
    table = {}
    with ThreadPoolExecutor(2) as pool:
        for stories in pool.map(observe, CHUNKS):
            table |= table_of(stories)
            print(f"{len(table)} faults seen", flush=True)
    before = in_guide()
    put_into_guide(written(table))
    print(f"{GUIDE} {'is as it was' if in_guide() == before else 'has a new table: look at the difference'}")


if __name__ == "__main__":
    main()
