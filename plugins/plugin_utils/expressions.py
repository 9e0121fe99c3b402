# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jinja expressions of an inventory file: which of them cannot be read, or say nothing of any host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from jinja2 import Environment, TemplateSyntaxError, meta


@dataclass
class Expression:
    """An expression, the option that it is from, and what became of it: for how many hosts it was tried, and failed."""

    option: str
    text: Any
    tried: int = 0
    failed: int = 0
    true: int = 0
    reason: str = ""

    def note(self, error: Exception | None, *, is_true: bool = False) -> None:
        """Take in what one host has made of it."""
        self.tried += 1
        self.true += is_true
        if error is not None:
            self.failed += 1
            text = str(error).partition("\n")[0].rstrip(".")
            self.reason = text.removeprefix("Error while evaluating conditional: ")

    @property
    def fails_always(self) -> bool:
        """Whether it was tried, and every host has failed on it."""
        return self.failed == self.tried > 0

    def problem(self, known: Iterable[str]) -> str:
        """Say that no host could evaluate it, why, and which of the ``known`` variables was probably meant."""
        return f"{self} cannot be evaluated for any of {self.tried} environments: {self.reason}.{self._hint(known)}"

    def syntax_error(self) -> str | None:
        """Return what is wrong with its syntax, or None."""
        try:
            _parsed(self.text)
        except TemplateSyntaxError as error:
            return f"{self} is no valid expression: {str(error.message).rstrip('.')}."
        return None

    def _hint(self, known: Iterable[str]) -> str:
        names = sorted(set(known))
        try:
            unknown = sorted(meta.find_undeclared_variables(_parsed(self.text)) - set(names))
        except TemplateSyntaxError:
            return ""
        pairs = [(name, get_close_matches(name, names, n=1)) for name in unknown if f"'{name}'" in self.reason]
        return "".join(f" Did you mean {close[0]}?" for _name, close in pairs if close)

    def __str__(self) -> str:
        return f"{self.option} {str(self.text)!r}"


def expressions_of(option: str, value: object) -> list[Expression]:
    """Return the expressions in the value of an option of the inventory file."""
    return [Expression(name, text) for name, text in _texts(option, value) if isinstance(text, str)]


def _texts(option: str, value: object) -> Iterator[tuple[str, object]]:
    if option == "keyed_groups" and isinstance(value, list):
        yield from ((f"{option}: key", one.get("key")) for one in value if isinstance(one, dict))
    elif isinstance(value, dict):
        yield from ((f"{option}: {name}:", text) for name, text in value.items())
    elif isinstance(value, list):
        yield from ((f"{option}:", text) for text in value)
    else:
        yield f"{option}:", value


def _parsed(text: str) -> Any:
    # Ansible takes a text with braces for a template of its own.
    return Environment(autoescape=True).parse(text if "{{" in text else "{% if " + text + " %}{% endif %}")


def like(name: str, names: Iterable[str]) -> str:
    """Return the question whether another name was meant, or which ones there are."""
    known = sorted(set(names))
    close = get_close_matches(name, known, n=1)
    return f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known) or 'none'}."


def groups_of_sites(sites: Iterable[tuple[str, str, str]]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the group of each site by its id, and the names of the sites whose groups would have been the same.

    ``sites`` are (id, name, group's name). Sites that would share a group get one each, with their id at its end.
    """
    by_group: dict[str, dict[str, str]] = {}
    for site_id, name, group in sites:
        by_group.setdefault(group, {})[site_id] = name
    shared = {group: sorted(names.values()) for group, names in by_group.items() if len(names) > 1}
    return {
        site_id: f"{group}_{site_id.replace('-', '_')}" if group in shared else group
        for group, names in by_group.items()
        for site_id in names
    }, shared
