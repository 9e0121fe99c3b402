# Copyright: hosting.management contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A page as shops have it, for pictures: with a clock, a slider, and an advert that is another one for each visitor.

All else on it depends on its number alone. It is laid out by a style sheet, without which it collapses.
"""

from __future__ import annotations

import random
from html import escape

UNSTABLE = ("#clock", ".slider", ".advert")
"""The CSS selectors of what each visitor sees otherwise."""

WORDS = (
    "leather",
    "canvas",
    "copper",
    "linen",
    "walnut",
    "oak",
    "brass",
    "wool",
    "amber",
    "slate",
    "cotton",
    "birch",
    "marble",
    "ivory",
    "velvet",
    "cedar",
)
KINDS = (
    "bag",
    "lamp",
    "chair",
    "bowl",
    "jacket",
    "table",
    "mirror",
    "blanket",
    "clock",
    "shelf",
    "basket",
    "scarf",
    "stool",
    "vase",
)
COLOURS = ("#b3541e", "#2f6f4f", "#33508c", "#7a3b69", "#8a6d1d", "#3d6b75")

STYLE = """
body { margin: 0; font: 16px/1.5 "DejaVu Sans", sans-serif; color: #222222; background: #ffffff; }
header { display: flex; align-items: center; gap: 24px; padding: 16px 32px; background: #f2efe9; }
header h1 { margin: 0; font: bold 28px/1.2 "DejaVu Serif", serif; flex: 1; }
nav a { color: #1a4d80; margin-right: 16px; }
#clock { font: 14px/1.4 "DejaVu Sans Mono", monospace; width: 120px; height: 20px; }
#cart { width: 32px; height: 32px; border-radius: 16px; background: #b3541e; }
.slider { height: 240px; display: flex; align-items: center; justify-content: center; color: #ffffff; font-size: 32px; }
main { max-width: 1200px; margin: 0 auto; padding: 24px; }
.products { display: grid; grid-template-columns: repeat(auto-fill, minmax(260px, 1fr)); gap: 24px; }
.product { border: 1px solid #cccccc; padding: 16px; border-radius: 6px; }
.product .image { display: block; width: 100%; height: 160px; }
.product h2 { font: bold 18px/1.3 "DejaVu Serif", serif; margin: 12px 0 4px; }
.product p { margin: 0 0 12px; }
.buy { border: 0; border-radius: 4px; background: #1a6b34; color: #ffffff; padding: 10px 18px; font: inherit; }
.advert { height: 120px; margin: 24px 0; display: flex; align-items: center; justify-content: center; font-size: 22px; }
.fade { animation: appear 3s; }
footer { padding: 32px; background: #2b2b2b; color: #dddddd; }
@keyframes appear { from { opacity: 0; } to { opacity: 1; } }
"""


def storefront(number: int = 1, *, products: int = 12, style_sheet: str = "", extra: str = "", advert: str = "") -> str:
    """Return the page.

    :param style_sheet: the address of the style sheet; without it, the page brings it along.
    :param extra: more CSS.
    :param advert: what stands in place of one of the random adverts.
    """
    always, now = random.Random(number), random.Random()
    style = f'<link rel="stylesheet" href="{escape(style_sheet)}">' if style_sheet else f"<style>{STYLE}</style>"
    cards = "\n".join(_product(always, place) for place in range(products))
    ticks = f"{now.randrange(24):02}:{now.randrange(60):02}:{now.randrange(60):02}.{now.randrange(1000):03}"
    advert = advert or f"Only today: {now.choice(WORDS)} {now.choice(KINDS)} for {now.randrange(5, 500)}"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shop {number}</title><link rel="icon" href="data:,">{style}<style>{extra}</style></head><body>
<header><h1>The {always.choice(WORDS)} house</h1>
<nav>{"".join(f'<a href="#{word}">{word.title()}</a>' for word in always.sample(WORDS, 4))}</nav>
<span id="clock">{ticks}</span><span id="cart"></span></header>
<div class="slider"></div>
<main class="fade"><p class="lead">{_sentence(always, 30)}</p>
<div class="advert" style="background: {now.choice(COLOURS)}; color: #ffffff">{escape(advert)}</div>
<div class="products">{cards}</div>
<p class="about">{_sentence(always, 60)}</p></main>
<footer>{_sentence(always, 20)}</footer>
<script>
const slides = {[f"{word} week" for word in WORDS]!r}, colours = {list(COLOURS)!r};
const slide = () => {{
  const slider = document.querySelector(".slider");
  slider.textContent = slides[Math.floor(Math.random() * slides.length)];
  slider.style.background = colours[Math.floor(Math.random() * colours.length)];
}};
slide();
setInterval(slide, 150);
</script></body></html>"""


def _product(always: random.Random, place: int) -> str:
    name = f"{always.choice(WORDS).title()} {always.choice(KINDS)}"
    colour, other = always.sample(COLOURS, 2)
    picture = (
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 260 160'>"
        f"<rect width='260' height='160' fill='{colour}'/>"
        f"<circle cx='{always.randrange(60, 200)}' cy='80' r='{always.randrange(20, 60)}' fill='{other}'/></svg>"
    ).replace("#", "%23")
    return (
        f'<div class="product" id="product-{place}"><img class="image" loading="lazy" alt=""'
        f' src="data:image/svg+xml,{picture}"><h2>{name}</h2><p>{_sentence(always, always.randrange(8, 16))}</p>'
        f'<button class="buy">Buy for {always.randrange(5, 400)}</button></div>'
    )


def _sentence(always: random.Random, words: int) -> str:
    return " ".join(always.choice(WORDS + KINDS) for _word in range(words)).capitalize() + "."
