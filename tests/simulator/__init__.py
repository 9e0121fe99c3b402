# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulator of the hosting service: the 19 endpoints, the public companions, and everything that can go wrong."""

from __future__ import annotations

from .server import Simulator

__all__ = ["Simulator"]
