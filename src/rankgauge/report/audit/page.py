"""An audit as one HTML page that needs nothing from outside: for people who never heard of dialects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from itertools import combinations
from typing import Any, TextIO

import numpy as np

from rankgauge.audit import Attribution, Audit, headline, movers, preferences
from rankgauge.audit.cause import CAUSES
from rankgauge.report.audit import charts, content
from rankgauge.report.audit.content import Table

__all__ = ["write"]


def write(audit: Audit, stream: TextIO) -> None:
    """The page."""
    here = files(__package__ or "")
    style, script = ((here / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    runs = ", ".join(audit.scores)
    stream.write(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(str(audit.measure))} of {escape(runs)} by tool</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{''.join(_sections(audit))}</main>\n"
        f"{_scripts(audit, script)}</body>\n</html>\n"
    )


def _scripts(audit: Audit, script: str) -> str:
    """What draws the parts of the differences, where there are tools to compare."""
    if len(audit.dialects) < 2:
        return ""
    data = f'<script type="application/json" id="attributions">{_embedded(_attributions(audit))}</script>\n'
    return f"{data}<script>\n{script}</script>\n"


def _sections(audit: Audit) -> Iterator[str]:
    yield from _head(audit)
    yield _section("What to do", "", _advice(audit))
    if len(audit.dialects) > 1:
        yield _section("Why the tools differ", WHY.format(base=escape(audit.base.name)), _parts(audit))
    if audit.several:
        yield _section("Which run is better", "", _verdict(audit))
    if audit.cutoffs:
        charted = (f"{_run_title(audit, run)}<figure>{charts.lines(audit, run)}</figure>" for run in audit.scores)
        yield _section("By cutoff", CUTOFFS, f'<div class="scroll">{"".join(charted)}</div>')
    yield _section("The queries that matter most", MOVERS, "".join(_movers(audit, run) for run in audit.scores))
    yield _section("All numbers", "", "".join(_numbers(audit, run) for run in audit.scores))
    yield FOOTER


WHY = """Each bar is the difference between a tool and <b>{base}</b>, or another tool that you choose, taken apart into
the choices that cause it: to the right what lifts the score, to the left what lowers it. The sentence at the top of the
page splits the gap between the lowest and the highest tool."""
CUTOFFS = """How the score goes with the number of documents that count. Tools that agree everywhere share a line."""
MOVERS = """Queries on which the tools are furthest apart. Each dot is what one or more tools give the query, from 0 on
the left to 1 on the right; "alike" counts the queries to which every tool gives the very same values."""
FOOTER = """<footer><p>The parts of a difference are Shapley values: the mean, over all orders in which the choices can
be switched from one tool's to the other's, of what each switch changes. They sum to the difference exactly. Every tool
is computed by RankGauge's dialect of it; <code>rankgauge dialects show NAME</code> says what each does.</p></footer>
"""


def _head(audit: Audit) -> Iterator[str]:
    first = next(iter(audit.scores))
    found = headline(audit, first)
    facts = (str(audit.measure), ", ".join(audit.scores), f"{len(audit.conditions[first].queries)} queries")
    yield f'<p class="eyebrow">{escape(" · ".join(facts))}</p>\n'
    yield f"<h1>{escape(found.gap)}</h1>\n"
    yield f'<p class="lead">{escape(found.cause)}</p>\n'
    if audit.several:
        hues = {run: charts.colour(place) for place, run in enumerate(audit.scores)}
        chart = charts.legend(hues, rounded=True) + charts.dots(audit)
    else:
        chart = charts.bars(audit, first)
    standard = (
        f"<b>{escape(audit.base.name)}</b> is the definition of the papers. " if audit.base.name == "standard" else ""
    )
    hint = f"{standard}Every other line is what one tool computes for the very same documents in the same order."
    yield _section(f"{audit.measure} by tool", hint, chart)


def _advice(audit: Audit) -> str:
    told = content.advice(audit)
    cards = "".join(f"<div><h3>{escape(title)}</h3><p>{escape(words)}</p></div>" for title, words in told)
    return f'<div class="advice">{cards}</div>'


def _parts(audit: Audit) -> str:
    names = [dialect.name for dialect in audit.dialects]
    picks = [f'<label>compare with <select id="base">{_options(names)}</select></label>']
    if audit.several:
        picks.append(f'<label>run <select id="run">{_options(list(audit.scores))}</select></label>')
    first, hues = next(iter(audit.scores)), _hues(audit)
    shown = {cause.name: hues[cause.name] for cause in audit.told_causes}
    settings = "".join(f"<dt>{escape(n)}</dt><dd>{escape(w)}</dd>" for n, w in content.settings(audit))
    return (
        f'<div class="pick">{"".join(picks)}</div>{charts.legend(shown)}<div class="parts" id="parts"></div>'
        f"<noscript>{_table(content.why(audit, first), audit)}</noscript>"
        f"<h3>What the choices are</h3><dl>{settings}</dl>"
    )


def _options(names: list[str]) -> str:
    return "".join(f'<option value="{escape(name)}">{escape(name)}</option>' for name in names)


def _hues(audit: Audit) -> dict[str, str]:
    """Each cause's colour; those that show come first."""
    order = [*audit.told_causes, *(cause for cause in CAUSES.values() if cause not in audit.told_causes)]
    return {cause.name: charts.colour(place) for place, cause in enumerate(order)}


def _attributions(audit: Audit) -> dict[str, Any]:
    """By run, base and tool: the difference and its parts."""
    return {
        "first": next(iter(audit.scores)),
        "colours": _hues(audit),
        "runs": {run: _differences(audit, run) for run in audit.scores},
    }


def _differences(audit: Audit, run: str) -> dict[str, dict[str, Any]]:
    """Every pair of tools; the parts of B − A are those of A − B with the other sign."""
    ranked = list(reversed(audit.ranked(run)))
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for one, other in combinations(ranked, 2):
        parts = audit.attribution(run, other, one)
        found[one.name, other.name] = _difference(audit, run, parts, 1.0)
        found[other.name, one.name] = _difference(audit, run, parts, -1.0)
    return {
        base.name: {tool.name: found[base.name, tool.name] for tool in ranked if tool is not base} for base in ranked
    }


def _difference(audit: Audit, run: str, found: Attribution, sign: float) -> dict[str, Any]:
    conditions = audit.conditions[run]
    base, other = (found.base, found.other) if sign > 0 else (found.other, found.base)
    parts = [
        (part.cause.name, sign * part.amount, part.cause.told(base, other, audit.measure, conditions))
        for part in found.mattering
    ]
    return {"difference": None if np.isnan(found.difference) else sign * found.difference, "parts": parts}


def _verdict(audit: Audit) -> str:
    verdict = preferences(audit)
    told = "".join(f"<dt>{escape(runs)}</dt><dd>{escape(words)}</dd>" for runs, words in content.verdicts(verdict))
    test = f"Luck: paired t test and randomisation test over queries (seed {verdict.seed}), both at 5 %."
    return f'{_table(content.orders(audit, verdict), audit)}<dl>{told}</dl><p class="hint">{test}</p>'


def _movers(audit: Audit, run: str) -> str:
    rows = "".join(
        f'<tr><td>{escape(mover.query)}</td><td class="num">{mover.like}</td><td class="num">{mover.documents}</td>'
        f'<td class="num">{mover.relevant}</td><td>{charts.strip(mover)}</td>'
        f"<td>{'</td><td>'.join(map(escape, (*content.low_and_high(mover), content.kinds(mover))))}</td></tr>"
        for mover in movers(audit, run, most=12)
    )
    if not rows:
        return f"{_run_title(audit, run)}<p>None: every query has one value.</p>"
    names = ("query", "alike", "documents", "relevant", "0 to 1", "lowest", "highest", "what it is like")
    head = "".join(f'<th class="{"num" if name in names[1:4] else ""}">{name}</th>' for name in names)
    return f'{_run_title(audit, run)}<div class="scroll"><table class="movers"><tr>{head}</tr>{rows}</table></div>'


def _numbers(audit: Audit, run: str) -> str:
    parts = [_run_title(audit, run), _table(content.why(audit, run), audit)]
    if audit.cutoffs:
        parts.append(f"<details><summary>by cutoff</summary>{_table(content.cutoffs(audit, run), audit)}</details>")
    return "".join(parts)


def _run_title(audit: Audit, run: str) -> str:
    return f"<h3>{escape(run)}</h3>" if audit.several else ""


def _table(shown: Table, audit: Audit) -> str:
    rows = (_row(shown, row, "td", "is-base" if row[0] == audit.base.name else "") for row in shown.rows)
    return f'<div class="scroll"><table>{_row(shown, shown.header, "th", "")}{"".join(rows)}</table></div>'


def _row(shown: Table, row: tuple[str, ...], tag: str, kind: str) -> str:
    cells = (
        f'<{tag} class="{"num" if name in shown.numbers else ""}">{escape(cell)}</{tag}>'
        for name, cell in zip(shown.header, row, strict=True)
    )
    return f'<tr class="{kind}">{"".join(cells)}</tr>'


def _section(title: str, hint: str, body: str) -> str:
    told = f'<p class="hint">{hint}</p>' if hint else ""
    return f"<section>\n<h2>{escape(title)}</h2>\n{told}{body}\n</section>\n"


def _embedded(document: dict[str, Any]) -> str:
    """JSON that no browser takes for the end of its script."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False).replace("</", "<\\/")
