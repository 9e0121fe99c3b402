# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TLS for the simulator: a certificate authority and a certificate that are made anew for each start."""

from __future__ import annotations

import datetime
import tempfile
from functools import cached_property
from pathlib import Path

import certifi
import trustme

VALID, EXPIRED, OTHER_HOST = KINDS = ("valid", "expired", "other-host")
OTHER_NAME = "elsewhere.example.com"


class Certificates:
    """A certificate for a host, of one of KINDS, and the bundles that make it trusted. The files go with close()."""

    def __init__(self, kind: str, host: str) -> None:
        if kind not in KINDS:
            raise ValueError(f"unknown kind of certificate {kind!r}; known: {', '.join(KINDS)}")
        authority = trustme.CA(organization_name="hosting.management simulator")
        names = (OTHER_NAME,) if kind == OTHER_HOST else (host, "localhost")
        certificate = authority.issue_cert(*names, **(_past() if kind == EXPIRED else {}))
        self._folder = tempfile.TemporaryDirectory(prefix="simulator-")
        self.ca_path = str(self._path("ca.pem"))
        authority.cert_pem.write_to_path(self.ca_path)
        self.server_path = str(self._path("server.pem"))
        certificate.private_key_and_cert_chain_pem.write_to_path(self.server_path)

    @cached_property
    def large_ca_path(self) -> str:
        """A bundle of the usual size: everybody whom certifi trusts, and this authority."""
        path = self._path("large.pem")
        path.write_bytes(Path(certifi.where()).read_bytes() + b"\n" + Path(self.ca_path).read_bytes())
        return str(path)

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()

    def _path(self, name: str) -> Path:
        return Path(self._folder.name, name)


def _past() -> dict[str, datetime.datetime]:
    """A time of validity that ended yesterday."""
    today = datetime.datetime.now(datetime.UTC)
    return {"not_before": today - datetime.timedelta(days=30), "not_after": today - datetime.timedelta(days=1)}
