# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What site_snapshot and site_compare say before there is any picture. tests/browser has the pictures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ansible_collections.hosting.management.plugins.module_utils import _picture_page
from ansible_collections.hosting.management.plugins.module_utils._context import secrets_within
from ansible_collections.hosting.management.plugins.module_utils._picture_sets import (
    MANIFEST,
    file_of,
    pages_of,
    shown_text,
    shown_url,
)
from ansible_collections.hosting.management.plugins.modules import site_compare, site_snapshot
from ansible_collections.hosting.management.plugins.plugin_utils.report import page

pytest_plugins = ["simulator.fixtures"]

ROOT = Path(__file__).parents[2]
SECRET = "https://anna:s3cr3t-word@shop.example.com/cart?token=s3cr3t-token#s3cr3t-part"
SEVERAL = {"pages": None, "folder": None}
ENTRY = {"page": "/", "url": "", "width": 1, "height": 1, "file": "a.png", "sha256": ""}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pages": []}, "pages must have at least one address"),
        ({"pages": ["shop.example.com"]}, "pages must have addresses such as https://shop.example.com"),
        ({"pages": [SECRET]}, "pages must have addresses without a password"),
        ({"widths": [100]}, "widths must have widths from 200 to 4000 pixels"),
        ({"mask": ["p { color: red }"]}, "mask must have CSS selectors"),
        ({"hide": [""]}, "hide must have CSS selectors"),
        ({"timezone": "Mars/Olympus"}, "timezone must be a time zone"),
        ({"locale": "English"}, "locale must be a locale"),
        ({"clock": "noon"}, "clock must be a time"),
        ({"pause": -1}, "pause must not be negative"),
        ({"browser": "/no/such/browser"}, "browser: /no/such/browser is no program"),
        ({"taken": {"folder": "/another", "pictures": []}}, "taken is not what site_snapshot has returned"),
        ({**SEVERAL, "sets": [{"folder": "/a"}]}, "sets[0]: missing required arguments: pages"),
        ({**SEVERAL, "sets": [{"pages": [SECRET], "folder": "/a"}]}, "sets[0].pages must have addresses without"),
        ({**SEVERAL, "sets": [{"pages": ["https://a.example"], "folder": "/a"}] * 2}, "sets has /a twice"),
    ],
)
def test_bad_input_is_refused_before_anything_is_started(options, said, controller, tmp_path):
    folder = tmp_path / "pictures"
    given = {"pages": ["https://shop.example.com/"], "folder": str(folder), **options}
    result = controller.run(site_snapshot, **{name: value for name, value in given.items() if value is not None})
    assert result["error"]["kind"] == "invalid_input"
    assert result["msg"].startswith(said)
    assert "Nothing was" in result["msg"]
    assert "s3cr3t" not in json.dumps(result)
    assert not folder.exists()


def test_a_missing_library_is_named_with_the_command_that_installs_it(controller, tmp_path, monkeypatch):
    for name in ("playwright", "playwright.async_api", "numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    taken = controller.run(
        site_snapshot, pages=["https://shop.example.com/"], folder=str(tmp_path / "new"), browser=sys.executable
    )
    compared = controller.run(site_compare, before=str(tmp_path), after=str(tmp_path))
    for result, library in ((taken, "playwright>=1.50"), (compared, "numpy>=1.26")):
        assert result["error"]["kind"] == "missing_library"
        assert f"-m pip install '{library}'" in result["msg"]
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (None, "has no set of pictures"),
        ("{", "is not what site_snapshot writes"),
        ('{"version": 2, "pictures": []}', "is of another version"),
        (
            json.dumps({"version": 1, "pictures": [{**ENTRY, "file": "../../etc/passwd"}]}),
            "is not what site_snapshot writes",
        ),
    ],
)
def test_a_folder_that_has_no_set_is_refused(manifest, said, controller, tmp_path, monkeypatch):
    for name in ("numpy", "PIL.Image"):
        monkeypatch.setitem(sys.modules, name, json)  # it is not used before there is something to compare
    if manifest:
        (tmp_path / MANIFEST).write_text(manifest)
    result = controller.run(site_compare, before=str(tmp_path), after=str(tmp_path))
    assert result["error"]["kind"] == "invalid_input"
    assert said in result["msg"]


def test_nothing_shows_what_may_be_secret_in_an_address():
    assert shown_url(SECRET) == "https://shop.example.com/cart?********"
    assert file_of(2, SECRET, 400) == "02-shop.example.com-cart-400.png"
    assert file_of(1, "https://shop.example.com/" + "a/../" * 50, 400).count("/") == 0
    words = f"cannot load {SECRET}: token=s3cr3t-token and s3cr3t-token"
    assert "s3cr3t" not in shown_text(words, [SECRET])
    assert "s3cr3t" not in shown_text("GET https://other.example.com/a?key=s3cr3t failed")
    assert {"token=s3cr3t-token", "s3cr3t-part"} <= secrets_within({"pages": [SECRET]}, site_snapshot.SPEC.options)


def test_pages_of_one_path_have_names_of_their_own():
    urls = ["https://a.example.com", "https://b.example.com/", "https://a.example.com/cart?x=1"]
    assert pages_of(urls) == ["/", "/ (2)", "/cart"]


def test_the_page_has_the_colours_of_a_report():
    style = page.style_of(ROOT / "roles" / "report")
    colours = [line.strip() for line in _picture_page.STYLE.splitlines() if line.strip().startswith("--")]
    assert len(colours) == 26
    assert all(line in style for line in colours)
