"""A campaign as one HTML page that needs nothing from outside."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import TextIO

from rankgauge.report.active import charts, content
from rankgauge.report.active.shown import Shown

__all__ = ["write"]

MOVED = """The line is the estimate after each of more and more draws, the band its interval. The right edge is the
budget."""


def write(shown: Shown, stream: TextIO) -> None:
    """The page."""
    style = (files("rankgauge.report.compare") / "page.css").read_text(encoding="utf-8")
    own = (files(__package__ or "") / "page.css").read_text(encoding="utf-8")
    title = escape(content.headline(shown))
    eyebrow = f"{shown.name} · {shown.settings.method} · seed {shown.settings.seed}"
    stream.write(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}{own}</style>\n</head>\n<body>\n<main>\n"
        f'<p class="eyebrow">{escape(eyebrow)}</p>\n<h1>{title}</h1>\n{_moved(shown)}{_notes(shown)}'
        "</main>\n</body>\n</html>\n"
    )


def _moved(shown: Shown) -> str:
    drawn = charts.movement(shown.curve, shown.progress.budget, "the estimate over the cost")
    if not drawn:
        return ""
    table = f"<details><summary>the numbers</summary>{_table(shown)}</details>"
    return _section("The estimate over the cost", MOVED, f"<figure>{drawn}</figure>{table}")


def _table(shown: Shown) -> str:
    names = shown.curve.columns
    head = "".join(f'<th class="num">{name}</th>' for name in names)
    rows = "".join(_row(*row) for row in shown.curve.iter_rows())
    return f'<div class="tall"><table><tr>{head}</tr>{rows}</table></div>'


def _row(cost: float, draws: int, *ends: float) -> str:
    cells = [content.amount(cost), f"{draws:,}", *(f"{end:.4f}" for end in ends)]
    return "<tr>" + "".join(f'<td class="num">{cell}</td>' for cell in cells) + "</tr>"


def _notes(shown: Shown) -> str:
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(words)}</dd>" for name, words in content.notes(shown))
    return _section("What it rests on", "", f"<dl>{listed}</dl>")


def _section(title: str, hint: str, body: str) -> str:
    told = f'<p class="hint">{hint}</p>' if hint else ""
    return f"<section>\n<h2>{escape(title)}</h2>\n{told}{body}\n</section>\n"
