#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: dns_record
short_description: Manage a DNS record of a domain
version_added: 0.2.0
description:
  - Creates, changes or removes the DNS record of one type and host name. Other records are not changed.
  - Values are compared in canonical form, so order, duplicates and notation make no difference. Notation includes
    capital letters and a trailing dot in host names, and the quotes around the text of a TXT record.
  - The module tells the service which values to add and which to remove. So if two runs set different values for the
    same record at the same time, one of them may fail because the record then has the values of both. Run it again to
    correct that.
  - Requires a service that can change records (C(POST), C(PUT) and C(DELETE /domains/{domain_id}/dns-records),
    companions of the documented interface). The records are read as in interface section 4.17.
options:
  domain_id:
    description:
      - The id of the domain. Either this option or O(domain_name) is required.
    type: str
  domain_name:
    description:
      - The name of the domain. The module looks up its id (C(GET /domains), a companion of the documented interface) in
        the company that the API key belongs to.
    type: str
  type:
    description:
      - The type of the record, such as V(A), V(AAAA), V(CNAME), V(MX) or V(TXT).
    type: str
    required: true
  name:
    description:
      - The full host name, such as V(www.example.com), V(_dmarc.example.com) or V(*.example.com).
    type: str
    required: true
  ttl:
    description:
      - The time to live, in seconds. By default, an existing record keeps its own, and a new record gets 3600.
    type: int
  values:
    description:
      - The values, such as an address, a host name, V(10 mail.example.com) for an MX record, or the text of a TXT
        record.
      - Required with O(state=present). With O(state=absent), only these values are removed, and the record is removed
        with its last value. If you set no values, the whole record is removed.
    type: list
    elements: str
  state:
    description:
      - Whether the record should exist.
    type: str
    choices: [present, absent]
    default: present
  exclusive:
    description:
      - With O(state=present), whether O(values) are all the values of the record. If so, other values are removed.
      - With V(false), adds them to the existing values.
    type: bool
    default: true
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Point the shop to another address
  hosting.management.dns_record:
    domain_name: shop.example.com
    type: A
    name: shop.example.com
    values: [192.0.2.20]
    ttl: 300

- name: Add a verification text, and keep the other texts
  hosting.management.dns_record:
    domain_name: shop.example.com
    type: TXT
    name: shop.example.com
    values: ["site-verification=abc123"]
    exclusive: false

- name: Remove a record
  hosting.management.dns_record:
    domain_id: "{{ hosting_primary_domain_id }}"
    type: CNAME
    name: old.shop.example.com
    state: absent
"""

RETURN = r"""
dns_record:
  description: The record as it is now.
  returned: success
  type: dict
  contains:
    type:
      description: The type of the record.
      type: str
      sample: A
    name:
      description: The host name.
      type: str
      sample: shop.example.com
    ttl:
      description: The time to live, in seconds. Null if there is no record.
      type: int
      sample: 300
    rdata:
      description: The values, in canonical form and sorted. Empty if there is no record.
      type: list
      elements: str
      sample: [192.0.2.20]
state_source:
  description:
    - Where the module found the current state. Always V(service), because the documented interface shows it.
  returned: success
  type: str
  sample: service
operation:
  description: The operation that the service accepted.
  returned: when the task started an operation, or followed one that an earlier run had started
  type: dict
  contains:
    id:
      description: The id of the operation.
      type: str
      sample: domains:update-dns-record-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
    state:
      description:
        - V(finished), V(in_progress) (with O(wait=false)), or V(unknown) if the service does not show the operation's
          state.
      type: str
      sample: finished
    message:
      description: The service's message about the operation.
      type: str
    resumed:
      description: Whether an earlier run started the operation, and this task only followed it.
      type: bool
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
"""

from ..module_utils._arguments import ModuleSpec, api_options, change_options, operation_options
from ..module_utils._entry import run_module
from ..module_utils._parts.dns_records import CONSTRAINTS, OPTIONS, RULE, run

SPEC = ModuleSpec(api_options(), change_options(), operation_options(), OPTIONS, rule=RULE, **CONSTRAINTS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
