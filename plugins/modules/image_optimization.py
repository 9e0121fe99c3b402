#!/usr/bin/python
# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: image_optimization
short_description: Set how the CDN optimizes the images of an environment
version_added: 0.1.0
description:
  - Sets the type of image optimization (C(PUT /sites/cdn/image-optimization), interface section 4.7).
options:
  image_optimization_type:
    description:
      - How images are optimized. V(lossy) is the value that the interface documents. The public service also accepts
        V(lossless) and V(off). Put V(off) in quotes, because YAML otherwise reads it as a boolean.
    type: str
    required: true
author:
  - hosting.management contributors (@hosting-management)
extends_documentation_fragment:
  - hosting.management.api
  - hosting.management.environment
  - hosting.management.site
  - hosting.management.change
  - hosting.management.operation
  - hosting.management.attributes
  - hosting.management.attributes.diff
"""

EXAMPLES = r"""
- name: Let the CDN compress images
  hosting.management.image_optimization:
    site_id: "{{ hosting_site_id }}"
    environment_id: "{{ hosting_environment_id }}"
    image_optimization_type: lossy
"""

RETURN = r"""
image_optimization_type:
  description: How images are optimized now.
  returned: success
  type: str
  sample: lossy
state_source:
  description:
    - Where the module found the current state. V(service) if it read the state from the service, V(journal) if the
      service does not show it but the journal records what was last accepted, V(none) if neither knows it.
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
      sample: cdn:update-image-optimization-3f0a1b9c-5d6e-4f70-8a9b-0c1d2e3f4a5b
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

from ..module_utils._arguments import (
    ModuleSpec,
    api_options,
    change_options,
    environment_option,
    operation_options,
    uuid_option,
)
from ..module_utils._entry import run_module
from ..module_utils._parts.image_optimization import OPTIONS, run

SPEC = ModuleSpec(
    api_options(),
    change_options(),
    operation_options(),
    {"environment_id": environment_option(), "site_id": uuid_option(required=False)},
    OPTIONS,
)


def main() -> None:
    run_module(SPEC, run)


if __name__ == "__main__":
    main()
