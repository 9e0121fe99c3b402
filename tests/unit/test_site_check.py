# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the pages of a site are as they should be, asked over real HTTP."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ansible_collections.hosting.management.plugins.module_utils._errors import InvalidInput
from ansible_collections.hosting.management.plugins.modules import (
    site_check,
    site_plugin,
    update_info,
    update_verdict,
)
from simulator import Simulator, seed

pytest_plugins = ["simulator.fixtures"]

LIVE = seed.environment_id(1)
ONCE = {"attempts": 1}


class Site(BaseHTTPRequestHandler):
    """Pages by their path; /flaky fails twice, /slow drips, /login wants one, /away redirects, /meanwhile calls."""

    asked: list[str] = []
    meanwhile: Callable[[], object] = staticmethod(lambda: None)
    seen_headers: list[dict[str, str]] = []

    def do_GET(self):
        self.asked.append(self.path)
        self.seen_headers.append(dict(self.headers))
        if self.path.startswith("/together"):
            MEETING.wait(10)
        if self.path == "/meanwhile":
            Site.meanwhile()
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
MEETING = threading.Barrier(3)


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


@pytest.fixture
def answering():
    """A function that returns the address of a site that answers so, whatever it is asked."""
    servers = []

    def answering(answer: bytes) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        servers.append(server)
        threading.Thread(target=answer_all, args=[server, answer], daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}/"

    yield answering
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def answer_all(server: socket.socket, answer: bytes) -> None:
    with suppress(OSError):
        while True:
            connection, _address = server.accept()
            with connection, suppress(OSError):
                connection.recv(65536)
                connection.sendall(answer)


def answer(*headers: str, body: bytes = b"<html>a page</html>", status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def away(address: str) -> bytes:
    return answer(f"Location: {address}", "Content-Length: 0", body=b"", status="302 Found")


BROKEN = {
    "an unknown charset and a 500": answer("Content-Type: text/html; charset=utf-8-broken", status="500 Oh no"),
    "a broken compression": answer("Content-Encoding: gzip"),
    "many compressions": answer(f"Content-Encoding: {', '.join(['gzip'] * 50)}"),
    "endless headers": answer(*[f"X-{number}: x" for number in range(500)]),
    "an endless header": answer(f"X: {'x' * 200_000}"),
    "a redirect to itself": away("/"),
    "a redirect to another scheme": away("gopher://shop.example.com"),
    "a redirect to no address": away("http://[shop"),
    "a redirect to a name that is none": away("http://a..b/"),
    "a redirect to a name that is too long": away(f"http://{'a' * 70}.example.com/"),
    "a redirect to a name that is not there": away("http://nowhere.invalid/"),
    "a redirect to a port that is none": away("http://shop.example.com:99999/"),
    "a redirect to nowhere in Latin": away("http://sh\xf6p\x80/"),
    "bad chunks": answer("Transfer-Encoding: chunked", body=b"zz\r\nxx"),
    "a page that is cut off": answer("Content-Length: 9999"),
    "a length that is none": answer("Content-Length: 1, 2"),
    "a status that is none": answer(status="9999999 x"),
    "no HTTP": b"\x00\xff" * 100,
    "nothing": b"",
}


@pytest.mark.parametrize("broken", BROKEN)
def test_whatever_a_site_answers_is_judged(broken, controller, answering):
    assert problem(controller.run(site_check, urls=[answering(BROKEN[broken])], timeout=5, **ONCE))


@pytest.mark.parametrize("charset", ["utf-8-broken", "base64", "undefined", "\x00"])
def test_a_page_with_an_odd_charset_is_read_as_browsers_do(charset, controller, answering):
    page = answer(f"Content-Type: text/html; charset={charset}")
    result = controller.run(site_check, urls=[answering(page)], contains=["a page"], **ONCE)
    assert result["checks"][0]["ok"], result


def test_a_site_that_speaks_no_tls_is_judged(controller, answering):
    url = answering(answer()).replace("http:", "https:")
    assert problem(controller.run(site_check, urls=[url], timeout=5, **ONCE))


def unasked(result: dict) -> str:
    """What kept the machine from asking the only site of a failed task."""
    assert result["error"]["kind"] == "connection", result
    assert "Whether the site works is not known" in result["msg"]
    (check,) = result["checks"]
    assert (check["ok"], check["is_of_site"], check["status"]) == (False, False, None)
    return check["problem"]


class Names:
    """The names that this machine resolves, and what it says of all others."""

    def __init__(self, monkeypatch):
        self.known = {}
        self.error = socket.EAI_NONAME
        self._resolve = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self.resolve)

    def resolve(self, host, port, *kinds, **options):
        if host in self.known:
            return [found for one in self.known[host] for found in self._resolve(one, port, *kinds, **options)]
        if host == "127.0.0.1":
            return self._resolve(host, port, *kinds, **options)
        raise socket.gaierror(self.error, "no such name, or so")


@pytest.fixture
def names(monkeypatch):
    return Names(monkeypatch)


SHOP = "http://shop.example.com:9/"
ELSEWHERE = {"base_url": "https://api.example.com/v2"}


@pytest.mark.parametrize("error", [socket.EAI_AGAIN, socket.EAI_FAIL, socket.EAI_NONAME])
def test_a_machine_that_resolves_no_name_says_nothing_of_the_site(error, controller, names):
    names.error = error
    said = unasked(controller.run(site_check, urls=[SHOP], **ELSEWHERE, **ONCE))
    assert said.startswith("could not be asked, because this machine cannot resolve its name")


def test_a_name_that_is_not_there_while_others_are_is_the_sites(controller, names):
    names.known["api.example.com"] = ["192.0.2.1"]
    assert "no such name" in problem(controller.run(site_check, urls=[SHOP], **ELSEWHERE, **ONCE))
    names.error = socket.EAI_AGAIN
    unasked(controller.run(site_check, urls=[SHOP], **ELSEWHERE, **ONCE))


def test_names_that_need_nobody_to_ask_prove_nothing(controller, names):
    names.known["api.example.com"] = ["127.0.0.1"]
    unasked(controller.run(site_check, urls=[SHOP], **ELSEWHERE, **ONCE))


def test_without_a_route_nothing_is_said_of_the_site(controller, names):
    names.known["shop.example.com"] = ["224.0.0.1", "255.255.255.255"]  # nobody can connect to many
    assert "this machine has no way to it" in unasked(controller.run(site_check, urls=[SHOP], **ONCE))


def test_an_address_that_refuses_counts_more_than_one_without_a_route(controller, names):
    names.known["shop.example.com"] = ["127.0.0.1", "224.0.0.1"]
    assert problem(controller.run(site_check, urls=[SHOP], **ONCE))


@pytest.mark.parametrize(
    "proxy", ["http://127.0.0.1:9", "http://nowhere.invalid:3128", "nonsense://x", "http://:", "socks5://127.0.0.1:9"]
)
@pytest.mark.parametrize("url", [SHOP, SHOP.replace("http:", "https:")], ids=["http", "https"])
def test_a_proxy_that_cannot_be_used_is_not_the_sites(proxy, url, controller, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    assert "the proxy of this machine cannot be used" in unasked(controller.run(site_check, urls=[url], **ONCE))


@pytest.mark.usefixtures("names")
def test_a_broken_site_counts_more_than_one_that_could_not_be_asked(controller, site):
    result = controller.run(site_check, urls=[SHOP, f"{site}/down"], **ONCE)
    assert result["error"]["kind"] == "check_failed"
    assert [check["is_of_site"] for check in result["checks"]] == [False, True]


def several(site: str) -> list[dict]:
    return [
        {"name": "shop", "urls": [site, f"{site}/down"], **ONCE},
        {"name": "blog", "urls": [site], "contains": ["Grüße"]},
        {"name": "login", "urls": [f"{site}/login"], "url_username": "visitor", "url_password": "sesame"},
    ]


def test_one_task_asks_several_sites_each_as_it_says(controller, site):
    result = controller.run(site_check, sites=several(site), base_url=None, api_key=None)
    assert result["failed"]
    assert result["error"]["kind"] == "check_failed"
    assert result["msg"] == f"shop: {site}/down answered 500 instead of 200 (attempts: 1)."
    assert {name: one["failed"] for name, one in result["sites"].items()} == {
        "shop": True,
        "blog": False,
        "login": False,
    }
    assert [one["ok"] for one in result["sites"]["shop"]["checks"]] == [True, False]
    assert result["sites"]["blog"]["msg"] is result["sites"]["blog"]["error"] is None
    assert "sesame" not in str(result)
    assert not controller.run(site_check, sites=several(site)[1:]).get("failed")


def test_a_pause_at_one_site_keeps_no_other_one_waiting(controller, site):
    Site.meanwhile = GOING_ON.set
    pausing = [{"name": f"down {number}", "urls": [f"{site}/down"], "attempts": 2, "pause": 2} for number in range(12)]
    sites = [*pausing, {"name": "last", "urls": [f"{site}/meanwhile"]}]
    result = controller.run(site_check, sites=sites)
    assert not result["sites"]["last"]["failed"]
    assert Site.asked.index("/meanwhile") <= 12, "it is asked before anything is asked a second time"
    assert Site.asked.count("/down") == 24


def test_what_was_found_out_about_a_site_fails_a_task_of_its_own(controller, site):
    found = controller.run(site_check, sites=several(site))["sites"]
    Site.asked.clear()
    result = controller.run(site_check, checked=found["shop"])
    assert result["msg"] == f"{site}/down answered 500 instead of 200 (attempts: 1)."
    assert result["error"] == found["shop"]["error"]
    assert controller.run(site_check, checked=found["blog"])["checks"][0]["ok"]
    assert Site.asked == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "One of urls, sites and checked is needed. Nothing was sent."),
        ({"urls": ["http://x"], "sites": []}, "One of urls, sites and checked is needed, and not urls and sites."),
        ({"sites": [{"name": "a", "urls": ["http://x"]}], "environment_id": LIVE}, "environment_id goes with urls"),
        ({"sites": [{"name": "a", "urls": ["x"]}]}, "sites[0].urls must have addresses such as"),
        ({"sites": [{"name": "a", "urls": ["http://x"]}] * 2}, "sites has a twice"),
        ({"checked": {"checks": [{"url": "x"}]}}, "checked is nothing that a task with sites has returned"),
    ],
)
def test_what_cannot_be_asked_together_is_refused(options, said, controller):
    result = controller.run(site_check, **options)
    assert result["error"]["kind"] == "invalid_input"
    assert said in result["msg"]


def test_neither_the_services_address_nor_a_key_is_needed(controller, site):
    assert controller.run(site_check, urls=[site], base_url=None, api_key=None)["checks"][0]["ok"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_netrc_login_goes_nowhere_after_a_redirect(host, controller, site, answering, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("default login who password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    url = answering(away(site.replace("127.0.0.1", host)))
    assert controller.run(site_check, urls=[url], **ONCE)["checks"][0]["ok"]
    assert [headers.get("Authorization") for headers in Site.seen_headers] == [None]


def test_a_login_does_not_follow_to_another_host(controller, site, answering):
    login = {"url_username": "visitor", "url_password": "sesame"}
    url = answering(away(site.replace("127.0.0.1", "localhost")))
    assert controller.run(site_check, urls=[url], **login, **ONCE)["checks"][0]["ok"]
    assert [headers.get("Authorization") for headers in Site.seen_headers] == [None]


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
        ({"urls": ["ftp://me:hu/hush@shop.example.com"]}, "not '********@shop.example.com'"),
        ({"urls": ["https://shop.example.com"], "attempts": 0}, "attempts must be 1 or more"),
    ],
)
def test_bad_options_are_refused_before_anybody_is_asked(options, said, controller):
    result = controller.run(site_check, **options)
    assert result["error"]["kind"] == "invalid_input"
    assert said in result["msg"]
    assert "hush" not in result["msg"]


def test_a_login_in_an_address_is_not_shown_among_the_options(controller):
    params = controller.params(site_check, urls=["https://shop.example.com", "https://me:x@blog.example.com"])
    with pytest.raises(InvalidInput):
        site_check.SPEC.check(params)
    assert params["urls"] == ["https://shop.example.com", "********@blog.example.com"]


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


def test_addresses_are_asked_side_by_side_and_told_in_their_order(controller, site):
    urls = [f"{site}/together/{number}" for number in range(3)]
    result = controller.run(site_check, urls=urls, timeout=20, **ONCE)
    assert [(one["url"], one["ok"]) for one in result["checks"]] == [(url, True) for url in urls]


# ---- with the updates of its environment -----------------------------------------------------------------------------

FORMS = {"environment_id": LIVE, "name": "example-forms", "update_version": "2.5.0"}


@pytest.fixture
def updated(controller):
    """A controller whose environment has an update that nobody has judged."""
    assert controller.run(site_plugin, canary=True, **FORMS)["changed"]
    return controller


def verdicts(result: dict) -> list[str]:
    return [one["verdict"] for one in result["updates"]]


@pytest.mark.parametrize(("page", "verdict"), [("/", "works"), ("/down", "broke_it")])
def test_the_updates_of_the_environment_are_judged(page, verdict, updated, site, simulator):
    simulator.clear_requests()
    result = updated.run(site_check, environment_id=LIVE, urls=[site + page], **ONCE)
    assert (result["checks"][0]["ok"], result["has_ended"], verdicts(result)) == (verdict == "works", True, [verdict])
    assert verdicts(updated.run(update_info, environment_id=LIVE)) == [verdict]
    assert not simulator.writes
    reason = result["updates"][0]["reason"]
    assert ("answered 500 instead of 200" in reason) == (page == "/down")


@pytest.mark.parametrize("page", ["/", "/down"])
def test_what_is_known_to_be_wrong_counts_whatever_the_site_answers(page, updated, site):
    known = "The site looks different: / at 400 px."
    result = updated.run(site_check, environment_id=LIVE, urls=[site + page], known_problem=known, **ONCE)
    assert (result["error"]["kind"], verdicts(result)) == ("check_failed", ["broke_it"])
    assert result["msg"].endswith(known)
    assert ("answered 500" in result["msg"]) == (page == "/down")
    assert known in result["updates"][0]["reason"]
    # Its answers do not tell whether that was mended.
    assert verdicts(updated.run(site_check, environment_id=LIVE, urls=[f"{site}/"], **ONCE)) == ["broke_it"]
    updated.run(update_verdict, kind="plugin", name="example-forms", version="2.5.0", verdict="works")
    assert verdicts(updated.run(update_info, environment_id=LIVE)) == ["works"]


def test_what_was_wrong_with_the_answers_is_mended_by_better_ones(updated, site):
    assert verdicts(updated.run(site_check, environment_id=LIVE, urls=[f"{site}/down"], **ONCE)) == ["broke_it"]
    assert verdicts(updated.run(site_check, environment_id=LIVE, urls=[f"{site}/"], **ONCE)) == ["works"]


def test_without_an_address_nothing_is_judged(updated):
    result = updated.run(site_check, environment_id=LIVE, urls=[])
    assert (result["checks"], verdicts(result), result["changed"]) == ([], ["not_known"], False)


def test_check_mode_judges_nothing(updated, site):
    assert verdicts(updated.run(site_check, check_mode=True, environment_id=LIVE, urls=[f"{site}/"])) == ["not_known"]
    assert verdicts(updated.run(update_info, environment_id=LIVE)) == ["not_known"]


def test_what_keeps_this_machine_from_asking_judges_nothing(updated, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    result = updated.run(site_check, environment_id=LIVE, urls=["http://shop.invalid/"], **ONCE)
    assert (result["error"]["kind"], verdicts(result)) == ("connection", ["not_known"])


def test_an_update_that_goes_on_is_waited_for_and_not_judged_before_its_end(controller, site, simulator):
    simulator.settings.operation_seconds = 3600
    controller.run(site_plugin, canary=True, wait=False, **FORMS)
    result = controller.run(site_check, environment_id=LIVE, urls=[f"{site}/"], wait_timeout=0.2)
    assert (result["has_ended"], verdicts(result)) == (False, ["not_known"])
    [operation] = simulator.state.operations.by_id.values()
    operation.ends_at = 0
    result = controller.run(site_check, environment_id=LIVE, urls=[f"{site}/"])
    assert (result["has_ended"], verdicts(result)) == (True, ["works"])


def test_an_update_that_nobody_can_look_at_counts_as_done(controller, site, simulator):
    simulator.settings.operation_seconds = 0
    controller.run(site_plugin, wait=False, **FORMS)
    simulator.clear_requests()
    controller.options["companions"] = False
    assert controller.run(site_check, environment_id=LIVE, urls=[f"{site}/"], wait_timeout=5)["has_ended"] is True
    assert not [one for one in simulator.requests if one.path.startswith("/operations/")]


def test_what_another_run_updates_while_the_site_answers_is_not_judged_by_that_answer(controller, site, monkeypatch):
    monkeypatch.setattr(Site, "meanwhile", lambda: controller.run(site_plugin, canary=True, **FORMS))
    result = controller.run(site_check, environment_id=LIVE, urls=[f"{site}/meanwhile"])
    assert (result["checks"][0]["ok"], result["has_ended"], verdicts(result)) == (True, True, ["not_known"])
    assert verdicts(controller.run(site_check, environment_id=LIVE, urls=[f"{site}/"])) == ["works"]


def test_an_update_whose_answer_was_lost_stays_open_until_it_shows(controller, site, simulator):
    simulator.settings.operation_seconds = 3600
    simulator.fault("not_json", "PUT", times=0)
    assert controller.run(site_plugin, canary=True, **FORMS)["failed"]
    simulator.clear_faults()
    assert verdicts(controller.run(site_check, environment_id=LIVE, urls=[f"{site}/"])) == ["not_known"]
    for operation in simulator.state.operations.by_id.values():
        operation.ends_at = 0
    result = controller.run(site_check, environment_id=LIVE, urls=[f"{site}/down"], **ONCE)
    assert verdicts(result) == ["broke_it"]


def test_a_site_is_asked_also_when_its_updates_cannot_be_judged(updated, site, simulator):
    simulator.fault("status", "GET", status=500, times=100)
    works = updated.run(site_check, environment_id=LIVE, urls=[f"{site}/"], **ONCE)
    assert (works["failed"], works["error"]["kind"], works["checks"][0]["ok"]) == (True, "service", True)
    down = updated.run(site_check, environment_id=LIVE, urls=[f"{site}/down"], **ONCE)
    assert (down["error"]["kind"], down["checks"][0]["ok"], verdicts(down)) == ("check_failed", False, ["not_known"])
    assert "What is known of its updates could not be recorded: " in down["msg"]


def test_an_environment_needs_the_service(controller):
    result = controller.run(site_check, environment_id=LIVE, urls=[], base_url=None)
    assert result["msg"].startswith("base_url is missing")
