# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: environments
short_description: Use the environments of a company's sites as hosts
version_added: 0.1.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Reads a company's sites and their environments from the hosting service, and makes each environment a host.
  - The hosts have the connection C(local), because the modules of this collection talk to the service, not to the host.
    C(--limit), C(serial), forks and slices therefore apply to environments.
  - The configuration is a YAML file whose name ends in C(.hosting.yml) or C(.hosting.yaml).
  - Requires a service that lists sites (C(GET /sites), a companion of the documented interface). For a service that
    does not, set the same variables in a plain YAML inventory, as in the examples.
extends_documentation_fragment:
  - constructed
  - inventory_cache
options:
  plugin:
    description: The name of this plugin.
    type: str
    required: true
    choices: [hosting.management.environments]
  base_url:
    description:
      - The address of the hosting service's API, including the version segment. May be a template.
      - Required, either here or in the environment variable.
    type: str
    env:
      - name: HOSTING_BASE_URL
  api_key:
    description:
      - The API key. May be a template, such as a lookup, so that the key does not have to be in the file.
      - Required, either here or in the environment variable.
    type: str
    env:
      - name: HOSTING_API_KEY
  validate_certs:
    description: Whether to verify the service's TLS certificate.
    type: bool
    default: true
  ca_path:
    description: The path of a bundle of trusted CA certificates, in PEM format.
    type: path
    env:
      - name: HOSTING_CA_PATH
  timeout:
    description: Seconds to wait for a connection, and for each part of an answer.
    type: float
    default: 30
  retries:
    description: The maximum number of times to repeat a request.
    type: int
    default: 5
  company_id:
    description: The id of the company. Defaults to the company of the API key. May be a template.
    type: str
  hostname:
    description:
      - A Jinja2 expression over a host's variables that returns its name. Defaults to the names of the site and the
        environment, such as C(shop-live).
      - Characters that are not valid in a host name become C(-). If two hosts would have the same name, the id of the
        environment is appended to both names.
    type: str
  filters:
    description:
      - Jinja2 conditions over a host's variables. A host is included if all of them are true.
      - A condition that cannot be evaluated excludes the host, or is an error with O(strict=true). If no host can
        evaluate it, or the filters leave no host, the plugin issues a warning. The same holds for the other options
        with expressions. A syntax error is always an error.
    type: list
    elements: str
    default: []
  source_environment:
    description:
      - The name of the environment that a site's releases come from. The other environments of the site get its id as
        C(hosting_source_environment_id), which is what the role P(hosting.management.deploy#role) deploys from.
      - That variable is null for the source environment itself, and for all environments if the site has none with this
        name.
    type: str
    default: staging
notes:
  - The variables of a host are C(hosting_company_id), C(hosting_site_id), C(hosting_site_name),
    C(hosting_site_display_name), C(hosting_site_status), C(hosting_site_labels), C(hosting_environment_id),
    C(hosting_environment_name), C(hosting_environment_display_name), C(hosting_source_environment_id),
    C(hosting_is_premium), C(hosting_is_blocked), C(hosting_domains), C(hosting_primary_domain),
    C(hosting_primary_domain_id), C(hosting_php_version), C(hosting_wordpress_version),
    C(hosting_image_optimization_type), C(hosting_cdn_cache_id), C(hosting_web_root), C(hosting_ssh_host) and
    C(hosting_ssh_port).
  - A host is in the groups C(hosting), C(site_NAME), C(environment_NAME), C(label_NAME) for each label of its site, and
    C(premium) if it is premium. Sites whose groups would have the same name, such as C(a b) and C(a-b), have the
    groups C(site_NAME_ID) instead, and the plugin issues a warning.
requirements:
  - requests >= 2.31
  - urllib3 >= 2.0.2
"""

EXAMPLES = r"""
# company.hosting.yml: all environments of the key's company
plugin: hosting.management.environments

---
# live.hosting.yml: the live environments of shops, in groups by PHP version, cached for an hour
plugin: hosting.management.environments
base_url: https://api.example.com/v2
api_key: "{{ lookup('ansible.builtin.file', '~/.config/hosting/key') }}"
filters:
  - hosting_environment_name == 'live'
  - "'retail' in hosting_site_labels"
hostname: hosting_primary_domain
compose:
  deploy_domains: "[{'domain_name': hosting_site_name ~ '.example.org'}]"
groups:
  old_php: hosting_php_version is version('8.0', '<')
keyed_groups:
  - key: hosting_php_version
    prefix: php
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: .cache/inventory
cache_timeout: 3600

---
# hosts.yml: the same by hand, for a service that does not list its sites
all:
  hosts:
    shop-live:
      hosting_site_id: a0000000-0000-4000-8000-000000000001
      hosting_environment_id: e0000000-0000-4000-8000-000000000011
      hosting_source_environment_id: e0000000-0000-4000-8000-000000000012
      hosting_primary_domain: shop.example.com
  vars:
    ansible_connection: local
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
"""

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ansible.errors import AnsibleError, AnsibleParserError
from ansible.module_utils.basic import missing_required_lib
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.utils.vars import combine_vars

from ..module_utils._arguments import (
    ModuleSpec,
    api_options,
    problem_of_core,
    uuid_option,
)
from ..module_utils._client import REQUESTS_IMPORT_ERROR
from ..module_utils._context import Context
from ..module_utils._environments import Variables, variables_of_company
from ..module_utils._errors import HostingError, MissingLibrary
from ..plugin_utils.expressions import Expression, expressions_of, groups_of_sites, like

if TYPE_CHECKING:
    from ansible.inventory.data import InventoryData
    from ansible.parsing.dataloader import DataLoader

SPEC = ModuleSpec(api_options(), {"company_id": uuid_option(required=False)})

NO_SITES = (
    " This service does not list sites, or the key's user may not see them. Write a plain YAML inventory instead: see"
    " the last example of ansible-doc -t inventory hosting.management.environments."
)


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    NAME = "hosting.management.environments"

    def verify_file(self, path: str) -> bool:
        return super().verify_file(path) and path.endswith((".hosting.yml", ".hosting.yaml"))

    def parse(self, inventory: InventoryData, loader: DataLoader, path: str, cache: bool = True) -> None:
        problem = problem_of_core()
        if problem:
            raise AnsibleParserError(problem)
        super().parse(inventory, loader, path, cache)
        given = self._read_config_data(path)
        _refuse_unknown(given, self.get_options())
        self._refuse_bad_syntax()
        found = self._found(path, cache)
        if "source_environment" in given:
            self._check_source(found)
        hosts = self._named(self._wanted(found))
        groups = self._groups_of([variables for _name, variables in hosts])
        for name, variables in hosts:
            self._add(name, variables, groups)
        self._try_constructed(hosts)

    def _refuse_bad_syntax(self) -> None:
        """Raise AnsibleParserError for what no host could evaluate, before anything is asked for."""
        for option in ("filters", "hostname", "compose", "groups", "keyed_groups"):
            for expression in expressions_of(option, self.get_option(option)):
                problem = expression.syntax_error()
                if problem:
                    raise AnsibleParserError(problem)

    def _check_source(self, found: list[Variables]) -> None:
        """Warn of a source_environment that no site has: no environment would have a source to deploy from."""
        wanted = self.get_option("source_environment")
        names = {one["hosting_environment_name"] for one in found if one["hosting_environment_name"]}
        if found and wanted not in names:
            self.display.warning(f"source_environment: no site has an environment {wanted}. {like(wanted, names)}")

    def _found(self, path: str, cache: bool) -> list[Variables]:
        """Return the variables of each environment, from the cache where that is wanted."""
        self.load_cache_plugin()
        # What was read from one service with one key is of no use for another. A digest does not show the key.
        names = ("base_url", "api_key", "company_id", "source_environment")
        source = " ".join(str(self._templated(name)) for name in names)
        cache_key = f"{self.get_cache_key(path)}_{hashlib.sha256(source.encode()).hexdigest()[:16]}"
        use_cache = self.get_option("cache")
        if use_cache and cache:
            try:
                return self._cache[cache_key]
            except KeyError:
                pass  # not there yet, or too old
        found = self._read()
        if use_cache:
            self._cache[cache_key] = found
        return found

    def _read(self) -> list[Variables]:
        if REQUESTS_IMPORT_ERROR:
            raise AnsibleParserError(
                str(MissingLibrary.requests(missing_required_lib("requests", reason="with urllib3 2.0.2 or newer")))
            )
        try:
            params = self._checked_options()
            client = Context(params).client
            return variables_of_company(client.send, params["company_id"], self.get_option("source_environment"))
        except HostingError as error:
            advice = NO_SITES if not error.is_offered else ""
            raise AnsibleParserError(f"Cannot read the environments: {error}{advice}") from None

    def _checked_options(self) -> dict[str, Any]:
        names = ("base_url", "api_key", "validate_certs", "ca_path", "timeout", "retries", "company_id")
        params = {name: self.get_option(name) for name in names}
        for name in ("base_url", "api_key", "company_id"):
            params[name] = self._templated(name)
        SPEC.check(params)
        return params

    def _templated(self, name: str) -> str | None:
        value = self.get_option(name)
        return None if value is None else str(self.templar.template(value))

    def _wanted(self, found: list[Variables]) -> list[Variables]:
        """Return those of the environments that the filters leave, and warn of a filter that says nothing of any."""
        filters = [Expression("filters:", condition) for condition in self.get_option("filters")]
        wanted = [variables for variables in found if self._is_wanted(filters, variables)]
        problems = [one.problem(found[0]) for one in filters if one.fails_always]
        if found and not wanted:
            culprit = next(one for one in filters if not one.true)
            is_empty = f"The filters leave none of the {len(found)} environments, so this inventory is empty."
            problems = problems or [f"{culprit} is true for none of the {culprit.tried} that it was asked about."]
            problems = [f"{is_empty} {' '.join(problems)}"]
        for problem in problems:
            self.display.warning(problem)
        return wanted

    def _is_wanted(self, filters: list[Expression], variables: Variables) -> bool:
        self.templar.available_variables = variables
        for condition in filters:
            try:
                is_true = bool(self.templar.evaluate_conditional(condition.text))
            except AnsibleError as error:
                if self.get_option("strict"):
                    raise AnsibleParserError(f"The filter {condition.text!r} cannot be evaluated: {error}") from error
                condition.note(error)
                return False
            condition.note(None, is_true=is_true)
            if not is_true:
                return False
        return True

    def _named(self, hosts: list[Variables]) -> list[tuple[str, Variables]]:
        """Return (name, variables) of each host, with names that are valid and unique."""
        hostname = Expression("hostname:", self.get_option("hostname"))
        names = [self._name(hostname, variables) for variables in hosts]
        if hostname.fails_always:
            self.display.warning(f"{hostname.problem(hosts[0])} Hosts have the names of site and environment instead.")
        count = Counter(names)
        return [
            (name if count[name] == 1 else f"{name}-{variables['hosting_environment_id']}", variables)
            for name, variables in zip(names, hosts, strict=True)
        ]

    def _name(self, hostname: Expression, variables: Variables) -> str:
        name = None
        if hostname.text:
            try:
                name = self._compose(hostname.text, variables)
                hostname.note(None)
            except AnsibleError as error:
                if self.get_option("strict"):
                    raise AnsibleParserError(f"The hostname cannot be evaluated: {error}") from error
                hostname.note(error)
        site = variables["hosting_site_name"] or variables["hosting_site_id"]
        name = name or f"{site}-{variables['hosting_environment_name'] or variables['hosting_environment_id']}"
        return re.sub(r"[^A-Za-z0-9_.-]+", "-", str(name)).strip("-.") or str(variables["hosting_environment_id"])

    def _groups_of(self, hosts: list[Variables]) -> dict[str, str]:
        """Return the group of each site by its id, and warn where names would have put different things together."""
        sites = {
            (
                one["hosting_site_id"],
                one["hosting_site_name"],
                self._sanitize_group_name(f"site_{one['hosting_site_name']}"),
            )
            for one in hosts
            if one["hosting_site_name"]
        }
        groups, shared = groups_of_sites(sorted(sites))
        for group, names in shared.items():
            self.display.warning(
                f"The sites {', '.join(map(repr, names))} would share the group {group}. Each has a group of its own"
                f" instead, with its id at the end, such as {min(one for one in groups.values() if group in one)}."
            )
        labels = {label for one in hosts for label in one["hosting_site_labels"] if label}
        environments = {one["hosting_environment_name"] for one in hosts if one["hosting_environment_name"]}
        for kind, named in (("label", labels), ("environment", environments)):
            by_group: dict[str, list[str]] = {}
            for name in sorted(named):
                by_group.setdefault(self._sanitize_group_name(f"{kind}_{name}"), []).append(repr(name))
            for group, those in by_group.items():
                if len(those) > 1:
                    self.display.warning(f"The {kind}s {', '.join(those)} share the group {group}.")
        return groups

    def _try_constructed(self, hosts: list[tuple[str, Variables]]) -> None:
        """Warn of an expression that makes variables or groups, and that no host can evaluate."""
        for option in ("compose", "groups", "keyed_groups"):
            for expression in expressions_of(option, self.get_option(option)):
                known: set[str] = set()
                for name, own in hosts:
                    of_host = {} if option == "compose" else self.inventory.get_host(name).get_vars()
                    variables = combine_vars(own, of_host)
                    known.update(variables)
                    try:
                        if option == "groups":
                            self.templar.available_variables = variables
                            self.templar.evaluate_conditional(expression.text)
                        else:
                            self._compose(expression.text, variables)
                    except AnsibleError as error:
                        expression.note(error)
                    else:
                        break
                else:
                    if expression.fails_always:
                        self.display.warning(expression.problem(known))

    def _add(self, name: str, variables: Variables, site_groups: dict[str, str]) -> None:
        self.inventory.add_host(name)
        for variable, value in variables.items():
            self.inventory.set_variable(name, variable, value)
        self.inventory.set_variable(name, "ansible_connection", "local")
        from ansible.template import trust_as_template  # which an ansible-core that is too old does not have

        # Without this, Ansible would look for an interpreter on each host when a module runs in its own process.
        interpreter = trust_as_template("{{ ansible_playbook_python }}")
        self.inventory.set_variable(name, "ansible_python_interpreter", interpreter)
        for group in _groups(variables, site_groups):
            self.inventory.add_child(self.inventory.add_group(self._sanitize_group_name(group)), name)
        strict = self.get_option("strict")
        self._set_composite_vars(self.get_option("compose"), variables, name, strict=strict)
        self._add_host_to_composed_groups(self.get_option("groups"), variables, name, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, name, strict=strict)


def _refuse_unknown(given: Mapping[str, object], known: Mapping[str, object]) -> None:
    """Raise AnsibleParserError for options that nobody has: a misspelled filter would let every host in."""
    for name in sorted(map(str, given.keys() - known.keys())):
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]}?" if close else f" Known are: {', '.join(sorted(known))}."
        raise AnsibleParserError(f"The option {name} is unknown.{hint}")


def _groups(variables: Variables, site_groups: dict[str, str]) -> Iterator[str]:
    yield "hosting"
    if variables["hosting_site_name"]:
        yield site_groups[variables["hosting_site_id"]]
    if variables["hosting_environment_name"]:
        yield f"environment_{variables['hosting_environment_name']}"
    yield from (f"label_{label}" for label in variables["hosting_site_labels"] if label)
    if variables["hosting_is_premium"]:
        yield "premium"
