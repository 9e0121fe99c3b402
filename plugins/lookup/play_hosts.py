# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: play_hosts
short_description: Return the hosts of a play, checked before the playbook starts
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Returns the host pattern in a variable, for the C(hosts) of a play.
  - If an inventory cannot be read, a group is misspelled, or a pattern matches no host, Ansible itself only issues a
    warning and succeeds. With this lookup, the playbook fails before its first task, and suggests what you probably
    meant.
options:
  _terms:
    description:
      - The name of the variable. Set it with C(-e), or as a variable of an C(import_playbook).
    type: list
    elements: str
    required: true
  default:
    description:
      - The host pattern if the variable is not set. Without it, the variable is required.
    type: str
"""

EXAMPLES = r"""
- name: Run on hosts that must be named
  hosts: "{{ lookup('hosting.management.play_hosts', 'backup_hosts') }}"
  gather_facts: false
  tasks: []
"""

RETURN = r"""
_raw:
  description: The host pattern.
  type: list
  elements: str
  sample: [environment_live]
"""

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from ansible import context
from ansible.errors import AnsibleError, AnsibleLookupError
from ansible.inventory.manager import InventoryManager, split_host_pattern
from ansible.plugins.lookup import LookupBase

from ..module_utils._arguments import problem_of_core
from ..plugin_utils.preloading import preload

if TYPE_CHECKING:
    from ansible.inventory.host import Host

LONGEST_LIST = 12  # groups that a message names


class LookupModule(LookupBase):
    def run(self, terms: list[str], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[str]:
        self.set_options(var_options=variables, direct=kwargs)
        preload()
        return [self._pattern(name, variables or {}, self.get_option("default")) for name in terms]

    def _pattern(self, name: str, variables: dict[str, Any], default: str | None) -> str:
        """Return the pattern in that variable; raise an error unless it matches hosts."""
        groups = variables.get("groups") or {}
        problem = problem_of_core()
        if problem:
            raise AnsibleLookupError(problem)
        inventory = self._inventory(groups)
        value = variables.get(name, default)
        value = value if value is None else self._templar.template(value)
        pattern = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value or "").strip()
        if context.CLIARGS.get("syntax"):
            return pattern or "all"  # a syntax check has neither inventory nor variables
        if not pattern:
            raise AnsibleLookupError(f"{name} is missing: say which hosts, such as {_example(name, groups)}. {UNDONE}")
        parts = split_host_pattern(pattern)
        if not groups.get("all") and not all(_is_local(part) for part in parts):
            sources = ", ".join(map(str, variables.get("ansible_inventory_sources") or [])) or "none was given"
            raise AnsibleLookupError(
                f"The inventory has no hosts ({sources}). Give one with -i. If you did, see above why it could not be"
                f" read. {UNDONE}"
            )
        for part in parts:
            self._require_known(name, part.lstrip("!&"), inventory, groups)
        hosts = _matched(inventory, pattern)
        if not hosts:
            raise AnsibleLookupError(f"{name}={pattern} matches no host. {UNDONE}")
        limit = variables.get("ansible_limit")
        inventory.subset(limit or None)  # which also reads --limit @file
        if limit and not _matched(inventory, pattern):
            raise AnsibleLookupError(
                f"--limit {limit} leaves none of the {len(hosts)} hosts of {name}={pattern}. {UNDONE}"
            )
        return pattern

    def _inventory(self, groups: dict[str, list[str]]) -> InventoryManager:
        """Return an inventory of these groups, for Ansible's own matching of patterns."""
        inventory = InventoryManager(self._loader, parse=False)
        for group, hosts in groups.items():
            inventory.add_group(group)
            for host in hosts:
                inventory.add_host(host, group=group)
        return inventory

    @staticmethod
    def _require_known(name: str, part: str, inventory: InventoryManager, groups: dict[str, list[str]]) -> None:
        if _is_local(part) or _matched(inventory, part) or part in groups:
            return
        known = [*groups, *groups.get("all", [])]
        close = get_close_matches(part, known, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"Groups are: {_some(sorted(groups))}."
        raise AnsibleLookupError(f"{name} names {part}, which is neither a host nor a group. {hint} {UNDONE}")


UNDONE = "Nothing was done."


def _matched(inventory: InventoryManager, pattern: str) -> list[Host]:
    try:
        return inventory.get_hosts(pattern)
    except AnsibleError:
        return []


def _is_local(part: str) -> bool:
    return part in ("localhost", "127.0.0.1", "::1")


def _example(name: str, groups: dict[str, list[str]]) -> str:
    named = sorted(group for group in groups if group not in ("all", "ungrouped"))
    return f"-e {name}={named[0] if named else 'all'}. Groups are: {_some(named or ['all'])}"


def _some(names: list[str]) -> str:
    return ", ".join(names[:LONGEST_LIST]) + (f" and {len(names) - LONGEST_LIST} more" if names[LONGEST_LIST:] else "")
