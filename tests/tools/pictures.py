# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the pictures of the guides, as SVG in docs/images: `make pictures`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"

NOTICE = """\
<!-- Copyright: hosting.management contributors
GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
SPDX-License-Identifier: GPL-3.0-or-later -->
"""

# The page is part of the picture, so that it is readable wherever it is shown.
STYLE = """\
text { font: 14px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
.title { font-size: 17px; font-weight: 600; }
.strong { font-weight: 600; }
.note { font-size: 13px; fill: #57606a; }
.code { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.page { fill: #ffffff; stroke: #d0d7de; }
.plain { fill: #f6f8fa; stroke: #8c959f; }
.area { fill: none; stroke: #8c959f; stroke-dasharray: 5 4; }
.blue { fill: #ddf4ff; stroke: #0969da; }
.green { fill: #dafbe1; stroke: #1a7f37; }
.red { fill: #ffebe9; stroke: #cf222e; }
.yellow { fill: #fff8c5; stroke: #9a6700; }
.line { fill: none; stroke: #57606a; stroke-width: 1.5; }
.answer { stroke-dasharray: 6 4; }
.life { stroke: #8c959f; stroke-dasharray: 3 4; }
.head { fill: #57606a; }
.under { stroke: #ffffff; stroke-width: 6; stroke-linejoin: round; paint-order: stroke; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.note { fill: #9198a1; }
.page { fill: #0d1117; stroke: #3d444d; }
.plain { fill: #151b23; stroke: #656c76; }
.area, .life { stroke: #656c76; }
.blue { fill: #10233d; stroke: #4493f8; }
.green { fill: #12261e; stroke: #3fb950; }
.red { fill: #301a1f; stroke: #f85149; }
.yellow { fill: #2b230f; stroke: #d29922; }
.line { stroke: #9198a1; }
.head { fill: #9198a1; }
.under { stroke: #0d1117; }
}
"""

HEAD = (
    '<marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">'
    '<path class="head" d="M0 0 10 5 0 10z"/></marker>'
)

LINE = 19
"""The height of a line of text."""


@dataclass
class Picture:
    """A drawing; places are in pixels from the upper left corner."""

    title: str
    description: str
    width: int
    height: int
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "middle") -> None:
        """A line of text whose middle is at the height y."""
        self.parts.append(f'<text class="{kind}" x="{x}" y="{y + 5}" text-anchor="{anchor}">{escape(text)}</text>')

    def box(self, x: float, y: float, width: float, height: float, kind: str, *lines: str, text: str = "") -> None:
        """A box with lines in its middle, the first of them strong."""
        self.parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')
        top = y + height / 2 - (len(lines) - 1) * LINE / 2
        for number, line in enumerate(lines):
            self.text(x + width / 2, top + number * LINE, line, text or ("note" if number else "strong"))

    def arrow(self, *points: tuple[float, float], kind: str = "") -> None:
        path = " L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path class="line {kind}" d="M{path}" marker-end="url(#head)"/>')

    def line(self, x: float, top: float, bottom: float) -> None:
        self.parts.append(f'<path class="life" d="M{x} {top} {x} {bottom}"/>')

    def written(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}"'
            f' height="{self.height}" role="img" aria-labelledby="title description">\n{NOTICE}'
            f'<title id="title">{escape(self.title)}</title>\n'
            f'<desc id="description">{escape(self.description)}</desc>\n'
            f"<style>\n{STYLE}</style>\n<defs>{HEAD}</defs>\n"
            f'<rect class="page" x="0.5" y="0.5" width="{self.width - 1}" height="{self.height - 1}" rx="8"/>\n'
            + "\n".join(self.parts).replace(' class=""', "")
            + "\n</svg>\n"
        )


def deployment() -> Picture:
    """Who says what to whom in a deployment."""
    picture = Picture(
        "A deployment, step by step",
        "The playbook asks the service to check the key and takes a backup. It notes the push in the journal, sends it,"
        " notes that it was accepted, waits for the operation and notes that it has finished. Then it adds missing"
        " domains, sets the deny list, restarts PHP, clears the caches and verifies the site. The second run reads the"
        " journal and the service, and sends no write.",
        860,
        690,
    )
    playbook, journal, service = 130, 430, 730
    for x, name, kind in (
        (playbook, "Playbook", "blue"),
        (journal, "Journal", "yellow"),
        (service, "Service", "plain"),
    ):
        picture.line(x, 50, 670)
        picture.box(x - 70, 20, 140, 36, kind, name)

    def message(y: int, begin: int, end: int, text: str, kind: str = "") -> None:
        picture.text((begin + end) / 2, y - 13, text, "under")
        gap = 3 if end > begin else -3
        picture.arrow((begin + gap, y), (end - gap, y), kind=kind)

    def bracket(y: int, height: int, text: str) -> None:
        picture.parts.append(f'<rect class="area" x="20" y="{y}" width="820" height="{height}" rx="6"/>')
        picture.text(32, y + 15, text, "note under", "start")

    message(95, playbook, service, "Is the key valid?")
    message(130, playbook, service, "Take the backup before-v2.4.1, and wait for it")
    bracket(150, 232, "Push v2.4.1")
    message(205, playbook, journal, "v2.4.1: sent")
    message(240, playbook, service, "Push staging to live")
    message(275, service, playbook, "Accepted, operation 42", "answer")
    message(300, playbook, journal, "v2.4.1: in progress")
    message(335, playbook, service, "Has operation 42 finished? (until it has)")
    message(368, playbook, journal, "v2.4.1: finished")
    message(420, playbook, service, "Add missing domains, set the deny list")
    message(455, playbook, service, "Restart PHP, clear the caches")
    message(490, playbook, service, "Does the site answer as it should?")
    bracket(515, 150, "Second run: changed=0")
    message(572, playbook, journal, "v2.4.1: pushed? PHP restarted?")
    message(602, journal, playbook, "Both finished", "answer")
    message(645, playbook, service, "Key, domains, addresses, the site: reads only")
    return picture


def journal_states() -> Picture:
    """What the journal says of a request, from before it leaves until its end is known."""
    picture = Picture(
        "What the journal says of a request",
        "A request is noted as sent before it leaves. The service's answer makes it in progress, or finished at once."
        " An operation that is in progress ends as finished or failed. When the answer is lost or the run is killed,"
        " the request is unknown: it is sent again if that does no harm; otherwise the service's state or you settle"
        " whether it is finished or failed. A request that was refused, or never reached the service, leaves no row.",
        860,
        430,
    )
    picture.box(25, 70, 140, 60, "plain", "no row", "nothing asked for")
    picture.box(275, 70, 140, 60, "blue", "sent", "no answer yet")
    picture.box(515, 70, 140, 60, "blue", "in progress", "accepted")
    picture.box(705, 70, 130, 60, "green", "finished", "done")
    picture.box(275, 270, 140, 60, "yellow", "unknown", "perhaps done")
    picture.box(515, 270, 140, 60, "red", "failed", "not done")

    picture.arrow((165, 90), (273, 90))
    picture.text(219, 76, "before it leaves", "note")
    picture.arrow((275, 112), (167, 112))
    picture.text(219, 127, "refused, or", "note")
    picture.text(219, 145, "never reached", "note")
    picture.arrow((415, 100), (513, 100))
    picture.text(464, 86, "202 Accepted", "note")
    picture.arrow((655, 100), (703, 100))
    picture.text(690, 150, "operation has ended", "note")
    picture.arrow((345, 70), (345, 35), (770, 35), (770, 68))
    picture.text(557, 21, "200 OK", "note")
    picture.arrow((300, 130), (300, 268))
    picture.text(290, 192, "answer lost,", "note", "end")
    picture.text(290, 210, "or run killed", "note", "end")
    picture.arrow((345, 270), (345, 132))
    picture.text(353, 240, "sent again, if it", "note", "start")
    picture.text(353, 257, "may be repeated", "note", "start")
    picture.arrow((585, 130), (585, 268))
    picture.text(595, 205, "operation has failed", "note", "start")
    picture.arrow((540, 270), (540, 180), (390, 180), (390, 132))
    picture.text(465, 168, "the next run sends", "note")
    picture.text(465, 195, "it again", "note")
    picture.arrow((415, 300), (513, 300))
    picture.text(464, 315, "you report:", "note")
    picture.text(464, 332, "not done", "note")
    picture.arrow((345, 330), (345, 365), (770, 365), (770, 132))
    picture.text(557, 353, "the service shows the effect, or you report: done", "note")
    picture.text(430, 396, "Another run that meets 'sent' waits for the answer; one that meets 'in progress'", "note")
    picture.text(430, 414, "waits for the same operation; one that meets 'finished' has nothing to do.", "note")
    return picture


def inventory() -> Picture:
    """How sites and environments become hosts in groups."""
    picture = Picture(
        "From sites to hosts",
        "Each environment of each site becomes a host: shop and its environments live and staging become shop-live and"
        " shop-staging. The groups site_shop, environment_live and label_retail contain them, and --limit and serial"
        " choose among them.",
        860,
        400,
    )
    for x, title in ((120, "Hosting service"), (400, "Hosts"), (700, "Groups")):
        picture.text(x, 30, title, "title")
    hosts = {}
    for number, (site, label) in enumerate((("shop", "retail"), ("blog", ""))):
        top = 60 + number * 150
        picture.box(25, top, 190, 125, "area")
        picture.text(120, top + 20, f"site {site}" + (f", label {label}" if label else ""), "strong")
        for row, environment in enumerate(("live", "staging")):
            y = top + 38 + row * 42
            picture.box(55, y, 130, 34, "plain", environment, text="code")
            host = f"{site}-{environment}"
            hosts[host] = y + 17
            picture.arrow((185, y + 17), (318, y + 17))
            picture.box(320, y, 160, 34, "blue", host, text="code")
    groups = {
        "site_shop": ["shop-live", "shop-staging"],
        "label_retail": ["shop-live", "shop-staging"],
        "environment_live": ["shop-live", "blog-live"],
        "environment_staging": ["shop-staging", "blog-staging"],
        "site_blog": ["blog-live", "blog-staging"],
    }
    for number, (group, members) in enumerate(groups.items()):
        y = 68 + number * 52
        picture.box(610, y, 190, 34, "green", group, text="code")
        for member in members:
            begin, end = hosts[member], y + 17
            picture.parts.append(f'<path class="line" d="M480 {begin} C545 {begin} 545 {end} 610 {end}"/>')
    picture.text(
        430, 358, "ansible-playbook hosting.management.deploy --limit 'environment_live:&label_retail'", "code"
    )
    picture.text(430, 382, "runs on shop-live alone.", "note")
    return picture


def awx() -> Picture:
    """How jobs of AWX share a journal."""
    picture = Picture(
        "AWX with a shared journal",
        "AWX starts the slices of a job and a nightly schedule as containers whose disks do not last. The credential"
        " gives each of them the service's address and key, and the journal's address. All of them read and write the"
        " same journal in PostgreSQL, so only one sends a request, and a job that is launched again goes on where a"
        " cancelled one stopped.",
        860,
        430,
    )
    picture.box(25, 60, 190, 110, "plain", "AWX", "templates, schedules,", "inventory, slices")
    picture.box(25, 250, 190, 110, "plain", "Credential", "address and key,", "journal and password")
    picture.box(290, 25, 260, 360, "area")
    picture.text(420, 46, "Execution environments", "strong")
    picture.text(420, 64, "their disks do not last", "note")
    for y, name, what in (
        (85, "Deploy, slice 1 of 2", "shop-live, blog-live, …"),
        (180, "Deploy, slice 2 of 2", "news-live, wiki-live, …"),
        (275, "Nightly schedule", "nothing to do"),
    ):
        picture.box(320, y, 200, 70, "blue", name, what)
        middle = y + 35
        picture.arrow((215, 115), (250, 115), (250, middle), (318, middle))
        picture.arrow((215, 305), (270, 305), (270, middle + 14), (318, middle + 14), kind="answer")
        picture.arrow((520, middle - 12), (580, middle - 12), (580, 110), (638, 110))
        picture.arrow((520, middle + 12), (600, middle + 12), (600, 310), (638, 310))
    picture.box(640, 60, 190, 100, "plain", "Hosting service", "each change arrives once")
    picture.box(640, 260, 190, 100, "yellow", "Journal", "PostgreSQL, shared", "by all jobs")
    picture.text(430, 408, "A job that was cancelled and launched again goes on with the same operation.", "note")
    return picture


def approval() -> Picture:
    """What a team's workflow in AWX does, from a tag in Git to the last environment."""
    picture = Picture(
        "From a tag in Git to the last environment",
        "A tag in Git, or somebody with the permission to deploy, starts the workflow. It deploys to the canary,"
        " reports and waits for approval. Somebody approves, and it deploys to the rest and reports. When the canary or"
        " the rest fails, or nobody approves, it asks whether to roll back. A lock stops all of it.",
        860,
        400,
    )
    picture.box(25, 40, 140, 66, "plain", "A tag in Git", "names the release")
    picture.box(25, 136, 140, 66, "plain", "Somebody", "who may deploy")
    picture.box(210, 88, 130, 66, "blue", "Canary", "deploy, verify")
    picture.box(385, 88, 110, 66, "blue", "Report", "how it went")
    picture.box(540, 88, 130, 66, "yellow", "Approval", "who may approve")
    picture.box(715, 88, 120, 66, "green", "The rest", "in waves, report")
    picture.arrow((165, 73), (187, 73), (187, 112), (208, 112))
    picture.arrow((165, 169), (187, 169), (187, 130), (208, 130))
    for begin, end in ((340, 385), (495, 540), (670, 715)):
        picture.arrow((begin, 121), (end - 2, 121))
    picture.text(693, 106, "yes", "note")
    picture.box(385, 236, 285, 66, "yellow", "Roll back?", "somebody approves, or nothing happens")
    picture.box(715, 236, 120, 66, "red", "Rollback", "and report")
    picture.arrow((275, 154), (275, 269), (383, 269), kind="answer")
    picture.text(282, 200, "fails", "note", "start")
    picture.arrow((605, 154), (605, 234), kind="answer")
    picture.text(598, 195, "no, or too late", "note", "end")
    picture.arrow((775, 154), (775, 195), (640, 195), (640, 234), kind="answer")
    picture.text(782, 180, "fails", "note", "start")
    picture.arrow((670, 269), (713, 269))
    picture.text(
        430, 340, "A lock stops deployments, rollbacks and updates until its end, whoever starts them.", "note"
    )
    picture.text(
        430, 364, "Chat or mail hears of what fails, of what waits for approval, and, if you like, of success.", "note"
    )
    return picture


PICTURES = {
    "deployment": deployment,
    "journal": journal_states,
    "inventory": inventory,
    "awx": awx,
    "approval": approval,
}


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (IMAGES / f"{name}.svg").write_text(draw().written())


if __name__ == "__main__":
    main()
