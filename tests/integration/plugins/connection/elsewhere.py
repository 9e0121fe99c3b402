# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host that is this machine, but not by the connection named local: what a module sees on any other host."""

from __future__ import annotations

from ansible.plugins.connection.local import Connection as LocalConnection

DOCUMENTATION = r"""
name: elsewhere
short_description: Runs on this machine, as if it were another one
description:
  - The connection local under another name.
extends_documentation_fragment:
  - connection_pipelining
"""


class Connection(LocalConnection):
    transport = "elsewhere"
