"""The table of speed that the README shows, from what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.costs import Cost
from benchmarks.generate import MANY, SIZES, Size
from rankgauge.reference.reference import replace_part

__all__ = ["filled", "table"]

OURS, COMMAND = "rankgauge", "rankgauge evaluate"
SHOWN = (COMMAND, "trec_eval", "pytrec_eval")
"""What the README shows: the whole command, and the fastest peers; the page has all."""


def filled(readme: str, costs: Mapping[str, Mapping[str, Cost]], runs: Mapping[str, Cost]) -> str:
    """The README with its table made anew."""
    return replace_part(readme, "benchmarks", "\n".join([*table(costs, runs), ""]))


def table(costs: Mapping[str, Mapping[str, Cost]], runs: Mapping[str, Cost]) -> Iterator[str]:
    """Yield a line for each tool that is shown: seconds by size, how many times ours they are, and its memory."""
    sizes = [SIZES[name] for name in costs]
    most = max(sizes, key=lambda size: (size.lines, size.judged))
    heads = [*map(_head, sizes), *([f"{MANY} runs, 50 × 1,000 (1,737)"] if runs else [])]
    yield f"| queries × documents (judged) | {' | '.join(heads)} | memory, {_head(most)} |"
    yield "|---|" + "---:|" * (len(heads) + 1)
    for tool in [name for name in SHOWN if name in costs[most.name]]:
        columns = [*(costs[size.name] for size in sizes), *([runs] if runs else [])]
        cells = [_cell(tool, column) for column in columns]
        yield f"| {tool} | {' | '.join(cells)} | {costs[most.name][tool].memory:,.0f} MB |"


def _head(size: Size) -> str:
    return f"{size.queries:,} × {size.depth:,} ({size.judged})"


def _cell(tool: str, costs: Mapping[str, Cost]) -> str:
    """Seconds, and as a multiple of ours: of the whole command's beside trec_eval, of the call's beside libraries."""
    if tool not in costs:
        return "–"
    wall = costs[tool].wall
    if tool in (OURS, COMMAND):
        return f"{wall:.2f} s"
    return f"{wall:.2f} s ({wall / costs[COMMAND if tool == 'trec_eval' else OURS].wall:.1f}×)"
