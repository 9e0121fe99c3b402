# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Change one thing after the other in the code that decides, and see that its unit tests notice each.

mutmut makes the changes and runs the tests, in a copy of the checkout for each room. It leaves alone what is not in a
function, decorated functions, and here also texts: the words of a message decide nothing. A change that no test can
notice, because nothing depends on it, is listed with a reason in equivalent_mutants.yml and counts for nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from checkout import COLLECTION, ROOT, files
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.format_utils import orig_function_and_class_names_from_key

ROOMS = {
    "module_utils/_decision": ["decision"],
    "module_utils/_retries": ["retries"],
    "module_utils/_operations": ["operations"],
    "plugin_utils/deployment": ["deployment", "rollback_choice"],
    "plugin_utils/deployment_outcome": ["deployment", "deployment_settings"],
    "plugin_utils/deployment_plan": ["deployment_plan"],
    "plugin_utils/deployment_steps": ["deployment", "deployment_steps"],
    "plugin_utils/deployment_wave": ["deployment_wave"],
    "plugin_utils/drift": ["drift"],
    "plugin_utils/judgements": ["judgements"],
    "plugin_utils/locks": ["locks_met"],
    "plugin_utils/maintenance": ["maintenance", "plan"],
    "plugin_utils/maintenance_checks": ["maintenance", "plan"],
    "plugin_utils/maintenance_declared": ["maintenance", "maintenance_undo", "plan"],
    "plugin_utils/maintenance_environment": ["maintenance", "plan"],
    "plugin_utils/maintenance_findings": ["maintenance", "plan"],
    "plugin_utils/maintenance_summary": ["maintenance", "plan"],
    "plugin_utils/maintenance_undo": ["maintenance_undo"],
    "plugin_utils/part_differences": ["drift", "maintenance", "plan"],
    "plugin_utils/plan": ["access", "drift", "plan"],
    "plugin_utils/preflight": ["preflight"],
}
"""The files of `plugins` that decide, with the files of `tests/unit` that have to notice."""

WORK = ROOT / "build" / "mutants"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.yml")

# The tool has no option that leaves out texts.
MUTMUT = """
from mutmut.__main__ import cli
from mutmut.mutation.mutators import mutation_operators, operator_string
mutation_operators[:] = [one for one in mutation_operators if one[1] is not operator_string]
cli()
"""

SETTINGS = """
[tool.mutmut]
source_paths = ["ansible_collections"]
also_copy = ["roles"]
only_mutate = ["{source}"]
pytest_add_cli_args = ["--timeout=30", "--durations=0"]
pytest_add_cli_args_test_selection = {tests}
track_dependencies = false
use_git_change_detection = false
"""


@dataclass(frozen=True)
class Mutant:
    """One change: the lines that it takes away and those that it puts there, each as one text."""

    room: str
    function: str
    before: str
    after: str

    def as_entry(self) -> str:
        """Return it as it stands in equivalent_mutants.yml, where a reason has to be added."""
        return yaml.safe_dump([vars(self)], sort_keys=False, allow_unicode=True, width=110).rstrip()


@dataclass
class Outcome:
    """What became of the mutants of a room."""

    mutants: int
    equivalent: int
    survivors: list[Mutant]
    outdated: list[Mutant]

    @property
    def killed(self) -> int:
        return self.mutants - self.equivalent - len(self.survivors)

    @property
    def share(self) -> float:
        """The share of those that could be noticed and were, in percent."""
        return 100 * self.killed / max(1, self.mutants - self.equivalent)


def prepare(room: str) -> tuple[Path, Path]:
    """Copy what the tests need; return the folder to work in, and the file to change within it."""
    folder = WORK / room.rpartition("/")[2]
    shutil.rmtree(folder, ignore_errors=True)
    # The collection under the name by which tests import it, and beside it what they find by its place.
    for parent, parts in ((COLLECTION, ("plugins", "roles")), (Path(), ("roles", "tests"))):
        for name in files():
            if name.parts[0] in parts:
                target = folder / parent / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target, follow_symlinks=False)
    source = COLLECTION / "plugins" / f"{room}.py"
    settings = SETTINGS.format(source=source, tests=[f"tests/unit/test_{name}.py" for name in ROOMS[room]])
    (folder / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text() + settings)
    return folder, source


def survivors_of(room: str, source: Path, results: SourceFileMutationData) -> Iterator[Mutant]:
    for key, code in results.exit_code_by_key.items():
        if status_by_exit_code[code] not in ("killed", "timeout"):
            function, class_name = orig_function_and_class_names_from_key(key)
            lines = get_diff_for_mutant(key, path=source).splitlines()[3:]
            before, after = (" ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
            yield Mutant(room, f"{class_name}.{function}" if class_name else function, before, after)


def run(room: str, jobs: int, equivalent: dict[Mutant, str]) -> Outcome:
    """Let the tests of a room meet all of its mutants."""
    folder, source = prepare(room)
    log = folder / "mutmut.log"
    with log.open("w") as output:
        command = [sys.executable, "-c", MUTMUT, "run", "--max-children", str(jobs)]
        code = subprocess.run(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    with contextlib.chdir(folder):
        results = SourceFileMutationData(path=source)
        results.load()
        if code or not results.exit_code_by_key or None in results.exit_code_by_key.values():
            sys.exit(f"mutmut could not try all mutants of {room}: see {log.relative_to(ROOT)}")
        found = list(survivors_of(room, source, results))
    return Outcome(
        mutants=len(results.exit_code_by_key),
        equivalent=sum(one in equivalent for one in found),
        survivors=[one for one in found if one not in equivalent],
        outdated=[one for one in equivalent if one.room == room and one not in found],
    )


def listed_as_equivalent() -> dict[Mutant, str]:
    """Return the mutants that nothing can notice, with the reasons."""
    reasons = {}
    for entry in yaml.safe_load(EQUIVALENT.read_text()) or []:
        reason = entry.pop("reason")
        reasons[Mutant(**entry)] = reason
    return reasons


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rooms", nargs="*", metavar="room", help=f"{', '.join(ROOMS)}; none: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many mutants are tried at a time")
    arguments = parser.parse_args()
    unknown = [room for room in arguments.rooms if room not in ROOMS]
    if unknown:
        parser.error(f"there is no {unknown[0]}. There are: {', '.join(ROOMS)}")
    equivalent = listed_as_equivalent()
    outcomes = {}
    for room in arguments.rooms or ROOMS:
        outcomes[room] = outcome = run(room, arguments.jobs, equivalent)
        for one in outcome.survivors:
            print(f"survived:\n{one.as_entry()}")
        for one in outcome.outdated:
            print(f"{EQUIVALENT.name} lists what does not survive any more, or is not there:\n{one.as_entry()}")
        sys.stdout.flush()
    print(f"\n{'room':34}{'mutants':>9}{'equivalent':>12}{'killed':>8}{'share':>9}")
    for room, one in outcomes.items():
        print(f"{room:34}{one.mutants:9}{one.equivalent:12}{one.killed:8}{one.share:8.1f}%")
    is_good = not any(one.survivors or one.outdated for one in outcomes.values())
    if not is_good:
        print(f"{EQUIVALENT.name} has to list what survives, with the reason, and nothing else.", file=sys.stderr)
    return not is_good


if __name__ == "__main__":
    sys.exit(main())
