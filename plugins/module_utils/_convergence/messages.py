# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of a change: what is raised, warned of, or added to the error of somebody else."""

from __future__ import annotations

import time
from collections.abc import Iterable

from .. import _decision
from .._answers import Answer
from .._errors import (
    CheckFailed,
    HasToWait,
    HostingError,
    InvalidInput,
    MalformedResponse,
    OperationFailed,
    OperationTimeout,
    OutcomeUnknown,
    ServiceError,
)
from .._interface import Request
from .._journal import Entry, Subject
from .._operations import NO_ENDPOINT, SHOWS_NONE, Operation
from .._progress import FINISHED, UNKNOWN
from .._settling import how_to_settle
from .._under_way import named

LOST = "The journal was removed, emptied or replaced while this task ran"
NOTHING_SENT = f"{LOST}, so it is not known any more what was sent earlier. Nothing was sent by this task."
LOOK_FIRST = "Look at what your environments have before you run anything else."


def clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def noted_anew(request: Request) -> str:
    """Return the words for a journal that was lost, and what was sent is in the one that is there now."""
    return (
        f"{LOST}. {request} was sent, which is noted in the journal that is there now. What was sent earlier is not"
        " known any more; a journal that you put back may not know of this request."
    )


def begun_elsewhere(request: Request) -> HostingError:
    """Return the error for what an earlier task has started, but not here."""
    return InvalidInput(
        f"started is the result of a task that started something else. {request} was not sent. Hand over the registered"
        " result of this host's own task."
    )


def begun_for_another(started: str | None, release: str | None) -> HostingError:
    """Return the error for what an earlier task has started for another release."""
    return InvalidInput(
        f"started is the result of a task for {_release(started)}, and this one is for {_release(release)}. Nothing was"
        " sent. Give both the same release."
    )


def _release(name: str | None) -> str:
    return "no release" if name is None else f"the release {name}"


def with_what_was_done(error: HostingError, answer: Answer | None) -> HostingError:
    """Return the error with what was accepted before it, or with the word that nothing was changed."""
    if answer is None:
        if isinstance(error, InvalidInput) and error.nothing_done and not error.says_so:
            error.says_so = True
            error.with_advice("Nothing was changed.")
        return error
    error.nothing_done = False
    error.operation_id = error.operation_id or answer.operation_id
    error.results["changed"] = True
    if not error.names_operation:
        error.names_operation = True
        named_as = f" as operation {answer.operation_id}" if answer.operation_id else ""
        error.with_advice(f"{answer.request} was accepted before{named_as}.")
    return error


# ---- before a request leaves ----------------------------------------------------------------------------------------


def not_as_planned(request: Request) -> HostingError:
    return CheckFailed(
        f"It changed while the task ran, and is not as it was planned any more. {request} was not sent. Make a new"
        " plan.",
        nothing_done=True,
    )


def may_still_go_on(subject: Subject, entry: Entry, request: Request) -> HostingError:
    """Return the error where nobody knows whether something goes on that a request does not start beside."""
    return OutcomeUnknown(
        f"{named(subject, entry)} was sent at {clock(entry.sent_at)} and its answer was lost, so it may still go on."
        f" {request} was not sent. {how_to_settle(subject[1], entry)} force: true sends the request whatever became of"
        " that one."
    )


def goes_on(subject: Subject, entry: Entry) -> HostingError:
    """Return the error where something has not ended in time that a request does not start beside."""
    error = HasToWait(
        f"{named(subject, entry)} goes on (operation {entry.operation_id or 'not known yet'}). Nothing was sent. Run"
        " again to wait for its end. force: true sends the request whatever goes on."
    )
    error.operation_id = entry.operation_id
    return error


def answer_not_there(sent: Entry) -> HostingError:
    """Return the error where another run has no answer in the time of this task."""
    return OperationTimeout(
        f"Another run has sent a request for the same at {clock(sent.sent_at)} and has no answer yet. Nothing was sent"
        " by this one. Run again when the other one has ended."
    )


# ---- the answer, and the lack of one --------------------------------------------------------------------------------


def says_error_within(answer: Answer) -> HostingError:
    """Return the error for an answer that is a success by its status, and something else by its words."""
    return ServiceError(
        f"The hosting service answered {answer.request} with {answer.status}, and says in the same answer that its"
        f" status is {answer.outcome} ({answer.message}). Whether anything was done is not known.",
        request=answer.request,
        status=answer.outcome,
        service_message=answer.message,
    )


def not_its_own_answer(answer: Answer) -> HostingError:
    """Return the error for an answer without what the service itself would have said."""
    return MalformedResponse(
        f"The answer to {answer.request} ({answer.status}) has no {answer.request.endpoint.answers_with}, as the"
        " service's own answer would. Whether anything was done is not known. Check that base_url is the address of"
        " the hosting service's API, and that no proxy answers in its place.",
        request=answer.request,
        status=answer.status,
    )


def without_answer(error: HostingError, request: Request, advice: str) -> HostingError:
    """Return the error of a request that must not be repeated and may have been carried out."""
    error_class = ServiceError if isinstance(error, ServiceError) else OutcomeUnknown
    return error_class(
        f"{error} It was not sent a second time. {advice}",
        request=request,
        status=error.status,
        service_message=error.service_message,
    )


def how_to_settle_or_send(subject: Subject, entry: Entry) -> str:
    settle = how_to_settle(subject[1], entry)
    return f"{settle} Or, if it was not carried out, run with force: true to send it again."


def asking_the_user(request: Request, subject: Subject, entry: Entry) -> HostingError:
    return OutcomeUnknown(
        f"{request} was sent at {clock(entry.sent_at)} and its answer was lost, so it may or may not have been carried"
        f" out. It was not sent again. {how_to_settle_or_send(subject, entry)}",
        request=request,
    )


# ---- operations and effects -----------------------------------------------------------------------------------------


def how_to_wait_on(operation: Operation, *, would_send_again: bool) -> str:
    """Return what to do about an operation that has not ended in time."""
    if operation.why_silent:
        return (
            "look at the service whether it was carried out. Running again asks once more; with force: true, it sends"
            " the request anew"
        )
    if would_send_again:
        return (
            "wait for it with hosting.management.operation_info, because running this task again would send the"
            " request again"
        )
    return "run again to wait on, or give a larger wait_timeout"


def taken_for_done(operation: Operation, request: Request | None, entry: Entry) -> str:
    """Return the warning that an accepted operation counts as finished although nobody has seen its end."""
    # Ansible shows the same words once a run: what holds for the service names no operation.
    named_as = f"operation {operation.id}" if operation.id else str(request)
    accepted = f"The service accepted {named_as} ({clock(entry.sent_at)}), and it"
    if operation.message in (NO_ENDPOINT, SHOWS_NONE):
        accepted = "What it accepts"
    return (
        f"{operation.message} {accepted} is taken for done; check that it was carried out. For a service with the"
        " documented endpoints only, set companions: false (or HOSTING_COMPANIONS)."
    )


def effect_not_seen(request: Request, subject: Subject, entry: Entry) -> HostingError:
    """Return the error for a request whose effect the service has not shown in the time of this task."""
    if entry.progress == UNKNOWN:
        until = clock(entry.sent_at + _decision.HORIZON)
        return OutcomeUnknown(
            f"{request} was sent at {clock(entry.sent_at)} and its answer was lost. The service does not show its"
            " effect, and it was not sent again. Run again later: if the effect is not there by"
            f" {until}, the request is sent anew. {how_to_settle_or_send(subject, entry)}",
            request=request,
            names_operation=entry.operation_id is None,
        )
    accepted_as = f" as operation {entry.operation_id}" if entry.operation_id else ""
    error = OperationTimeout(
        f"{request} was accepted{accepted_as} at {clock(entry.sent_at)}, and the service does not show its effect yet."
        " It was not sent again. Run again to look on.",
        request=request,
        names_operation=True,
    )
    error.operation_id = entry.operation_id
    return error


def last_write_not_seen(name: str | None, remembered: Iterable[Entry], *, has_sent: bool) -> HostingError:
    """Return the error for a value that cannot be computed, because the service shows only an older state."""
    written_at = max(entry.ended_at or 0 for entry in remembered if entry.progress == FINISHED)
    nothing = "" if has_sent else " Nothing was sent by this run."
    return OperationTimeout(
        f"{name} was written at {clock(written_at)}, and the service does not show that yet.{nothing} Run again."
    )


def effect_missing(request: Request, operation: Operation | None, thing: str) -> HostingError:
    """Return the error for a request of this task that has ended without its effect."""
    ended = f"Operation {operation.id}" if operation else str(request)
    error = OperationFailed(
        f"{ended} ended, but the service does not show its effect: {thing} is not there. Look at the service for the"
        f" cause, then run again. (The request was {request}.)",
        request=request,
        names_operation=True,
    )
    error.operation_id = operation.id if operation else None
    return error
