# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task can read of an environment, its site or its domains, one file a reading.

Each has ``OPTIONS``, those of its own besides the environment's and the site's id, and ``run``, which returns the
result of its module or raises a HostingError.
"""
