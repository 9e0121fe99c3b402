# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A way to become another user that needs no rights, because the user stays the same."""

from __future__ import annotations

from ansible.plugins.become import BecomeBase

DOCUMENTATION = r"""
name: oneself
short_description: Become oneself
description:
  - Runs commands as they are.
options:
  become_user:
    description: The user to become.
    vars:
      - name: ansible_become_user
  become_flags:
    description: Flags.
    default: ""
  become_exe:
    description: The command to become with.
    default: ""
  become_pass:
    description: The password.
"""


class BecomeModule(BecomeBase):
    name = "oneself"

    def build_become_command(self, cmd, shell):
        return cmd
