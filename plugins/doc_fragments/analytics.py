# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  time_frame:
    description:
      - How far to look back.
    type: str
    choices: [24_hours, 7_days, 30_days, 60_days]
  company_id:
    description:
      - The id of the company. Defaults to the company of the API key, which the module looks up.
    type: str
  start:
    description:
      - The start of the period, as a date or time in ISO 8601. Without an offset, UTC is assumed. Mutually exclusive
        with O(time_frame).
    type: str
  end:
    description:
      - The end of the period, in the same format.
    type: str
  query_names:
    description:
      - The names of the query parameters, by option, for a service that uses other names than the public service. The
        public service uses V(time_span) for O(time_frame), V(company_id) for O(company_id), V(from) for O(start), and
        V(to) for O(end).
    type: dict
"""
