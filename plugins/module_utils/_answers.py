# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the hosting service answers, read as the interface says, and refused where it has another shape."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ._errors import MalformedResponse
from ._interface import Request
from ._text import printable

OPERATION_ID = re.compile(r"[A-Za-z0-9:_.-]{1,200}")

Kind = TypeVar("Kind")

Record = dict[str, Any]
"""An object of an answer. Its values are the service's, and nobody has checked them."""


@dataclass(frozen=True)
class Answer:
    """A 2xx answer of the service."""

    request: Request
    status: int
    data: object
    clean: Callable[[str], str] = field(default=printable, repr=False, compare=False)

    def at(self, path: str, kind: type[Kind] | tuple[type[Kind], ...]) -> Kind:
        """Return the value under a dotted path, which must be an instance of ``kind`` (a type or several).

        Raises MalformedResponse when the answer has another shape than the interface says.
        """
        value = self.data
        for name in path.split("."):
            if not isinstance(value, dict) or name not in value:
                raise self.malformed(path)
            value = value[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.malformed(path)
        return value

    def records(self, path: str) -> list[Record]:
        """Return the list of objects under a dotted path."""
        values = self.at(path, list)
        if not all(isinstance(value, dict) for value in values):
            raise self.malformed(path)
        return values

    def named(self, path: str) -> dict[str, Record]:
        """Return the objects under a dotted path by their name, each of which must be a text."""
        records = self.records(path)
        if not all(isinstance(record.get("name"), str) for record in records):
            raise self.malformed(path)
        return {record["name"]: record for record in records}

    @property
    def operation_id(self) -> str | None:
        """The id of the accepted operation (interface section 2.1), or None when there is none that can be used."""
        value = self.data.get("operation_id") if isinstance(self.data, dict) else None
        return value if isinstance(value, str) and OPERATION_ID.fullmatch(value) else None

    @property
    def outcome(self) -> int:
        """The status that the body says: some services put the outcome there, in a 200. Else that of the answer."""
        said = self.data.get("status") if isinstance(self.data, dict) else None
        return said if isinstance(said, int) and not isinstance(said, bool) else self.status

    @property
    def message(self) -> str | None:
        """What the service says with its answer, without secrets and on one line, or None."""
        value = self.data.get("message") if isinstance(self.data, dict) else None
        return self.clean(value) if isinstance(value, str) else None

    def malformed(self, path: str) -> MalformedResponse:
        """Return the error for a value that is missing or not what the interface says."""
        return MalformedResponse(
            f"The answer to {self.request} has another shape than the interface says: {path} is missing or of another"
            " type. Check that base_url is the address of the hosting service's API.",
            request=self.request,
            status=self.status,
        )
