# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the pages of a site are as they should be, asked over real HTTP."""

from __future__ import annotations

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ansible_collections.hosting.management.plugins.modules import site_check
from simulator import Simulator, seed

pytest_plugins = ["simulator.fixtures"]

LIVE = seed.environment_id(1)
ONCE = {"attempts": 1}


class Site(BaseHTTPRequestHandler):
    """Pages by their path; /flaky fails twice, /slow drips, /login wants one, /away redirects."""

    asked: list[str] = []
    seen_headers: list[dict[str, str]] = []

    def do_GET(self):
        self.asked.append(self.path)
        self.seen_headers.append(dict(self.headers))
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "/")
            self.end_headers()
            return
        is_down = self.path == "/down" or (self.path == "/flaky" and self.asked.count("/flaky") < 3)
        wants_login = self.path == "/login" and self.headers["Authorization"] != "Basic dmlzaXRvcjpzZXNhbWU="
        body = "<html>Grüße from the shop</html>".encode()
        self.send_response(500 if is_down else 401 if wants_login else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            for piece in [bytes([byte]) for byte in body] if self.path == "/slow" else [body]:
                self.wfile.write(piece)
                if self.path == "/slow" and GOING_ON.wait(0.1):
                    return
        except OSError:
            pass

    def log_message(self, *_unused):
        pass


GOING_ON = threading.Event()


@pytest.fixture
def site():
    Site.asked.clear()
    Site.seen_headers.clear()
    GOING_ON.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    GOING_ON.set()
    server.shutdown()
    thread.join()
    server.server_close()


def problem(result: dict) -> str:
    """What the only check of a failed task has found."""
    assert result["error"]["kind"] == "check_failed", result
    (check,) = result["checks"]
    assert not check["ok"]
    assert check["problem"] in result["msg"]
    return check["problem"]


def test_a_site_that_is_well(controller, site):
    result = controller.run(site_check, urls=[site, f"{site}/away"], contains=["Grüße", "</html>"], lacks=["error"])
    assert not result["changed"]
    assert [(check["status"], check["problem"], check["attempts"]) for check in result["checks"]] == [
        (200, None, 1)
    ] * 2


@pytest.mark.parametrize(
    ("path", "expected", "said"),
    [
        ("/down", {}, "answered 500 instead of 200"),
        ("/", {"status": [404, 301]}, "answered 200 instead of 301 or 404"),
        ("/", {"contains": ["checkout"]}, "does not contain 'checkout'"),
        ("/", {"lacks": ["the shop"]}, "contains 'the shop'"),
    ],
)
def test_a_site_that_is_not_as_it_should_be(path, expected, said, controller, site):
    assert problem(controller.run(site_check, urls=[site + path], **ONCE, **expected)) == said


def test_all_addresses_are_asked_and_all_problems_are_named(controller, site):
    result = controller.run(site_check, urls=[f"{site}/down", site, f"{site}/login"], **ONCE)
    assert [check["ok"] for check in result["checks"]] == [False, True, False]
    assert "/down answered 500" in result["msg"]
    assert "/login answered 401" in result["msg"]


def test_it_asks_again_until_the_site_is_well(controller, site):
    (check,) = controller.run(site_check, urls=[f"{site}/flaky"], pause=0)["checks"]
    assert (check["ok"], check["attempts"]) == (True, 3)


def test_it_gives_up_after_the_attempts(controller, site):
    result = controller.run(site_check, urls=[f"{site}/down"], attempts=2, pause=0)
    assert "(attempts: 2)" in result["msg"]
    assert Site.asked == ["/down"] * 2


def test_a_page_that_drips_ends_with_the_timeout(controller, site):
    said = problem(controller.run(site_check, urls=[f"{site}/slow"], timeout=0.5, **ONCE))
    assert said == "cannot be read: it took too long"


def test_an_address_where_nobody_listens(controller):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    assert "refused" in problem(controller.run(site_check, urls=[url], **ONCE))


def test_a_login_is_sent_to_the_site_and_is_not_shown(controller, site):
    login = {"url_username": "visitor", "url_password": "sesame"}
    result = controller.run(site_check, urls=[f"{site}/login"], **login, **ONCE)
    assert result["checks"][0]["ok"]
    assert "sesame" not in str(result)


def test_neither_the_key_nor_a_netrc_login_reaches_the_site(controller, site, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login who password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    controller.run(site_check, urls=[site])
    assert [headers.get("Authorization") for headers in Site.seen_headers] == [None]


def test_nothing_is_sent_to_the_hosting_service(controller, site, simulator):
    controller.run(site_check, urls=[site])
    assert simulator.requests == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"urls": []}, "urls must have at least one address"),
        ({"urls": ["shop.example.com"]}, "addresses such as https://shop.example.com"),
        ({"urls": ["ftp://shop.example.com"]}, "addresses such as"),
        ({"urls": ["https://[shop"]}, "addresses such as"),
        ({"urls": ["https://me:hush@shop.example.com"]}, "use url_username and url_password"),
        ({"urls": ["https://shop.example.com"], "attempts": 0}, "attempts must be 1 or more"),
    ],
)
def test_bad_options_are_refused_before_anybody_is_asked(options, said, controller):
    result = controller.run(site_check, **options)
    assert result["error"]["kind"] == "invalid_input"
    assert said in result["msg"]
    assert "hush" not in result["msg"]


def test_the_certificate_of_a_site_is_verified_unless_the_task_says_otherwise(controller):
    with Simulator(tls="valid") as simulator:
        url = f"{simulator.base_url.removesuffix('/v2')}/_simulator/sites/{LIVE}"
        assert "certificate verify failed" in problem(controller.run(site_check, urls=[url], **ONCE))
        result = controller.run(site_check, urls=[url], validate_site_certs=False, contains=["files of shop live"])
        assert result["checks"][0]["ok"]


def test_the_environments_bundle_is_used_for_sites(controller, monkeypatch):
    with Simulator(tls="valid") as simulator:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", simulator.ca_path)
        url = f"{simulator.base_url.removesuffix('/v2')}/_simulator/sites/{LIVE}"
        assert controller.run(site_check, urls=[url])["checks"][0]["ok"]
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere")
    assert "REQUESTS_CA_BUNDLE" in controller.run(site_check, urls=[url])["msg"]
