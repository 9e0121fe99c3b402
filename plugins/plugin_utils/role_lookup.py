# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lookups have in common that read the variables of a role. Each host imports it anew: it stays small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from .plain_values import Record


class RoleLookup(LookupBase):
    """A lookup whose terms are the folders of roles.

    ``read`` returns what is to be known of one of them: it gets the folder, all variables of the host with their
    templates, a function that returns variables with the values of these, and those of ``OPTIONS`` that are given. It
    raises ValueError for a role without argument specs.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = ()
    read: Callable[..., Record]

    def run(self, terms: list[str], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[Record]:
        self.set_options(var_options=variables, direct=kwargs)
        chosen = {name: kwargs[name] for name in self.OPTIONS if name in kwargs}
        try:
            return [self.read(term, variables or {}, self._templar.template, **chosen) for term in terms]
        except ValueError as error:
            raise AnsibleLookupError(str(error)) from error
