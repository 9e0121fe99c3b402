# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the page of a report from its document: sections with charts and tables, which a template shows.

The page is one file that loads nothing. All text from the document is escaped where the template shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..module_utils import _page_style
from ..module_utils._text import printable
from . import report_charts as charts
from .plain_values import Record

LONGEST_TEXT = 2000  # characters
MOST_BARS = 10
NONE = "–"
TIME_FRAMES = {
    "24_hours": "the last 24 hours",
    "7_days": "the last 7 days",
    "30_days": "the last 30 days",
    "60_days": "the last 60 days",
}
VERDICTS = {"broke_it": ("broke the site", "bad"), "not_known": ("not known yet", "warn")}

STATES = {"unknown": "unknown", "sent": "no answer yet", "in_progress": "in progress"}
AGES = ((0, "today"), (1, "1 day"), (2, "2 to 3 days"), (4, "4 to 7 days"), (8, "8 to 14 days"), (15, "over 14 days"))


Bar = tuple[str, float, bool]
"""Label, number, and whether it is a bad one."""


@dataclass
class Cell:
    """A cell of a table: text or a number, a level of urgency, more lines behind a click, and a picture of the text."""

    value: object
    level: str = ""
    more: list[str] = field(default_factory=list)
    picture: str = ""
    is_number: bool = False


@dataclass
class Table:
    """A table; one that is folded is behind a click."""

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    folded: bool = False

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """The columns, and whether they have numbers."""
        columns = zip(*self.rows, strict=True)
        return [
            (name, any(cell.is_number for cell in cells)) for name, cells in zip(self.columns, columns, strict=True)
        ]


@dataclass
class Chart:
    """A chart: what it shows, the same in words, and how to draw it."""

    title: str
    text: str
    draw: Callable[[], str]
    picture: str = ""


@dataclass
class Section:
    """A part of the page."""

    name: str
    title: str
    charts: list[Chart] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def page_of(document: Record, folder: str | Path) -> str:
    """Return the page of a document.

    :param folder: the folder of the role, whose template, style sheet and script make the page.
    """
    sections = [section for section in _sections(document) if section.charts or section.tables or section.notes]
    return rendered(
        folder,
        "page.html.j2",
        document=document,
        time=_time(document["time"]),
        period=TIME_FRAMES.get(document["time_frame"], document["time_frame"]),
        tiles=list(_tiles(document["summary"])),
        sections=sections,
    )


def rendered(folder: str | Path, template: str, **values: object) -> str:
    """Return a page that a template of the role makes of these values, with the role's style sheet and script."""
    style, script = style_of(folder), _file_of(folder, "page.js")
    environment = Environment(
        loader=FileSystemLoader(Path(folder) / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(
        **values,
        style=Markup(style),  # noqa: S704 - the role's own files
        script=Markup(script),  # noqa: S704
        policy=_page_style.content_security_policy(style, script),
    )


def style_of(folder: str | Path) -> str:
    """Return the style sheet of the role's pages: what all pages have in common, and then its own."""
    return _page_style.STYLE + _file_of(folder, "page.css")


def _file_of(folder: str | Path, name: str) -> str:
    return (Path(folder) / "files" / name).read_text(encoding="utf-8")


def _shown(value: object) -> object:
    """Return what the template shows of a value: text cannot steer a reader's eyes, and a lack is a dash."""
    if value is None:
        return NONE
    return printable(value, LONGEST_TEXT) if isinstance(value, str) and not isinstance(value, Markup) else value


def _sections(document: Record) -> Iterable[Section]:
    draws = document["charts"] == "drawn"
    yield _changes(document["changes"])
    for make in (
        *(_visits, _networks, _usage, _plugins, _versions, _backups),
        *(_sftp, _dns, _releases, _drift, _key, _gaps),
    ):
        section = make(document)
        for chart in section.charts if draws else []:
            chart.picture = Markup(chart.draw())  # noqa: S704 - escaped by what draws it
        yield section


def _tiles(summary: Record) -> Iterable[tuple[str, object, str]]:
    yield "environments", _grouped(summary["environments"]), ""
    yield "sites", _grouped(summary["sites"]), ""
    yield "visits", _grouped(summary["visits"]), ""
    yield "visits this month", _grouped(summary["visits_this_month"]), ""
    yield "vulnerable plugins", _grouped(summary["vulnerable_plugins"]), "bad" if summary["vulnerable_plugins"] else ""
    yield "days without a backup, at most", _grouped(summary["oldest_backup_days"]), ""
    if summary["compared_environments"]:
        drifted = summary["drifted_environments"]
        yield "environments drifted", _grouped(drifted), "warn" if drifted else ""
    yield "open questions", _grouped(summary["open_questions"]), "bad" if summary["open_questions"] else ""
    yield "readings failed", _grouped(summary["not_read"]), "warn" if summary["not_read"] else ""


# ---- the sections ---------------------------------------------------------------------------------------------------


def _visits(document: Record) -> Section:
    section = Section("visits", "Visits")
    counted = [one for one in document["environments"] if one["visits"]]
    if not counted:
        return section
    points = document["visits"]
    if points:
        text = _course([point["visits"] for point in points], [_day(point["time"]) for point in points])
        title = f"Visits of {_count(len(counted), 'environment')} together"
        pairs = [(_short(point["time"]), point["visits"]) for point in points]
        section.charts.append(Chart(title, text, lambda: charts.lines(pairs)))
    ranked = sorted(counted, key=lambda one: (-one["visits"]["total"], one["host"]))
    section.charts += _bars(
        "Environments with the most visits", [(one["host"], one["visits"]["total"], False) for one in ranked]
    )
    series = [[point["visits"] for point in one["visits"]["points"]] for one in ranked]
    drawn = charts.sparklines([one or [0] for one in series]) if document["charts"] == "drawn" else [""] * len(ranked)
    table = Table("Visits of each environment", ["Environment", "Course", "Visits", "Highest", "Site"], [])
    for one, values, line in zip(ranked, series, drawn, strict=True):
        course = Cell(_course(values), picture=Markup(line))  # noqa: S704 - escaped by what draws it
        table.rows.append(
            [
                _host(one),
                course,
                _number(one["visits"]["total"]),
                _number(max(values, default=None)),
                Cell(one["site_name"]),
            ]
        )
    section.tables.append(table)
    section.tables.append(_visits_by_time(points, ranked))
    return section


def _visits_by_time(points: list[Record], environments: list[Record]) -> Table:
    times = [point["time"] for point in points]
    table = Table("Visits at each time", ["Environment", *(f"{_short(time)}" for time in times)], [], folded=True)
    total = {point["time"]: point["visits"] for point in points}
    table.rows.append([Cell("All together"), *(_number(total[time]) for time in times)])
    for one in environments:
        visits = {point["time"]: point["visits"] for point in one["visits"]["points"]}
        table.rows.append([_host(one), *(_number(visits.get(time)) for time in times)])
    return table


def _networks(document: Record) -> Section:
    section = Section("networks", "Networks with the most requests")
    networks = document["networks"]
    if networks:
        section.charts += _bars("Requests by network", [(one["name"], one["views"], False) for one in networks])
        rows = [[Cell(one["name"]), _number(one["views"]), _number(one["environments"])] for one in networks]
        section.tables.append(Table("Requests by network", ["Network", "Requests", "Environments"], rows))
    return section


def _usage(document: Record) -> Section:
    section = Section("usage", "Usage of this month")
    known = [site for site in document["sites"] if site["visits_this_month"] is not None]
    if not known:
        return section
    ranked = sorted(known, key=lambda one: (-(one["percent"] or 0), -one["visits_this_month"]))
    rows = [(one["site_name"], one["percent"], one["percent"] >= 100) for one in ranked if one["percent"] is not None]
    if rows:
        section.charts += _bars("Percentage of the budget used", rows, unit=" %", limit=100)
    else:
        rows = [(one["site_name"], one["visits_this_month"], False) for one in ranked]
        section.charts += _bars("Sites with the most visits this month", rows)
        section.notes.append("No budget is given: set report_visits_budget for the hosts of a site.")
    table = Table("Usage of each site", ["Site", "Visits this month", "Budget", "Percent", "State"], [])
    for site in ranked:
        numbers = [_number(site[name]) for name in ("visits_this_month", "visits_budget", "percent")]
        table.rows.append([Cell(site["site_name"]), *numbers, _state_of_usage(site)])
    section.tables.append(table)
    return section


def _state_of_usage(site: Record) -> Cell:
    if site["percent"] is None:
        return Cell(None)
    if site["percent"] >= 100:
        return Cell("used up", "bad")
    return Cell("near the budget", "warn") if site["is_near_budget"] else Cell("within the budget", "good")


def _plugins(document: Record) -> Section:
    section = Section("plugins", "Plugins")
    plugins = document["plugins"]
    if not plugins:
        return section
    columns = ["Plugin", "Title", "Version", "State", "Update to", "Environments", "Where"]
    table = Table("Plugins by version, the vulnerable first", columns, [])
    vulnerable: dict[str, set[str]] = {}
    for one in plugins:
        hosts = one["hosts"]
        if one["is_version_vulnerable"]:
            vulnerable.setdefault(str(one["name"]), set()).update(hosts)
        where = Cell(hosts[0]) if len(hosts) == 1 else Cell("show", more=hosts)
        cells = [Cell(one["name"]), Cell(one["title"]), Cell(one["version"]), _state_of_plugin(one), _update_of(one)]
        table.rows.append([*cells, _number(len(hosts)), where])
    section.tables.append(table)
    ranked = sorted(vulnerable.items(), key=lambda item: (-len(item[1]), item[0]))
    rows = [(name, len(hosts), True) for name, hosts in ranked]
    section.charts += _bars("Vulnerable plugins by the environments that have them", rows)
    return section


def _state_of_plugin(plugin: Record) -> Cell:
    if plugin["is_version_vulnerable"] is None:
        return Cell("not told")
    return Cell("vulnerable", "bad") if plugin["is_version_vulnerable"] else Cell("not known as vulnerable", "good")


def _update_of(plugin: Record) -> Cell:
    version = plugin["update_version"] or None
    return (
        Cell(f"{version} (vulnerable too)", "bad")
        if version and plugin["is_update_version_vulnerable"]
        else Cell(version)
    )


def _versions(document: Record) -> Section:
    section = Section("versions", "PHP and WordPress versions")
    for name, title in (("php", "PHP"), ("wordpress", "WordPress")):
        found = document["versions"][name]
        rows = [(one["version"], one["environments"], False) for one in found]
        section.charts += _bars(f"Environments by {title} version", rows)
    known = [one for one in document["environments"] if one["php_version"] or one["wordpress_version"]]
    if known:
        table = Table("Versions of each environment", ["Environment", "Site", "PHP", "WordPress", "Primary domain"], [])
        names = ("site_name", "php_version", "wordpress_version", "primary_domain")
        table.rows = [[_host(one), *(Cell(one[name]) for name in names)] for one in known]
        section.tables.append(table)
    return section


def _backups(document: Record) -> Section:
    section = Section("backups", "Backups")
    shown = [one for one in document["environments"] if one["backups"] is not None or one["downloadable_backup"]]
    if not shown:
        return section
    listed = [one for one in shown if one["backups"] is not None]
    if listed:
        section.charts += _bars("Environments by the age of their newest backup", _ages(listed), most=len(AGES) + 1)
    columns = ["Environment", "Age in days", "Newest", "Type", "Label", "Backups", "Download"]
    table = Table("Backups of each environment", columns, [])
    for one in sorted(shown, key=_age, reverse=True):
        backups: list[Record] = one["backups"] or []
        newest = max(backups, key=lambda backup: backup["created_at_iso"], default=Record())
        table.rows.append(
            [
                _host(one),
                _age_cell(one, document["limits"]["backup_days"]),
                Cell(_time(newest.get("created_at_iso"))),
                *(Cell(newest.get(name)) for name in ("type", "tag")),
                _number(None if one["backups"] is None else len(one["backups"])),
                _download(one["downloadable_backup"]),
            ]
        )
    section.tables.append(table)
    return section


def _download(told: Record | None) -> Cell:
    if told is None:
        return Cell(None)
    when = _time(told["reset_at_iso"]) or told["reset_at"]
    return Cell("available" if told["is_backup_available"] else f"from {when}" if when else "not yet")


def _age(environment: Record) -> float:
    """Return the age for sorting: no backup at all is the oldest, and what is not known the youngest."""
    if environment["backups"] == []:
        return float("inf")
    return -1 if environment["backup_age_days"] is None else environment["backup_age_days"]


def _age_cell(environment: Record, limit: float) -> Cell:
    if environment["backups"] == []:
        return Cell("no backup", "bad")
    age = environment["backup_age_days"]
    return _number(age, "warn" if age is not None and age > limit else "")


def _ages(environments: list[Record]) -> list[Bar]:
    """Return the bars of a histogram of ages."""
    counts = dict.fromkeys([text for _days, text in AGES], 0)
    for one in environments:
        if one["backup_age_days"] is not None:
            counts[next(text for days, text in reversed(AGES) if one["backup_age_days"] >= days or days == 0)] += 1
    rows = [(text, count, False) for text, count in counts.items()]
    bare = sum(one["backups"] == [] for one in environments)
    return [*rows, ("no backup", bare, True)]


def _sftp(document: Record) -> Section:
    rows = []
    for one in document["environments"]:
        addresses = one["sftp_allowlist"]
        if addresses is not None:
            shown = Cell(", ".join(addresses)) if addresses else Cell("open to all addresses", "warn")
            rows.append([_host(one), _number(len(addresses)), shown])
    tables = [Table("Addresses that may use SFTP and SSH", ["Environment", "Count", "Addresses"], rows)] if rows else []
    return Section("sftp", "SFTP and SSH", tables=tables)


def _dns(document: Record) -> Section:
    rows = [
        [
            _host(one),
            *(Cell(record[name]) for name in ("name", "type")),
            _number(record["ttl"]),
            Cell(", ".join(map(str, record["rdata"] or [])) or None),
        ]
        for one in document["environments"]
        for domain in one["dns"] or []
        for record in domain["records"]
    ]
    table = Table("DNS records", ["Environment", "Name", "Type", "TTL", "Values"], rows)
    return Section("dns", "DNS", tables=[table] if rows else [])


def _releases(document: Record) -> Section:
    section = Section("releases", "Releases and open questions")
    questions = [
        [
            _host(one),
            Cell(question["what"]),
            Cell(question["release"]),
            Cell(STATES.get(question["state"], question["state"]), "bad" if question["state"] == "unknown" else "warn"),
            Cell(_time(question["sent_at"])),
        ]
        for one in document["environments"]
        for question in one["open_questions"]
    ]
    if questions:
        columns = ["Environment", "Request", "Release", "Outcome", "Sent"]
        section.tables.append(Table("Open questions of the journal", columns, questions))
        section.notes.append("hosting.management.settle settles what is of unknown outcome.")
    updates = [
        [
            _host(one),
            Cell("PHP" if update["kind"] == "php" else update["name"]),
            Cell(update["version"]),
            Cell(*VERDICTS.get(update["verdict"], (update["verdict"],))),
            Cell(update["reason"] or None),
            Cell(_time(update["updated_at"])),
        ]
        for one in document["environments"]
        for update in one["updates"]
    ]
    if updates:
        columns = ["Environment", "Update", "Version", "Verdict", "Reason", "Updated"]
        section.tables.append(Table("Updates that a site is not known to work with", columns, updates))
        section.notes.append("hosting.management.update_verdict says whether a site works with an update.")
    locks = [
        [
            _host(one),
            Cell(_time(lock["until"])),
            Cell(lock["author"]),
            Cell(lock["reason"]),
            Cell(lock["group"] or "this environment"),
        ]
        for one in document["environments"]
        for lock in one["locks"]
    ]
    if locks:
        columns = ["Environment", "Until", "Author", "Reason", "Locked"]
        section.tables.append(Table("Locks against deployments", columns, locks))
    released = [one for one in document["environments"] if one["release"] and one["release"]["state"]]
    if released:
        table = Table("Releases", ["Environment", "Release", "State", "Pushed"], [])
        for one in released:
            release = one["release"]
            table.rows.append(
                [_host(one), Cell(release["release"]), Cell(release["state"]), Cell(_time(release["sent_at"]))]
            )
        section.tables.append(table)
    elif any(one["release"] for one in document["environments"]):
        section.notes.append("The journal knows of no release.")
    return section


def _drift(document: Record) -> Section:
    section = Section("drift", f"Drift from {document['drift_from']}")
    compared = [one for one in document["environments"] if one["drift"]]
    if not compared:
        return section
    kinds = {
        "differs": ("How environments differ", "Difference", "warn"),
        "planned": ("Planned, and not done yet", "Difference", ""),
        "unknown": ("What could not be compared", "Reason", ""),
    }
    for kind, (title, column, level) in kinds.items():
        rows = [
            [_host(one), Cell(found["title"], level), Cell(found["text"])]
            for one in compared
            for found in one["drift"][kind]
        ]
        if rows:
            section.tables.append(Table(title, ["Environment", "Part", column], rows))
    drifted = document["summary"]["drifted_environments"]
    if drifted:
        section.notes.append(
            f"{drifted:,} of {_count(len(compared), 'compared environment')} drifted. The playbook"
            " hosting.management.maintain with --check shows what would bring them back."
        )
    else:
        section.notes.append(f"{_count(len(compared), 'environment')} compared: none has drifted.")
    others = [[_host(one)] for one in document["environments"] if not one["drift"]]
    if others:
        section.tables.append(Table("Environments that were not compared", ["Environment"], others, folded=True))
    return section


def _key(document: Record) -> Section:
    key = document["api_key"]
    if not key:
        return Section("key", "API key")
    days, limit = key["expires_in_days"], document["limits"]["key_days"]
    left = (
        Cell("does not expire")
        if days is None
        else _number(days, "bad" if days <= 7 else "warn" if days <= limit else "")
    )
    state = Cell(key["status"], "" if key["status"] == "active" else "bad")
    row = [Cell(key["name"]), state, Cell(_time(key["expires_at_iso"])), left]
    return Section("key", "API key", tables=[Table("The API key", ["Name", "Status", "Expires", "Days left"], [row])])


def _gaps(document: Record) -> Section:
    section = Section("gaps", "What is missing here")
    if document["charts"] == "missing":
        section.notes.append(
            "There are no charts, because matplotlib is not installed where Ansible runs: pip install matplotlib. Each"
            " chart's numbers are in its table."
        )
    if document["not_shown"]:
        rows = [[Cell(one["title"]), Cell(one["reason"])] for one in document["not_shown"]]
        section.tables.append(Table("What this service does not show", ["Part", "Reason"], rows))
    alike: dict[tuple[str, str], list[str]] = {}
    for one in document["not_read"]:
        alike.setdefault((one["part"], one["reason"]), []).append(one["subject"])
    rows = []
    for (part, reason), subjects in alike.items():
        subject = Cell(subjects[0]) if len(subjects) == 1 else Cell(f"{len(subjects)} times", more=subjects)
        rows.append([subject, Cell(part), Cell(reason)])
    if rows:
        section.tables.append(Table("What could not be read", ["Where", "Part", "Reason"], rows))
    return section


def _changes(changes: Record | None) -> Section:
    section = Section("changes", "What has changed")
    if changes is None:
        return section
    if "problem" in changes:
        section.notes.append(changes["problem"])
        return section
    section.title = f"What has changed since {_time(changes['since']) or changes['since']}"
    rows = [
        *([Cell(one), Cell("new environment"), Cell(None), Cell(None)] for one in changes["new_environments"]),
        *(
            [Cell(one), Cell("no longer in the report"), Cell(None), Cell(None)]
            for one in changes["removed_environments"]
        ),
        *(_change(one, one["software"]) for one in changes["versions"]),
        *(
            [Cell(one["host"]), Cell(one["plugin"]), Cell(None), Cell("vulnerable", "bad")]
            for one in changes["newly_vulnerable"]
        ),
        *(
            [Cell(one["host"]), Cell(one["plugin"]), Cell("vulnerable"), Cell("no longer", "good")]
            for one in changes["no_longer_vulnerable"]
        ),
        *(_change(one, one["plugin"]) for one in changes["plugin_updates"]),
        *(_change(one, "release") for one in changes["releases"]),
    ]
    if rows:
        section.tables.append(Table("Changes", ["Environment", "What", "Before", "Now"], rows))
    else:
        section.notes.append("Environments, versions, plugins and releases are the same.")
    visits = changes["visits"]
    if visits:
        total = visits["total"]
        moved = "" if total["percent"] is None else f" ({total['percent']:+g} %)"
        section.notes.append(f"Visits: {_grouped(total['to'])}, before {_grouped(total['from'])}{moved}.")
        columns = ["Environment", "Before", "Now", "Percent"]
        rows = [
            [Cell(one["host"]), *(_number(one[name]) for name in ("from", "to", "percent"))]
            for one in visits["environments"]
        ]
        section.tables.append(Table("Visits before and now", columns, rows, folded=True))
    return section


def _change(one: Record, what: str) -> list[Cell]:
    return [Cell(one["host"]), Cell(what), Cell(one["from"]), Cell(one["to"])]


# ---- words and numbers ----------------------------------------------------------------------------------------------


def _bars(
    title: str,
    rows: Sequence[Bar],
    unit: str = "",
    limit: float | None = None,
    most: int = MOST_BARS,
) -> list[Chart]:
    """Return a chart of the first rows, which says the same in words; none without any rows."""
    if not rows:
        return []
    shown = [(str(label), number, f"{_grouped(number)}{unit}", bad) for label, number, bad in rows[:most]]
    rest = f" and {len(rows) - most:,} more" if len(rows) > most else ""
    words = "; ".join(f"{printable(label, 60)}: {text}" for label, _number_of, text, _bad in shown)
    return [Chart(title, f"{words}{rest}.", lambda: charts.bars(shown, limit))]


def _course(values: list[float], times: list[str] | None = None) -> str:
    """Return in words how numbers went, at which times if they are given."""
    if not values:
        return "nothing was counted"
    least, most = min(values), max(values)
    if least == most:
        return f"always {_grouped(most)}"
    when = {number: f" ({times[values.index(number)]})" if times else "" for number in (least, most)}
    ends = f"from {_grouped(values[0])} to {_grouped(values[-1])}"
    return f"{ends}, at least {_grouped(least)}{when[least]}, at most {_grouped(most)}{when[most]}"


def _host(environment: Record) -> Cell:
    return Cell(environment["host"])


def _number(value: float | None, level: str = "") -> Cell:
    return Cell(_grouped(value), level, is_number=True)


def _grouped(value: float | None) -> str | None:
    """Return a number with commas between its thousands."""
    if value is None:
        return None
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _time(text: str | None) -> str | None:
    """Return a time of ISO 8601 as people read it."""
    return f"{text[:10]} {text[11:16]} UTC" if text and text.endswith("Z") and text[10:11] == "T" else text


def _short(time: str) -> str:
    """Return a time as an axis has it: the hour within a day, else month and day."""
    return time[5:10] if time[11:16] in ("00:00", "") else time[11:16]


def _day(time: str) -> str:
    return time[:10] if time[11:16] in ("00:00", "") else _time(time) or time
