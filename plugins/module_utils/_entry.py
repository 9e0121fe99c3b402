# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a module is started: as an AnsibleModule, or inside the controller's process. Both give equal results."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ._client import REQUESTS_IMPORT_ERROR, Client
from ._convergence import UNKNOWN
from ._errors import (
    HostingError,
    InvalidInput,
    MalformedResponse,
    MissingLibrary,
    NotFound,
    ServiceError,
)
from ._journal import (
    default_location,
    open_journal,
    passwords_of,
)
from ._operations import follow

SECRET_OPTIONS = ("api_key", "custom_ssl_key")
SHORTEST_PIECE = 16  # characters of a line of a secret that is a secret itself


class Context(Mapping):
    """What a module's run() works with: the task's options by name, and the service.

    :param params: the checked options.
    :param warn: called with a text that the user should see beside the result.
    :param report: called with a line of progress while the task waits.
    """

    def __init__(self, params, *, check_mode=False, diff=False, warn=None, report=None):
        self._params = params
        self.check_mode = check_mode
        self.diff = diff
        self.warn = warn or _ignore
        self.report = report or _ignore

    def __getitem__(self, name):
        return self._params[name]

    def __iter__(self):
        return iter(self._params)

    def __len__(self):
        return len(self._params)

    def given(self, *names):
        """Return those of the named options that the task gives, ready to be a request's body."""
        return {name: self[name] for name in names if self[name] is not None}

    @cached_property
    def client(self):
        verify = self["validate_certs"] and (self["ca_path"] or True)
        secrets = secrets_within(self)
        return Client(self["base_url"], self["api_key"], self["timeout"], self["retries"], verify, secrets)

    @cached_property
    def journal(self):
        location = self["journal"]
        return open_journal(default_location() if location is None else location)

    @property
    def force(self):
        return self.get("force", False)

    @property
    def companions(self):
        return self["companions"]

    @property
    def wait(self):
        return self.get("wait", True)

    @property
    def wait_timeout(self):
        return self.get("wait_timeout", 600)

    @property
    def poll_interval(self):
        return self.get("poll_interval", 2)

    @property
    def answer_within(self):
        """Seconds after which a request that was sent can have no answer any more."""
        return self["timeout"] * (self["retries"] + 1)

    def send(self, request):
        """Send a request and return its Answer."""
        return self.client.send(request)

    def companion(self, request):
        """Read what the interface document does not show: an Answer, or UNKNOWN where it cannot be read."""
        if not self.companions:
            return UNKNOWN
        try:
            return self.send(request)
        except NotFound:
            return UNKNOWN
        except HostingError as error:
            if error.status in (403, 405, 501):
                return UNKNOWN
            if isinstance(error, (ServiceError, MalformedResponse)):
                error.with_advice("The task can do without this read: set companions: false (or HOSTING_COMPANIONS).")
            raise

    def follow(self, operations):
        """Wait for the ends of operations, as long as the task allows."""
        follow(
            self.client,
            operations,
            wait_timeout=self.wait_timeout,
            poll_interval=self.poll_interval,
            report=self.report,
        )


def _ignore(_text):
    """Take a text that nobody is there to see."""


def perform(spec, run, context, params, given=None):
    """Check the options, run the module and return its result, which is a failure when it raised a HostingError."""
    if REQUESTS_IMPORT_ERROR:
        error = MissingLibrary(missing_required_lib("requests", reason="with urllib3 2 or newer"), nothing_done=True)
        return {**error.as_result(), "exception": REQUESTS_IMPORT_ERROR}
    try:
        spec.check(params, given)
        return {"changed": False, **run(context)}
    except HostingError as error:
        return error.as_result()


def refusal(message):
    """Return the ``error`` of options that Ansible itself refuses."""
    return InvalidInput(message).as_result()["error"]


def secrets_within(params):
    """Return all that no output may show: secret options, their lines should they be echoed, and passwords."""
    secrets = {params[name] for name in SECRET_OPTIONS if isinstance(params.get(name), str) and params[name]}
    pieces = {line.strip() for secret in secrets for line in (secret, *secret.splitlines())}
    journal = params.get("journal") or ""
    return secrets | {piece for piece in pieces if len(piece) >= SHORTEST_PIECE} | passwords_of(str(journal))


class _Module(AnsibleModule):
    def _load_params(self):
        super()._load_params()
        self.given = dict(self.params)

    def fail_json(self, msg, **kwargs):
        super().fail_json(msg, **{"error": refusal(msg), **kwargs})


def run_module(spec, run):
    """Run a module in a process of its own, as Ansible starts it."""
    module = _Module(spec.options, supports_check_mode=True, **spec.constraints)
    module.no_log_values |= secrets_within(module.params)
    context = Context(
        module.params,
        check_mode=module.check_mode,
        diff=module._diff,
        warn=module.warn,
    )
    result = perform(spec, run, context, module.params, module.given)
    if result.get("failed"):
        module.fail_json(**result)
    module.exit_json(**result)
