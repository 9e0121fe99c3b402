# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that modules share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from ansible.module_utils.ansible_release import __version__ as core_version
from ansible.module_utils.basic import env_fallback
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.validation import check_required_one_of, check_required_together
from ansible.module_utils.errors import UnsupportedError

from ._checks import (
    checked_api_key,
    checked_base_url,
    checked_not_negative,
    checked_optional_text,
    checked_optional_uuid,
    checked_positive,
    checked_text,
    checked_uuid,
)
from ._errors import InvalidInput
from ._journal import checked_journal
from ._operations import POLL_INTERVAL, WAIT_TIMEOUT
from ._text import without_login

OLDEST_CORE = (2, 19)


def problem_of_core(version: str = core_version) -> str | None:
    """Say which ansible-core is needed, if this one is too old: Ansible itself only says that it is not supported."""
    if tuple(map(int, version.split(".")[:2])) >= OLDEST_CORE:
        return None
    oldest = ".".join(map(str, OLDEST_CORE))
    return (
        f"hosting.management needs ansible-core {oldest} or newer, and this is {version}. Install one, such as with:"
        f" pip install --upgrade 'ansible-core>={oldest}'. Nothing was done."
    )


class Option(dict[str, Any]):
    """An entry of an argument spec, with a check of its own.

    ``check`` takes the option's value, returns it in canonical form, and raises ValueError with the end of a sentence
    that begins with the option's name. ``secrets`` returns what of a value, which nobody has checked, no output may
    show.
    """

    def __init__(
        self,
        check: Callable[[Any], object] | None = None,
        secrets: Callable[[str], set[str]] | None = None,
        **spec: Any,
    ) -> None:
        super().__init__(type=spec.pop("type", "str"), **spec)
        self.check, self.secrets = check, secrets


class Constraints(TypedDict, total=False):
    """Ansible's constraints between the options of a module, by the names of the options."""

    mutually_exclusive: Sequence[Sequence[str]]
    required_together: Sequence[Sequence[str]]
    required_one_of: Sequence[Sequence[str]]
    required_if: Sequence[tuple[str, object, Sequence[str]]]
    required_by: Mapping[str, Sequence[str]]


class ModuleSpec:
    """The options of a module: dictionaries of options, and Ansible's constraints between them by name.

    ``rule`` takes the checked options and raises InvalidInput for what Ansible's constraints cannot express. A module
    that does without the service needs no address and no key; ``needs_service`` tells by the options where that
    depends on them.
    """

    def __init__(
        self,
        *options: Mapping[str, dict[str, Any]],
        rule: Callable[[dict[str, Any]], None] | None = None,
        needs_service: bool | Callable[[Mapping[str, Any]], bool] = True,
        **constraints: Unpack[Constraints],
    ) -> None:
        self.options = {name: option for group in options for name, option in group.items()}
        self.constraints = constraints
        self._rule = rule
        self._needs_service = needs_service

    def check(self, params: dict[str, Any], given: Mapping[str, object] | None = None) -> None:
        """Bring the options into canonical form, in place; raise InvalidInput for the first bad one.

        ``given`` are the options as the task gives them, before Ansible made texts of numbers.
        """
        needs_service = self._needs_service(params) if callable(self._needs_service) else self._needs_service
        for name, variable in (("base_url", "HOSTING_BASE_URL"), ("api_key", "HOSTING_API_KEY")):
            if needs_service and not params.get(name):
                raise InvalidInput(
                    f"{name} is missing: set the option {name}, or the environment variable {variable}. For all tasks"
                    " at once, set it in module_defaults for group/hosting.management.all. For the playbooks of this"
                    f" collection, the variable hosting_{name} does the same. Nothing was sent."
                )
        for name, option in self.options.items():
            if isinstance(option, Nested):
                if params.get(name) is not None:
                    params[name] = option.checked(name, params[name])
                continue
            check = option.check if isinstance(option, Option) else None
            if check is checked_text:
                _refuse_what_yaml_made(name, (given or {}).get(name))
            if check and params.get(name) is not None:
                try:
                    params[name] = check(params[name])
                except ValueError as error:
                    params[name] = _without_logins(params[name])  # Ansible shows the options with the failure
                    raise InvalidInput(f"{name} {error}. Nothing was sent.") from None
        self._require_values(params)
        if self._rule:
            self._rule(params)

    def _require_values(self, params: Mapping[str, Any]) -> None:
        """Refuse options that are given without a value: for Ansible, a null or an empty text is one."""
        values = {name: value for name, value in params.items() if value is not None}
        try:
            check_required_one_of(self.constraints.get("required_one_of"), values)
            check_required_together(self.constraints.get("required_together"), values)
        except TypeError as error:
            raise InvalidInput(f"{error}. Neither null nor an empty text is a value. Nothing was sent.") from None


class Nested(Option):
    """An option that has options of its own: a dictionary of them, or the value of the one named ``alone`` alone.

    With ``several``, it is a list of such, or a single one. What is alone in a list is text.
    """

    def __init__(self, spec: ModuleSpec | None = None, alone: str | None = None, *, several: bool = False) -> None:
        super().__init__(type="raw")
        # ansible-test copies options by making new ones of their class, without arguments.
        self.spec, self.alone, self.several = spec or ModuleSpec(), alone, several

    def checked(self, name: str, value: object) -> dict[str, Any] | list[dict[str, Any]]:
        """Return the checked options, in canonical form; raise InvalidInput that names the place of a bad one."""
        if self.several and isinstance(value, list):
            return [self._checked(f"{name}[{number}]", one) for number, one in enumerate(value)]
        one = self._checked(name, value)
        return [one] if self.several else one

    def dictionaries(self, value: object) -> Iterator[dict[str, Any]]:
        """Yield the dictionaries in a value that nobody has checked."""
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict))

    def _checked(self, place: str, value: object) -> dict[str, Any]:
        given = self._as_dictionary(place, value)
        checked = ArgumentSpecValidator(self.spec.options, **self.spec.constraints).validate(given)
        if checked.error_messages:
            unknown = [error for error in checked.errors.errors if isinstance(error, UnsupportedError)]
            said = f" has no option {unknown[0].msg}" if unknown else f": {checked.errors.msg}"
            raise InvalidInput(f"{place}{said.rstrip('.')}. Nothing was sent.")
        params: dict[str, Any] = checked.validated_parameters
        try:
            self.spec.check(params, given)
        except InvalidInput as error:
            is_of_option = str(error).partition(" ")[0] in self.spec.options
            raise InvalidInput(f"{place}{'.' if is_of_option else ': '}{error}") from None
        return params

    def _as_dictionary(self, place: str, value: object) -> dict[str, Any]:
        if isinstance(value, dict):
            missing = [name for name, one in value.items() if one is None and self._is_required(name)]
            if missing:
                raise InvalidInput(f"{place}.{missing[0]} has no value. Nothing was sent.")
            return {name: one for name, one in value.items() if one is not None}
        takes_list = self.alone is not None and self.spec.options[self.alone]["type"] == "list"
        if self.alone is None or value is None or (isinstance(value, list) and not takes_list):
            alone = f", or the value of {self.alone} alone" if self.alone else ""
            raise InvalidInput(
                f"{place} must be a dictionary with the options {', '.join(self.spec.options)}{alone}. Nothing was"
                " sent."
            )
        return {self.alone: value}

    def _is_required(self, name: str) -> bool:
        return bool(self.spec.options.get(name, {}).get("required"))


def _refuse_what_yaml_made(name: str, value: object) -> None:
    """Refuse a number for a text: it does not say any more what the playbook says."""
    if isinstance(value, float):
        raise InvalidInput(
            f"{name} is the number {value}. Write it in quotes: without them, 1.10 and 1.1 are the same. Nothing was"
            " sent."
        )


def _without_logins(value: object) -> object:
    """Return a value that was refused without the logins of the addresses in it."""
    if isinstance(value, list):
        return [_without_logins(item) for item in value]
    return without_login(value) if isinstance(value, str) and "://" in value else value


def filled_env_fallback(*names: str) -> str:
    """Return the value of the first of these environment variables that has one; an empty one counts as unset."""
    return env_fallback(*[name for name in names if os.environ.get(name)])


def api_options() -> dict[str, dict[str, Any]]:
    """The options of every module, as in the documentation fragment api."""
    return {
        "base_url": Option(checked_base_url, fallback=(filled_env_fallback, ["HOSTING_BASE_URL"])),
        "api_key": Option(checked_api_key, no_log=True, fallback=(filled_env_fallback, ["HOSTING_API_KEY"])),
        "validate_certs": {"type": "bool", "default": True},
        "ca_path": {"type": "path", "fallback": (filled_env_fallback, ["HOSTING_CA_PATH"])},
        "timeout": Option(checked_positive, type="float", default=30),
        "retries": Option(checked_not_negative, type="int", default=5),
        "companions": {
            "type": "bool",
            "default": True,
            "fallback": (filled_env_fallback, ["HOSTING_COMPANIONS"]),
        },
        "journal": Option(checked_journal, fallback=(env_fallback, ["HOSTING_JOURNAL"])),
    }


def change_options() -> dict[str, dict[str, Any]]:
    """The options of modules that change something, as in the documentation fragment change."""
    return {"force": {"type": "bool", "default": False}}


def operation_options() -> dict[str, dict[str, Any]]:
    """The options of modules that start operations, as in the documentation fragment operation."""
    return {
        "wait": {"type": "bool", "default": True},
        "wait_timeout": Option(checked_not_negative, type="float", default=WAIT_TIMEOUT),
        "poll_interval": Option(checked_positive, type="float", default=POLL_INTERVAL),
    }


def phase_options() -> dict[str, dict[str, Any]]:
    """The options of modules whose start and end can be tasks of their own, as in the documentation fragment phases."""
    return {
        "wait_until": {"type": "str", "choices": ["ended", "accepted"], "default": "ended"},
        "started": {"type": "dict"},
        "ended": {"type": "dict"},
        "pause_when_unknown": Option(checked_not_negative, type="float", default=0),
    }


def uuid_option(*, required: bool = True, **spec: Any) -> Option:
    return Option(checked_uuid if required else checked_optional_uuid, required=required, **spec)


def optional_text_option(**spec: Any) -> Option:
    return Option(checked_optional_text, **spec)


def environment_option() -> Option:
    return uuid_option(aliases=["env_id"])


def text_option(**spec: Any) -> Option:
    return Option(checked_text, **{"required": True, **spec})
