# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Change a page 200 times, compare pictures of before and after, and see what is noticed.

`make pictures-test` runs this. It prints the table of docs/pictures.md and writes it there. It ends with status 1 when
a visible break was missed, or an invisible change counts as a difference.
"""

from __future__ import annotations

import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "build" / "collections")]

from ansible_collections.hosting.management.plugins.module_utils._entry import Context, perform  # noqa: E402
from ansible_collections.hosting.management.plugins.modules import site_compare, site_snapshot  # noqa: E402
from simulator.storefront import STYLE, UNSTABLE, storefront  # noqa: E402

GUIDE = TESTS.parent / "docs" / "pictures.md"
BEGIN, END = (
    "<!-- begin of what `make pictures-test` has seen -->\n",
    "<!-- end of what `make pictures-test` has seen -->\n",
)
SEED = 19
PAGES = 20
ROUNDS = 10
TARGETS = (
    *("#cart", "header h1", ".lead", ".about", "footer", "#product-1", "#product-3 .image", "#product-2 .buy"),
    *("#product-0 h2", "#product-4 p"),
)
PAINTED = {"background": ("header", ".buy", "footer", "#cart", "#product-2 .buy"), "color": ("nav a", "h2", ".lead")}
LOUD = ("#d4145a", "#0a7cff", "#ffb400", "#00b894")
SHADED = ("header { background: #f5f2ec; }", ".buy { background: #1e6e38; }", "body { color: #262626; }")

Change = dict[str, str]
"""What storefront() is given."""


def _moved(chance: random.Random) -> Change:
    side, far = chance.choice(("left", "top")), chance.choice((-1, 1)) * chance.randrange(2, 60)
    return {"extra": f"{chance.choice(TARGETS)} {{ position: relative; {side}: {far}px; }}"}


def _missing(chance: random.Random) -> Change:
    how = chance.choice(("visibility: hidden", "display: none", "opacity: 0"))
    return {"extra": f"{chance.choice(TARGETS)} {{ {how} !important; }}"}


def _recoloured(chance: random.Random) -> Change:
    what = chance.choice(tuple(PAINTED))
    return {"extra": f"{chance.choice(PAINTED[what])} {{ {what}: {chance.choice(LOUD)}; }}"}


def _font(chance: random.Random) -> Change:
    target = chance.choice(("body, h1, h2", "header h1", ".product h2", ".lead", "nav a", "#product-2 .buy"))
    return {"extra": f"{target} {{ font-family: monospace !important; }}"}


def _collapsed(chance: random.Random) -> Change:
    return {"style_sheet": f"/missing-{chance.randrange(100)}.css"}


def _pixel(chance: random.Random) -> Change:
    side, far = chance.choice(("left", "top")), chance.choice((-1, 1))
    return {"extra": f"{chance.choice(TARGETS)} {{ position: relative; {side}: {far}px; }}"}


def _shade(chance: random.Random) -> Change:
    return {"extra": chance.choice(SHADED)}


def _advert(chance: random.Random) -> Change:
    return {"advert": f"New: everything at {chance.randrange(5, 95)} percent, and more words than there were before"}


def _nothing(chance: random.Random) -> Change:  # noqa: ARG001
    return {}


CHANGES: dict[str, tuple[bool, Callable[[random.Random], Change]]] = {
    "an element is moved, by 2 pixels or more": (True, _moved),
    "an element is missing": (True, _missing),
    "an element has another colour": (True, _recoloured),
    "a font is replaced by another one": (True, _font),
    "the style sheet is missing": (True, _collapsed),
    "an element is shifted by one pixel": (False, _pixel),
    "a colour is another shade, by 4 of 255": (False, _shade),
    "another advert in a masked place": (False, _advert),
    "nothing but clock, slider and advert, which are masked": (False, _nothing),
}
"""The kinds of changes: whether a visitor would call it a break, and how to make one."""


class Shop(BaseHTTPRequestHandler):
    """The pages, by their number, each with its change."""

    changes: dict[int, Change] = {}

    def do_GET(self) -> None:
        number = self.path.strip("/")
        found = number.isdigit()
        options = {"style_sheet": "", **self.changes.get(int(number) if found else 0, {})}
        body = storefront(int(number), products=6, **options).encode() if found else STYLE.encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8" if found else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_unused: object) -> None:
        pass


def run(module, **options: object) -> dict:
    """Run a module in this process, and return its result."""
    checked = ArgumentSpecValidator(module.SPEC.options, **module.SPEC.constraints).validate(options)
    assert not checked.error_messages, checked.error_messages
    params = checked.validated_parameters
    result = perform(module.SPEC, module.run, Context(params), params)
    if result.get("failed"):
        sys.exit(f"{module.__name__.rpartition('.')[2]}: {result['msg']}")
    return result


def measure(address: str, folder: Path) -> list[tuple[str, str, float, bool]]:
    """Return for each change its kind, what it was, the share that differs, and whether that counts as different."""
    chance = random.Random(SEED)
    kinds = [kind for kind in CHANGES for _one in range(-(-PAGES * ROUNDS // len(CHANGES)))][: PAGES * ROUNDS]
    chance.shuffle(kinds)
    urls = [f"{address}/{number}" for number in range(1, PAGES + 1)]
    options = {"pages": urls, "widths": [1000], "mask": list(UNSTABLE)}
    Shop.changes = {}
    run(site_snapshot, folder=str(folder / "before"), **options)
    seen = []
    for turn in range(ROUNDS):
        now = dict(enumerate(kinds[turn * PAGES : (turn + 1) * PAGES], 1))
        Shop.changes = {number: CHANGES[kind][1](chance) for number, kind in now.items()}
        run(site_snapshot, folder=str(folder / "after"), **options)
        compared = run(site_compare, before=str(folder / "before"), after=str(folder / "after"))
        for one in compared["pictures"]:
            number = int(one["page"].strip("/"))
            seen.append((now[number], str(Shop.changes[number]), one["share"], one["differs"]))
        print(f"{len(seen)} of {PAGES * ROUNDS}", file=sys.stderr)
    return seen


def table_of(seen: list[tuple[str, str, float, bool]]) -> list[str]:
    lines = ["| change | a break | changes | counted as different | share that differs |", "|---|---|---|---|---|"]
    count = Counter(kind for kind, *_rest in seen)
    for kind, (is_break, _make) in CHANGES.items():
        shares = [share for one, _what, share, _differs in seen if one == kind]
        counted = sum(differs for one, _what, _share, differs in seen if one == kind)
        shown = f"{min(shares):.2f} to {max(shares):.2f} %" if any(shares) else "0"
        lines.append(f"| {kind} | {'yes' if is_break else 'no'} | {count[kind]} | {counted} | {shown} |")
    return lines


def main() -> int:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        seen = measure(f"http://127.0.0.1:{server.server_port}", Path(folder))
    server.shutdown()
    table = "\n".join(table_of(seen))
    print(table)
    before, begin, rest = GUIDE.read_text().partition(BEGIN)
    GUIDE.write_text(f"{before}{begin}\n{table}\n\n{END}{rest.partition(END)[2]}")
    wrong = [one for one in seen if one[3] != CHANGES[one[0]][0]]
    for kind, what, share, differs in wrong:
        print(f"{'counts though nobody sees it' if differs else 'missed'}: {kind} ({share} %): {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
