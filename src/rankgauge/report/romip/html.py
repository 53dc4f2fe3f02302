"""html: one page with everything in it, the curves as plots; it needs nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import TextIO

from rankgauge.report.romip.layout import Drawn, Line, Section, sections
from rankgauge.report.romip.plot import COLOURS, plot
from rankgauge.report.romip.words import Words
from rankgauge.romip import TrackResult
from rankgauge.romip.metrics import LEVELS

__all__ = ["write"]

STYLE = """
:root { color-scheme: light dark; --line: #d5d9de; --soft: #f4f6f8; --quiet: #5b6570; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3a4148; --soft: #1d2227; --quiet: #9aa5b0; --link: #7ab8f5; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1080px; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .25rem; border-top: 1px solid var(--line); padding-top: 1.25rem; }
h3 { font-size: 1rem; margin: 0 0 .5rem; font-weight: 600; line-height: 1.3; }
p { margin: 0 0 .75rem; }
a { color: var(--link); }
.quiet { color: var(--quiet); }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; margin: 0; padding: 0; }
.wide { overflow-x: auto; margin-bottom: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .9rem .28rem 0; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; font-weight: 400; white-space: normal; min-width: 9.5rem; }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-weight: 600; }
.points th:first-child, .points td:first-child { text-align: right; min-width: 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 380px), 1fr)); gap: 1.5rem 2rem; }
@media (min-width: 860px) { .plots h3 { min-height: 2.6em; } }
svg { width: 100%; height: auto; display: block; }
svg text { fill: currentColor; font-size: 12px; }
.grid { stroke: var(--line); stroke-width: 1; fill: none; }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: .25rem 0 .75rem; font-size: .9rem; }
.key i { display: inline-block; width: .8rem; height: .8rem; border-radius: 50%; margin-right: .4rem; }
.points { font-size: .85rem; }
figure { margin: 0; min-width: 0; }
@media (max-width: 480px) {
  th, td { padding-right: .55rem; }
  th:first-child, td:first-child { min-width: 6.5rem; }
}
.notes { color: var(--quiet); font-size: .9rem; padding-left: 1.2rem; max-width: 46rem; }
"""


def write(outcome: TrackResult, words: Words, stream: TextIO) -> None:
    """The page."""
    title, found = escape(words.tracks[outcome.track]), sections(outcome, words)
    stream.write(
        f'<!DOCTYPE html>\n<html lang="{words.language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
    stream.write(_contents(found, words) + "<main>\n")
    stream.writelines(part for section in found for part in _section(section, outcome, words))
    notes = "".join(f"<li>{escape(words.note(note))}</li>" for note in outcome.notes)
    stream.write(f'<h2>{words.remarks}</h2>\n<ul class="notes">{notes}</ul>\n</main>\n</body>\n</html>\n')


def _contents(found: list[Section], words: Words) -> str:
    """Links to the sections, where there are several."""
    links = "".join(f'<li><a href="#{escape(section.name)}">{escape(section.name)}</a></li>' for section in found)
    return f'<nav aria-label="{words.contents}"><ul>{links}</ul></nav>\n' if len(found) > 1 else ""


def _section(section: Section, outcome: TrackResult, words: Words) -> Iterator[str]:
    name = escape(section.name)
    yield f'<section>\n<h2 id="{name}">{name}</h2>\n<p class="quiet">{escape(section.meaning)}; '
    yield f"{escape(section.counted)}</p>\n"
    if section.lines:
        yield _table((words.metric, *outcome.runs), (_row(line) for line in section.lines))
    else:
        yield f"<p>{escape(words.nothing)}</p>\n"
    if section.curves:
        yield '<div class="plots">' + "".join(_drawn(drawn, words) for drawn in section.curves) + "</div>\n"
    yield "</section>\n"


def _drawn(drawn: Drawn, words: Words) -> str:
    rows = (
        "".join([f"<th>{level:.1f}</th>", *(f"<td>{cell}</td>" for cell in drawn.cells(place))])
        for place, level in enumerate(LEVELS)
    )
    points = _table((words.recall, *drawn.points), rows, kind="wide points")
    return f"<figure><h3>{escape(drawn.title)}</h3>{plot(drawn, words)}{_key(drawn)}{points}</figure>"


def _key(drawn: Drawn) -> str:
    runs = (
        f'<span><i style="background:{COLOURS[place % len(COLOURS)]}"></i>{escape(run)}</span>'
        for place, run in enumerate(drawn.points)
    )
    return f'<div class="key">{"".join(runs)}</div>'


def _row(line: Line) -> str:
    pairs = zip(line.cells, line.best, strict=True)
    cells = (f"<td><strong>{cell}</strong></td>" if best else f"<td>{cell}</td>" for cell, best in pairs)
    return f"<th>{escape(line.label)}</th>{''.join(cells)}"


def _table(header: Iterable[str], rows: Iterable[str], *, kind: str = "wide") -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    return f'<div class="{kind}"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n'
