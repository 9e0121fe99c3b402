#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: environment
short_description: Keep an environment as declared
version_added: 0.2.0
description:
  - Brings an environment into the declared state in one task. Each part of it is an option that takes the options of
    the part's own module as a dictionary, or the most important one's value alone.
  - A part that is not declared, or is null, is left as it is.
  - The parts are kept as their own modules keep them, with the same journal, check mode and diff. What the service
    shows is read once for all parts, and again before anything is sent.
  - Operations that do not depend on each other are in progress side by side. Themes, plugins and the PHP version are
    updated one after another, and after the backup. The primary domain is set after the domains are there. PHP is
    restarted and caches are cleared after the updates.
  - A part that fails stops no other part. The task fails in the end, with the messages of all that failed. Only updates
    are not made after a backup that is declared and failed.
  - Two entries of a list that are about the same domain, DNS record, theme or plugin are refused, because each would
    undo the other. DNS records with C(exclusive=false) only add values, so these may be.
  - With C(--diff), all that differs is told in a line that begins with the name of the environment. The states before
    and after are in C(diff.states), by part, of those parts that are not compared only.
  - O(force), O(wait), O(wait_timeout) and O(poll_interval) apply to each part. With O(wait=false), a part that has to
    wait for something else at the environment sends nothing, and says so in RV(parts).
  - To keep many environments, start with O(wait=false), wait for all of them in one task with
    M(hosting.management.operation_wait), and let each host go on with O(started), as in the examples. The role
    P(hosting.management.maintain#role) makes its updates so.
options:
  declaration:
    description:
      - All parts as one dictionary, as M(hosting.management.environment_state_info) returns it. A part that has its own
        option, too, is taken from there.
    type: raw
  backup:
    description:
      - A backup that must be there, as in M(hosting.management.manual_backup). Either its tag, or a dictionary with
        C(tag), C(max_age), C(newer_than), C(release), C(keep) and C(tag_pattern), of which C(tag), C(max_age) or
        C(newer_than) is required.
    type: raw
  denied_ips:
    description:
      - The addresses that are denied access, as in M(hosting.management.denied_ips). Either the complete list, or a
        dictionary with C(ip_list), C(state) and C(exclusive). An empty list allows all addresses.
    type: raw
  sftp_allowlist:
    description:
      - The addresses that may use SFTP and SSH, as in M(hosting.management.sftp_allowlist). Either the complete list,
        or a dictionary with C(ip_allowlist), C(state) and C(exclusive). An empty list allows all addresses.
    type: raw
  image_optimization:
    description:
      - How the CDN optimizes images, as in M(hosting.management.image_optimization). Either the type, or a dictionary
        with C(image_optimization_type).
    type: raw
  domains:
    description:
      - Domains that the environment has, as in M(hosting.management.site_domain). A list in which each entry is a
        domain name, or a dictionary with C(domain_name), C(state), C(is_wildcardless), C(add_with_www_subdomain),
        C(setup_type), C(custom_ssl_key) and C(custom_ssl_cert). Other domains of the environment stay.
    type: raw
  primary_domain:
    description:
      - The primary domain, as in M(hosting.management.primary_domain). Either its name, or a dictionary with
        C(domain_name) or C(domain_id), and C(run_search_and_replace).
    type: raw
  dns_records:
    description:
      - DNS records, as in M(hosting.management.dns_record). A list of dictionaries with C(domain_id) or
        C(domain_name), C(type), C(name), C(ttl), C(values), C(state) and C(exclusive). Other records stay.
    type: raw
  themes:
    description:
      - Versions of themes, as in M(hosting.management.site_theme). A dictionary, or a list of dictionaries, with
        C(name) and C(update_version), or with C(names) and C(exclude) for the newest versions; and with C(canary).
    type: raw
  plugins:
    description:
      - Versions of plugins, as in M(hosting.management.site_plugin). V(updatable) or V(vulnerable), or a dictionary, or
        a list of dictionaries, with C(name) and C(update_version), or with C(names), C(select) and C(exclude) for the
        newest versions; and with C(canary).
    type: raw
  php_version:
    description:
      - The PHP version, as in M(hosting.management.php_version). Either the version, in quotes, or a dictionary with
        C(version), C(automatic_updates) and C(canary).
    type: raw
  php_restart:
    description:
      - A restart of PHP, as in M(hosting.management.php_restart). Either the release that it is restarted for, once, or
        a dictionary with C(release) and C(force). An empty dictionary restarts it on every run.
    type: raw
    version_added: 0.2.0
  caches:
    description:
      - Caches to clear, as in M(hosting.management.cache_clear). A list in which each entry is V(site), V(edge) or
        V(cdn), or a dictionary with C(cache), C(release), C(url), C(clear_subdirectories), C(cdn_cache_id), C(force)
        and C(if_offered). Without C(release), a cache is cleared on every run.
      - With C(if_offered), it is no failure if the service does not offer to clear the cache, or refuses to. The
        C(problem) in RV(parts) then says why.
    type: raw
    version_added: 0.2.0
  push:
    description:
      - A push to the environment that an earlier task has begun, a dictionary with the options of
        M(hosting.management.env_push), and C(started), C(ended) and C(pause_when_unknown) as that module has them. The
        task brings it to its end before it does anything else, as a task of that module would. If the push fails, so
        does this task, and nothing is sent.
    type: raw
  compare:
    description:
      - The parts that are compared with what is declared, and not changed. RV(parts) tells how they differ.
    type: list
    elements: str
    choices:
      - backup
      - denied_ips
      - sftp_allowlist
      - image_optimization
      - domains
      - primary_domain
      - dns_records
      - themes
      - plugins
      - php_version
      - php_restart
      - caches
  gather:
    description:
      - What to read of the environment when its parts have been kept, as in the option of the same name of
        M(hosting.management.environment_state_info). What the task has read already is not asked for twice.
      - What cannot be read does not fail the task, unless nothing at all can be read because of the API key, the
        address or the network.
    type: list
    elements: str
    choices:
      - backup
      - denied_ips
      - dns_records
      - domains
      - downloads
      - image_optimization
      - key
      - php_version
      - plugins
      - primary_domain
      - releases
      - sftp_allowlist
      - themes
      - usage
      - versions
    default: []
  domain_ids:
    description:
      - The ids of the domains whose DNS records are read. Needed for V(dns_records) in O(gather).
    type: list
    elements: str
  site_check:
    description:
      - Asks first whether the environment's site works, as M(hosting.management.site_check) does with the
        O(environment_id), and records the verdict on earlier updates. Either the addresses, or a dictionary with
        C(urls), C(status), C(contains), C(lacks), C(attempts), C(pause), C(timeout), C(url_username), C(url_password)
        and C(validate_site_certs).
      - If the site does not work, the task fails in the end. Then O(themes), O(plugins) and O(php_version) are compared
        only, and all other parts are kept. RV(site_check) tells more.
    type: raw
  lock_groups:
    description:
      - The names of the groups that the environment belongs to, such as C(group_names). An empty list asks for locks of
        the environment alone and of the group C(all).
      - With it, O(themes), O(plugins) and O(php_version) are compared only as long as M(hosting.management.deploy_lock)
        locks the environment or one of these groups. RV(locks) are the locks. Without it, locks are ignored.
    type: list
    elements: str
  planned:
    description:
      - The changes that a plan holds, by part, each with C(before) and C(after) as RV(parts) has them in check mode.
        Null for a part that must not change.
      - With it, the task changes only what the plan holds. It looks at all parts first. Where a part would be changed
        and the plan has no such change, from the same state to the same state, nothing is changed at the environment,
        and each part that would be changed fails with the error kind V(check_failed).
      - What is there already may be missing, so the same plan can be applied again. A backup is taken whether the plan
        has it or not.
      - A part of O(compare) has to fit only if it is in here.
    type: dict
  wait_until:
    description:
      - What the task waits for. With V(accepted), it waits for whatever is in the way of a part, such as a push by
        another run, but not for the operations that it starts itself.
    type: str
    choices: [ended, accepted]
    default: ended
  started:
    description:
      - The registered result of an earlier task with this module and the same options, but with O(wait=false) or
        O(wait_until=accepted). This task brings to its end what that one has begun. It waits if that is still
        necessary, and fails if an operation has failed. It sends none of that again, also if it has failed.
      - What had to wait in the earlier task, such as an update that comes after another one, is kept as without this
        option. What was as declared then is not asked for again. RV(parts) tells about both tasks together, and
        RV(ignore:changed) about this one alone.
      - What the earlier task has seen with O(site_check) and O(lock_groups) counts, and is not asked again. What it has
        read with O(gather) is in RV(readings), too.
    type: dict
  ended:
    description:
      - What M(hosting.management.operation_wait) has returned for the environment in C(environments). The task then
        does not ask the service again for what has ended, and waits no longer for what has not.
    type: dict
  pause_when_unknown:
    description:
      - With O(started), how many seconds to wait where the service does not show how an operation ends, unless O(ended)
        says that this has been done.
    type: float
    default: 0
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.site
  - hosting.management.canary
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Keep an environment as declared
  hosting.management.environment:
    site_id: "{{ hosting_site_id }}"
    environment_id: "{{ hosting_environment_id }}"
    backup:
      tag: maintenance
      max_age: 24h
    denied_ips: [198.51.100.7, 203.0.113.0/24]
    image_optimization: lossless
    php_version: "8.4"
    domains: [shop.example.com, www.shop.example.com]
    primary_domain: www.shop.example.com
    plugins: vulnerable

- name: Tell how an environment differs from what is declared, and change nothing
  hosting.management.environment:
    site_id: "{{ hosting_site_id }}"
    environment_id: "{{ hosting_environment_id }}"
    sftp_allowlist: [198.51.100.7, 203.0.113.24]
    php_version:
      version: "8.4"
      automatic_updates: false
    compare: [sftp_allowlist, php_version]

- name: Read what the environment is like
  hosting.management.environment_state_info:
    site_id: "{{ hosting_site_id }}"
    environment_id: "{{ hosting_environment_id }}"
    gather: [denied_ips, php_version]
  register: state

- name: Keep the environment as it was then, and count this month's visits in the same task
  hosting.management.environment:
    site_id: "{{ hosting_site_id }}"
    environment_id: "{{ hosting_environment_id }}"
    declaration: "{{ state.declaration }}"
    gather: [usage]

- name: Allow one more address, unless somebody has changed the list since
  hosting.management.environment:
    environment_id: "{{ hosting_environment_id }}"
    sftp_allowlist: [198.51.100.7, 203.0.113.24]
    planned:
      sftp_allowlist:
        before: [198.51.100.7]
        after: [198.51.100.7, 203.0.113.24]

- name: Start the updates
  hosting.management.environment:
    environment_id: "{{ hosting_environment_id }}"
    plugins: updatable
    wait: false
  register: started

- name: Wait for the updates of all hosts
  hosting.management.operation_wait:
    environment_ids: "{{ ansible_play_hosts | map('extract', hostvars, 'hosting_environment_id') }}"
    kinds: [update]
  register: waited
  run_once: true

- name: Check that the updates have been made
  hosting.management.environment:
    environment_id: "{{ hosting_environment_id }}"
    plugins: updatable
    started: "{{ started }}"
    ended: "{{ (waited.environments | default({}))[hosting_environment_id] | default(omit) }}"
"""

RETURN = r"""
parts:
  description: What became of each declared part, by its name. With O(started), since that task.
  returned: always, unless the options are not valid
  type: dict
  contains:
    changed:
      description: Whether the task changed the part, or would have in check mode. Always V(false) for O(compare).
      returned: for each part
      type: bool
    differs:
      description: Whether the part differed from what is declared. Null if that is not known because the part failed.
      returned: for each part
      type: bool
    before:
      description:
        - The state before the task. Null if it is not known. Of domains, DNS records, themes, plugins and caches, the
          states by name.
      returned: for each part
      type: raw
      sample: [198.51.100.7]
    after:
      description: The state after the task, or as it would be in check mode or with O(compare).
      returned: for each part
      type: raw
      sample: [198.51.100.7, 203.0.113.0/24]
    state_source:
      description:
        - Where the part's state was found, V(service), V(journal) or V(none), as the part's own module returns it. Null
          if it is not known, or not the same for all entries.
      returned: for each part
      type: str
      sample: service
    operation:
      description: The operation that the part's own module returns. Null if there is none, or more than one.
      returned: for each part
      type: dict
    held:
      description: The updates that were left out because of O(canary), as the part's own module returns them.
      returned: for each part
      type: list
      elements: dict
    waits_for:
      description: With O(wait=false), why nothing was sent for a part that has to wait. Otherwise null.
      returned: for each part
      type: str
    failed:
      description: Whether the part failed.
      returned: for each part
      type: bool
    msg:
      description: Why the part failed.
      returned: for each part
      type: str
    error:
      description: What went wrong with the part, with the same values as RV(error).
      returned: for each part
      type: dict
    result:
      description: What else the part's own module returns. Of several entries, it is in each of RV(parts.entries).
      returned: for others than domains, DNS records, themes, plugins and caches
      type: dict
    entries:
      description: Of domains, DNS records, themes, plugins and caches, these values for each entry, and its C(name).
      returned: for domains, DNS records, themes, plugins and caches
      type: list
      elements: dict
differs:
  description: The names of the parts that differed from what is declared.
  returned: always, unless the options are not valid
  type: list
  elements: str
  sample: [denied_ips]
state_source:
  description:
    - Where the state of the parts was found, V(service), V(journal) or V(none). Null if it is not the same for all.
  returned: success
  type: str
  sample: service
operations:
  description: The operations that the task started or followed, as the parts' own modules return them, in order.
  returned: always, unless the options are not valid
  type: list
  elements: dict
  contains:
    part:
      description: The part that the operation belongs to.
      type: str
      sample: php_version
    id:
      description: The id of the operation.
      type: str
      sample: php:modify-version-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
    state:
      description: The state of the operation.
      type: str
      sample: finished
    message:
      description: The service's message about the operation.
      type: str
    resumed:
      description: Whether an earlier run started the operation.
      type: bool
site_check:
  description:
    - What M(hosting.management.site_check) returns. RV(site_check.failed) tells whether it failed, and then it has
      C(msg) and C(error), too.
  returned: if O(site_check) is given, unless the options are not valid
  type: dict
  contains:
    failed:
      description: Whether the site does not work, or could not be asked.
      type: bool
locks:
  description:
    - The locks in force, as M(hosting.management.release_info) returns them. Null if the journal could not be read.
  returned: if O(lock_groups) is given, unless the options are not valid
  type: list
  elements: dict
push:
  description:
    - The push of O(push), as M(hosting.management.env_push) returns it. Its C(operation) also has the C(seconds) that
      it took, if the journal knows.
  returned: if O(push) is given, when the push has ended well
  type: dict
failed_step:
  description: V(push) if the task failed because of the push of O(push).
  returned: failure
  type: str
  sample: push
readings:
  description: What was read, by the names of O(gather), as M(hosting.management.environment_state_info) returns it.
  returned: if O(gather) is given, unless the options are not valid
  type: dict
unread:
  description: What could not be read, by the names of O(gather), as M(hosting.management.environment_state_info)
    returns it.
  returned: if O(gather) is given, unless the options are not valid
  type: dict
error:
  description:
    - What went wrong, as values for conditions. The human-readable message is in RV(ignore:msg).
    - L(When something fails,https://github.com/hosting-management/hosting.management/blob/main/docs/failures.md)
      says which kinds there are, what to do about each, and what else the values tell.
  returned: failure
  type: dict
  contains:
    kind:
      description: What kind of failure it was.
      type: str
      sample: unauthorized
    part:
      description: The part that failed first, or V(site_check).
      type: str
      sample: dns_records
"""

from typing import Any

from ..module_utils._arguments import (
    ModuleSpec,
    api_options,
    change_options,
    environment_option,
    operation_options,
    phase_options,
    uuid_option,
)
from ..module_utils._context import Context
from ..module_utils._declared_parts import check_parts, part_options
from ..module_utils._entry import run_module
from ..module_utils._gathering import gather_after, gather_options
from ..module_utils._phases import pause_for_unseen
from ..module_utils._precautions import keep_with_care, precaution_options
from ..module_utils._pushes import begun_push_options, ended_push
from ..module_utils._verdicts import canary_options

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    phase_options(),
    {"environment_id": environment_option(), "site_id": uuid_option(required=False), **canary_options()},
    part_options(),
    precaution_options(),
    begun_push_options(),
    gather_options(),
    rule=check_parts,
)


def run(context: Context) -> dict[str, Any]:
    """Keep the environment as declared, and read what is asked for besides."""
    started = context.started or {}
    if started.get("error") and "parts" not in started:
        return {"failed": True, "msg": started.get("msg"), "error": started["error"]}
    pushed = {"push": started["push"]} if "push" in started else ended_push(context)
    result = {**keep_with_care(context), **pushed}
    if context.started:
        pause_for_unseen(context, result["operations"])
    return gather_after(result, context)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
