# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the simulator from a shell: python -m simulator (in the directory tests/)."""

from __future__ import annotations

import argparse
import ipaddress
import re
import signal
import sys
import threading
from pathlib import Path

from . import certificates, seed
from .server import Simulator


def main(arguments: list[str] | None = None) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Simulator(**vars(options)) as simulator:
            print(_introduction(simulator, options.sites), flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        print(f"cannot listen on {options.host} port {options.port}: {error.strerror}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m simulator", description="Simulate the hosting service on this machine.")
    parser.add_argument(
        "--port", type=_whole_number, default=0, help="TCP port; by default the system chooses a free one"
    )
    parser.add_argument("--host", type=_loopback, default="127.0.0.1", help="loopback address to listen on")
    parser.add_argument("--interface-only", action="store_true", help="serve only the 19 documented endpoints")
    parser.add_argument("--operation-seconds", type=_seconds, default=2.0, help="how long operations take")
    parser.add_argument("--visible-after", type=_seconds, default=0.0, help="how long new operations are unknown")
    parser.add_argument("--latency", type=_seconds, default=0.0, help="seconds that are added to each answer")
    parser.add_argument(
        "--tls",
        nargs="?",
        choices=certificates.KINDS,
        const=certificates.VALID,
        default=False,
        help="serve https, with a certificate that is good (the default), expired, or another host's",
    )
    parser.add_argument("--reads-lag", type=_seconds, default=0.0, help="how long reads do not show what was written")
    parser.add_argument(
        "--operations",
        choices=("status", "body", "absent"),
        default="status",
        help="where the outcome of an operation is: in the HTTP status, in the body of a 200, or nowhere",
    )
    parser.add_argument(
        "--unknown-operation",
        type=int,
        choices=(404, 500),
        default=404,
        help="what is answered for an operation that is not known",
    )
    parser.add_argument(
        "--breaking",
        action="append",
        default=[],
        type=_breaking,
        metavar="WHAT",
        help='what makes the pages of a site fail: "push", "plugin example-forms 2.5.0", "theme storefront 4.6.0" or'
        ' "php 8.4", of one environment as in "push at shop-live"; may be given several times',
    )
    parser.add_argument(
        "--most-backups",
        type=_whole_number,
        help="how many manual backups an environment keeps; another one is refused",
    )
    parser.add_argument("--brownfield", action="store_true", help="sites that differ in every part")
    parser.add_argument("--sites", type=_whole_number, default=3, help="number of sites")
    parser.add_argument("--api-key", default="simulator-key", help="the key that is accepted")
    return parser


def _loopback(text: str) -> str:
    """Only this machine may reach the simulator."""
    host = "127.0.0.1" if text == "localhost" else text
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise argparse.ArgumentTypeError(f"{text} is no loopback address")
    return host


def _breaking(text: str) -> str:
    if not re.fullmatch(r"(push|(plugin|theme) \S+ \S+|php \S+)( at \S+)?", text):
        raise argparse.ArgumentTypeError(f'{text} is nothing that sites break with, such as "push at shop-live"')
    return text


def _whole_number(text: str) -> int:
    if not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 65535")
    return int(text)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no duration")
    return seconds


def _introduction(simulator: Simulator, sites: int) -> str:
    rows = [f"  {'site':<10} {'site_id':<36}  {'live environment':<36}  {'staging environment':<36}"]
    for number in range(1, min(sites, 10) + 1):
        ids = (seed.site_id(number), seed.environment_id(number), seed.environment_id(number, seed.STAGING))
        rows.append(f"  {seed.site_name(number):<10} {'  '.join(ids)}")
    if sites > 10:
        rows.append(f"  ... and {sites - 10} more")
    lines = [
        f"The hosting service is simulated at {simulator.base_url} (Ctrl-C stops it)",
        f"control: {simulator.control_url}/ (requests, faults, settings, reset)",
        "",
        f"export HOSTING_BASE_URL={simulator.base_url}",
        f"export HOSTING_API_KEY={simulator.api_key}",
        *_trust(simulator),
        *([f"export ANSIBLE_COLLECTIONS_PATH={COLLECTIONS}"] if COLLECTIONS.is_dir() else []),
        "",
        f"  company    {seed.COMPANY_ID}",
        *(f"  user       {user.id}  {user.email}" for user in simulator.state.company.users.values()),
        f"  domain     {seed.domain_id(1)}  {seed.site_name(1)}.example.com",
        *rows,
        "",
        "Try it in another shell: put this into try.yml, and run ansible-playbook try.yml --diff",
        "",
        TRY,
        "",
        "For the playbooks and the guides, paste this into a shell in an empty folder:",
        "",
        *_pasted(files(simulator, sites)),
    ]
    return "\n".join(lines)


def files(simulator: Simulator, sites: int) -> dict[str, str]:
    """What makes a folder an inventory of the simulated sites: the texts of its files by their paths."""
    pages = f"{simulator.control_url}/sites"
    is_listed = not simulator.settings.interface_only
    inventory = {"company.hosting.yml": LISTED} if is_listed else {"hosts.yml": _hosts(sites)}
    # Their domains do not resolve, but their pages are shown.
    addresses = [
        f'{role}_verify_urls: ["{pages}/{{{{ {role}_environment_id }}}}"]\n' for role in ("deploy", "maintain")
    ]
    return {**inventory, "group_vars/all.yml": "".join(["---\n", *addresses])}


def _pasted(texts: dict[str, str]) -> list[str]:
    lines = ["mkdir -p group_vars"]
    for path, text in texts.items():
        lines += [f"cat > {path} <<'END'", *text.splitlines(), "END"]
    return lines


def _hosts(sites: int) -> str:
    lines = ["---", "all:", "  children:", "    environment_live:", "      hosts:"]
    for number in range(1, sites + 1):
        lines += [
            f"        {seed.site_name(number)}-live:",
            f"          hosting_site_id: {seed.site_id(number)}",
            f"          hosting_environment_id: {seed.environment_id(number)}",
            f"          hosting_source_environment_id: {seed.environment_id(number, seed.STAGING)}",
            f"          hosting_primary_domain: {seed.site_name(number)}.example.com",
            f"          hosting_primary_domain_id: {seed.domain_id(number)}",
        ]
    lines += ["  vars:", "    ansible_connection: local"]
    lines += ['    ansible_python_interpreter: "{{ ansible_playbook_python }}"']
    return "\n".join(lines) + "\n"


LISTED = "---\nplugin: hosting.management.environments\n"
# Where `make` makes the checkout a collection.
COLLECTIONS = Path(__file__).resolve().parents[2] / "build" / "collections"
TRY = f"""\
- hosts: localhost
  gather_facts: false
  tasks:
    - name: Set the deny list
      hosting.management.denied_ips:
        environment_id: {seed.environment_id(1)}
        ip_list: [198.51.100.7]"""


def _trust(simulator: Simulator) -> list[str]:
    """How Ansible and curl come to trust a simulator with TLS."""
    if not simulator.ca_path:
        return []
    return [
        f"export REQUESTS_CA_BUNDLE={simulator.ca_path}",
        f"export CURL_CA_BUNDLE={simulator.ca_path}",
        "(The option ca_path does the same for one task.)",
    ]


if __name__ == "__main__":
    sys.exit(main())
