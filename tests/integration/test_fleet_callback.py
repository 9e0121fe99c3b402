# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The callback plugin fleet in real runs: without a terminal, at one, and for a dozen sites."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from integration.playbook import COLLECTION, ROOT, Ansible
from integration.test_deploy import Deployment
from integration.test_maintain import host_of
from simulator import Simulator, seed

pytest_plugins = ["simulator.fixtures"]

PATIENCE = 120  # seconds
SECRET = "s3cr3t-of-somebody"
FLEET = {"ANSIBLE_STDOUT_CALLBACK": f"{COLLECTION}.fleet"}

# All that a playbook may do to a callback plugin.
ADVENTURES = r"""
- name: Adventures
  hosts: all
  connection: local
  gather_facts: false
  vars:
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
    secret: SECRET
  tasks:
    - name: Change nothing
      ansible.builtin.set_fact: {nothing: new}
    - name: Skip
      ansible.builtin.command: /bin/false
      when: false
    - name: Loop
      ansible.builtin.command: "echo {{ item }}"
      loop: [one, two]
    - name: Loop over what has a secret
      ansible.builtin.command: /bin/true
      loop: [{password: "{{ secret }}"}]
    - name: Hide
      ansible.builtin.command: "sh -c 'echo {{ secret }}; exit {{ (inventory_hostname == 'a') | int }}'"
      no_log: true
      ignore_errors: true
    - name: Fail in a loop
      ansible.builtin.fail: {msg: "No {{ item }}."}
      loop: [good]
      ignore_errors: true
    - name: Rescue
      block:
        - name: Import
          ansible.builtin.include_tasks: included.yml
      rescue:
        - name: Come to the rescue
          ansible.builtin.command: /bin/true
          notify: Handle
    - name: Try again
      ansible.builtin.command: /bin/false
      retries: 1
      delay: 0
      until: false
      ignore_errors: true
      run_once: true
    - name: Run in the background
      ansible.builtin.command: /bin/true
      async: 30
      poll: 1
      run_once: true
    - name: Delegate
      ansible.builtin.command: /bin/true
      delegate_to: elsewhere
      run_once: true
    - name: Say
      ansible.builtin.debug:
        msg: ["é  table", "\e[31mred\e[0m"]
    - name: Compare
      ansible.builtin.copy: {content: "{{ inventory_hostname }}\n", dest: "{{ playbook_dir }}/new"}
      check_mode: true
      diff: true
      when: inventory_hostname == 'a'
    - name: Use what is undefined
      ansible.builtin.debug: {msg: "{{ undefined_by_anybody }}"}
      when: inventory_hostname == 'a'
    - name: Fail alike
      ansible.builtin.fail: {msg: "Wrong for all.\nDo something."}
      when: inventory_hostname != 'a'
  handlers:
    - name: Handle
      ansible.builtin.command: /bin/true

- name: Freedom
  hosts: d
  strategy: free
  connection: local
  gather_facts: false
  vars:
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
  tasks:
    - name: First
      ansible.builtin.command: /bin/true
    - name: Second
      ansible.builtin.command: /bin/true
""".replace("SECRET", SECRET)

TOLD = """Adventures · 3 hosts
  Loop
    changed: a, b, c (one, two)
  Loop over what has a secret
    changed: a, b, c (1 item)
  Hide
    changed: b, c
    ignored: a: The output is hidden: the task has no_log.
  Fail in a loop
    ignored: a, b, c: good: No good.
  Fail within
    rescued: a, b, c: As it should.
  Come to the rescue
    changed: a, b, c
  Try again
    ignored: a: REASON
  Run in the background
    changed: a
  Delegate
    changed: a -> elsewhere
  Say
    é  table
    red
  Compare
    changed: a
    diff: a
      FOLDER/new
      +a
  Use what is undefined
    FAILED: a
      UNDEFINED
      at FOLDER/own.yml:LINE
  Fail alike
    FAILED: b, c
      Wrong for all.
      Do something.
      at FOLDER/own.yml:LINE
"""


@pytest.fixture
def folder(tmp_path: Path, ansible: Ansible) -> Path:
    (tmp_path / "home").mkdir(exist_ok=True)
    ansible.environment |= {
        **FLEET,
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
        "ANSIBLE_INVENTORY": "hosts.ini",
        "TERM": "xterm",
    }
    (tmp_path / "hosts.ini").write_text("a\nb\nc\nd\n")
    (tmp_path / "own.yml").write_text(ADVENTURES)
    (tmp_path / "included.yml").write_text("- name: Fail within\n  ansible.builtin.fail: {msg: As it should.}\n")
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).parent / "ansible-playbook"), *arguments]


def run(folder: Path, ansible: Ansible, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command("own.yml", *arguments),
        cwd=folder,
        env={**ansible.environment, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_without_a_terminal_each_thing_that_happens_is_a_line(folder: Path, ansible: Ansible):
    # Long enough that only the end of a task, and not a slow machine, ends the waiting for other hosts.
    done = run(folder, ansible, "--limit", "a,b,c", HOSTING_FLEET_HOLD="100")
    assert done.returncode == 2, done.stdout + done.stderr
    assert SECRET not in done.stdout + done.stderr
    told, _end, recap = done.stdout.replace(str(folder), "FOLDER").rpartition("3 hosts in ")
    told = re.sub(r"own.yml:\d+", "own.yml:LINE", told)
    told = re.sub(r"(Try again\n    ignored: a: ).*", r"\1REASON", told)
    told = re.sub(r"(FAILED: a\n      ).*is undefined$", r"\1UNDEFINED", told, flags=re.MULTILINE)
    assert told == TOLD
    assert re.fullmatch(r"\d:\d\d: 16 changes on 3 of them.\nfailed: a, b, c\n", recap)


def test_free_hosts_are_told_of_and_errors_may_go_to_standard_error(folder: Path, ansible: Ansible):
    free = run(folder, ansible, "--limit", "d", "--skip-tags", "x", ANSIBLE_DISPLAY_FAILED_STDERR="true")
    assert "FAILED: d" in free.stderr
    assert "FAILED" not in free.stdout
    (folder / "own.yml").write_text(yaml.safe_dump(yaml.safe_load(ADVENTURES)[1:]))
    free = run(folder, ansible, HOSTING_FLEET_HOLD="0")
    assert free.returncode == 0, free.stdout
    assert free.stdout.splitlines()[:-1] == [
        "Freedom · 1 host",
        "  First",
        "    changed: d",
        "  Second",
        "    changed: d",
    ]


def test_more_is_told_with_verbosity_but_no_secret_of_a_hidden_task(folder: Path, ansible: Ansible):
    plays = yaml.safe_load(ADVENTURES)[:1]
    plays[0]["tasks"] = [one for one in plays[0]["tasks"] if one["name"] in ("Change nothing", "Skip", "Hide")]
    (folder / "own.yml").write_text(yaml.safe_dump(plays))
    done = run(folder, ansible, "--limit", "a,b", "-vv")
    assert done.returncode == 0, done.stdout
    assert "ok: a, b => " in done.stdout
    assert "skipped: a, b" in done.stdout
    assert "ignored: a: The output is hidden" in done.stdout
    assert "b: ok 2, changed 1, skipped 1" in done.stdout
    assert SECRET not in done.stdout + done.stderr


# ---- at a terminal --------------------------------------------------------------------------------------------------


class Terminal:
    """A playbook at a pseudo-terminal, and when it said what."""

    def __init__(self, folder: Path, environment: dict[str, str], *arguments: str) -> None:
        self.descriptor, terminal = pty.openpty()
        self.shown, self.longest_silence = "", 0.0
        self.process = subprocess.Popen(
            command(*arguments),
            cwd=folder,
            env=environment,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            preexec_fn=lambda: os.login_tty(terminal),  # noqa: PLW1509 (no thread runs here)
        )
        os.close(terminal)

    def read(self, until: str = "\0") -> str:
        """Read until this text is shown, or the end."""
        last = time.monotonic()
        while until not in self.shown and time.monotonic() - last < PATIENCE:
            if not select.select([self.descriptor], [], [], 0.1)[0]:
                continue
            try:
                self.shown += os.read(self.descriptor, 65536).decode(errors="replace")
            except OSError:  # the other end is closed
                break
            self.longest_silence = max(self.longest_silence, time.monotonic() - last)
            last = time.monotonic()
        return self.shown

    def read_for(self, seconds: float) -> None:
        """Read what is shown in these seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.descriptor], [], [], left)[0]:
                self.shown += os.read(self.descriptor, 65536).decode(errors="replace")

    def screen(self) -> str:
        """What is on the screen, without colours."""
        shown, place = [""], 0
        for part in re.split(r"(\r|\n|\x1b\[2K|\x1b\[1A)", re.sub(r"\x1b\[[\d;]*m", "", self.shown)):
            if part == "\n":
                place += 1
                shown += [""] * (place + 1 - len(shown))
            elif part == "\x1b[1A":
                place -= 1
            elif part == "\x1b[2K":
                shown[place] = ""
            elif part != "\r":
                shown[place] += part
        return "\n".join(shown)


SLOW = """
- name: Slowness
  hosts: a,b
  connection: local
  gather_facts: false
  vars:
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
  tasks:
    - name: Wait
      ansible.builtin.command: "sleep {{ 1 if inventory_hostname == 'a' else 6 }}"
"""


def test_at_a_terminal_the_time_ticks_and_the_slowest_host_is_named(folder: Path, ansible: Ansible):
    (folder / "own.yml").write_text(SLOW)
    terminal = Terminal(folder, ansible.environment, "own.yml")
    terminal.read("Wait")
    terminal.longest_silence = 0.0
    terminal.read()
    assert terminal.process.wait(PATIENCE) == 0, terminal.shown
    assert terminal.longest_silence <= 2
    assert "1 of 2" in terminal.shown
    assert "slowest: b 0:0" in terminal.shown
    lines = terminal.screen().strip().splitlines()
    assert lines[:3] == ["Slowness · 2 hosts", "  Wait", "    changed: a, b"] or "    changed: a" in lines
    assert re.fullmatch(r"2 hosts in \d:\d\d: 2 changes on 2 of them.", lines[-1])
    assert "slowest" not in terminal.screen()


def test_an_interrupted_run_leaves_no_picture(folder: Path, ansible: Ansible):
    (folder / "own.yml").write_text(SLOW)
    terminal = Terminal(folder, ansible.environment, "own.yml")
    terminal.read("slowest")
    os.write(terminal.descriptor, b"\x03")
    terminal.read()
    assert terminal.process.wait(PATIENCE) not in (0, 2)
    assert "slowest" not in terminal.screen()
    assert "interrupted" in terminal.screen()


def test_the_picture_can_be_switched_off(folder: Path, ansible: Ansible):
    (folder / "own.yml").write_text(SLOW.replace("6", "0"))
    terminal = Terminal(folder, {**ansible.environment, "HOSTING_FLEET_LIVE": "false"}, "own.yml")
    terminal.read()
    assert terminal.process.wait(PATIENCE) == 0
    assert "slowest" not in terminal.shown
    assert "\x1b[1A" not in terminal.shown


def test_a_question_is_alone_on_the_terminal_until_it_is_answered(
    tmp_path: Path, simulator: Simulator, ansible: Ansible
):
    (tmp_path / "home").mkdir()
    simulator.settings.operation_seconds = 0
    deployment = Deployment(tmp_path, simulator, {**ansible.environment, **FLEET, "TERM": "xterm"})
    deployment.run("--version", release=None, hosts=None)  # writes the inventory
    terminal = Terminal(
        tmp_path,
        {**deployment.environment, "ANSIBLE_INVENTORY": "inventory.yml"},
        *(f"{COLLECTION}.deploy", "-e", "deploy_hosts=all", "-e", "deploy_release=v1"),
    )
    terminal.read("to go on")
    terminal.read_for(2)  # in which a picture would have come back
    assert "to go on" in terminal.screen().rstrip().splitlines()[-1]
    os.write(terminal.descriptor, b"2\r")
    terminal.read()
    assert terminal.process.wait(PATIENCE) == 0, terminal.shown
    assert "2 environments: 2 changed, 0 had nothing to do, 0 failed." in terminal.screen()
    assert "slowest" not in terminal.screen()


# ---- a dozen sites --------------------------------------------------------------------------------------------------


@pytest.mark.story
def test_the_output_for_a_dozen_sites_is_short(tmp_path: Path, ansible: Ansible):
    (tmp_path / "home").mkdir()
    with Simulator(sites=12) as simulator:
        simulator.settings.operation_seconds = 0
        deployment = Deployment(tmp_path, simulator, {**ansible.environment, **FLEET, "ANSIBLE_FORKS": "10"})
        deployment.hosts = {
            f"site{number:02}": {
                **host_of(number),
                "hosting_source_environment_id": seed.environment_id(number, seed.STAGING),
            }
            for number in range(1, 13)
        }
        changes = {
            "maintain_backup_max_age": "24h",
            "maintain_denied_ips": ["192.0.2.44"],
            "maintain_sftp_allowlist": ["198.51.100.7"],
            "maintain_primary_domain": "www.{{ site_name }}.example.com",
            "maintain_update_plugins": "updatable",
        }
        check = ("--check", "--diff", "-e", "maintain_hosts=all")
        outputs = [
            output_of(deployment.start()),
            output_of(deployment.start()),
            output_of(deployment.start(*check, **changes, release=None, hosts=None, playbook="maintain")),
        ]
        deployment.environment["ANSIBLE_STDOUT_CALLBACK"] = "ansible.builtin.default"
        outputs.append(output_of(deployment.start(*check, **changes, release=None, hosts=None, playbook="maintain")))
    # With the default callback plugin, each host has a line in three tasks, its diff, the plan and the recap.
    for output, most in zip(outputs, (65, 20, 25, 6 * 12 + 50), strict=True):
        assert len(output.splitlines()) <= most, output
    deployed, nothing, checked, checked_by_default = outputs
    assert "    changed: all 11 hosts\n" in deployed
    assert "12 environments: 0 changed, 12 had nothing to do, 0 failed." in nothing
    assert "12 different changes, such as site01: shop.example.com → www.shop.example.com" in checked
    assert re.search("^site07: .*site-7.example.com → www.site-7.example.com", checked_by_default, re.MULTILINE)


def output_of(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=290)
    assert process.returncode == 0, output + errors
    return output
