# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all pages that this collection writes have in common: colours, shape, and that they load nothing."""

from __future__ import annotations

import hashlib
from base64 import b64encode

# It is here, and not in the role that makes reports, because a module may write a page far from any role.
STYLE = """:root {
  --bg: #ffffff;
  --ink: #1c2127;
  --muted: #57606a;
  --panel: #f4f6f8;
  --line: #d0d7de;
  --edge: #6b7680;
  --link: #0b5394;
  --series: #2563a8;
  --area: #d3e2f2;
  --shade: #8c959f66;
  --bad: #b3261e;
  --warn: #8a5300;
  --good: #1a6b34;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --bg: #14181d;
    --ink: #e8ebee;
    --muted: #a5b0bb;
    --panel: #1d232a;
    --line: #3a434d;
    --edge: #7d8995;
    --link: #8fc1ff;
    --series: #7db3f0;
    --area: #233a55;
    --shade: #000000b3;
    --bad: #ff9a91;
    --warn: #f0b95b;
    --good: #7fd69b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  padding: 1rem;
  max-width: 90rem;
  background: var(--bg);
  color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; }
a { color: var(--link); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 0 0 2rem; }
.tiles div {
  display: flex;
  flex-direction: column;
  padding: .75rem;
  background: var(--panel);
  border: 1px solid var(--line);
  border-left: .3rem solid var(--edge);
  border-radius: .3rem;
}
.tiles dt { order: 1; font-size: .875rem; line-height: 1.3; }
.tiles dd { margin: 0; font-size: 1.5rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tiles .note { order: 2; color: var(--muted); font-size: .8125rem; }
.tiles .bad { border-left-color: var(--bad); }
.tiles .warn { border-left-color: var(--warn); }
"""


def content_security_policy(style: str, script: str = "") -> str:
    """Return the policy of a page that may load nothing, and run nothing but this script."""
    runs = f" script-src {_source(script)};" if script else ""
    return f"default-src 'none'; style-src {_source(style)};{runs} img-src data:; base-uri 'none'; form-action 'none'"


def _source(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
