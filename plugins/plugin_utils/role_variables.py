# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of a role say, by its ``meta/argument_specs.yml``, and the mistakes that all roles look for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.yaml import yaml_load

from ..module_utils._checks import checked_text
from ..module_utils._text import printable, without_login
from .plain_values import Record, plain

FOREIGN = "hosting_foreign_variables"
THE_HOST = ("inventory_hostname", "group_names", "ansible_check_mode", "ansible_play_name")
"""What Ansible knows of a host and of the run."""


@dataclass(frozen=True)
class Checked:
    """The variables of a role: ``typed`` as its argument spec wants them, and a sentence for each of a wrong type."""

    typed: Record
    wrong: list[str]


def listed(value: Any) -> list[str]:
    """Return a list that may have been given as ``-e name=value``, which is a text with commas."""
    return [str(one) for one in (value.split(",") if isinstance(value, str) else value or []) if one]


def options_of(role: str | Path, entry_point: str | None = None) -> Record:
    """Return the options of a role by their names: those of one entry point, or of all.

    :param role: the folder of the role.
    :raises ValueError: when it has no argument specs, or no such entry point.
    """
    path = Path(role) / "meta" / "argument_specs.yml"
    try:
        specs = _specs_in(path)
        chosen = specs.values() if entry_point is None else [specs[entry_point]]
        return {name: option for one in chosen for name, option in one.get("options", {}).items()}
    except (OSError, AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} has no argument_specs of a role: {error}") from error


@cache
def _specs_in(path: Path) -> Record:
    specs: Record = yaml_load(path.read_text(encoding="utf-8"))["argument_specs"]
    return specs


def checked(given: Record, options: Record) -> Checked:
    """Return variables in their types. What is null stays null, and is no mistake here.

    :param given: the variables that are set, as JSON has them.
    :param options: what they have to be, as an argument spec.
    """
    nulls = {name: None for name, value in given.items() if value is None}
    validated = ArgumentSpecValidator(options).validate({k: v for k, v in given.items() if v is not None})
    wrong = [f"{printable(one).rstrip('.')}." for one in validated.error_messages]
    return Checked({**validated.validated_parameters, **nulls}, wrong)


def found_in(
    role: str | Path,
    variables: Mapping[str, Any],
    template: Callable[[Record], Record],
    *,
    entry_point: str = "main",
    only: Iterable[str] | None = None,
    also: Iterable[str] = (),
) -> Record:
    """Return what a host's variables say to a role, as documented for the lookup role_variables.

    :param role: the folder of the role.
    :param variables: all variables of the host, with their templates.
    :param template: returns a dictionary of variables with the values of their templates.
    :param only: the names of the variables to read; None means all options.
    :param also: the names of other variables.
    :raises ValueError: when the role has no argument specs, or no such entry point.
    """
    role = Path(role)
    options, known, also = options_of(role, entry_point), options_of(role), list(also)
    if only is not None:
        options = {name: options[name] for name in only}
    values = plain(template({name: variables[name] for name in [*options, *also, FOREIGN] if name in variables}))
    given = {name: values[name] for name in options if name in values}
    found = checked(given, options)
    return {
        "typed": found.typed,
        "given": given,
        "also": {name: values.get(name) for name in also},
        "unknown": list(unknown_of(role.name, known, variables, values.get(FOREIGN))),
        "wrong": found.wrong,
        "nulls": [name for name in options if "default" in options[name] and given.get(name, "") is None],
    }


def unknown_of(role_name: str, known: Iterable[str], names: Iterable[str], foreign: Any) -> Iterator[str]:
    """Yield a sentence for each name that begins as those of a role, and is none.

    :param known: the names that the role knows.
    :param names: those of all variables of a host.
    :param foreign: what ``hosting_foreign_variables`` has: names, or patterns such as ``deploy_user*``.
    """
    prefix = f"{role_name}_"
    known, patterns = set(known), listed(foreign)
    for name in sorted(map(str, names)):
        if not name.startswith(prefix) or name in known or any(fnmatchcase(name, one) for one in patterns):
            continue
        # Without the prefix, which would make all of them alike.
        close = get_close_matches(name.removeprefix(prefix), [one.removeprefix(prefix) for one in known], n=1)
        hint = f"Did you mean {prefix}{close[0]}?" if close else f"The role {role_name} has no such variable."
        yield (
            f"The variable {name} is unknown. {hint} If it belongs to something else, list it in"
            " hosting_foreign_variables."
        )


def nulls_of(given: Record, names: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each of the names whose variable is null."""
    for name in names:
        if name in given and given[name] is None:
            yield f"{name} has no value (null). Give it one, or leave it out."


def waves_said_in(variables: Iterable[str], role_name: str) -> list[str]:
    """Return the names of the variables in which a playbook has its waves; none where nobody has said anything of them.

    To find out what these templates say takes a host some milliseconds, and most say nothing.

    :param variables: the names of all variables of the host.
    """
    is_said = {f"{role_name}_serial", f"{role_name}_max_fail_percentage"} & set(variables)
    return [f"__{role_name}_serial", f"__{role_name}_waves"] if is_said else []


def waves_of(role_name: str, also: Record) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with the waves of a playbook.

    :param also: the variables of waves_said_in, where somebody has said something of waves, and ``ansible_play_name``,
        which has the words that the play goes by: not these where they are from the inventory.
    """
    words = also.get(f"__{role_name}_waves")
    if words is not None and str(words) not in str(also["ansible_play_name"] or ""):
        yield (
            f"{role_name}_serial and {role_name}_max_fail_percentage apply to all hosts at once, so they have no effect"
            " in the inventory: give them with -e."
        )
    for size in also.get(f"__{role_name}_serial") or []:
        if not re.fullmatch("[0-9]+%?", str(size)):
            yield (
                f"{role_name}_serial has {size}, which is neither a number of environments nor a percentage such as"
                " 50%."
            )


def addresses_of(name: str, urls: Iterable[str] | None) -> Iterator[str]:
    """Yield a sentence for each address of a list that a site cannot be asked at. Logins and queries are not shown.

    :param name: the name of the variable.
    """
    for url in urls or []:
        if not re.match(r"(?i)https?://[^/?#@\s]+([/?#]|$)", url.strip()):
            shown = printable(without_login(url).partition("?")[0])
            yield f"{name} has {shown}, which is not an address such as https://shop.example.com, without a login."


def too_small(values: Record, least: Mapping[str, float]) -> Iterator[str]:
    """Yield a sentence for each number that is smaller than the least that it may be; one without a value is none."""
    for name, smallest in least.items():
        number = values.get(name)
        if number is not None and number < smallest:
            yield f"{name} must be {smallest} or more."


def bad_patience(role: str, values: Record) -> Iterator[str]:
    """Yield a sentence if a role is to ask a site no times, or with no time for its answer."""

    def of(name: str, fallback: float) -> float:
        value = values.get(f"{role}_verify_{name}")
        return fallback if value is None else value

    if of("attempts", 1) < 1 or of("pause", 0) < 0 or of("timeout", 1) <= 0:
        yield (
            f"{role}_verify_attempts must be 1 or more, {role}_verify_pause 0 or more, and {role}_verify_timeout more"
            " than 0."
        )


def number_of_version(name: str, value: Any) -> Iterator[str]:
    """Yield a sentence if a version is a number, which cannot end with a zero, or what no task would take as a text."""
    if isinstance(value, float):
        yield f"{name} is the number {value}. Write it in quotes: without them, 1.10 and 1.1 are the same."
    elif isinstance(value, bool | list | dict):
        yield f"{name} is {printable(str(value), 60)}, which is no text. Write a text, in quotes."
    elif isinstance(value, str) and value.strip():
        try:
            checked_text(value)
        except ValueError as error:
            yield f"{name} {error}."
