# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the service refuses, and with which words (the interface document, section 7)."""

from __future__ import annotations

import re
from http import HTTPStatus

MESSAGES = {
    400: "Bad request format",
    401: "No or invalid API key provided to the request",
    404: "Could not find data or the user does not have permissions to retrieve it",
    429: "Too many requests, please try again later.",
    500: "Error occurred while processing your request",
}
CAPABILITIES_FAILURE = "Error occurred while updating capabilities for the company"
CAPABILITIES_PATH = re.compile(r"/company/[^/]+/users/company-capabilities")


class RefusalError(Exception):
    """A request that the service does not do; `statuses` are the answers that fit it, best first."""

    statuses: tuple[int, ...]
    words: str | None = None  # what is said instead of the interface's own words

    def status(self, documented: frozenset[int]) -> int:
        """The best fitting answer among those that the endpoint documents."""
        return next((status for status in self.statuses if status in documented), self.statuses[-1])


class BadRequestError(RefusalError):
    """The body or the query says something that cannot be done."""

    statuses = (400,)


class LimitError(BadRequestError):
    """There are as many of something as the service keeps."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class MalformedIdError(RefusalError):
    """An id in the path is no UUID."""

    statuses = (400, 404, 500)


class UnknownIdError(RefusalError):
    """An id names nothing that the caller may see."""

    statuses = (404, 400, 500)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "No standard status"


def error_body(status: int, path: str = "") -> dict:
    """The error body for a status; section 4.1 documents a text of its own for 500."""
    if status == 500 and CAPABILITIES_PATH.fullmatch(path):
        return {"message": CAPABILITIES_FAILURE, "status": status}
    return {"message": MESSAGES.get(status) or _phrase(status), "status": status}
