# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures in docs/images, and the scripts that make them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools.pictures import IMAGES, PICTURES

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
FILES = sorted(IMAGES.glob("*.svg"))
PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
SHOWN = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<path>[^)]+)\)")


@pytest.mark.parametrize("name", PICTURES)
def test_a_drawing_is_what_make_pictures_draws(name: str):
    assert (IMAGES / f"{name}.svg").read_text() == PICTURES[name]().written(), "run `make pictures`"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_picture_is_small_and_loads_nothing(file: Path):
    text = file.read_text()
    assert len(text.encode()) < 60_000
    assert not re.search(r"url\((?!#)|@import|href=\"(?!#)|<script", text)


@pytest.mark.parametrize("name", [*PICTURES, "demo"])
def test_a_picture_has_a_title(name: str):
    root = ElementTree.parse(IMAGES / f"{name}.svg").getroot()
    assert root.find(f"{SVG}title").text
    assert root.get("aria-labelledby").split()[0] == root.find(f"{SVG}title").get("id")


@pytest.mark.parametrize("file", [IMAGES / f"{name}.svg" for name in PICTURES], ids=lambda file: file.name)
def test_nothing_of_a_drawing_is_outside_of_it(file: Path):
    root = ElementTree.fromstring(file.read_text())
    width, height = (float(size) for size in root.get("viewBox").split()[2:])
    for box in root.findall(f"{SVG}rect"):
        assert float(box.get("x")) + float(box.get("width")) <= width
        assert float(box.get("y")) + float(box.get("height")) <= height


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_says_what_its_pictures_show(page: Path):
    for shown in SHOWN.finditer(page.read_text()):
        assert len(shown["text"]) > 20, shown[0]
        assert (page.parent / shown["path"]).is_file(), shown[0]


def test_every_picture_is_on_a_page():
    shown = {(page.parent / found["path"]).resolve() for page in PAGES for found in SHOWN.finditer(page.read_text())}
    assert set(FILES) <= shown


def test_a_recording_plays_what_a_command_shows_in_its_colours(tmp_path: Path):
    picture = tmp_path / "recording.svg"
    script = "printf '\\033[32mgreen <words>\\033[0m\\n'; printf 'long%.0s' $(seq 20); printf '\\nboring\\n'; test -t 1"
    done = record(picture, "--columns", "40", "--rows", "4", "--without", "^bor", "--", "bash", "-c", script)
    assert done.returncode == 0, done.stderr
    root = ElementTree.fromstring(picture.read_text())
    texts = {text.text: text for text in root.iter(f"{SVG}text")}
    assert {"green <words>", "long" * 10} <= set(texts)
    assert "boring" not in texts
    style = root.find(f"{SVG}style").text
    colour = texts["green <words>"].get("class")
    assert texts["long" * 10].get("class") is None
    assert f".{colour} {{ fill: " in style
    # The end is what is there without an animation; the recording has more lines than the terminal.
    assert re.search(r"^\.lines \{ translate: 0 -\d", style, re.MULTILINE)
    assert "@keyframes lines" in style
    assert "prefers-reduced-motion" in style


def test_a_command_that_fails_is_not_recorded(tmp_path: Path):
    picture = tmp_path / "recording.svg"
    done = record(picture, "--", "bash", "-c", "echo words; exit 3")
    assert done.returncode == 1
    assert done.stderr.startswith("Nothing was recorded: ")
    assert not picture.exists()


def record(*arguments: str | Path) -> subprocess.CompletedProcess:
    command = [sys.executable, ROOT / "tests" / "tools" / "record.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)
