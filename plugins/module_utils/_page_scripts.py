# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done in a page before its picture is taken, so that two pictures of it are equal: styles and scripts."""

from __future__ import annotations

STILL = "*, ::before, ::after { transition-duration: 0s !important; transition-delay: 0s !important;\
 scroll-behavior: auto !important; caret-color: transparent !important; } ::-webkit-scrollbar { display: none; }"

ADOPT = """(css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""

VISIT = """async ([most, limit]) => {
    const pause = (time) => new Promise((done) => setTimeout(done, time));
    const frame = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(100)]);
    for (const each of document.querySelectorAll("[loading=lazy]")) each.loading = "eager";
    const height = () => Math.min(document.documentElement.scrollHeight, most);
    for (let y = 0; y < height(); y += innerHeight) { scrollTo(0, y); await frame(); await frame(); }
    scrollTo(0, 0);
    const images = Array.from(document.images).filter((image) => !image.complete);
    const loaded = images.map((image) => image.decode().catch(() => null));
    await Promise.race([Promise.all([document.fonts.ready, ...loaded]), pause(limit)]);
    await frame();
    await frame();
    return [document.documentElement.scrollHeight, document.documentElement.scrollWidth];
}"""

# Time stands still for scripts, and timers run.
CLOCK = """(now) => {
    const Real = Date, format = Intl.DateTimeFormat.prototype;
    const Fixed = new Proxy(Real, {
        construct: (_target, given, made) => Reflect.construct(Real, given.length ? given : [now], made),
        apply: () => new Real(now).toString(),
    });
    Real.now = () => now;
    Real.prototype.constructor = Fixed;
    globalThis.Date = Fixed;
    const formatToParts = format.formatToParts;
    format.formatToParts = function (date) { return formatToParts.call(this, date === undefined ? now : date); };
    const { get, ...others } = Object.getOwnPropertyDescriptor(format, "format");
    Object.defineProperty(format, "format", { ...others, get() {
        const words = get.call(this);
        return (date) => words(date === undefined ? now : date);
    } });
    const temporal = globalThis.Temporal;
    if (!temporal) return;
    const instant = temporal.Instant.fromEpochMilliseconds(now), zone = () => temporal.Now.timeZoneId();
    const zoned = (given) => instant.toZonedDateTimeISO(given ?? zone());
    temporal.Now.instant = () => instant;
    temporal.Now.zonedDateTimeISO = zoned;
    temporal.Now.plainDateTimeISO = (given) => zoned(given).toPlainDateTime();
    temporal.Now.plainDateISO = (given) => zoned(given).toPlainDate();
    temporal.Now.plainTimeISO = (given) => zoned(given).toPlainTime();
}"""

# In every frame: animations are where they end, those without an end are where they begin, and no caret blinks.
HOLD = """() => {
    const roots = [document];
    for (const root of roots)
        for (const one of root.querySelectorAll("*")) if (one.shadowRoot) roots.push(one.shadowRoot);
    for (const root of roots) {
        const end = () => {
            for (const one of root.getAnimations()) {
                if (!one.effect || one.playbackRate === 0) continue;
                try {
                    if (Number.isFinite(one.effect.getComputedTiming().endTime)) one.finish(); else one.cancel();
                } catch { /* it cannot be ended */ }
            }
        };
        end();
        root.addEventListener("transitionrun", end);
        root.addEventListener("animationstart", end);
        for (const one of root.querySelectorAll("input, textarea, [contenteditable]"))
            one.style.setProperty("caret-color", "transparent", "important");
    }
}"""

# Covers elements, above all else, and returns the size of the page.
COVER = """([selectors, colour]) => {
    const roots = [document];
    for (const root of roots)
        for (const one of root.querySelectorAll("*")) if (one.shadowRoot) roots.push(one.shadowRoot);
    const found = roots.flatMap((root) => selectors.flatMap((one) => Array.from(root.querySelectorAll(one))));
    const areas = found.map((one) => one.getBoundingClientRect());
    const html = document.documentElement, body = document.body || html;
    const sizes = [body.scrollWidth, html.scrollWidth, body.offsetWidth, html.offsetWidth, body.clientWidth,
        html.clientWidth];
    const heights = [body.scrollHeight, html.scrollHeight, body.offsetHeight, html.offsetHeight, body.clientHeight,
        html.clientHeight];
    const cover = document.createElement("div"), shadow = cover.attachShadow({ mode: "closed" });
    const style = (one, words) => {
        one.style.cssText = words.split(";").map((each) => `${each} !important`).join(";");
        return one;
    };
    style(cover, "all:initial;position:absolute;left:0;top:0;width:0;height:0;overflow:visible;pointer-events:none");
    for (const area of areas) {
        if (!area.width || !area.height) continue;
        shadow.append(style(document.createElement("div"), `position:absolute;left:${area.left + scrollX}px;`
            + `top:${area.top + scrollY}px;width:${area.width}px;height:${area.height}px;background:${colour}`));
    }
    cover.popover = "manual";
    html.append(cover);
    cover.showPopover();
    globalThis[Symbol.for("cover")] = cover;
    return [Math.max(...sizes), Math.max(...heights)];
}"""

UNCOVER = """() => globalThis[Symbol.for("cover")].remove()"""

COUNT = "(selectors) => selectors.filter((one) => !document.querySelector(one))"
IS_SELECTOR = """(selectors) => selectors.filter((one) => {
    try { document.createDocumentFragment().querySelector(one); return false; } catch { return true; }
})"""

NAME = """(boxes) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { pointer-events: auto !important; }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    const only = (selector) => document.querySelectorAll(selector).length === 1;
    const path = (one) => {
        if (one.id && only("#" + CSS.escape(one.id))) return "#" + CSS.escape(one.id);
        const tag = one.localName;
        if (!one.parentElement) return tag;
        const alike = Array.from(one.parentElement.children).filter((each) => each.localName === tag);
        const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(one) + 1})` : "";
        return `${path(one.parentElement)} > ${tag}${place}`;
    };
    const names = (one) => {
        const tag = one.localName;
        const classes = Array.from(one.classList, (each) => `${tag}.${CSS.escape(each)}`);
        return [one.id ? "#" + CSS.escape(one.id) : "", ...classes, path(one)].filter((each) => each && only(each));
    };
    return boxes.map((box) => {
        scrollTo(0, Math.max(0, box.y + box.height / 2 - innerHeight / 2));
        const [x, y] = [box.x - scrollX, box.y - scrollY];
        const found = document.elementsFromPoint(x + box.width / 2, y + box.height / 2);
        const around = found.find((one) => {
            const area = one.getBoundingClientRect();
            return area.left <= x + 2 && area.top <= y + 2 && area.right >= x + box.width - 2
                && area.bottom >= y + box.height - 2;
        });
        const chosen = around || found[0];
        return chosen ? names(chosen) : [];
    });
}"""
