# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plugins and themes: how they are listed, and how they are updated, one to a version or several to their newest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from ._answers import Answer
from ._arguments import text_option
from ._context import NOT_SHOWN, Context
from ._convergence import Observed, Outcome, Plan, Steps, converging
from ._errors import HostingError, InvalidInput, NotFound
from ._interface import GET_ALL_PLUGINS, GET_PLUGINS, GET_THEMES, Endpoint, Request
from ._under_way import Kind, Start
from ._verdicts import Guard, canary_options

PLUGINS_OF_INTERFACE = "environment.plugins.items"
PLUGINS_OF_COMPANION = "environment.container_info.wp_plugins.data"

Records = dict[str, dict[str, Any]]
"""Plugins or themes by their slugs, as the service shows them."""


def list_plugins(context: Context, **filters: str) -> tuple[Answer, str]:
    """Return the answer that lists the environment's plugins, and where in it they are.

    That is section 4.5 of the interface, or a companion where it is missing. The latter knows no filters, and does not
    tell which plugins are vulnerable.
    """
    documented = GET_PLUGINS(env_id=context["environment_id"], body=filters)
    # Whose 404 it is, of the endpoint or of the environment, shows when the other one is asked.
    answer = context.read(documented, is_missing)
    if answer is not NOT_SHOWN:
        return answer, PLUGINS_OF_INTERFACE
    answer = context.companion(GET_ALL_PLUGINS(env_id=context["environment_id"]))
    if answer is NOT_SHOWN:
        raise context.why_missing(documented)
    return answer, PLUGINS_OF_COMPANION


def is_missing(error: HostingError) -> bool:
    """Tell whether a list could not be read because the service does not have it, or not the environment."""
    return isinstance(error, NotFound) or not error.is_offered


def list_themes(context: Context) -> Records | None:
    """Return the environment's themes, or NOT_SHOWN where the service does not list them."""
    answer = context.companion(GET_THEMES(env_id=context["environment_id"]))
    return NOT_SHOWN if answer is NOT_SHOWN else themes_in(answer)


def themes_in(answer: Answer) -> Records:
    """Return the themes from an answer that lists them."""
    return answer.named("environment.container_info.wp_themes.data")


def has_update(record: dict[str, Any]) -> bool:
    """Tell whether there is a newer version of a plugin or theme."""
    return record.get("update") == "available"


@dataclass(frozen=True)
class Extensions:
    """The plugins or the themes of an environment.

    ``module`` updates them, ``kind`` is what one of them is called. ``read`` returns what the service shows, or
    NOT_SHOWN. ``update`` takes one to a version, ``update_several`` takes several to their newest.
    """

    module: str
    kind: str
    read: Callable[[Context], Records | None]
    update: Endpoint
    update_several: Endpoint

    @property
    def several(self) -> str:
        """What several of them are called."""
        return f"{self.kind}s"


def update_options() -> dict[str, dict[str, Any]]:
    """The options that say which plugins or themes are updated."""
    return {
        "name": text_option(required=False),
        "update_version": text_option(required=False),
        "names": {"type": "list", "elements": "str"},
        "exclude": {"type": "list", "elements": "str"},
        **canary_options(),
    }


def check_names(params: dict[str, Any]) -> None:
    """Refuse an empty list, as a template may send it: it must not come to mean everything."""
    if params["names"] == []:
        raise InvalidInput("names is empty. To leave nothing out, give names: ['*']. Nothing was sent.")


class Updates:
    """The updates of one task: of one plugin or theme to a version, or of several to their newest.

    :param is_wanted: tells of a record whether it is among the several that are updated, if its name is.
    """

    def __init__(
        self,
        context: Context,
        extensions: Extensions,
        is_wanted: Callable[[dict[str, Any]], bool] = lambda _record: True,
    ) -> None:
        self.context, self.extensions, self.is_wanted = context, extensions, is_wanted
        self.has_looked = False
        self.before: Records = {}  # those that are updated, as the service showed them first
        self.listed: Records = {}  # all of them, as the service showed them last
        self.outcome: Outcome | None = None
        self.guard = Guard(context, extensions.kind)
        self.taken: set[str] = set()  # what this task may update, because it has noted so
        if context.started:
            self._take_over(context.started)

    def _take_over(self, started: Mapping[str, Any]) -> None:
        """Go on with what an earlier task has begun, as it saw it: by now, the service shows it as updated."""
        one = self.context["name"]
        if one:
            self.taken = {one}
            return
        for update in (started.get("result") or {}).get(self.extensions.several) or []:
            before, newest = update["previous_version"], update["version"]
            self.before[update["name"]] = {"version": before, "update_version": newest}
        self.taken, self.has_looked = set(self.before), bool(self.before)

    def settle(self) -> Steps[Outcome]:
        """Bring the updates about. What is known of the several after a failure is in the error's results."""
        try:
            self.outcome = yield from self._settle_one() if self.context["name"] else self._settle_several()
        except HostingError as error:
            if error.nothing_done:
                self.guard.withdraw()
            raise
        return self.outcome

    def _settle_several(self) -> Steps[Outcome]:
        try:
            return (
                yield from converging(
                    self.context,
                    subject=(self.extensions.module, self.context["environment_id"]),
                    name=self.extensions.several,
                    plan=self._plan_several,
                    observe=self._observe_several,
                    start=Start(Kind.UPDATE, self.context["environment_id"]),
                    take=self._take,
                )
            )
        except HostingError as error:
            if self.has_looked:
                error.results[self.extensions.several] = self.versions()
                behind = [name for name in self.before if self._shown_version(name) != self._newest(name)]
                if behind:
                    error.with_advice(f"Not seen at their newest version: {', '.join(behind)}.")
            raise

    def versions(self) -> list[dict[str, Any]]:
        """Return what is updated, each with its version now, or as it would be in check mode, and the one before."""
        return [
            {
                "name": name,
                "previous_version": record.get("version"),
                "version": self._asked_version(name) if self.is_ahead else self.listed.get(name, {}).get("version"),
            }
            for name, record in self.before.items()
        ]

    @property
    def is_ahead(self) -> bool:
        """Whether the updates are asked for, or would be, and the service has not been looked at since."""
        return self.outcome is not None and self.outcome.after is NOT_SHOWN

    def _asked_version(self, name: str) -> str | None:
        return self.context["update_version"] or self._newest(name)

    def _settle_one(self) -> Steps[Outcome]:
        name, version = self.context["name"], self.context["update_version"]
        body = {"name": name, "update_version": version}
        request = self.extensions.update(env_id=self.context["environment_id"], body=body)
        return converging(
            self.context,
            subject=(self.extensions.module, self.context["environment_id"], name),
            name="version",
            plan=lambda before: self._plan_one(before, request),
            observe=self._observe_one,
            start=Start(Kind.UPDATE, self.context["environment_id"]),
            take=self._take,
        )

    def _plan_one(self, before: Observed | None, request: Request) -> Plan:
        """Plan the update, unless it is held back: then what is there stays."""
        name, version = self.context["name"], self.context["update_version"]
        is_there = before is not NOT_SHOWN and before.value == version
        if is_there or name in self.taken or (not self.guard.held and self.guard.lets(name, version)):
            return Plan(version, request)
        return Plan(before.value if before else version, None)

    def _take(self) -> bool:
        """Note in the journal what is updated now; return False when some of it may not be any more."""
        one = self.context["update_version"]
        wanted = {name: (record.get("version"), one or self._newest(name)) for name, record in self.before.items()}
        lost = self.guard.take(wanted if wanted or not one else {self.context["name"]: (None, one)})
        self.before = {name: record for name, record in self.before.items() if name not in lost}
        self.taken = set(wanted) - lost
        return not lost

    def _observe_one(self) -> Observed | None:
        listed = self.extensions.read(self.context)
        if listed is NOT_SHOWN:
            return NOT_SHOWN
        self.listed = listed
        name = self.context["name"]
        if name not in self.listed:
            raise InvalidInput(
                f"The environment has no {self.extensions.kind} {name}. It has:"
                f" {', '.join(sorted(self.listed)) or 'none'}. Install the {self.extensions.kind} first, or check its"
                " slug.",
                says_so=False,
            )
        if not self.has_looked:
            self.before, self.has_looked = {name: self.listed[name]}, True
        return Observed(self.listed[name].get("version"), self.listed[name])

    def _observe_several(self) -> Observed:
        listed = self.extensions.read(self.context)
        if listed is NOT_SHOWN:
            raise InvalidInput(
                f"The service does not show the {self.extensions.several} (or companions are switched off), so it is"
                " not known which of them have an update. Give name and update_version. Nothing was sent."
            )
        self.listed = listed
        if not self.has_looked:
            # What has a newer version is settled by the first look: an update that did not take place stays wanted.
            chosen = {name: one for name, one in listed.items() if self._is_chosen(name, one)}
            self.before = {
                name: one for name, one in chosen.items() if self.guard.lets(name, one.get("update_version"))
            }
            self.has_looked = True
        return Observed({name: self._shown_version(name) for name in self.before})

    def _is_chosen(self, name: str, record: dict[str, Any]) -> bool:
        names = self.context["names"]
        return (
            self.is_wanted(record)
            and has_update(record)
            and (names is None or _fits(name, names))
            and not _fits(name, self.context["exclude"] or [])
        )

    def _plan_several(self, _before: Observed | None) -> Plan:
        wanted = {name: self._newest(name) for name in self.before}
        body = {self.extensions.several: [{"name": name} for name in wanted]}
        request = self.extensions.update_several(env_id=self.context["environment_id"], body=body)
        return Plan(wanted, request if wanted else None)

    def _newest(self, name: str) -> str | None:
        return self.before[name].get("update_version")

    def _shown_version(self, name: str) -> str | None:
        """Return the version that the service shows, and the wanted one when an even newer one came between."""
        record = self.listed.get(name, {})
        version = record.get("version")
        is_newest = name in self.listed and not has_update(record) and version != self.before[name].get("version")
        return self._newest(name) if is_newest else version


def _fits(name: str, patterns: list[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
