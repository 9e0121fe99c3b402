# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the files of the collection owe each other: their order, their shared words, and the endpoints' flags."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from ansible_collections.hosting.management.plugins.module_utils import _errors, _interface
from ansible_collections.hosting.management.plugins.plugin_utils.report import parts as report_parts

PLUGINS = Path(__file__).parents[2] / "plugins"
MODULES = sorted((PLUGINS / "modules").glob("*.py"))

ACTION_PLUGIN = """
from __future__ import annotations

from ..modules import {module}
from ..plugin_utils.in_process import InProcess


class ActionModule(InProcess):
    module = {module}
"""

# A file imports only from files above it.
ORDER = [
    "_text",
    "_differences",
    "_secrets",
    "_interface",
    "_errors",
    "_progress",
    "_values",
    "_retries",
    "_connections",
    "_answers",
    "_client",
    "_journal",
    "_operations",
    "_checks",
    "_arguments",
    "_context",
    "_phases",
    "_decision",
    "_displaced",
    "_under_way",
    "_turns",
    "_waves",
    "_release_backups",
    "_verdicts",
    "_settling",
    "_convergence",
    "_entry",
    "_pages",
    "_addresses",
    "_sites",
    "_environments",
    "_backups",
    "_manual_backups",
    "_dns",
    "_extensions",
    "_judging",
    "_site_checks",
    "_picture_sets",
    "_picture_differences",
    "_page_scripts",
    "_shots",
    "_snapshots",
    "_page_style",
    "_picture_page",
    "_comparing",
    "_analytics",
    "_taken_backups",
    "_backup_removals",
    "_releases",
    "_locks",
    "_declared_parts",
    "_compose",
    "_pushes",
    "_precautions",
]

PACKAGES = {
    "_journal": [
        "senders",
        "rows",
        "places",
        "schema",
        "memory",
        "sql",
        "sqlite",
        "postgres_table",
        "postgres",
        "opening",
        "noting",
    ],
    "_convergence": [
        "generators",
        "values",
        "messages",
        "ledger",
        "change",
        "waiting",
        "giving_way",
        "sending",
        "rounds",
        "ways",
    ],
}
"""Those of the above that are packages, with their files in order. All others import the package, which is its face."""

COMPOSERS = ["_declaring", "_gathering"]
"""What puts parts and readings together: these, too, import only from files above them."""

READINGS = sorted(path.stem for path in (PLUGINS / "module_utils" / "_readings").glob("[a-z]*.py"))
"""What can be read of an environment, which do not know each other. They come after all of the files above."""
PARTS = sorted(path.stem for path in (PLUGINS / "module_utils" / "_parts").glob("[a-z]*.py"))
"""The parts of an environment, which do not know each other. They come between the files above and _compose."""

REPORT = PLUGINS / "plugin_utils" / "report"
"""What the role report is made of, one file for each of its parts."""
BELOW_REPORT_PARTS = ["words", "days", "charts", "variables", "pieces", "part"]
"""What they stand on: each of these files imports only from those before it."""
ABOVE_REPORT_PARTS = ["parts", "changes", "document", "page", "text"]
"""What puts them together; likewise."""
REPORT_PARTS = sorted(
    path.stem for path in REPORT.glob("[a-z]*.py") if path.stem not in (*BELOW_REPORT_PARTS, *ABOVE_REPORT_PARTS)
)

REPEATABLE = {
    "4.1": True,
    "4.2": True,
    "4.3": False,
    "4.4": True,
    "4.5": True,
    "4.6": True,
    "4.7": True,
    "4.8": False,
    "4.9": True,
    "4.10": False,
    "4.11": True,
    "4.12": True,
    "4.13": True,
    "4.14": True,
    "4.15": True,
    "4.16": True,
    "4.17": True,
    "4.18": True,
    "4.19": False,
}

REPEATABLE_COMPANIONS = {
    "POST /sites/tools/clear-cache",
    "POST /sites/edge-caching/clear",
    "POST /sites/cdn/clear-cache",
    "PUT /sites/environments/{env_id}/plugins",
    "PUT /sites/environments/{env_id}/plugins/bulk-update",
    "PUT /sites/environments/{env_id}/themes/bulk-update",
    "PUT /sites/tools/modify-php-version",
    "POST /sites/environments/{env_id}/ssh/set-allowed-ips",
}
"""Those of them that change something."""


def imported_by(path: Path) -> set[str]:
    """The files of module_utils that a file of it, or of a package in it, imports."""
    here = path.parent.relative_to(PLUGINS / "module_utils").parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            package = here[: len(here) + 1 - node.level]
            names = [node.module] if node.module else [name.name for name in node.names]
            found |= {".".join((*package, name)) for name in names}
    return found


def test_every_file_has_its_place_in_the_order():
    utils = PLUGINS / "module_utils"
    assert {path.stem for path in utils.glob("*.py")} | set(PACKAGES) == {*ORDER, *COMPOSERS}
    for package, files in PACKAGES.items():
        assert {path.stem for path in (utils / package).glob("*.py")} == {"__init__", *files}


@pytest.mark.parametrize("name", [name for name in ORDER if name not in PACKAGES])
def test_arrows_run_one_way(name: str):
    place = ORDER.index(name)
    above = {*ORDER[:place], *(["_parts"] if place >= ORDER.index("_declared_parts") else [])}
    assert imported_by(PLUGINS / "module_utils" / f"{name}.py") <= above


@pytest.mark.parametrize(("package", "name"), [(package, name) for package in PACKAGES for name in PACKAGES[package]])
def test_arrows_run_one_way_within_a_package(package: str, name: str):
    files = PACKAGES[package]
    above = {*ORDER[: ORDER.index(package)], *(f"{package}.{file}" for file in files[: files.index(name)])}
    assert imported_by(PLUGINS / "module_utils" / package / f"{name}.py") <= above


@pytest.mark.parametrize("package", PACKAGES)
def test_the_face_of_a_package_shows_its_files_and_does_nothing(package: str):
    path = PLUGINS / "module_utils" / package / "__init__.py"
    kinds = {type(node).__name__ for node in ast.parse(path.read_text()).body}
    assert kinds == {"Expr", "ImportFrom", "Assign"}
    assert imported_by(path) <= {f"{package}.{name}" for name in PACKAGES[package]}


@pytest.mark.parametrize("name", COMPOSERS)
def test_what_composes_stands_above_all_that_it_composes(name: str):
    above = {*ORDER, *COMPOSERS[: COMPOSERS.index(name)]}
    imported = imported_by(PLUGINS / "module_utils" / f"{name}.py")
    assert imported <= {*above, "_parts", "_readings"}


@pytest.mark.parametrize("name", READINGS)
def test_a_reading_stands_on_the_files_above_it_alone(name: str):
    assert imported_by(PLUGINS / "module_utils" / "_readings" / f"{name}.py") <= set(ORDER)


@pytest.mark.parametrize("name", PARTS)
def test_a_part_stands_on_the_files_above_it_alone(name: str):
    assert imported_by(PLUGINS / "module_utils" / "_parts" / f"{name}.py") <= set(
        ORDER[: ORDER.index("_declared_parts")]
    )


def imported_within_report(name: str) -> set[str]:
    """The files of the report that one of them imports."""
    found = set()
    for node in ast.walk(ast.parse((REPORT / f"{name}.py").read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found |= {node.module} if node.module else {one.name for one in node.names}
    return found


@pytest.mark.parametrize("name", REPORT_PARTS)
def test_a_part_of_the_report_knows_no_other_part(name: str):
    assert imported_within_report(name) <= set(BELOW_REPORT_PARTS)


@pytest.mark.parametrize("name", BELOW_REPORT_PARTS)
def test_what_parts_of_the_report_stand_on_knows_none_of_them(name: str):
    assert imported_within_report(name) <= set(BELOW_REPORT_PARTS[: BELOW_REPORT_PARTS.index(name)])


@pytest.mark.parametrize("name", ABOVE_REPORT_PARTS)
def test_only_one_file_of_the_report_knows_its_parts_by_name(name: str):
    above = {*BELOW_REPORT_PARTS, *ABOVE_REPORT_PARTS[: ABOVE_REPORT_PARTS.index(name)]}
    assert imported_within_report(name) <= (above | set(REPORT_PARTS) if name == "parts" else above)


def test_each_file_of_a_part_of_the_report_is_a_section_of_its_own():
    made = [type(part).__module__.rpartition(".")[2] for part in report_parts.SECTIONS]
    assert sorted(made) == REPORT_PARTS


def test_what_the_role_report_offers_are_the_parts_that_there_are():
    specs = yaml.safe_load((PLUGINS.parent / "roles" / "report" / "meta" / "argument_specs.yml").read_text())
    assert specs["argument_specs"]["main"]["options"]["report_parts"]["choices"] == list(report_parts.PARTS)


def test_within_the_collection_imports_are_relative():
    for path in PLUGINS.rglob("*.py"):
        assert "from ansible_collections." not in path.read_text(), path


def test_what_may_be_repeated_is_what_the_interface_allows():
    endpoints = [one for one in vars(_interface).values() if isinstance(one, _interface.Endpoint)]
    assert {one.section: one.repeatable for one in endpoints if one.section} == REPEATABLE
    for one in endpoints:
        if one.section is None:
            assert one.repeatable == (one.method == "GET" or f"{one.method} {one.path}" in REPEATABLE_COMPANIONS), one


def test_each_module_has_an_action_plugin_of_its_own_name_and_nothing_else_has():
    actions = {path.stem: path for path in (PLUGINS / "action").iterdir() if path.suffix == ".py"}
    assert sorted(actions) == [path.stem for path in MODULES]
    for module, path in actions.items():
        assert not path.is_symlink(), module
        code = [line for line in path.read_text().splitlines(keepends=True) if not line.startswith("#")]
        assert "".join(code) == ACTION_PLUGIN.format(module=module), module


def public_functions(path: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a file, and the methods of its classes, that others may call, with their names."""
    tree = ast.parse(path.read_text())
    for owner in (tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))):
        for node in owner.body:
            if isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name.endswith("__")):
                yield f"{getattr(owner, 'name', path.stem)}.{node.name}", node


def without_hint(function: ast.FunctionDef) -> list[str]:
    """Those parameters of a function that have no hint, and ``return`` when nothing says what it returns."""
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    missing = [one.arg for one in parameters if one and one.annotation is None and one.arg not in ("self", "cls")]
    return missing if function.returns else [*missing, "return"]


@pytest.mark.parametrize(
    "name",
    [
        *(f"module_utils/{name}" for name in (*ORDER, *COMPOSERS) if name not in PACKAGES),
        *(f"module_utils/{package}/{name}" for package in PACKAGES for name in PACKAGES[package]),
        *(f"module_utils/_readings/{name}" for name in READINGS),
        *(f"module_utils/_parts/{name}" for name in PARTS),
        *(f"plugin_utils/report/{name}" for name in (*BELOW_REPORT_PARTS, *REPORT_PARTS, *ABOVE_REPORT_PARTS)),
        "plugin_utils/judgements",
        "plugin_utils/in_process",
    ],
)
def test_public_functions_have_type_hints(name: str):
    missing = {name: without_hint(function) for name, function in public_functions(PLUGINS / f"{name}.py")}
    assert {name: parts for name, parts in missing.items() if parts} == {}


def documented(path: Path, block: str) -> dict:
    """A block of a module's documentation."""
    return yaml.safe_load(re.search(rf'^{block} = r"""(.*?)"""', path.read_text(), re.DOTALL | re.MULTILINE)[1])


@pytest.mark.parametrize("kind", ["callback", "doc_fragments", "filter", "inventory", "lookup", "modules"])
def test_documentation_is_yaml(kind: str):
    blocks = r'^ *[A-Z_]+ = r?"""(.*?)"""'
    for path in (PLUGINS / kind).glob("*.py"):
        for block in re.findall(blocks, path.read_text(), re.DOTALL | re.MULTILINE):
            assert all(yaml.safe_load_all(block)), path


def without_samples(value: object) -> object:
    if isinstance(value, dict):
        return {name: without_samples(item) for name, item in value.items() if name != "sample"}
    return value


@pytest.mark.parametrize("block", ["error", "operation"])
def test_what_modules_share_of_their_results_is_documented_alike(block: str):
    blocks = [documented(path, "RETURN").get(block) for path in MODULES]
    for one in blocks:
        if one and block == "error":
            one["contains"].pop("part", None)  # an environment has parts
    texts = {str(without_samples(one)) for one in blocks if one and "operation_ids" not in str(one)}
    assert len(texts) == 1


def test_the_documented_kinds_of_errors_are_those_that_there_are():
    kinds = {one.kind for one in vars(_errors).values() if isinstance(one, type) and issubclass(one, Exception)}
    guide = (PLUGINS.parent / "docs" / "failures.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \|", guide, re.MULTILINE)) == kinds


def test_the_tarball_has_no_tests_but_the_settings_of_ansible_test():
    listed = subprocess.run(
        ["git", "ls-files", "tests"], cwd=PLUGINS.parent, capture_output=True, text=True, check=True
    )
    ignored = yaml.safe_load((PLUGINS.parent / "galaxy.yml").read_text())["build_ignore"]
    shipped = {Path(name) for name in listed.stdout.split()}
    shipped = {path for path in shipped if not any(path.is_relative_to(name) for name in ignored)}
    assert shipped == {Path("tests/config.yml")}
