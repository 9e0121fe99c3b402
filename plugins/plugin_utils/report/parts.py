# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All parts of a report. Another one is a file beside this one, and a line here."""

from __future__ import annotations

from .api_key import ApiKey
from .backups import Backups
from .dns import Dns
from .downloads import Downloads
from .drift import Drift
from .gaps import Gaps
from .networks import Networks
from .part import Part
from .plugins import Plugins
from .releases import Releases
from .sftp import Sftp
from .usage import Usage
from .versions import Versions
from .visits import Visits

API_KEY, VERSIONS, GAPS = ApiKey(), Versions(), Gaps()

PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        *(Visits(), Networks(), Usage(), Plugins(), VERSIONS, Backups()),
        *(Downloads(), Sftp(), Dns(), Releases(), Drift()),
    )
}
"""What ``report_parts`` chooses from, by these names, in the order of the document and the page."""

SECTIONS: tuple[Part, ...] = (*PARTS.values(), API_KEY, GAPS)
"""All that has a section of the page, in its order."""

BY_URGENCY = sorted(SECTIONS, key=lambda part: part.urgency)
"""The same, what people most want to know first."""
