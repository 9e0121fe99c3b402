# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured without a playbook: the journal, and how soon the end of an operation is noticed."""

from __future__ import annotations

import bisect
import threading
import time
from dataclasses import dataclass

from ansible_collections.hosting.management.plugins.module_utils._client import Client
from ansible_collections.hosting.management.plugins.module_utils._interface import RESTART_PHP
from ansible_collections.hosting.management.plugins.module_utils._journal import Entry, digest_of, kept_journal
from ansible_collections.hosting.management.plugins.module_utils._operations import (
    POLL_INTERVAL,
    WAIT_TIMEOUT,
    Operation,
    follow,
)
from ansible_collections.hosting.management.plugins.module_utils._progress import FINISHED
from simulator import seed

from .playbooks import WORK
from .service import Service

JOURNAL_TASKS = 200


@dataclass(frozen=True)
class Followed:
    """An operation that took so many seconds, and how many seconds later that was known."""

    seconds: float
    late: float
    looks: int
    looks_a_minute: int  # in the minute with the most

    @property
    def share(self) -> float:
        return self.late / self.seconds


def journal_milliseconds(is_repeatable: bool) -> list[float]:
    """What each of many changing tasks spends in the journal: open, read, note the request, note its end.

    That a request leaves which must not be repeated has to be on the disk before it does.
    """
    location = str(WORK / "journal-alone.db")
    _journal_task(location, "the first one, which makes the file", is_repeatable)
    taken = []
    for number in range(JOURNAL_TASKS):
        began = time.perf_counter()
        _journal_task(location, seed.environment_id(number), is_repeatable)
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def _journal_task(location: str, environment_id: str, is_repeatable: bool) -> None:
    subject = ("https://api.example.com/v2", f"denied_ips {environment_id}")
    journal = kept_journal(location)
    seen = journal.read(subject)
    sent = Entry.sent_now(digest_of([environment_id]), 120)
    if not journal.replace(subject, seen, (sent,), durable=not is_repeatable) or not journal.replace(
        subject, (sent,), (sent.with_progress(FINISHED),), durable=False
    ):
        raise AssertionError("nobody else uses this journal")
    journal.let_go()


def follow_operations(service: Service, lengths: list[float]) -> list[Followed]:
    """Follow operations of these lengths (in seconds) side by side, as tasks do that wait, to their ends."""
    service.clear()
    results: list[Followed] = []
    threads = []
    for number, seconds in enumerate(lengths, 1):
        service.set(operation_seconds=seconds)
        client = Client(service.base_url, service.api_key, verify=service.ca_path)
        answer = client.send(RESTART_PHP(body={"environment_id": seed.environment_id(number)}))
        ends = time.monotonic() + seconds
        operation = Operation(answer.operation_id, accepted_at=time.time())
        threads.append(threading.Thread(target=_follow, args=(service, client, operation, seconds, ends, results)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    service.set(operation_seconds=0.0)
    return sorted(results, key=lambda one: one.seconds)


def _follow(service: Service, client: Client, operation: Operation, seconds: float, ends: float, results: list) -> None:
    follow(client, [operation], wait_timeout=WAIT_TIMEOUT, poll_interval=POLL_INTERVAL, report=lambda _line: None)
    late = time.monotonic() - ends
    if operation.state != FINISHED:
        raise AssertionError(f"the operation of {seconds} s is {operation.state}")
    times = service.looks(operation.id)
    results.append(Followed(seconds, late, len(times), _most_in_a_minute(times)))


def _most_in_a_minute(times: list[float]) -> int:
    return max(bisect.bisect(times, begin + 60) - number for number, begin in enumerate(times))
