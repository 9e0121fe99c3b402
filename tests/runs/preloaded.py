# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a process imports before tasks are forked from it (see ``tasks.py``). Nothing else may import this."""

import pkgutil
from importlib import import_module

from runs.early import look_early

look_early()
_modules = import_module("ansible_collections.hosting.management.plugins.modules")
for _module in pkgutil.iter_modules(_modules.__path__):
    import_module(f"{_modules.__name__}.{_module.name}")
