# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  base_url:
    description:
      - Address of the hosting service's API, with its version segment.
      - Required, here or in the environment variable E(HOSTING_BASE_URL).
      - Must be C(https), except for a loopback address.
    type: str
  api_key:
    description:
      - The API key. It is sent to O(base_url) only, and appears in no output, journal or error.
      - Required, here or in the environment variable E(HOSTING_API_KEY).
    type: str
  validate_certs:
    description:
      - Whether to verify the TLS certificate of the service.
    type: bool
    default: true
  ca_path:
    description:
      - Path of a bundle with the certificates of the authorities to trust, in PEM format.
      - Defaults to the environment variable E(HOSTING_CA_PATH), else to E(REQUESTS_CA_BUNDLE) and the bundle of
        C(requests). A bundle that is named in the environment is loaded once for all hosts.
    type: path
  timeout:
    description:
      - Seconds to wait for a connection, and for each part of an answer. A whole answer may take four times that.
    type: float
    default: 30
  retries:
    description:
      - How often a request is repeated at most.
      - Requests that leave the same when they are sent twice are repeated after connection errors, timeouts, and the
        statuses 429, 500, 502, 503 and 504. All others are repeated only when the service provably did not process
        them, which is when no connection was made, and after 429.
      - The status 429 (too many requests) does not count. It is waited out, for up to ten minutes.
      - The pauses grow exponentially up to 30 seconds, with jitter, also on top of the C(Retry-After) of an answer,
        which is honoured up to 120 seconds.
      - With V(0), nothing is repeated, not even after a 429.
    type: int
    default: 5
  companions:
    description:
      - Whether to use endpoints of the service beyond the documented 19, for reading the present state and for
        following operations to their end. Where the service has none, the collection works without them.
      - Set this to V(false) for a service with the documented endpoints only, to spare the attempts.
      - Defaults to the environment variable E(HOSTING_COMPANIONS), if set.
    type: bool
    default: true
  journal:
    description:
      - Where to keep the journal, which remembers what was already asked for, so that a request is not repeated
        without need where the service does not show its state, and not at all where repeating does harm.
      - The absolute path of a SQLite file (or one that begins with V(~) or a variable), which many forks and runs may
        share, or a C(postgresql://) address (needs the Python
        library C(psycopg)) for controllers whose disk is thrown away after a job.
      - An empty string switches the journal off.
      - Defaults to the environment variable E(HOSTING_JOURNAL), else to C(hosting.management/journal.db) below
        E(XDG_STATE_HOME) (C(~/.local/state)).
      - The journal holds no secret. Modules that only read accept the option and have no use for it, so that it can
        be set for all modules at once.
    type: str
requirements:
  - requests >= 2.31
  - urllib3 >= 2
notes:
  - With the connection C(local), and without C(async) and C(become), the module runs inside the controller's process,
    which makes a task as cheap as a function call. Otherwise it runs like any other module. The results are equal.
"""
