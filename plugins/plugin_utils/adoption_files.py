# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was read of a fleet, as files that belong into Git, beside those that are there already. Nothing is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..module_utils._text import printable
from . import maintenance_variables
from .adoption import (
    ADDITIONAL,
    DENIED,
    MISSING,
    NOT_SHOWN,
    ORDER,
    Wanted,
    common_of,
    digest,
    effective,
    is_name_of_group,
    own_of,
    problem_of_name,
    step_of,
    wanted_of,
)
from .adoption_folder import HEAD, Folder, Look, Rivals
from .plain_values import Record, plain
from .role_variables import checked, options_of
from .variable_yaml import block_of, comment_of, commented, has_expression

MAINTAIN = Path(__file__).parents[2] / "roles" / "maintain"
EVERYONE = "group_vars/all.yml"
INVENTORY = "hosts.yml"
ROLES = ("company-admin", "company-developer", "company-billing")
ACCESS = (
    "# The users of the company, for hosting.management.access. The service does not show the roles of those behind a"
    ' "#":\n# give them one of company-admin, company-developer and company-billing, and take the "#" away.\n'
)
CONNECTION = """\
  vars:
    ansible_connection: local
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
"""


def plan_of(
    hosts: list[str],
    *,
    asked: list[Record],
    read: list[Record],
    groups: dict[str, list[str]],
    users: Record,
    settings: Record,
    look: Look,
    rivals: Rivals,
) -> Record:
    """Return the files that declare a fleet, as documented for the filter adoption_plan.

    :param asked: what the lookup adopt_host returned for each host, empty for one that failed before.
    :param read: the result of environment_state_info for each host.
    :param groups: the hosts of each group of the inventory.
    :param users: the result of the task that lists the company's users, empty without one.
    :param settings: ``folder``, ``parts``, ``groups``, ``merge`` and ``inventory``, as the lookup has them.
    """
    known = {host: (plain(one), plain(two)) for host, one, two in zip(hosts, asked, read, strict=True)}
    plan = _Plan(plain(settings), {str(name): list(map(str, those)) for name, those in groups.items()}, look, rivals)
    return plan.made(known, plain(users))


class _Plan:
    def __init__(self, settings: Record, groups: dict[str, list[str]], look: Look, rivals: Rivals) -> None:
        self.merges = bool(settings["merge"])
        self.settings, self.groups = settings, groups
        self.folder = Folder(look, rivals, merges=self.merges)
        self.not_adopted: list[Record] = []
        self.conflicts: list[Record] = []
        self.gaps: list[Record] = []
        self.notes: list[str] = []
        self.bases: dict[str, dict[str, str]] = self.folder.bases

    def made(self, known: dict[str, tuple[Record, Record]], users: Record) -> Record:
        adopted = [host for host, (asked, read) in known.items() if self._is_adopted(host, asked, read)]
        chosen = self._chosen_groups(adopted)
        fleet = [
            wanted_of(host, chosen.get(host, ""), known[host][1], self.settings["parts"]) for host in sorted(adopted)
        ]
        by_group: dict[str, list[Wanted]] = {}
        for one in fleet:
            by_group.setdefault(one.group, []).append(one)
        for group, members in sorted(by_group.items()):
            self._adopt(group, members, adopted)
        self._users(users)
        if self.settings["inventory"]:
            self._inventory({host: known[host][0] for host in sorted(adopted)})
        known_hosts = set(self.groups.get("all", []))
        self.folder.keep_record({host: base for host, base in self.bases.items() if host in known_hosts})
        self.folder.complain_of_others()
        for one in fleet:
            self.gaps += [{"host": one.host, "variable": name, "why": why} for name, why in one.gaps.items()]
        problems = self.folder.problems
        return {
            "problems": problems,
            "folder": self.settings["folder"],
            "merges": self.merges,
            "hosts": sorted(adopted),
            "files": [] if problems else self.folder.files,
            "declared": {} if problems else {one.host: self._declared(one, known[one.host][0]) for one in fleet},
            "not_adopted": self.not_adopted,
            "conflicts": self.conflicts,
            "gaps": self.gaps,
            "notes": self.notes,
        }

    # ---- which hosts, and which groups ------------------------------------------------------------------------------

    def _is_adopted(self, host: str, asked: Record, read: Record) -> bool:
        if not asked.get("asks"):
            why = "the host failed before anything was read"
        elif not asked["asks"]["environment_id"]:
            why = "it has neither adopt_environment_id nor hosting_environment_id"
        else:
            why = problem_of_name(host)
        alike = [one for one in self.groups.get("all", []) if one != host and one.casefold() == host.casefold()]
        if not why and alike:
            why = f"its file would be that of {printable(alike[0])} where upper and lower case are alike"
        if why:
            self.not_adopted.append({"host": printable(host), "why": why})
        elif "declaration" not in read:
            why = f"nothing could be read: {printable(str(read.get('msg') or 'the host failed'))}"
            self.not_adopted.append({"host": host, "why": why})
            return True  # it gets a file all the same, which keeps the group's values away from it
        return not why

    def _chosen_groups(self, adopted: list[str]) -> dict[str, str]:
        """Return the group of each host that takes common values. All of a group must be here to have any."""
        names = [name for name in self.settings["groups"] or [] if name in self.groups]
        if not self.settings["groups"]:
            names = sorted(name for name in self.groups if name.startswith("environment_")) or ["all"]
        chosen: dict[str, str] = {}
        for name in filter(is_name_of_group, names):
            for host in self.groups[name]:
                if host in adopted:
                    chosen.setdefault(host, name)
        return chosen

    # ---- the files of a group and its hosts -------------------------------------------------------------------------

    def _adopt(self, group: str, members: list[Wanted], adopted: list[str]) -> None:
        path = f"group_vars/{group}.yml" if group else ""
        beneath = self.folder.values(EVERYONE) if path != EVERYONE else {}
        outside = [host for host in self.groups.get(group, []) if host not in adopted]
        is_new = all(one.host not in self.bases for one in members)
        nowhere: list[str] = []
        if path and not outside and (not self.merges or (is_new and self.folder.text(path) is None)):
            common = common_of(members)
            nowhere = [name for name in ORDER if all(one.gaps.get(name) == NOT_SHOWN for one in members)]
            self.folder.put(path, self._group_text(group, common, nowhere))
        else:
            common = self.folder.values(path) if path else {}
            if outside and not self.merges and self.folder.text(path) is None:
                self.notes.append(
                    f"{path} is not written, because the group has hosts that are not adopted here, such as"
                    f" {printable(outside[0])}: they would take its values. What is common is in the files of the"
                    " hosts."
                )
        common = {**{name: value for name, value in beneath.items() if name in ORDER}, **common}
        common = {name: value for name, value in common.items() if name in ORDER}
        if self.merges:
            changed = self._changed_for_all(path, common, members) if not outside else {}
            for name, value in changed.items():
                self.folder.set_variable(path, name, value)
                common[name] = value
            for one in members:
                self._merge(one, common, nowhere)
        else:
            for one in members:
                self.folder.put(f"host_vars/{one.host}.yml", self._host_text(one, own_of(one, common), nowhere))
                self.bases[one.host] = {name: digest(value) for name, value in one.values.items()}

    def _group_text(self, group: str, common: Record, nowhere: list[str]) -> str:
        text = "".join(block_of(name, common[name]) for name in ORDER if name in common)
        if nowhere:
            text += comment_of(f"Not declared, because the service does not show it: {', '.join(nowhere)}.", 1000)
        if not text:
            return ""
        head = f"what most hosts of {group} have in common. What deviates is in host_vars."
        return HEAD.format(head) + text

    def _host_text(self, one: Wanted, own: Record, nowhere: list[str]) -> str:
        text = ""
        for name in ORDER:
            gap = one.gaps.get(name)
            if name in own:
                text += block_of(name, own[name], f"Not all of it is known: {gap}" if gap else "")
            elif gap and name not in nowhere:
                text += comment_of(f"{name} is not declared: {gap}")
        if not text:
            return ""
        what = f"what deviates from {one.group}" if one.group else "what is declared"
        return HEAD.format(f"{what}, for {one.host}.") + text

    # ---- what is there already --------------------------------------------------------------------------------------

    def _changed_for_all(self, path: str, common: Record, members: list[Wanted]) -> Record:
        """Return the group's variables that the service has changed alike for all who take them from the group."""
        changed: Record = {}
        for name in self.folder.values(path) if path else ():
            if name not in ORDER or name == DENIED or len(members) < 2:
                continue
            taking = [one for one in members if name not in self.folder.values(f"host_vars/{one.host}.yml")]
            now = {digest(one.values.get(name)) for one in taking if name in one.values}
            steps = {
                step_of(self._base(one, name), common[name], one.values[name]) if name in one.values else "keep"
                for one in taking
            }
            if taking and steps == {"take"} and len(now) == 1:
                changed[name] = taking[0].values[name]
        return changed

    def _base(self, one: Wanted, name: str) -> str | None:
        return self.bases.get(one.host, {}).get(name)

    def _merge(self, one: Wanted, common: Record, nowhere: list[str]) -> None:
        """Keep what a person has edited, take what the service alone has changed, and tell where both have."""
        path = f"host_vars/{one.host}.yml"
        if one.host not in self.bases and self.folder.text(path) is None:
            self.folder.put(path, self._host_text(one, own_of(one, common), nowhere))
            self.bases[one.host] = {name: digest(value) for name, value in one.values.items()}
            return
        own = self.folder.values(path)
        bases = dict(self.bases.get(one.host, {}))
        for name, now in one.values.items():
            declared = effective(name, own, common)
            step = step_of(bases.get(name), declared, now)
            if step == "conflict":
                self.conflicts.append(
                    {"host": one.host, "variable": name, "declared": _shown(declared), "found": _shown(now)}
                )
                continue
            bases[name] = digest(now)
            if step == "take":
                for variable, value in _taken(name, now, own, common).items():
                    self.folder.set_variable(path, variable, value)
        for name in one.gaps:
            if name in common and name not in own and name not in one.values:
                self.folder.set_variable(path, name, None, f"Not known: {one.gaps[name]}")
        self.bases[one.host] = bases

    # ---- users and inventory ----------------------------------------------------------------------------------------

    def _users(self, users: Record) -> None:
        if "access" not in self.settings["parts"]:
            return
        entries = list(_roles_of(users))
        if not entries:
            why = printable(str(users.get("msg") or "the service lists none"))
            self.notes.append(f"The users of the company could not be read, so there is no list for access: {why}")
            return
        shown = [one for one in entries if one["role"] in ROLES]
        hidden = [one for one in entries if one["role"] not in ROLES]
        text = block_of("access_roles", shown) if shown else ""
        if hidden:
            lines = commented(block_of("access_roles", hidden))
            text = ACCESS + (text + lines.partition("\n")[2] if shown else lines)
        there = self.folder.text(EVERYONE)
        if there is not None and (self.merges or self.folder.is_planned(EVERYONE)):
            if "access_roles" not in there:
                self.folder.put(EVERYONE, there if there.endswith("\n") else there + "\n", text)
            return
        self.folder.put(EVERYONE, HEAD.format("what concerns all hosts."), text)

    def _inventory(self, asked: dict[str, Record]) -> None:
        hosts = {host: {**one["inventory"]} for host, one in asked.items()}
        children: dict[str, list[str]] = {}
        for host, one in asked.items():
            for group in filter(is_name_of_group, one["groups"]):
                children.setdefault(group, []).append(host)
        there = self.folder.document(INVENTORY)
        if there is not None:
            hosts, children = self._with_others(there.values, hosts, children)
        content: Record = {"hosts": {host: hosts[host] for host in sorted(hosts)}}
        if children:
            content["children"] = {
                group: {"hosts": dict.fromkeys(sorted(children[group]))} for group in sorted(children)
            }
        head = HEAD.format("the hosts, as the inventory had them.")
        text = head + block_of("all", content) + CONNECTION
        if there is not None and self.merges and self.folder.is_edited(INVENTORY, there.text):
            missing = sorted(hosts.keys() - (_at(there.values, "all", "hosts") or {}).keys())
            if missing:
                self.notes.append(f"{INVENTORY} is edited by hand, and lacks {', '.join(missing)}: add them there.")
            return
        self.folder.put(INVENTORY, text)

    def _with_others(
        self, values: Record, hosts: dict[str, Record], children: dict[str, list[str]]
    ) -> tuple[dict[str, Record], dict[str, list[str]]]:
        """Return the hosts and groups with those of the file that this run did not go through, and that there are."""
        others = (_at(values, "all", "hosts") or {}).keys() & set(self.groups.get("all", [])) - hosts.keys()
        hosts = {**hosts, **{host: values["all"]["hosts"][host] or {} for host in others}}
        children = {group: list(those) for group, those in children.items()}
        for group, content in (_at(values, "all", "children") or {}).items():
            members = [host for host in (content or {}).get("hosts") or {} if host in others]
            if members:
                children[group] = [*children.get(group, []), *members]
        return hosts, children

    # ---- what the files say -----------------------------------------------------------------------------------------

    def _declared(self, one: Wanted, asked: Record) -> Record:
        """Return what the files say of a host, as the module environment takes it; empty where they say nothing."""
        group = self.folder.values(f"group_vars/{one.group}.yml") if one.group else {}
        values = {**self.folder.values(EVERYONE), **group, **self.folder.values(f"host_vars/{one.host}.yml")}
        options = options_of(MAINTAIN)
        given = {name: value for name, value in values.items() if name in options and not has_expression(value)}
        found = checked(plain(given), options)
        also = {name: asked.get("inventory", {}).get(name) for name in maintenance_variables.INVENTORY}
        settings = maintenance_variables.settings_of(
            {"unknown": [], "wrong": found.wrong, "typed": found.typed, "given": given, "nulls": [], "also": also},
            one.host,
        )
        if found.wrong:
            self.notes.append(f"{one.host}: {' '.join(found.wrong)}")
        declared: Record = settings.get("keep", {}).get("declaration", {})
        return declared if any(value is not None for value in declared.values()) else {}


def _taken(name: str, now: Any, own: Record, common: Record) -> Record:
    """Return the variables of a host that have to be set so that it has a value, whatever its group has."""
    if name != DENIED:
        return {name: now}
    if DENIED in own:
        return {DENIED: now, **({ADDITIONAL: []} if ADDITIONAL in {**common, **own} else {})}
    needed = own_of(Wanted("", values={DENIED: now}), {DENIED: common[DENIED]} if DENIED in common else {})
    return {**({ADDITIONAL: []} if ADDITIONAL in {**common, **own} else {}), **needed}


def _roles_of(users: Record) -> Iterator[Record]:
    """Yield an entry of access_roles for each user of the company, in the order of their addresses."""
    found = _at(users, "json", "company", "users")
    entries = []
    for one in found if isinstance(found, list) else []:
        user = one.get("user") if isinstance(one, dict) else None
        if not isinstance(user, dict):
            continue
        email, identifier, name = (str(user.get(key) or "") for key in ("email", "id", "full_name"))
        who = {"email": email} if "@" in email else {"user_id": identifier}
        role = one.get("role") or user.get("role")
        named = {"name": name} if name else {}
        entries.append({**who, **named, "role": role if role in ROLES else None})
    yield from sorted(entries, key=lambda one: str(one.get("email") or one.get("user_id")))


def _at(values: Any, *names: str) -> Any:
    for name in names:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _shown(value: Any) -> str:
    if value is MISSING:
        return "nothing"
    return printable(value if isinstance(value, str) else json.dumps(value, sort_keys=True))
