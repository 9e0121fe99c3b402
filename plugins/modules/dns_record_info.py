#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: dns_record_info
short_description: List the DNS records of a domain
version_added: 0.1.0
description:
  - Lists the DNS records of a domain (C(GET /domains/{domain_id}/dns-records), interface section 4.17).
options:
  domain_id:
    description:
      - The id of the domain.
    type: str
    required: true
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.attributes
  - hosting.management.attributes.no_diff
"""

EXAMPLES = r"""
- name: List the DNS records
  hosting.management.dns_record_info:
    domain_id: "{{ hosting_primary_domain_id }}"
  register: dns

- name: Show the addresses that the names point to
  ansible.builtin.debug:
    msg: "{{ dns.dns_records | selectattr('type', 'equalto', 'A') | map(attribute='rdata') | flatten }}"
"""

RETURN = r"""
dns_records:
  description: The records.
  returned: success
  type: list
  elements: dict
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
      description: The time to live, in seconds.
      type: int
      sample: 3600
    resource_records:
      description: The values, as the service returns them.
      type: list
      elements: dict
      sample: [{value: 192.0.2.10}]
    rdata:
      description: Only the values. (Jinja could not access a key named C(values) as C(record.values).)
      type: list
      elements: str
      sample: [192.0.2.10]
answer:
  description: The service's answer, unchanged.
  returned: success
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
"""

from ..module_utils._arguments import ModuleSpec, api_options
from ..module_utils._entry import run_module
from ..module_utils._readings.dns import OPTIONS, run

SPEC = ModuleSpec(api_options(), OPTIONS)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
