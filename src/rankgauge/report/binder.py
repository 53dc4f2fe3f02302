"""Several pages bound into one file, with a cover that says in a sentence what each of them found.

Each page keeps its own styles and scripts: it lives in a frame that the file itself holds, so that nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

__all__ = ["Bound", "bind"]

COVER = "At a glance"


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A page: what it is called, the question it answers, what it found, and itself."""

    name: str
    question: str
    finding: str
    page: str


def bind(title: str, hint: str, pages: Sequence[Bound]) -> str:
    """One page with a tab for each."""
    style = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    names = [COVER, *(page.name for page in pages)]
    tabs = "".join(_tab(n, name) for n, name in enumerate(names))
    frames = "".join(
        f'<iframe class="leaf leaf{n}" title="{escape(page.name)}" srcdoc="{escape(page.page)}"></iframe>'
        for n, page in enumerate(pages, start=1)
    )
    shown = "".join(f"#tab{n}:checked ~ .leaf{n} {{ display: block; }}\n" for n in range(len(names)))
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{style}{shown}</style></head><body>"
        f"{tabs}{_cover(title, hint, pages)}{frames}</body></html>\n"
    )


def _tab(number: int, name: str) -> str:
    chosen = "" if number else " checked"
    return f'<input type="radio" name="tab" id="tab{number}"{chosen}><label for="tab{number}">{escape(name)}</label>'


def _cover(title: str, hint: str, pages: Sequence[Bound]) -> str:
    rows = "".join(
        f'<li><label for="tab{n}"><span>{escape(page.question)}</span><strong>{escape(page.finding)}</strong>'
        f"<em>{escape(page.name)} →</em></label></li>"
        for n, page in enumerate(pages, start=1)
    )
    return f'<main class="leaf leaf0"><h1>{escape(title)}</h1><p>{escape(hint)}</p><ol>{rows}</ol></main>'
