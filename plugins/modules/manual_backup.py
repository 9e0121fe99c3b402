#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: manual_backup
short_description: Take a backup of an environment
version_added: 0.1.0
description:
  - Takes a manual backup (C(POST /sites/environments/{env_id}/manual-backups), interface section 4.10).
  - With O(tag), takes one backup for each tag. If the service shows the backups, the module looks for a manual backup
    whose note is the tag. Otherwise, it relies on the journal.
  - With O(max_age), older backups do not count, so the task takes a new one if none is recent enough. With
    O(newer_than), backups taken before that time do not count.
  - Without any of these options, takes a backup on every run.
options:
  tag:
    description:
      - The label of the backup.
    type: str
  max_age:
    description:
      - The maximum age of a backup that counts, in seconds or with one of the units s, m, h, d and w, such as V(15m),
        V(24h) or V(7d).
      - Without O(tag), any manual backup counts.
    type: str
  newer_than:
    description:
      - The time before which backups do not count, in ISO 8601, such as the time of the last push. Without an offset,
        UTC is assumed. Mutually exclusive with O(max_age).
    type: str
  release:
    description:
      - The release that the backup is taken for, before M(hosting.management.env_push) pushes it. The journal keeps
        which backup is the one from before this release; M(hosting.management.release_info) shows it.
      - A backup on record counts as long as nothing else was pushed or restored since, and it is not older than
        O(max_age). After a push of the release that failed, it counts however old it is, because it holds what was
        there before. In all other cases a new backup is taken. No clock of the service has a part in this.
      - Requires O(tag).
    type: str
    version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: Take a backup once before the release
  hosting.management.manual_backup:
    environment_id: "{{ hosting_environment_id }}"
    tag: before-v2.4.1

- name: Make sure that there is a manual backup from the last 24 hours
  hosting.management.manual_backup:
    environment_id: "{{ hosting_environment_id }}"
    max_age: 24h
"""

RETURN = r"""
backup:
  description: The backup. Contains only the tag if the service does not show backups, if none of O(tag), O(max_age) and
    O(newer_than) is set, with O(wait=false), and in check mode if a backup is due.
  returned: success
  type: dict
  contains:
    tag:
      description: The label of the backup.
      type: str
      sample: before-v2.4.1
    id:
      description: The id of the backup.
      returned: when the service shows it
      type: int
      sample: 1201
    note:
      description: The label again, under the name that the service uses for it.
      returned: when the service shows it
      type: str
    name:
      description: The name that the service gave the backup.
      returned: when the service shows it
      type: str
    type:
      description: The type of the backup.
      returned: when the service shows it
      type: str
      sample: manual
    created_at:
      description: When the backup was taken, in milliseconds since 1970.
      returned: when the service shows it
      type: int
      sample: 1793577600000
    created_at_iso:
      description: The same time in ISO 8601, UTC.
      returned: when the service shows it
      type: str
      sample: "2026-11-02T00:00:00Z"
state_source:
  description:
    - Where the module found the current state. V(service) if it read the state from the service, V(journal) if the
      service does not show it but the journal records what was last accepted, V(none) if neither knows it.
  returned: success
  type: str
  sample: service
operation:
  description: The operation that the service accepted.
  returned: when the task started an operation, or followed one that an earlier run had started
  type: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: backups:add-manual-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
    state:
      description:
        - V(finished), V(in_progress) (with O(wait=false)), or V(unknown) if the service does not show the operation's
          state.
      type: str
      sample: finished
    message:
      description: The service's message about the operation.
      type: str
    resumed:
      description: Whether an earlier run started the operation, and this task only followed it.
      type: bool
error:
  description: What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
  returned: failure
  type: dict
  contains:
    kind:
      description:
        - One of V(invalid_input), V(connection), V(timeout), V(unauthorized), V(not_found), V(bad_request),
          V(rate_limited), V(service), V(malformed_response), V(operation_failed), V(operation_timeout),
          V(check_failed), V(outcome_unknown), V(journal), V(missing_library), V(unexpected).
      type: str
      sample: unauthorized
    status:
      description: The HTTP status of the answer, if there was one.
      type: int
    message:
      description: The service's own message, if it sent one.
      type: str
    method:
      description: The HTTP method of the failed request.
      type: str
    path:
      description: The path of the failed request, relative to O(base_url).
      type: str
    operation_id:
      description: The id of the operation concerned, if there is one.
      type: str
"""

import time
from dataclasses import replace

from ..module_utils._analytics import checked_time
from ..module_utils._arguments import (
    ModuleSpec,
    Option,
    api_options,
    change_options,
    environment_option,
    operation_options,
    text_option,
)
from ..module_utils._backups import as_result, is_manual, manual_backups_of
from ..module_utils._checks import checked_duration
from ..module_utils._context import NOT_SHOWN
from ..module_utils._convergence import TAKEN, Observed, always_counts, not_shown, once
from ..module_utils._entry import run_module
from ..module_utils._interface import ADD_MANUAL_BACKUP, GET_BACKUPS
from ..module_utils._release_backups import ReleaseBackup, is_settled, may_count, record, recorded
from ..module_utils._under_way import Kind, Start
from ..module_utils._values import time_of_text

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {
        "environment_id": environment_option(),
        "tag": text_option(required=False),
        "max_age": Option(checked_duration),
        "newer_than": Option(checked_time),
        "release": text_option(required=False),
    },
    mutually_exclusive=[["max_age", "newer_than"], ["release", "newer_than"]],
    required_by={"release": ["tag"]},
)


def run(context):
    """Take a backup of an environment (interface section 4.10)."""
    if context["release"] is not None:
        return _take(context, _OfRelease(context))
    not_before = _not_before(context)
    if context["tag"] is None and not_before is None:
        return _take(context, None)
    return _take(context, _OfTag(context, not_before))


def _take(context, wanted):
    """Take the backup unless the one that is wanted is there; without one, take it at each run."""
    outcome = once(
        context,
        subject=("manual_backup", context["environment_id"], context["tag"] or ""),
        request=ADD_MANUAL_BACKUP(env_id=context["environment_id"], body=context.given("tag")),
        release=context["tag"],
        at_each_run=wanted is None,
        not_before=wanted.not_before if wanted else always_counts,
        observe=wanted.observe if wanted else not_shown,
        start=Start(Kind.BACKUP, context["environment_id"]),
    )
    return outcome.result(backup=outcome.record or {"tag": context["tag"]})


class _OfTag:
    """The newest backup with a tag, if it is new enough."""

    def __init__(self, context, oldest):
        self.context, self.oldest = context, oldest

    def not_before(self):
        return self.oldest

    def observe(self):
        answer = self.context.companion(GET_BACKUPS(env_id=self.context["environment_id"]))
        if answer is NOT_SHOWN:
            return NOT_SHOWN
        records = answer.records("environment.backups")
        counting = [backup for backup in records if _counts(self.context, backup, self._oldest_at_service())]
        if not counting:
            return Observed(None)
        return Observed(TAKEN, as_result(answer, max(counting, key=lambda backup: backup["created_at"])))

    def _oldest_at_service(self):
        """Return the time by the service's clock, which has dated its backups; one that was given is as it is."""
        if self.oldest is None or self.context["newer_than"] is not None:
            return self.oldest
        return self.oldest + self.context.client.clock_difference


class _OfRelease:
    """The backup from before a release: the one that the journal has on record, while nothing else came between."""

    def __init__(self, context):
        self.context, self.environment_id, self.release = context, context["environment_id"], context["release"]
        self.record = None

    def not_before(self):
        return self.record and self.record.noted_at

    def observe(self):
        answer = self.context.companion(GET_BACKUPS(env_id=self.environment_id))
        backups = None if answer is NOT_SHOWN else manual_backups_of(answer)
        remembered = self.context.journal.of_environment(self.context.client.base_url, self.environment_id)
        self.record = recorded(self.context, self.environment_id, self.release)
        oldest = None if self.context["max_age"] is None else time.time() - self.context["max_age"]
        if not self._counts(remembered, oldest):
            self._begin(backups or [], remembered)
        if backups is None:
            return NOT_SHOWN
        found = self.record.found_in(backups)
        if found is None:
            return Observed(None)
        if self.record.backup_id is None and not self.context.check_mode:
            self.record = record(self.context, self.environment_id, replace(self.record, backup_id=found["id"]))
        return Observed(TAKEN, as_result(answer, found))

    def _counts(self, remembered, oldest):
        if self.record is None or not (self.record.is_settled or self.context.force):
            return False
        return may_count(self.record, remembered, oldest)

    def _begin(self, backups, remembered):
        tag = self.context["tag"]
        before = [backup for backup in backups if backup.get("note") == tag]
        if before and not remembered:
            self.context.warn(
                f"The service has a backup {tag} of environment {self.environment_id}, and the journal knows nothing of"
                " this environment. If the journal was lost, or belongs to another controller, releases that are there"
                " already are pushed again: see the option journal."
            )
        ids = tuple(backup["id"] for backup in before)
        self.record = ReleaseBackup(self.release, tag, ids, is_settled=is_settled(remembered))
        if self.context.check_mode:
            self.record = replace(self.record, noted_at=time.time())
        else:
            self.record = record(self.context, self.environment_id, self.record)


def _not_before(context):
    """Return the time, in seconds since the epoch, before which a backup does not count; None when all count."""
    if context["max_age"] is not None:
        return time.time() - context["max_age"]
    return None if context["newer_than"] is None else time_of_text(context["newer_than"]).timestamp()


def _counts(context, backup, not_before):
    if not is_manual(backup):
        return False
    if context["tag"] is not None and backup.get("note") != context["tag"]:
        return False
    return not_before is None or backup["created_at"] / 1000 >= not_before


def main():
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
