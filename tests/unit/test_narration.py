# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which lines the callback plugin fleet prints for what happens, and what it shows on a terminal meanwhile."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.management.plugins.module_utils._text import printable_lines
from ansible_collections.hosting.management.plugins.plugin_utils import live_picture
from ansible_collections.hosting.management.plugins.plugin_utils.compact_diff import compact_diff
from ansible_collections.hosting.management.plugins.plugin_utils.live_picture import Progress, drawn
from ansible_collections.hosting.management.plugins.plugin_utils.narration import (
    CHANGED,
    DIFF,
    FAILED,
    IGNORED,
    OUTPUT,
    VALUE,
    Count,
    Narrator,
    Step,
    duration,
    folded_rows,
    shortened,
)
from ansible_collections.hosting.management.plugins.plugin_utils.task_words import (
    HIDDEN,
    error_text,
    item_text,
    items_text,
    output_text,
)

PUSH = Step("1", "Push")
CLEAR = Step("2", "Clear the caches")
SITES = [f"site{number:02}" for number in range(1, 41)]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def narrator(hosts=SITES, verbosity=0, clock=None) -> Narrator:
    """A Narrator in a play with these hosts."""
    made = Narrator(hold=5, named=3, verbosity=verbosity, clock=clock or Clock())
    made.play("play", "Deploy", hosts)
    return made


def lines(made: Narrator) -> list[str]:
    made.flush()
    return [line.text for line in made.drain()]


# ---- lines ----------------------------------------------------------------------------------------------------------


def test_what_is_unchanged_or_skipped_has_no_line_and_neither_has_its_task():
    made = narrator()
    for step in (PUSH, CLEAR):
        made.step(step)
        made.tell(step, "site01", "ok")
        made.tell(step, "site02", "skipped")
    assert lines(made) == ["Deploy · 40 hosts"]


def test_a_task_is_named_once_something_happens_in_it():
    made = narrator()
    made.step(PUSH)
    made.tell(PUSH, "site02", CHANGED)
    made.tell(PUSH, "site01", CHANGED)
    made.step(CLEAR)
    assert lines(made) == ["Deploy · 40 hosts", "  Push", "    changed: site01, site02"]


def test_with_verbosity_also_what_is_unchanged_has_a_line():
    made = narrator(verbosity=1)
    made.tell(PUSH, "site01", "ok")
    assert lines(made)[1:] == ["  Push", "    ok: site01"]


@pytest.mark.parametrize(
    ("count", "named"),
    [
        (3, "site01, site02, site03"),
        (5, "site01, site02, site03 and 2 more (5 hosts)"),
        (40, "all 40 hosts"),
    ],
)
def test_of_many_changed_hosts_the_first_are_named(count, named):
    made = narrator()
    for host in SITES[:count]:
        made.tell(PUSH, host, CHANGED)
    assert lines(made)[-1] == f"    changed: {named}"


def test_one_error_of_many_hosts_is_told_once_whole_and_with_all_their_names():
    made = narrator()
    step = Step("1", "Push", place="play.yml:7")
    for host in SITES:
        made.tell(step, host, FAILED, "The key is wrong.\nNothing was done.")
    assert lines(made)[1:] == [
        "  Push",
        f"    FAILED: {', '.join(SITES)} (40 hosts)",
        "      The key is wrong.",
        "      Nothing was done.",
        "      at play.yml:7",
    ]


def test_errors_come_after_what_went_well_in_the_same_task():
    made = narrator()
    made.tell(PUSH, "site01", FAILED, "No.")
    made.tell(PUSH, "site02", IGNORED, "Never mind.")
    made.tell(PUSH, "site03", CHANGED)
    assert [line.split(":")[0].strip() for line in lines(made)[2:]] == ["changed", "ignored", "FAILED", "No."]


def test_what_waits_for_more_hosts_is_told_after_a_while():
    clock = Clock()
    made = narrator(clock=clock)
    made.drain()
    made.tell(PUSH, "site01", CHANGED)
    clock.now = 4.9
    made.flush_due()
    assert made.drain() == []
    clock.now = 5.0
    made.flush_due()
    assert [line.text for line in made.drain()] == ["  Push", "    changed: site01"]
    made.tell(PUSH, "site02", CHANGED)
    assert lines(made) == ["    changed: site02"]  # the task has its name already


def test_items_are_named_where_they_are_the_same():
    made = narrator()
    made.tell(PUSH, "site01", CHANGED, "(a, b)")
    made.tell(PUSH, "site02", CHANGED, "(a, b)")
    assert lines(made)[-1] == "    changed: site01, site02 (a, b)"
    for host in SITES[:3]:
        made.tell(CLEAR, host, CHANGED, f"({host}.example.org)")
    assert lines(made) == ["  Clear the caches", "    changed: site01, site02, site03"]


def test_a_later_wave_is_announced_once_something_happens_in_it():
    made = narrator()
    made.play("play", "Deploy", SITES[1:])
    assert lines(made) == ["Deploy · 40 hosts"]
    made.tell(PUSH, "site02", CHANGED)
    assert lines(made)[0] == "Deploy · wave 2 · 39 hosts"


def test_check_mode_is_said_of_the_play():
    made = Narrator(hold=5, named=3)
    made.play("play", "Deploy", None, is_check=True)
    assert lines(made) == ["Deploy [check mode]"]


def test_output_of_one_for_all_needs_no_name_and_other_output_has_those_whose_it_is():
    made = narrator(hosts=["a", "b"])
    made.tell(Step("3", "Plan", is_once=True), "a", OUTPUT, "one\n  two")
    assert [line.text for line in made.drain()][1:] == ["  Plan", "    one", "      two"]  # at once
    made.tell(PUSH, "a", OUTPUT, "done")
    made.tell(PUSH, "b", OUTPUT, "done")
    assert lines(made) == ["  Push", "    done"]
    made.tell(CLEAR, "a", OUTPUT, "first")
    made.tell(CLEAR, "b", OUTPUT, "second\nthird")
    assert lines(made) == ["  Clear the caches", "    a: first", "    b:", "      second", "      third"]


def test_changed_values_that_hosts_share_are_one_line_and_the_rest_is_told_by_host():
    made = narrator(hosts=SITES[:3])
    for host in SITES[:3]:
        made.tell(PUSH, host, VALUE, "php: 8.1 → 8.3")
        made.tell(PUSH, host, VALUE, f"domain: +{host}")
    made.tell(PUSH, "site02", VALUE, "backup: +daily")
    assert [line for line in lines(made) if "diff" in line] == [
        "    diff: site01, site02, site03: php: 8.1 → 8.3",
        "    diff: site01: domain: +site01",
        "    diff: site02: domain: +site02; backup: +daily",
        "    diff: site03: domain: +site03",
    ]


@pytest.mark.parametrize("verbosity", [0, 1])
def test_a_value_that_many_hosts_change_each_in_another_way_is_one_line_unless_all_is_wanted(verbosity: int):
    made = narrator(verbosity=verbosity)
    for host in SITES:
        made.tell(PUSH, host, VALUE, "php: 8.1 → 8.3")
        made.tell(PUSH, host, VALUE, f"domain: +{host}")
    made.tell(PUSH, "site02", VALUE, "backup: +daily")
    told = [line for line in lines(made) if "diff" in line]
    if verbosity:
        assert len(told) == 1 + 40
    else:
        assert told == [
            "    diff: all 40 hosts: php: 8.1 → 8.3; domain: 40 different changes, such as site01: +site01",
            "    diff: site02: backup: +daily",
        ]


@pytest.mark.parametrize("verbosity", [0, 1])
def test_errors_whose_sentences_a_summary_has_told_are_one(verbosity: int):
    made = narrator(verbosity=verbosity)
    summary = Step("9", "Summarize", is_once=True)
    reasons = {host: f"The list of {host} has 192.0.2.99. It is not declared." for host in SITES[:2]}
    for text in reasons.values():
        made.tell(summary, "site01", OUTPUT, f"NEEDS A PERSON: list: {text}")
    made.drain()
    for host, text in reasons.items():
        made.tell(PUSH, host, FAILED, text)
    made.tell(PUSH, "site03", FAILED, f"{reasons['site01']} And something else is wrong.")
    made.tell(PUSH, "site04", FAILED, "list")
    told = lines(made)
    assert told[1:3] == (
        ["    FAILED: site01", f"      {reasons['site01']}"]
        if verbosity
        else ["    FAILED: site01, site02", "      For the reasons above."]
    )
    assert "      list" in told
    made.play("next", "Next", SITES)
    made.tell(PUSH, "site01", FAILED, reasons["site01"])
    assert lines(made)[-1] == f"      {reasons['site01']}"


def test_a_diff_of_a_text_says_whose_it_is():
    made = narrator()
    made.tell(PUSH, "site01", DIFF, "file\n-old\n+new")
    assert lines(made)[2:] == ["    diff: site01", "      file", "      -old", "      +new"]


def test_rows_of_a_table_that_differ_only_in_the_name_are_folded_and_others_are_not():
    table = [
        "environment  done  needs",
        *(f"{host}       push" for host in SITES[:5]),
        "site06       -     you",
        "other        push",
        "5 environments",
    ]
    assert folded_rows(table, set(SITES)) == [
        "environment  done  needs",
        "5 hosts      push",
        f"  {', '.join(SITES[:5])}",
        *table[6:],
    ]
    assert folded_rows(table[:4], set(SITES)) == table[:4]


def test_nobody_left_is_said_once():
    made = narrator()
    made.nobody_left()
    made.nobody_left()
    assert lines(made)[1:] == ["  No hosts are left."]


def test_the_end_is_a_line_and_one_more_for_trouble():
    made = narrator()
    made.drain()
    counts = {"a": Count(changed=2), "b": Count(ok=3), "c": Count(changed=1, failed=1), "d": Count(unreachable=1)}
    made.end(counts, 61)
    assert lines(made) == ["4 hosts in 1:01: 3 changes on 2 of them.", "failed: c", "unreachable: d"]
    made.end({"a": Count(ok=1)}, 7.9)
    assert lines(made) == ["1 host in 0:07: nothing changed."]


def test_the_end_of_a_run_in_check_mode_claims_no_changes():
    made = narrator()
    made.play("play", "Deploy", None, is_check=True)
    made.drain()
    made.end({"a": Count(changed=2), "b": Count(ok=3)}, 61)
    assert lines(made) == ["2 hosts in 1:01: 2 changes predicted on 1 of them."]


def test_durations_and_notes_are_short():
    assert [duration(seconds) for seconds in (0.4, 59, 3661)] == ["0:00", "0:59", "1:01:01"]
    assert shortened("a\nb") == "a b"
    assert len(shortened("x" * 500)) == 160


# ---- words of results -----------------------------------------------------------------------------------------------


def test_an_error_is_its_message_and_what_a_command_has_written():
    assert error_text({"msg": "It failed.", "changed": False, "invocation": {"module_args": {}}}) == "It failed."
    assert error_text({"msg": "rc 1", "stderr": "why\n", "stdout": "noise"}) == "rc 1\nwhy"
    assert error_text({"msg": "rc 1", "stdout": "why"}) == "rc 1\nwhy"
    assert error_text({}) == "It failed without a message."
    long = {"msg": "rc 1", "stderr": "\n".join(map(str, range(50)))}
    assert len(error_text(long).split("\n")) == 21
    assert len(error_text(long, whole=True).split("\n")) == 51


@pytest.mark.parametrize("hidden", [{"_ansible_no_log": True}, {"censored": "the output has been hidden"}])
def test_of_a_task_with_no_log_nothing_is_shown(hidden):
    result = {"msg": "secret", "stderr": "secret", "item": "secret", "exception": "secret", **hidden}
    assert error_text(result) == output_text(result) == HIDDEN
    assert item_text(result) == ""


def test_what_debug_says_is_printed_line_by_line_and_cannot_steer_a_terminal():
    said = ["plain é", "\x1b[31mred\x1b[0m\x1b]0;title\x07!", "  a\tb", "\u202egnp"]
    assert output_text({"msg": said}) == "plain é\nred!\n  a b\n gnp"
    assert output_text({"msg": "one\ntwo\n"}) == "one\ntwo"
    assert output_text({"msg": {"a": 1}}) == '{\n  "a": 1\n}'
    assert output_text({"groups": ["x"], "changed": False, "_ansible_verbose_always": True}) == "groups: x"
    assert printable_lines("a\r\nb\rc") == ["a", "b c"]


def test_items_are_named_only_where_they_are_words():
    assert item_text({"item": "example.org"}) == "example.org"
    assert item_text({"item": {"user": "a", "password": "secret"}}) == ""
    assert item_text({"item": {"password": "secret"}, "_ansible_item_label": "a"}) == "a"
    assert items_text(["a", "b"]) == "(a, b)"
    assert items_text(["a", ""]) == "(2 items)"
    assert items_text(map(str, range(6))) == "(6 items)"
    assert items_text([]) == ""


def test_a_diff_is_in_few_words():
    before = {"denied": ["a", "b"], "php": {"version": "8.1"}, "old": 1, "same": [1], "order": [1, 2]}
    after = {"denied": ["b", "c"], "php": {"version": "8.3"}, "new": None, "same": [1], "order": [2, 1]}
    values, texts = compact_diff({"before": before, "after": after})
    assert values == ["denied: -a +c", "php.version: 8.1 → 8.3", "old: -1", "order: in another order", "new: +nothing"]
    assert texts == []


def test_long_diffs_are_shortened_unless_the_whole_is_wanted():
    diff = {"before": {"list": []}, "after": {"list": [f"a{number}" for number in range(10)], "text": "x" * 99}}
    [several, long], _texts = compact_diff(diff)
    assert several.endswith("+a7 +2 more")
    assert long == f"text: +{'x' * 59}…"
    assert compact_diff(diff, whole=True)[0][0].endswith("+a8 +a9")


def test_a_diff_of_texts_has_their_changed_lines_only():
    diff = [{"before": "a\nb\nc\n", "after": "a\nB\x1b[2J\nc\n", "after_header": "/etc/x"}, {"prepared": "p\n"}, "odd"]
    assert compact_diff(diff) == ([], ["/etc/x", "-b", "+B", "p"])


def test_a_diff_with_states_is_told_by_them_and_not_by_what_is_prepared():
    states = {"before": {"php": "8.1", "same": 1}, "after": {"php": "8.3", "same": 1}}
    assert compact_diff({"prepared": "shop: php: 8.1 → 8.3", "states": states}) == (["php: 8.1 → 8.3"], [])


# ---- the live picture -----------------------------------------------------------------------------------------------


@pytest.fixture
def progress() -> Progress:
    made = Progress(began=0)
    made.begin_play("Deploy", 2, 39)
    made.begin_step("1", "Push", 39)
    for host, now in (("site07", 10), ("site08", 30), ("site09", 35)):
        made.begin_host("1", host, now)
    made.end_host("1", "site09")
    return made


def test_the_picture_says_how_many_of_how_many_and_who_is_slowest(progress):
    assert drawn(progress, 52, 100, with_rich=False) == [
        "0:52  Deploy · wave 2",
        f"[#{'-' * 29}]  1 of 39  Push  slowest: site07 0:42",
    ]
    progress.retry("1", "site07", "try 2 of 3")
    assert drawn(progress, 52, 100, with_rich=False)[1].endswith("site07 0:42 (try 2 of 3)")
    progress.end_host("1", "site07")
    assert "slowest: site08 0:22" in drawn(progress, 52, 100, with_rich=False)[1]


def test_rich_draws_the_same(progress):
    assert live_picture.HAS_RICH
    shown = "\n".join(drawn(progress, 52, 100, with_rich=True))
    words = " ".join(" ".join(printable_lines(shown)).split())
    for part in ("0:52", "Deploy · wave 2", "1 of 39", "Push", "slowest: site07 0:42"):
        assert part in words
    assert "\x1b[" in shown


@pytest.mark.parametrize("with_rich", [True, False])
@pytest.mark.parametrize("width", [20, 40, 200])
def test_the_picture_is_never_wider_than_the_terminal(progress, width, with_rich):
    progress.begin_play("名" * 80, 1, 1)
    progress.begin_step("1", "A long name \x1b[2J" * 20, 1)
    progress.begin_host("1", "h" * 300, 0)
    for line in drawn(progress, 1, width, with_rich=with_rich):
        [plain] = printable_lines(line)
        assert sum(2 if character == "名" else 1 for character in plain) < width
        assert "\x1b[2J" not in line


def test_in_a_terminal_that_is_too_narrow_there_is_no_picture(progress):
    assert drawn(progress, 1, 19, with_rich=False) == []


def test_a_new_step_begins_at_nothing_but_not_while_others_go_on(progress):
    progress.begin_step("2", "Clear", 39)
    assert ("1", "site07") in progress.running  # the strategy free
    for host in ("site07", "site08"):
        progress.end_host("1", host)
    progress.begin_step("3", "Check", None)
    assert progress.count() == (0, 0)
    assert progress.slowest(99) == ""
