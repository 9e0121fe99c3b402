# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  base_url:
    description:
      - The address of the hosting service's API, including the version segment.
      - Required, either here or in the environment variable E(HOSTING_BASE_URL).
      - Must use C(https), unless it is a loopback address.
    type: str
  api_key:
    description:
      - The API key. It is sent only to O(base_url), and never appears in output, the journal or error messages.
      - Required, either here or in the environment variable E(HOSTING_API_KEY).
    type: str
  validate_certs:
    description:
      - Whether to verify the service's TLS certificate.
    type: bool
    default: true
  ca_path:
    description:
      - The path of a bundle of trusted CA certificates, in PEM format.
      - Defaults to the environment variable E(HOSTING_CA_PATH), then to E(REQUESTS_CA_BUNDLE), then to the bundle that
        C(requests) uses. A bundle that an environment variable names is loaded only once for all hosts.
    type: path
  timeout:
    description:
      - Seconds to wait for a connection, and for each part of an answer. A complete answer may take four times as long.
    type: float
    default: 30
  retries:
    description:
      - The maximum number of times to repeat a request.
      - Requests that have the same effect when sent twice are repeated after connection errors, timeouts, and the
        statuses 429, 500, 502, 503 and 504. All others are repeated only if the service provably did not process them,
        that is, if no connection was made or the status was 429.
      - Repetitions after the status 429 (too many requests) do not count. The module waits until the service accepts
        requests again, for up to ten minutes.
      - The pauses grow up to 30 seconds, with jitter; exponentially, but slowly after a 429. They are added to the
        C(Retry-After) of an answer, which is honoured up to 120 seconds.
      - With V(0), nothing is repeated, not even after a 429.
    type: int
    default: 5
  companions:
    description:
      - Whether to use endpoints beyond the documented 19, to read the current state and to follow operations until they
        end. If the service does not have them, the collection works without them.
      - Set this to V(false) for a service that has only the documented endpoints, to avoid futile requests.
      - Defaults to the environment variable E(HOSTING_COMPANIONS), if set.
    type: bool
    default: true
  journal:
    description:
      - Where to keep the journal, which records what was already requested. It prevents requests from being repeated
        needlessly if the service does not show its state, and from being repeated at all if that could do harm.
      - Either the absolute path of a SQLite file (or a path that begins with V(~) or a variable), which many forks and
        runs can share, or a C(postgresql://) address, for controllers whose disk is discarded after each job. The
        latter needs the Python library C(psycopg).
      - An empty string turns off the journal.
      - Defaults to the environment variable E(HOSTING_JOURNAL), then to C(hosting.management/journal.db) below
        E(XDG_STATE_HOME) (C(~/.local/state)).
      - The journal contains no secrets. Modules that only read from the service accept this option but do not use it,
        so you can set it for all modules at once.
    type: str
requirements:
  - requests >= 2.31
  - urllib3 >= 2.0.2
notes:
  - With the connection C(local), and without C(async) or C(become), the module runs inside the controller's process, so
    a task costs no more than a function call. Otherwise, it runs like any other module. The results are the same.
"""
