# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two ways to change anything: converging() brings about a state, taking_once() takes an action."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .._context import Context
from .._interface import Request
from .._journal import Journal, NoJournal
from .._phases import Begun, begun
from .._under_way import Start
from .change import Change
from .generators import Steps, in_one_go
from .ledger import Ledger
from .rounds import settle
from .values import TAKEN, Observed, Outcome, Plan, always, always_counts, not_shown


def converging(
    context: Context,
    *,
    subject: tuple[str, ...],
    plan: Callable[[Observed | None], Plan],
    name: str,
    observe: Callable[[], Observed | None] = not_shown,
    start: Start | None = None,
    prepare: Callable[[], bool] | None = None,
    take: Callable[[], bool] | None = None,
) -> Steps[Outcome]:
    """Bring about a state, and return the Outcome.

    :param subject: what the state belongs to: the module and the ids.
    :param plan: returns the Plan for a state as it was observed; it is asked anew in each round.
    :param name: what the diff calls the value.
    :param observe: returns the state as Observed, or NOT_SHOWN: then the journal says what was last accepted.
    :param start: what the request does to which environment, where it does not start beside everything else there.
    :param prepare: called before the request is noted; it returns False when the plan has to be made anew.
    :param take: called when the journal has the request already, right before it leaves; it returns False when the plan
        has to be made anew.

    What an earlier task has started is brought to its end. Then nothing is sent.
    """
    return settle(
        Change(
            context,
            _ledger(context, subject, context.journal),
            plan,
            observe,
            always_counts,
            context.force,
            name=name,
            start=start,
            prepare=prepare,
            take=take,
            begun=begun(context),
        )
    )


converge = in_one_go(converging)


def taking_once(
    context: Context,
    *,
    subject: tuple[str, ...],
    request: Request,
    release: str | None,
    part: dict[str, Any] | None = None,
    at_each_run: bool = False,
    remembered: bool = True,
    not_before: Callable[[], float | None] = always_counts,
    observe: Callable[[], Observed | None] = not_shown,
    start: Start | None = None,
    prepare: Callable[[], bool] | None = None,
    begun: Begun | None = None,
) -> Steps[Outcome]:
    """Take an action once per release and part, and return the Outcome.

    :param subject: what the action is taken on: the module and the ids.
    :param request: the Request that takes the action.
    :param release: what the action is taken for. Another release of the subject takes its place.
    :param part: what of the release the action concerns, as a JSON object; each part is taken once.
    :param at_each_run: take the action whatever is known of earlier ones.
    :param remembered: whether the journal has a part in it.
    :param not_before: returns a time in seconds since the epoch, or None; what was taken before does not count.
    :param observe: returns Observed(TAKEN) when the service shows that the action was taken already, Observed(None)
        when it shows that it was not, and NOT_SHOWN when it does not show it.
    :param start: what the action does to which environment, where it does not start beside everything else there.
    :param prepare: called before the request is noted; it returns False when the plan has to be made anew. What it
        raises keeps the request from being sent.
    :param begun: what an earlier task has started, to be brought to its end. Then nothing is sent.
    """
    journal = context.journal
    return settle(
        Change(
            context,
            _ledger(context, subject, journal if remembered else NoJournal()),
            always(TAKEN, request),
            observe,
            not_before,
            context.force or at_each_run,
            release=release,
            part=None if part is None else json.dumps(part, sort_keys=True),
            start=start,
            prepare=prepare,
            begun=begun,
        )
    )


once = in_one_go(taking_once)


def _ledger(context: Context, subject: tuple[str, ...], journal: Journal) -> Ledger:
    return Ledger(journal, (context.client.base_url, "/".join(subject)), is_read_only=context.check_mode)
