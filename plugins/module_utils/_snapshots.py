# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes pictures of pages with a browser of this machine, so that two of the same page are equal.

Playwright is imported only when pictures are taken. All sets of a task have one browser, and each page a profile of its
own.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import time
from base64 import b64decode
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from ._context import Context
from ._errors import HostingError, InvalidInput, MissingLibrary, library
from ._page_scripts import ADOPT, CLOCK, COUNT, COVER, HOLD, IS_SELECTOR, NAME, STILL, UNCOVER, VISIT
from ._picture_differences import MOST_REGIONS, Region, difference_of, libraries
from ._picture_sets import file_of, make_folder, pages_of, shown_text, shown_url, write_set
from ._shots import Shot, problem_in
from ._values import iso_of_time, time_of_text

# The shell shows pages as Chromium does, and takes less than half the processor time, because it has no windows.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
FLAGS = ["--hide-scrollbars", "--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb"]
WINDOW_HEIGHT = 900  # pixels
MOST_HEIGHT = 16000  # pixels; Chromium paints no more at once
MOST_MESSAGES = 20  # of one page
AT_ONCE = 2  # pages that are open: while one waits, the other one works. More of them need more memory
LONGEST_QUIET = 3  # seconds to wait for requests that a page still makes after it was loaded and scrolled
MASK = "#8a8f98"
NEVER_DONE = {"eventsource", "websocket", "media", "ping"}  # requests that nobody waits for

NO_ANSWER = re.compile(
    r"net::ERR_(NAME_NOT_RESOLVED|INTERNET_DISCONNECTED|ADDRESS_UNREACHABLE|PROXY_\w+|TUNNEL_CONNECTION_FAILED"
    r"|NETWORK_ACCESS_DENIED|NETWORK_CHANGED)"
)
"""What Chromium says when this machine could not ask the site."""


def take_snapshots(context: Context) -> dict[str, Any]:
    """Take the pictures, write them, and return what the task's result has.

    Raises MissingLibrary when there is no browser to take them with, InvalidInput for a selector that is none, and
    CheckFailed or ConnectionFailed when a page could not be shown; the pictures of the others are written then, too.
    Of several sets, each says so for itself.
    """
    if context["taken"] is not None:
        return _of_another_task(context)
    if context["sets"] is None:
        [result] = asyncio.run(_take(context, [context]))
        if isinstance(result, HostingError):
            raise result
        return result
    parts = [
        context.narrowed({name: value for name, value in one.items() if value is not None}) for one in context["sets"]
    ]
    results = asyncio.run(_take(context, parts)) if parts else []
    told = {part["folder"]: _told(part, result) for part, result in zip(parts, results, strict=True)}
    return {"changed": any(one.get("changed") for one in told.values()), "sets": told}


def _of_another_task(context: Context) -> dict[str, Any]:
    """Return what a task for several sets has returned for this one. Raises InvalidInput if it is of another one."""
    taken: dict[str, Any] = context["taken"]
    if taken.get("folder") != context["folder"] or "pictures" not in taken:
        raise InvalidInput(
            f"taken is not what site_snapshot has returned in sets for {context['folder']}. Nothing was done."
        )
    return taken


def _told(part: Context, result: dict[str, Any] | HostingError) -> dict[str, Any]:
    """Return what the result of a task for several sets has of one of them."""
    if isinstance(result, HostingError):
        result = result.as_result()
    return {"changed": False, "folder": part["folder"], "pictures": [], "unstable": [], **result}


async def _take(context: Context, parts: list[Context]) -> list[dict[str, Any] | HostingError]:
    """Take the pictures of all sets with one browser, and return for each of them its result, or why there is none."""
    program = browser_of(context["browser"])
    api = library("playwright.async_api", "playwright>=1.50", "Taking pictures")
    gate = asyncio.Semaphore(1 if any(part["settle"] for part in parts) else AT_ONCE)
    async with _Browser(context, api, program) as browser:
        return await asyncio.gather(*(_Photographer(part, browser, gate).result() for part in parts))


def browser_of(named: str | None) -> str | None:
    """Return the program of the browser, or None for Playwright's own. Raises InvalidInput for one that is none."""
    named = named or os.environ.get("CHROMIUM") or None
    if named is None:
        return next((found for found in map(shutil.which, BROWSERS) if found), None)
    program = shutil.which(os.path.expanduser(named))
    if program is None:
        raise InvalidInput(f"browser: {named} is no program that can be run. Nothing was done.")
    return program


class _Browser:
    """The browser of a task. When it crashes, there is another one for the pages that are left."""

    def __init__(self, context: Context, api: Any, program: str | None) -> None:
        self._context, self._api, self._program = context, api, program
        self.error: type[Exception] = api.Error
        self._driver: Any = None
        self._browser: Any = None
        self._turn, self._checking = asyncio.Lock(), asyncio.Lock()
        self._is_selector: dict[str, bool] = {}

    async def __aenter__(self) -> _Browser:
        self._driver = await self._api.async_playwright().start()
        try:
            await self.running()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_error: object) -> None:
        try:
            if self._browser:
                await self._browser.close()
        except self.error:
            pass  # it has gone already
        finally:
            await self._driver.stop()

    async def running(self) -> Any:
        """Return Playwright's browser, which is started where there is none."""
        async with self._turn:
            if self._browser is None or not self._browser.is_connected():
                self._browser = await self._started()
            return self._browser

    async def no_selectors(self, given: list[str]) -> list[str]:
        """Return those that are no CSS selectors; no page is requested for that."""
        async with self._checking:
            unknown = [one for one in given if one not in self._is_selector]
            if unknown:
                page = await (await self.running()).new_page()
                wrong = await page.evaluate(IS_SELECTOR, unknown)
                await page.close()
                self._is_selector.update({one: one not in wrong for one in unknown})
        return [one for one in given if not self._is_selector[one]]

    async def _started(self) -> Any:
        chromium = self._driver.chromium
        if self._program is None and not os.path.exists(chromium.executable_path):
            raise MissingLibrary(
                "Taking pictures needs Chromium, and none is installed here. Install it, such as with apt-get install"
                " chromium (Debian) or dnf install chromium (Fedora), or name its program in the option browser or in"
                " the environment variable CHROMIUM. Nothing was done.",
                nothing_done=True,
            )
        sandbox = self._context["sandbox"]
        try:
            return await chromium.launch(
                executable_path=self._program,
                chromium_sandbox=os.geteuid() != 0 if sandbox is None else sandbox,
                args=FLAGS,
                timeout=max(1000 * self._context["timeout"], 30_000),
            )
        except self.error as error:
            raise MissingLibrary(
                f"The browser {self._program or chromium.executable_path} does not start: {shown_text(str(error))}."
                " Where a container does not allow Chromium's sandbox, set sandbox: false. Nothing was done.",
                nothing_done=True,
            ) from None


class _Photographer:
    """Takes the pictures of a set: how its pages are to be shown.

    :param gate: lets as many pages be open as there may be, of all sets.
    """

    def __init__(self, context: Context, browser: _Browser, gate: asyncio.Semaphore) -> None:
        self._context, self._browser, self._gate = context, browser, gate
        self._milliseconds = 1000 * context["timeout"]
        hidden = ", ".join(context["hide"])
        self._style = STILL + (f" {hidden} {{ display: none !important; }}" if hidden else "")

    async def result(self) -> dict[str, Any] | HostingError:
        """Return what the result has of this set, or what is wrong with it."""
        try:
            return await self._result()
        except HostingError as error:
            return error

    async def _result(self) -> dict[str, Any]:
        context = self._context
        if context["settle"]:
            libraries()
        if not context.check_mode:
            make_folder(context["folder"])
        await self._require_selectors()
        shots = await self._shots()
        taken = {shot.picture: shot.content for shot in shots if shot.content}
        changed = write_set(context["folder"], taken, iso_of_time(datetime.now(UTC)), writes=not context.check_mode)
        result = {"changed": changed, "folder": context["folder"], "pictures": [shot.as_result() for shot in shots]}
        result["unstable"] = sorted({one["selector"] for shot in shots for one in shot.unstable if one["selector"]})
        error = problem_in(shots)
        if error:
            error.results.update(result)
            raise error
        return result

    async def _require_selectors(self) -> None:
        for option in ("hide", "mask"):
            wrong = await self._browser.no_selectors(self._context[option])
            if wrong:
                raise InvalidInput(f"{option} has {wrong[0]!r}, which is no CSS selector. No page was requested.")

    async def _shots(self) -> list[Shot]:
        """Return what each address looks like at each width."""
        urls = self._context["pages"]
        shots = [
            Shot(url, page, width, file_of(number, url, width))
            for number, (url, page) in enumerate(zip(urls, pages_of(urls), strict=True), 1)
            for width in self._context["widths"]
        ]
        await asyncio.gather(*(self._timed(shot) for shot in shots))
        return shots

    async def _timed(self, shot: Shot) -> None:
        async with self._gate:
            self._context.report(f"{shown_url(shot.url)} at {shot.width} px")
            began = time.monotonic()
            browser = await self._browser.running()
            await self._take(shot, browser)
            if shot.problem and await _has_crashed(browser):
                shot.forget()
                await self._take(shot, await self._browser.running())
            shot.seconds = round(time.monotonic() - began, 3)

    async def _take(self, shot: Shot, browser: Any) -> None:
        """Take a picture, and a second one where unstable elements are looked for."""
        try:
            async with self._opened(shot, browser) as page:
                shot.content = await self._photographed(shot, page)
                if self._context["settle"] and shot.problem is None:
                    again = Shot(shot.url, shot.page, shot.width, shot.file)
                    async with self._opened(again, browser) as second:
                        again.content = await self._photographed(again, second)
                        shot.unstable = await _unstable(shot, again, page, second)
        except self._browser.error as error:
            words = str(error)
            shot.is_of_site = not NO_ANSWER.search(words)
            answered = f"answered {shot.status}" if (shot.status or 0) >= 400 else None
            shot.problem = answered or f"cannot be shown: {self._words(words)}"
        except TimeoutError:
            shot.problem = f"cannot be shown: its picture was not there after {self._context['timeout']:g} seconds"

    def _words(self, text: str) -> str:
        return shown_text(text.partition("\n")[0], self._context["pages"])

    @asynccontextmanager
    async def _opened(self, shot: Shot, browser: Any) -> AsyncIterator[Any]:
        """Load the page in a profile of its own, all of it, and hide what is to be hidden."""
        options = self._context
        profile = await browser.new_context(
            viewport={"width": shot.width, "height": WINDOW_HEIGHT},
            device_scale_factor=1,
            locale=options["locale"],
            timezone_id=options["timezone"],
            color_scheme="light",
            reduced_motion="reduce",
            service_workers="block",
            accept_downloads=False,
            ignore_https_errors=not options["validate_site_certs"],
            **self._login(shot.url),
        )
        try:
            profile.set_default_timeout(self._milliseconds)
            if options["clock"]:
                now = round(1000 * time_of_text(options["clock"]).timestamp())
                await profile.add_init_script(f"({CLOCK})({now})")
            page = await profile.new_page()
            watch = _Watch(page, shot, self._words)
            await page.goto(shot.url, wait_until="load")
            if shot.status is not None and shot.status >= 400:
                shot.problem = f"answered {shot.status}"
            await page.evaluate(ADOPT, self._style)
            shot.unmatched = await page.evaluate(COUNT, [*options["hide"], *options["mask"]])
            await page.evaluate(VISIT, [MOST_HEIGHT, self._milliseconds])
            await watch.wait_until_quiet()
            if options["pause"]:
                await asyncio.sleep(options["pause"])
            yield page
        finally:
            await profile.close()

    def _login(self, url: str) -> Mapping[str, Any]:
        """Return the login, for the site alone and for nobody whom it calls."""
        if not self._context["url_username"]:
            return {}
        parts = urlsplit(url)
        return {
            "http_credentials": {
                "username": self._context["url_username"],
                "password": self._context["url_password"],
                "origin": f"{parts.scheme}://{parts.netloc}",
            }
        }

    async def _photographed(self, shot: Shot, page: Any) -> bytes:
        """Return the picture of all of the page.

        Playwright's own would be the same in every pixel, and takes much longer, most of it to make the file small.
        """
        shot.height, _width = await page.evaluate(VISIT, [0, self._milliseconds])
        shot.is_cut = shot.height > MOST_HEIGHT
        shot.height = min(shot.height, MOST_HEIGHT)
        async with asyncio.timeout(self._context["timeout"]):
            await self._hold(page)
            width, height = await page.evaluate(COVER, [self._context["mask"], MASK])
            session = await page.context.new_cdp_session(page)
            options = {
                "format": "png",
                "optimizeForSpeed": True,
                "captureBeyondViewport": width > shot.width or height > WINDOW_HEIGHT,
                "clip": {"x": 0, "y": 0, "width": width, "height": min(height, MOST_HEIGHT), "scale": 1},
            }
            answer = await session.send("Page.captureScreenshot", options)
            await page.evaluate(UNCOVER)
        return b64decode(answer["data"])

    async def _hold(self, page: Any) -> None:
        for frame in page.frames:
            try:
                await frame.evaluate(HOLD)
            except self._browser.error:
                if frame == page.main_frame:
                    raise  # of others, a script may have removed it


async def _has_crashed(browser: Any) -> bool:
    await asyncio.sleep(0.1)  # until Playwright has seen it
    return not browser.is_connected()


class _Watch:
    """What a page asks for, and what it complains of."""

    def __init__(self, page: Any, shot: Shot, words: Callable[[str], str]) -> None:
        self._page, self._words = page, words
        self._open: set[Any] = set()
        page.on("request", self._begin)
        page.on("requestfinished", self._end)
        page.on("requestfailed", lambda request: self._fail(shot, request))
        page.on("response", lambda answer: self._see(shot, answer))
        page.on("console", lambda message: self._complain(shot, message))
        page.on("pageerror", lambda error: self._note(shot.console_errors, str(error)))

    async def wait_until_quiet(self) -> None:
        """Wait for what the page has asked for, up to a few seconds."""
        end = time.monotonic() + LONGEST_QUIET
        while self._open and time.monotonic() < end:
            await asyncio.sleep(0.02)

    def _begin(self, request: Any) -> None:
        if request.resource_type not in NEVER_DONE:
            self._open.add(request)

    def _end(self, request: Any) -> None:
        self._open.discard(request)

    def _fail(self, shot: Shot, request: Any) -> None:
        self._end(request)
        self._note(shot.failed_requests, f"{request.method} {shown_url(request.url)}: {request.failure}")

    def _see(self, shot: Shot, answer: Any) -> None:
        request = answer.request
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            shot.status = answer.status
        if answer.status >= 400:
            self._note(shot.failed_requests, f"{request.method} {shown_url(answer.url)}: {answer.status}")

    def _complain(self, shot: Shot, message: Any) -> None:
        # Of a request that has failed, failed_requests tells more.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._note(shot.console_errors, message.text)

    def _note(self, notes: list[str], text: str) -> None:
        text = self._words(text)
        if text not in notes and len(notes) < MOST_MESSAGES:
            notes.append(text)


async def _unstable(shot: Shot, again: Shot, page: Any, second: Any) -> list[dict[str, Any]]:
    """Return where two pictures of a page differ, and the selectors of the elements there, as both pages have them."""
    found = difference_of(shot.content, again.content).regions[:MOST_REGIONS]
    names = await second.evaluate(NAME, [one.as_result() for one in found])
    known = {name for candidates in names for name in candidates}
    missing = set(await page.evaluate(COUNT, sorted(known)))
    told: dict[str | None, list[Region]] = {}
    for region, candidates in zip(found, names, strict=True):
        selector = next((name for name in candidates if name not in missing), None)
        told.setdefault(selector, []).append(region)
    return [
        {"selector": selector, "regions": [region.as_result() for region in regions]}
        for selector, regions in told.items()
    ]
