# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module's run() works with: the task's options, the service, and the journal."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from ._answers import Answer
from ._arguments import Nested, Option
from ._client import Client
from ._errors import HostingError, MalformedResponse, ServiceError
from ._interface import Request
from ._journal import Journal, default_location, kept_journal, passwords_of
from ._operations import POLL_INTERVAL, WAIT_TIMEOUT, Operation, follow

NOT_SHOWN: None = None
"""What a read returns when the service does not show the state."""

CLOCK_TOLERANCE = 120  # seconds that a clock may be off before the user is told

SAID_AGAIN_AFTER = 60  # seconds between two equal lines of progress

SHORTEST_PIECE = 4  # characters of a line of a secret that is a secret itself; the last line of a key may be short


def _is_not_offered(error: HostingError) -> bool:
    return not error.is_offered


class Context(Mapping[str, Any]):
    """What a module's run() works with: the task's options by name, and the service.

    :param params: the checked options.
    :param secrets: the values of the options that no output may show.
    :param warn: called with a text that the user should see beside the result.
    :param report: called with a line of progress while the task waits.
    """

    def __init__(
        self,
        params: Mapping[str, Any],
        *,
        secrets: Iterable[str] = (),
        check_mode: bool = False,
        diff: bool = False,
        warn: Callable[[str], object] | None = None,
        report: Callable[[str], object] | None = None,
    ) -> None:
        self._params = params
        self.secrets = set(secrets)
        self.check_mode = check_mode
        self.diff = diff
        self._missing: dict[str, HostingError] = {}  # the reads that the service does not have, with its words
        self._outer: Context | None = None
        self._looks: dict[str, Answer] | None = None  # what was read for a part of this task; None: nothing is kept
        self.has_recalled = False  # whether a look since begin_look() was one that was kept
        self.began_at = time.time()
        self.predicted: tuple[Any, Any] | None = None  # the states before and after what check mode would have sent
        self._warn = warn or _ignore
        self._warnings: set[str] = set()
        self.report = _not_all_the_time(report) if report else _ignore

    def narrowed(
        self, params: Mapping[str, Any], *, check_mode: bool | None = None, diff: bool | None = None
    ) -> Context:
        """Return what a part of this task works with: its own options before the task's, and all else of this task.

        Client, connection and journal are this context's, which alone is closed. ``check_mode`` and ``diff`` are this
        context's, unless given. What the service shows one part is not asked again for another: see begin_look().
        """
        if self._looks is None:
            self._looks = {}
        part = Context(
            {**self._params, **params},
            check_mode=self.check_mode if check_mode is None else check_mode,
            diff=self.diff if diff is None else diff,
            warn=self.warn,
            report=self.report,
        )
        part.secrets, part._missing, part._looks, part._outer = self.secrets, self._missing, self._looks, self
        part.began_at = self.began_at
        return part

    def __getitem__(self, name: str) -> Any:
        return self._params[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)

    def given(self, *names: str) -> dict[str, Any]:
        """Return those of the named options that the task gives, ready to be a request's body."""
        return {name: self[name] for name in names if self[name] is not None}

    @cached_property
    def client(self) -> Client:
        if self._outer:
            return self._outer.client
        return self._client(self["retries"])

    def client_without_retries(self) -> Client:
        """Return a client that sends each request once, for those who come back to it themselves."""
        return self._client(0)

    def _client(self, retries: int) -> Client:
        verify = self["validate_certs"] and (self["ca_path"] or True)
        return Client(self["base_url"], self["api_key"], self["timeout"], retries, verify, self.secrets)

    @cached_property
    def journal(self) -> Journal:
        if self._outer:
            return self._outer.journal
        location = self["journal"]
        return kept_journal(default_location() if location is None else location)

    def warn(self, text: str) -> None:
        """Say what the user should see beside the result, once."""
        if text not in self._warnings:
            self._warnings.add(text)
            self._warn(text)

    def close(self) -> None:
        """Warn of what the journal says of itself, if the task has opened it, and of the clock.

        The journal stays open for the next task of this process.
        """
        behind = self.client.clock_difference if "client" in self.__dict__ else 0
        if abs(behind) > CLOCK_TOLERANCE:
            self.warn(
                f"This machine's clock is {round(abs(behind) / 60)} minutes"
                f" {'behind' if behind > 0 else 'ahead of'} the hosting service's. Set it right: ages, such as those of"
                " backups, are told by it."
            )
        if "journal" in self.__dict__:
            warning = self.journal.warning()
            if warning:
                self.warn(warning)

    @property
    def force(self) -> bool:
        return self.get("force", False)

    @property
    def companions(self) -> bool:
        return self["companions"]

    @property
    def wait(self) -> bool:
        return self.get("wait", True)

    @property
    def follows(self) -> bool:
        """Whether this task waits for the end of what it has started, and not only for what is in the way of that."""
        return self.wait and (self.started is not None or self.get("wait_until", "ended") == "ended")

    @property
    def started(self) -> dict[str, Any] | None:
        """What an earlier task has returned that has started what this one brings to its end, or None."""
        return self.get("started")

    @property
    def wait_timeout(self) -> float:
        """Seconds that this task waits at most, for operations, for effects, and for other runs."""
        return self.get("wait_timeout", WAIT_TIMEOUT)

    @property
    def poll_interval(self) -> float:
        return self.get("poll_interval", POLL_INTERVAL)

    def send(self, request: Request, deadline: float | None = None) -> Answer:
        """Send a request and return its Answer; no pause before a repetition goes beyond ``deadline``.

        A part of a task gets the answer to a read that another part has sent before.
        """
        if self._looks is None or self._outer is None or request.method != "GET":
            return self.client.send(request, deadline=deadline)
        key = json.dumps([request.path, request.query, request.body], sort_keys=True)
        if key in self._looks:
            self.has_recalled = True
        else:
            self._looks[key] = self.client.send(request, deadline=deadline)
        return self._looks[key]

    def begin_look(self, *, afresh: bool) -> None:
        """Begin to look at the service; ``afresh`` asks it again for what was read before."""
        self.has_recalled = False
        if afresh:
            self.forget_looks()

    def forget_looks(self) -> None:
        """Forget what was read, because it has changed or may have."""
        if self._looks:
            self._looks.clear()

    def send_once(self, request: Request) -> Answer:
        """Send a read and return its Answer; one that has failed is not sent again by this task, and fails alike."""
        if str(request) in self._missing:
            raise self._missing[str(request)]
        try:
            return self.send(request)
        except HostingError as error:
            self._missing[str(request)] = error
            raise

    def read(self, request: Request, is_absent: Callable[[HostingError], bool] = _is_not_offered) -> Answer | None:
        """Send a read, and return its Answer, or NOT_SHOWN when it fails with an error for which ``is_absent``.

        The same task does not ask for it again then, however often it looks.
        """
        if str(request) in self._missing:
            return NOT_SHOWN
        try:
            return self.send(request)
        except HostingError as error:
            if not is_absent(error):
                raise
            self._missing[str(request)] = error
            return NOT_SHOWN

    def why_missing(self, request: Request) -> HostingError:
        """Return the error with which read() has found that the service does not have a read."""
        return self._missing[str(request)]

    def companion(self, request: Request) -> Answer | None:
        """Read what the interface document does not show: an Answer, or NOT_SHOWN where it cannot be read."""
        if not self.companions:
            return NOT_SHOWN
        try:
            return self.read(request)
        except HostingError as error:
            if isinstance(error, (ServiceError, MalformedResponse)):
                error.with_advice("The task can do without this read: set companions: false (or HOSTING_COMPANIONS).")
            raise

    def follow(
        self, operations: list[Operation], wait_timeout: float | None = None, journal: Journal | None = None
    ) -> None:
        """Wait for the ends of operations, as long as the task allows (``wait_timeout`` in seconds; 0 looks once).

        The journal, where one is given, learns whether the service shows operations.
        """
        follow(
            self.client,
            operations,
            wait_timeout=self.wait_timeout if wait_timeout is None else wait_timeout,
            poll_interval=self.poll_interval,
            report=self.report,
            journal=journal,
        )


def _ignore(_text: str) -> None:
    """Take a text that nobody is there to see."""


def _not_all_the_time(report: Callable[[str], object]) -> Callable[[str], object]:
    """Return what reports each text once a minute at most: a task that waits for one thing has nothing new to say."""
    said: dict[str, float] = {}

    def tell(text: str) -> None:
        now = time.monotonic()
        if text not in said or now - said[text] >= SAID_AGAIN_AFTER:
            said[text] = now
            report(text)

    return tell


def secret_options(options: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the names of the options that a spec marks with ``no_log``."""
    return [name for name, option in options.items() if option.get("no_log")]


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def secrets_within(params: Mapping[str, Any], options: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Return all that no output may show: secret options, their lines should they be echoed, and passwords."""
    values = [params.get(name) for name in secret_options(options)]
    secrets = {value for value in values if isinstance(value, str) and value}
    nested = {
        secret
        for name, option in options.items()
        if isinstance(option, Nested)
        for one in option.dictionaries(params.get(name))
        for secret in secrets_within(one, option.spec.options)
    }
    within = {
        secret
        for name, option in options.items()
        if isinstance(option, Option) and option.secrets
        for value in _as_list(params.get(name))
        if isinstance(value, str)
        for secret in option.secrets(value)
    }
    pieces = {line.strip() for secret in secrets for line in secret.splitlines()}
    journal = params.get("journal") or ""
    return (
        secrets
        | nested
        | within
        | {piece for piece in pieces if len(piece) >= SHORTEST_PIECE}
        | passwords_of(str(journal))
    )
