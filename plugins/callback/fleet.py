# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: fleet
type: stdout
short_description: Show what happens, and nothing else
version_added: 0.2.0
author:
  - hosting.management contributors (@hosting-management)
description:
  - Prints a line for each thing that happens, such as a change or a failure, below the name of the task. Hosts of which
    the same is to be said share the line. What is skipped or unchanged has no line.
  - Errors are whole, and each is printed once, with the names of all hosts that have it. An error that is ignored or
    rescued is a short line. Where C(debug) has printed each sentence of an error before in the same play, as in a
    summary, only the hosts that fail for it are named.
  - On a terminal, its last lines are a live picture of the wave. They show the step, how many hosts of how many have
    done it, the slowest host by name, and the time that passes.
  - What C(debug) tasks print is always shown, line by line, without characters that could steer a terminal. In the
    playbooks of this collection, these are the plan and the summary.
  - With C(--diff), each difference is a line with the names of its hosts. A value that more than three hosts change,
    each in another way, is one line with an example.
  - With C(-v), also what is unchanged, skipped or retried is shown, all hosts are named, and nothing is shortened. With
    C(-vv), results are shown as well.
notes:
  - Choose it with E(ANSIBLE_STDOUT_CALLBACK=hosting.management.fleet), or with C(stdout_callback) in the section
    C([defaults]) of C(ansible.cfg).
  - In AWX, and with ansible-runner, there is never a live picture.
requirements:
  - Optionally, C(rich) in Ansible's own Python, for a live picture in colour. Without it, the picture is plain text.
options:
  live:
    description:
      - Whether a terminal shows the live picture.
      - Where standard output is no terminal, or the environment variable E(TERM) is V(dumb), there is none either way.
    type: bool
    default: true
    env:
      - name: HOSTING_FLEET_LIVE
    ini:
      - section: callback_fleet
        key: live
  hold:
    description:
      - The number of seconds that a change or an error may wait for other hosts with the same, to share a line.
      - With V(0), each is printed at once.
    type: float
    default: 5
    env:
      - name: HOSTING_FLEET_HOLD
    ini:
      - section: callback_fleet
        key: hold
  named_hosts:
    description: The most hosts that a line names, unless it is about an error, which names all.
    type: int
    default: 8
    env:
      - name: HOSTING_FLEET_NAMED_HOSTS
    ini:
      - section: callback_fleet
        key: named_hosts
  display_failed_stderr:
    description: Whether errors are written to standard error instead of standard output.
    type: bool
    default: false
    env:
      - name: ANSIBLE_DISPLAY_FAILED_STDERR
    ini:
      - section: defaults
        key: display_failed_stderr
  show_custom_stats:
    description: Whether the values of C(set_stats) are printed at the end.
    type: bool
    default: false
    env:
      - name: ANSIBLE_SHOW_CUSTOM_STATS
    ini:
      - section: defaults
        key: show_custom_stats
"""

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ansible import constants as C  # noqa: N812 (so Ansible calls it)
from ansible import context
from ansible.playbook.task_include import TaskInclude
from ansible.plugins.callback import CallbackBase
from ansible.utils import color

from ..module_utils._text import printable
from ..plugin_utils import narration
from ..plugin_utils.compact_diff import compact_diff
from ..plugin_utils.live_picture import Progress, drawn
from ..plugin_utils.narration import Count, Line, Narrator, Step, shortened
from ..plugin_utils.task_words import error_text, is_hidden, item_text, items_text, output_text
from ..plugin_utils.terminal import Screen

if TYPE_CHECKING:
    from ansible.executor.stats import AggregateStats
    from ansible.executor.task_result import CallbackTaskResult
    from ansible.inventory.host import Host
    from ansible.playbook import Playbook
    from ansible.playbook.included_file import IncludedFile
    from ansible.playbook.play import Play
    from ansible.playbook.task import Task

DEFAULTS = {"live": True, "hold": 5.0, "named_hosts": 8, "display_failed_stderr": False, "show_custom_stats": False}
COLORS = {
    narration.CHANGED: C.COLOR_CHANGED,
    narration.FAILED: C.COLOR_ERROR,
    narration.UNREACHABLE: C.COLOR_UNREACHABLE,
    narration.IGNORED: C.COLOR_WARN,
    narration.RESCUED: C.COLOR_WARN,
    narration.HEADING: C.COLOR_HIGHLIGHT,
    "ok": C.COLOR_OK,
    "skipped": C.COLOR_SKIP,
    "note": C.COLOR_VERBOSE,
}
OF_JOBS = ("AWX_PRIVATE_DATA_DIR", "AWX_ISOLATED_DATA_DIR")  # AWX sets the one, ansible-runner the other
BUILTIN = ("", "ansible.builtin.", "ansible.legacy.")
DEBUG = {f"{prefix}debug" for prefix in BUILTIN}
PAUSE = {f"{prefix}pause" for prefix in BUILTIN}
OWN = "ansible_collections/hosting/management/"


class CallbackModule(CallbackBase):
    """Tells a Narrator and a Progress what happens, and prints what they make of it.

    Ansible calls it from the thread of the strategy and from the one that reads results, and the screen has a thread.
    """

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "hosting.management.fleet"

    def __init__(self) -> None:
        super().__init__()
        self._began = time.monotonic()
        self._lock = threading.RLock()
        self._names: dict[str, str] = {}  # of tasks as they were when they began, by id
        # Of loops that go on, by task and host: what was changed, and errors.
        self._items: dict[tuple[str, str], tuple[list[Any], list[Any]]] = {}
        self._included: dict[
            str, set[str]
        ] = {}  # the hosts for which something was included, by the id of the including task
        self._narrator: Narrator | None = None
        self._progress = Progress(self._began)
        self._screen = Screen(self._picture, self._flush_due)
        self._play_total: int | None = None
        self._play_is_free = False

    # ---- plays and tasks --------------------------------------------------------------------------------------------

    def v2_playbook_on_start(self, playbook: Playbook) -> None:
        with self._telling() as narrator:
            if self._display.verbosity > 1:
                narrator.remark(f"Playbook {printable(os.path.basename(playbook._file_name))}", narration.HEADING)

    def v2_playbook_on_vars_prompt(self, varname: str, *args: Any, **kwargs: Any) -> None:
        self._screen.stop()

    def v2_playbook_on_play_start(self, play: Play) -> None:
        with self._telling() as narrator:
            name = play.get_name().strip() or "A play without a name"
            hosts = _hosts_of(play)
            self._included = {}
            narrator.play(play._uuid, name, hosts, is_check=play.check_mode)
            self._play_total = None if hosts is None else len(hosts)
            self._progress.begin_play(name, narrator.wave, self._play_total)
            self._play_is_free = str(play.strategy).rpartition(".")[2] in ("free", "host_pinned")
        if self._may_be_live():
            self._screen.start()

    def v2_playbook_on_no_hosts_matched(self) -> None:
        with self._telling() as narrator:
            narrator.remark("  No hosts matched.", narration.IGNORED)

    def v2_playbook_on_no_hosts_remaining(self) -> None:
        with self._telling() as narrator:
            narrator.nobody_left()

    def v2_playbook_on_task_start(self, task: Task, is_conditional: bool) -> None:
        self._begin(task)

    def v2_playbook_on_handler_task_start(self, task: Task) -> None:
        self._begin(task)

    def v2_runner_on_start(self, host: Host, task: Task) -> None:
        with self._telling():
            self._progress.begin_host(task._uuid, host.get_name(), time.monotonic())

    def v2_playbook_on_include(self, included_file: IncludedFile) -> None:
        with self._telling() as narrator:
            hosts = [host.get_name() for host in included_file._hosts]
            self._included.setdefault(included_file._task._uuid, set()).update(hosts)
            if self._display.verbosity:
                narrator.remark(f"  included {printable(str(included_file._filename))}: {', '.join(hosts)}", "note")

    def v2_playbook_on_notify(self, handler: Task, host: Host) -> None:
        if self._display.verbosity > 1:
            with self._telling() as narrator:
                narrator.remark(f"  {host} notifies {printable(handler.get_name())}", "note")

    def _begin(self, task: Task) -> None:
        with self._telling() as narrator:
            # Its names may use variables that are gone when a result comes, unless each host is at another task.
            if not self._play_is_free:
                self._names[task._uuid] = task.get_name().strip()
            step = self._step(task)
            narrator.step(step)
            if task.action in PAUSE:
                narrator.flush()
            self._progress.begin_step(step.id, step.name, self._total(task))
        # Not before its lines are printed, which would show it again.
        if task.action in PAUSE:
            self._screen.hide()
        else:
            self._screen.show()

    # ---- results ----------------------------------------------------------------------------------------------------

    def v2_runner_on_ok(self, result: CallbackTaskResult) -> None:
        with self._telling(result) as narrator:
            step, host, values = self._ended(result)
            changed, _errors = self._items.pop((step.id, result.host.get_name()), ([], []))
            if isinstance(result.task, TaskInclude):
                return
            self._handle_warnings(values)
            if result.task.action in DEBUG and "results" not in values:
                narrator.tell(step, host, narration.OUTPUT, output_text(values))
            elif values.get("changed"):
                narrator.tell(step, host, narration.CHANGED, _joined(items_text(changed), self._details(values)))
            else:
                narrator.tell(step, host, "ok", self._details(values))

    def v2_runner_on_failed(self, result: CallbackTaskResult, ignore_errors: bool = False) -> None:
        with self._telling(result) as narrator:
            step, host, values = self._ended(result)
            _changed, errors = self._items.pop((step.id, result.host.get_name()), ([], []))
            self._warn_of(values)
            for text in errors or [self._error(values)]:
                if ignore_errors:
                    narrator.tell(step, host, narration.IGNORED, shortened(text))
                elif _is_rescued(result.task):
                    narrator.tell(step, host, narration.RESCUED, shortened(text))
                else:
                    narrator.tell(step, host, narration.FAILED, text)

    def v2_runner_on_unreachable(self, result: CallbackTaskResult) -> None:
        with self._telling(result) as narrator:
            step, host, values = self._ended(result)
            self._items.pop((step.id, result.host.get_name()), None)
            self._warn_of(values)
            if result.task.ignore_unreachable:
                narrator.tell(step, host, narration.IGNORED, f"unreachable: {shortened(error_text(values))}")
            else:
                narrator.tell(step, host, narration.UNREACHABLE, self._error(values))

    def v2_runner_on_skipped(self, result: CallbackTaskResult) -> None:
        with self._telling(result) as narrator:
            step, host, values = self._ended(result)
            self._items.pop((step.id, result.host.get_name()), None)
            self._handle_warnings(values)
            narrator.tell(step, host, "skipped")

    def v2_runner_item_on_ok(self, result: CallbackTaskResult) -> None:
        with self._telling(result) as narrator:
            step, values = self._step(result.task), result.result
            if isinstance(result.task, TaskInclude):
                return
            self._handle_warnings(values)
            if result.task.action in DEBUG:
                narrator.tell(step, _label(result), narration.OUTPUT, output_text(values))
            elif values.get("changed"):
                self._of_loop(result)[0].append(item_text(values))
            else:
                item = items_text([item_text(values)])
                narrator.tell(step, _label(result), "ok", _joined(item, self._details(values)))

    def v2_runner_item_on_failed(self, result: CallbackTaskResult) -> None:
        with self._telling(result):
            values = result.result
            self._warn_of(values)
            item = item_text(values)
            self._of_loop(result)[1].append((f"{item}: " if item else "") + self._error(values))

    def v2_runner_item_on_skipped(self, result: CallbackTaskResult) -> None:
        with self._telling(result) as narrator:
            self._handle_warnings(result.result)
            item = items_text([item_text(result.result)])
            narrator.tell(self._step(result.task), _label(result), "skipped", item)

    def v2_runner_retry(self, result: CallbackTaskResult) -> None:
        with self._telling(result) as narrator:
            values, step = result.result, self._step(result.task)
            text = f"try {values.get('attempts', 0) + 1} of {values.get('retries', 0)}"
            self._progress.retry(step.id, result.host.get_name(), text)
            narrator.tell(step, _label(result), "note", f"{text}: {shortened(error_text(values))}")

    def v2_runner_on_async_poll(self, result: CallbackTaskResult) -> None:
        with self._telling(result) as narrator:
            narrator.tell(self._step(result.task), _label(result), "note", "goes on in the background")

    def v2_on_file_diff(self, result: CallbackTaskResult) -> None:
        with self._telling(result) as narrator:
            values = result.result
            if is_hidden(values):
                return
            for one in values["results"] if result.task.loop and "results" in values else [values]:
                if isinstance(one, dict) and not is_hidden(one) and one.get("changed") and one.get("diff"):
                    step, host = self._step(result.task), _label(result)
                    values, lines = compact_diff(one["diff"], whole=self._display.verbosity > 0)
                    for value in values:
                        narrator.tell(step, host, narration.VALUE, value)
                    if lines:
                        narrator.tell(step, host, narration.DIFF, "\n".join(lines))

    def v2_playbook_on_stats(self, stats: AggregateStats) -> None:
        with self._telling() as narrator:
            counts = {host: _count(stats.summarize(host)) for host in stats.processed}
            narrator.end(counts, time.monotonic() - self._began)
            if stats.custom and self._option("show_custom_stats"):
                for host, values in sorted(stats.custom.items()):
                    whose = "the run" if host == "_run" else host
                    narrator.remark(f"set_stats of {whose}: {printable(self._dump_results(values), 100_000)}")
        self._screen.stop()

    # ---- how it is told ---------------------------------------------------------------------------------------------

    @contextmanager
    def _telling(self, result: CallbackTaskResult | None = None) -> Iterator[Narrator]:
        """Give the Narrator while nobody else has it, and print what it then has to say."""
        with self._lock:
            if self._narrator is None:
                # Only now are there options.
                self._narrator = Narrator(
                    hold=float(self._option("hold")),
                    named=int(self._option("named_hosts")),
                    verbosity=self._display.verbosity,
                )
            yield self._narrator
            if result is not None and float(self._option("hold")) <= 0:
                self._narrator.flush()
            self._print(self._narrator.drain())

    def _print(self, lines: list[Line]) -> None:
        on_stderr = self._option("display_failed_stderr")
        for line in lines:
            is_error = line.kind in narration.WHOLE
            self._display.display(line.text, color=COLORS.get(line.kind), stderr=is_error and on_stderr)
        if lines:
            # Ansible leaves this to the end of the run, and who reads a log wants to know now.
            sys.stdout.flush()

    def _flush_due(self) -> None:
        with self._telling() as narrator:
            narrator.flush_due()

    def _picture(self, width: int) -> list[str]:
        with self._lock:
            return drawn(self._progress, time.monotonic(), width, with_rich=bool(color.ANSIBLE_COLOR))

    def _option(self, name: str) -> Any:
        """An option; within ansible-runner, whose plugin inherits from this one, its default."""
        try:
            return self.get_option(name)
        except KeyError:
            return DEFAULTS[name]

    def _may_be_live(self) -> bool:
        return bool(
            self._option("live")
            and sys.stdout.isatty()
            and os.environ.get("TERM", "dumb") != "dumb"
            and not any(os.environ.get(name) for name in OF_JOBS)
            and not context.CLIARGS.get("step")
        )

    def _step(self, task: Task) -> Step:
        name = self._names.get(task._uuid) or task.get_name().strip()
        role = getattr(task, "_role", None)
        if role and not self._display.verbosity:
            name = name.removeprefix(f"{role.get_name()} : ")
        path = task.get_path() or ""
        place = path if self._display.verbosity or OWN not in path else ""
        return Step(task._uuid, printable(name), place, bool(task.run_once))

    def _ended(self, result: CallbackTaskResult) -> tuple[Step, str, dict[str, Any]]:
        """Note that a host has done a task, and return the step, the host's name and the result."""
        step = self._step(result.task)
        self._progress.end_host(step.id, result.host.get_name())
        return step, _label(result), result.result

    def _of_loop(self, result: CallbackTaskResult) -> tuple[list[Any], list[Any]]:
        return self._items.setdefault((result.task._uuid, result.host.get_name()), ([], []))

    def _error(self, values: Mapping[str, Any]) -> str:
        return error_text(values, whole=self._display.verbosity > 0)

    def _warn_of(self, values: Mapping[str, Any]) -> None:
        """Show the warnings of a result, and with -vvv its traceback."""
        if self._display.verbosity > 2 and not is_hidden(values):
            self._handle_exception(values)
        self._handle_warnings(values)

    def _details(self, values: Mapping[str, Any]) -> str:
        if self._display.verbosity < 2 or is_hidden(values):
            return ""
        return f"=> {printable(self._dump_results(values), 100_000)}"

    def _total(self, task: Task) -> int | None:
        """How many hosts a task is for, as far as that is known."""
        if task.run_once:
            return 1
        parent = task._parent
        while parent is not None:
            if isinstance(parent, TaskInclude) and parent._uuid in self._included:
                return len(self._included[parent._uuid])
            parent = getattr(parent, "_parent", None)
        return self._play_total


def _hosts_of(play: Play) -> list[str] | None:
    """The names of the hosts of a wave; None where Ansible does not say."""
    try:
        return [host.get_name() for host in play.get_variable_manager()._inventory.get_hosts(play.hosts)]
    except AttributeError:
        return None


def _label(result: CallbackTaskResult) -> str:
    """The name of a host, and of the one to which its task is delegated."""
    name, delegate = result.host.get_name(), result.task.delegate_to
    return name if not delegate or delegate in (name, "localhost") else f"{name} -> {printable(str(delegate))}"


def _joined(*texts: str | None) -> str:
    return " ".join(filter(None, texts))


def _is_rescued(task: Task) -> bool:
    """Tell whether a task stands in a block with a rescue section, so that its failure is dealt with."""
    # A parent may be an import, which the block above it has replaced with what it imports.
    within, parent = {task._uuid}, getattr(task, "_parent", None)
    while parent is not None:
        if getattr(parent, "rescue", None) and within & {one._uuid for one in parent.block}:
            return True
        within.add(parent._uuid)
        parent = getattr(parent, "_parent", None)
    return False


def _count(summary: Mapping[str, int]) -> Count:
    return Count(
        changed=summary["changed"],
        failed=summary["failures"],
        unreachable=summary["unreachable"],
        ignored=summary["ignored"],
        rescued=summary["rescued"],
        ok=summary["ok"],
        skipped=summary["skipped"],
    )
