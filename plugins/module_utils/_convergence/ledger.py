# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of one change in the journal, and whether that is still the journal that the task has begun with."""

from __future__ import annotations

from contextlib import suppress

from .._displaced import taken_back
from .._errors import HostingError, JournalError
from .._interface import Request
from .._journal import Entry, Journal, NoJournal, Subject, note_progress
from .._progress import SENT, UNKNOWN
from . import messages


class Ledger:
    """The rows of one change in the journal.

    It alone keeps something in mind while the change goes on: which journal it is, and which request the next journal
    must know of, should this one be lost.
    """

    def __init__(self, journal: Journal, subject: Subject, *, is_read_only: bool) -> None:
        self.journal = journal
        self.subject = subject
        self._is_read_only = is_read_only
        self._identity: str | None = None
        self._asked: tuple[Request, Entry] | None = None

    @property
    def lasts(self) -> bool:
        """Whether a later run knows what this one notes."""
        return not isinstance(self.journal, NoJournal)

    def read(self) -> tuple[Entry, ...]:
        return self.journal.read(self.subject)

    def is_of_another(self, operation_id: str | None) -> bool:
        """Tell whether an operation belongs to another subject of the same kind."""
        if operation_id is None:
            return False
        service, kind = self.subject[0], self.subject[1].partition("/")[0]
        known = self.journal.subjects(service, f"{kind}/")
        return any(entry.operation_id == operation_id for subject, entry in known if subject != self.subject)

    def replace(self, seen: tuple[Entry, ...], now: tuple[Entry, ...], *, repeatable: bool) -> bool:
        """Put the rows ``now`` in place of those ``seen``; False if others have changed them since."""
        # A power loss may take back what a repeatable request is about, which is then sent again; and how another one
        # ended, which is then asked. It may not take back that one leaves.
        is_leaving = any(entry.progress == SENT for entry in set(now) - set(seen))
        return self.journal.replace(self.subject, seen, now, durable=is_leaving and not repeatable)

    def take_back(self, entry: Entry, before: tuple[Entry, ...], *, repeatable: bool) -> None:
        """Put the rows back that were there before a request was noted, and leave what others have noted since."""
        while True:
            rows = self.read()
            is_mine = any(one.is_about(entry) for one in rows)
            if not is_mine or self.replace(rows, taken_back(rows, entry, before), repeatable=repeatable):
                return

    def note(self, entry: Entry, progress: str, operation_id: str | None = None) -> None:
        """Note how far a request has come, unless another run has noted something else meanwhile."""
        if self._is_read_only:
            return
        if self._asked and self._asked[1].is_about(entry):
            request, asked = self._asked
            self._asked = (request, asked.with_progress(progress, operation_id))
        was_accepted = progress != UNKNOWN  # else what was there before may be there still
        if not note_progress(self.journal, self.subject, entry, progress, operation_id, supersedes=was_accepted):
            self.require_same()

    # ---- another journal in its place -------------------------------------------------------------------------------

    def remember(self, request: Request, entry: Entry) -> None:
        """Keep in mind what this task has sent, or whose end it awaits: another journal would have to know of it."""
        self._asked = (request, entry)

    def forget(self) -> None:
        """Keep nothing in mind: the request was not carried out."""
        self._asked = None

    def require_same(self) -> None:
        """Raise when another journal is in the place of the one that this task has read or written before."""
        loss = self._loss()
        if loss:
            raise JournalError(f"{loss} {messages.LOOK_FIRST}", names_operation=self._is_named_by_request)

    def told_of_loss(self, error: HostingError) -> HostingError:
        """Return the error with the words for a lost journal, where there is a request that the next one must know."""
        with suppress(JournalError):
            loss = self._loss() if self._asked else None
            if loss:
                error.with_advice(loss)
                error.names_operation = error.names_operation or self._is_named_by_request
        return error

    def note_anew(self, sent: Entry) -> None:
        """Note in another journal what was sent, unless others have sent the same since."""
        while True:
            rows = self.read()
            if any(one.key == sent.key and one.sent_at >= sent.sent_at for one in rows):
                return
            if self.journal.replace(self.subject, rows, (*(one for one in rows if one.key != sent.key), sent)):
                return

    @property
    def _is_named_by_request(self) -> bool:
        """Whether the words for a lost journal name what was accepted: they name the request, and no operation."""
        return self._asked is not None and self._asked[1].operation_id is None

    def _loss(self) -> str | None:
        """Return the words for another journal in the place of this task's; it learns of the request that was sent."""
        identity = self.journal.identity()
        if self._identity in (None, identity):
            self._identity = identity
            return None
        if self._asked is None or self._is_read_only:
            self._identity = identity
            return messages.NOTHING_SENT
        request, entry = self._asked
        self.note_anew(entry)
        self._identity = self.journal.identity()
        return messages.noted_anew(request)
