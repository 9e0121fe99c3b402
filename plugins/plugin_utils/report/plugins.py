# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugins of all environments, and which of them are vulnerable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..judgements import vulnerable_of
from ..plain_values import Record
from .part import Comparison, Fleet, Part
from .pieces import Cell, Section, Table, bars, change_cells, host_cell, number_cell
from .words import count, listed

FIELDS = (
    *("name", "title", "status", "version", "update_version", "is_update_available"),
    *("is_version_vulnerable", "is_update_version_vulnerable", "auto_update_type"),
)
JUDGED = ("is_version_vulnerable", "is_update_version_vulnerable")


class Plugins(Part):
    """The plugins of each environment, with their versions."""

    name, title, key = "plugins", "Plugins", "plugins"
    urgency = 20

    def of_environment(self, host: Record, read: Record | None) -> Record:
        return {
            "plugins": read and [_plugin(one) for one in read["plugins"]],
            "vulnerable_plugins": vulnerable_of(read) if read else None,
            "plugins_seen_at": read and read.get("last_updated_at"),
        }

    def not_told(self, hosts: list[Record]) -> Iterator[Record]:
        read = [one for host in hosts if (one := self.read_of(host))]
        silent = [one for one in read if vulnerable_of(one) is None]
        if silent:
            where = "any environment" if len(silent) == len(read) else f"{len(silent)} of {len(read)} environments"
            reason = f"The service does not tell which are vulnerable, for {where}."
            yield self.unshown(reason, "Vulnerable plugins")

    def of_fleet(self, fleet: Fleet) -> Record:
        return {"plugins": _by_version(fleet.environments)}

    def summary(self, document: Record) -> Record:
        found = [one["vulnerable_plugins"] for one in document["environments"] if one["vulnerable_plugins"] is not None]
        return {
            "environments_with_vulnerable_plugins": sum(bool(one) for one in found) if found else None,
            "vulnerable_plugins": len({name for one in found for name in one}) if found else None,
        }

    def attention(self, document: Record) -> Iterator[Record]:
        environments = document["environments"]
        vulnerable = Counter(name for one in environments for name in set(one["vulnerable_plugins"] or []))
        if vulnerable:
            places = sum(bool(one["vulnerable_plugins"]) for one in environments)
            ranked = [name for name, _times in sorted(vulnerable.items(), key=lambda item: (-item[1], item[0]))]
            what = f"{count(len(vulnerable), 'vulnerable plugin')} in {count(places, 'environment')}"
            yield self.note("bad", f"{what}: {listed(ranked)}.")

    def changes(self, compared: Comparison) -> Record:
        both = compared.both
        return {
            "newly_vulnerable": [one for was, now in both for one in _only_in(now, was, now["host"])],
            "no_longer_vulnerable": [one for was, now in both for one in _only_in(was, now, now["host"])],
            "plugin_updates": [one for pair in both for one in _updates(*pair)],
        }

    def section(self, document: Record) -> Section:
        section = Section(self.name, self.title)
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
            cells = [*(Cell(one[name]) for name in ("name", "title", "version")), _state_of(one), _update_of(one)]
            table.rows.append([*cells, number_cell(len(hosts)), where])
        section.tables.append(table)
        ranked = sorted(vulnerable.items(), key=lambda item: (-len(item[1]), item[0]))
        rows = [(name, len(hosts), True) for name, hosts in ranked]
        section.charts += bars("Vulnerable plugins by the environments that have them", rows)
        return section

    def changed_rows(self, changes: Record) -> Iterator[list[Cell]]:
        for one in changes["newly_vulnerable"]:
            yield [host_cell(one), Cell(one["plugin"]), Cell(None), Cell("vulnerable", "bad")]
        for one in changes["no_longer_vulnerable"]:
            yield [host_cell(one), Cell(one["plugin"]), Cell("vulnerable"), Cell("no longer", "good")]
        for one in changes["plugin_updates"]:
            yield change_cells(one, one["plugin"])


def _plugin(read: Record) -> Record:
    verdicts = {name: read[name] if isinstance(read.get(name), bool) else None for name in JUDGED}
    return {**{name: read.get(name) for name in FIELDS}, **verdicts}


def _by_version(environments: list[Record]) -> list[Record]:
    """Return each version of each plugin with the hosts that have it, the vulnerable first."""
    names = ("name", "title", "version", "update_version", *JUDGED)
    found: dict[str, Record] = {}
    for one in environments:
        for plugin in one["plugins"] or []:
            row = {name: plugin[name] for name in names}
            row = found.setdefault(str(list(row.values())), {**row, "hosts": []})
            row["hosts"].append(one["host"])
    return sorted(
        found.values(),
        key=lambda row: (
            not row["is_version_vulnerable"],
            not row["update_version"],
            str(row["name"]),
            -len(row["hosts"]),
        ),
    )


def _only_in(more: Record, less: Record, host: str) -> Iterator[Record]:
    """Yield the plugins that are vulnerable in one state of an environment and not in the other."""
    if less["vulnerable_plugins"] is not None and more["vulnerable_plugins"] is not None:
        for name in more["vulnerable_plugins"]:
            if name not in less["vulnerable_plugins"]:
                yield {"host": host, "plugin": str(name)}


def _updates(was: Record, now: Record) -> Iterator[Record]:
    before = {plugin["name"]: plugin["version"] for plugin in was["plugins"] or []}
    for plugin in now["plugins"] or []:
        old = before.get(plugin["name"])
        if old and old != plugin["version"]:
            yield {"host": now["host"], "plugin": plugin["name"], "from": str(old), "to": plugin["version"]}


def _state_of(plugin: Record) -> Cell:
    if plugin["is_version_vulnerable"] is None:
        return Cell("not told")
    return Cell("vulnerable", "bad") if plugin["is_version_vulnerable"] else Cell("not known as vulnerable", "good")


def _update_of(plugin: Record) -> Cell:
    version = plugin["update_version"] or None
    if version and plugin["is_update_version_vulnerable"]:
        return Cell(f"{version} (vulnerable too)", "bad")
    return Cell(version)
