# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong between a playbook and the hosting service."""

from __future__ import annotations

import shlex
import sys
from importlib import import_module
from typing import Any, Self

from ._interface import Request
from ._text import printable

LIBRARIES = "'requests>=2.31' 'urllib3>=2.0.2'"
"""What pip installs where the modules run."""

LONGEST_MESSAGE = 5000  # characters; names from the service can be many, and long


class HostingError(Exception):
    """A failure the user can act on: what happened, whether anything was done, what to do.

    ``nothing_done`` is True when it is certain that the failed request changed nothing. ``names_operation`` is True
    where the message names the operation that was accepted (without an id, the request). ``results`` are values that
    the module returns beside the failure.
    """

    kind = "service"

    def __init__(
        self,
        message: str,
        *,
        request: Request | None = None,
        status: int | None = None,
        service_message: str | None = None,
        nothing_done: bool = False,
        names_operation: bool = False,
    ) -> None:
        super().__init__(message)
        self.request = request
        self.status = status
        self.service_message = service_message
        self.nothing_done = nothing_done
        self.names_operation = names_operation
        self.operation_id: str | None = None
        self.results: dict[str, Any] = {}

    @property
    def is_offered(self) -> bool:
        """Whether the service offers the endpoint to the key's user; False only where its answer says that it does not.

        405 and 501 say so of any endpoint. 404 does, too, but where a documented endpoint answers it in the words of
        the interface (section 7): then an id is unknown. A read beyond the interface may be answered by 403 for the
        same reason. A documented one is there for all keys, and a write that is forbidden is a person's to know of.
        """
        if self.request is None or self.status is None:
            return True
        is_documented = self.request.endpoint.section is not None
        if self.status == 404:
            return is_documented and self.service_message is not None
        if self.status == 403:
            return is_documented or self.request.method != "GET"
        return self.status not in (405, 501)

    def with_advice(self, text: str) -> Self:
        """Return this error with another sentence at the end of its message."""
        self.args = (f"{self} {text}",)
        return self

    def as_result(self) -> dict[str, Any]:
        """Return the failure as an Ansible result: ``failed``, ``msg`` and ``error``."""
        return {
            **self.results,
            "failed": True,
            "msg": printable(str(self), LONGEST_MESSAGE),
            "error": {
                "kind": self.kind,
                "status": self.status,
                "is_offered": self.is_offered,
                "message": self.service_message,
                "method": self.request.method if self.request else None,
                "path": self.request.path if self.request else None,
                "operation_id": self.operation_id,
            },
        }


class InvalidInput(HostingError):
    """An option has a value that cannot be sent. Nothing was sent.

    ``says_so`` is False for a message that leaves it to others to say that nothing was done.
    """

    kind = "invalid_input"

    def __init__(self, message: str, *, says_so: bool = True) -> None:
        super().__init__(message, nothing_done=True)
        self.says_so = says_so


class SwitchedOff(InvalidInput):
    """Only a companion shows what is asked for, and companions are switched off. Nothing was sent."""

    @property
    def is_offered(self) -> bool:
        return False


class MissingLibrary(HostingError):
    """A Python library that the module needs is not installed where it runs."""

    kind = "missing_library"

    @classmethod
    def requests(cls, why: str) -> MissingLibrary:
        """Return the error of an interpreter without requests, or with an urllib3 that is too old; ``why`` says so."""
        return cls(
            f"{why.rstrip('.')}. For the Python that runs this, that is: {shlex.quote(sys.executable or 'python3')} -m"
            f" pip install {LIBRARIES}. Nothing was done.",
            nothing_done=True,
        )


def library(name: str, requirement: str, purpose: str) -> Any:
    """Return an optional library's module, imported only now. Raises MissingLibrary, which says how to install it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingLibrary(
            f"{purpose} needs the Python library {requirement.partition('>')[0]}, which cannot be imported ({error})."
            f" Install it for the Python that runs this: {shlex.quote(sys.executable or 'python3')} -m pip install"
            f" '{requirement}'. Nothing was done.",
            nothing_done=True,
        ) from None


class ConnectionFailed(HostingError):
    """No connection, or a connection that broke."""

    kind = "connection"


class TimedOut(HostingError):
    """No answer within ``timeout`` seconds."""

    kind = "timeout"


class Unauthorized(HostingError):
    """401: no key, or one the service does not accept."""

    kind = "unauthorized"


class NotFound(HostingError):
    """404: unknown, or not visible for the key's user."""

    kind = "not_found"


class BadRequest(HostingError):
    """400, or another 4xx without a kind of its own."""

    kind = "bad_request"


class RateLimited(HostingError):
    """429, still after all retries. ``retry_after`` is how many seconds the service said to stay away, or None."""

    kind = "rate_limited"
    retry_after: float | None = None


class ServiceError(HostingError):
    """5xx."""

    kind = "service"


class MalformedResponse(HostingError):
    """An answer that is no JSON, has the wrong shape, is cut off, too large, or a redirect."""

    kind = "malformed_response"

    @property
    def is_offered(self) -> bool:
        """True: half an answer, or somebody else's, tells nothing of the endpoint."""
        return True


class OperationFailed(HostingError):
    """An accepted operation ended without its effect."""

    kind = "operation_failed"


class OperationTimeout(HostingError):
    """An accepted operation was still in progress after ``wait_timeout`` seconds."""

    kind = "operation_timeout"


class HasToWait(OperationTimeout):
    """A request was not sent, because something goes on that it does not start beside."""


class CheckFailed(HostingError):
    """Something was looked at, and is not as the task says that it should be."""

    kind = "check_failed"


class OutcomeUnknown(HostingError):
    """A request that must not be repeated was sent, and no answer tells what became of it."""

    kind = "outcome_unknown"


class JournalError(HostingError):
    """The journal cannot be read or written."""

    kind = "journal"


class UnexpectedError(HostingError):
    """A bug of the collection."""

    kind = "unexpected"

    @classmethod
    def of(cls, error: Exception) -> UnexpectedError:
        """Return the error that stands for an exception nobody thought of."""
        return cls(
            f"The collection failed in a way that nobody has foreseen ({type(error).__name__}). Whether anything was"
            " done is not known. Please run it again with ANSIBLE_DISPLAY_TRACEBACK=error in the environment, and"
            " report what it prints in the issue tracker of the collection."
        )
