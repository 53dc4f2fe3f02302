"""The table of speed that the README shows, from what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.costs import Cost
from benchmarks.generate import SIZES, Size
from rankgauge.report.reference import replaced

__all__ = ["filled", "table"]

OURS = "rankgauge"


def filled(readme: str, costs: Mapping[str, Mapping[str, Cost]]) -> str:
    """The README with its table made anew."""
    return replaced(readme, "benchmarks", "\n".join([*table(costs), ""]))


def table(costs: Mapping[str, Mapping[str, Cost]]) -> Iterator[str]:
    """A line for each tool: seconds by size, how many times ours they are, and the memory of the largest size."""
    sizes = [SIZES[name] for name in costs]
    most = max(sizes, key=lambda size: (size.lines, size.judged))
    yield f"| queries × documents (judged) | {' | '.join(map(_head, sizes))} | memory, {_head(most)} |"
    yield "|---|" + "---:|" * (len(sizes) + 1)
    for tool in costs[most.name]:
        cells = [_cell(costs[size.name][tool], costs[size.name][OURS]) for size in sizes]
        yield f"| {tool} | {' | '.join(cells)} | {costs[most.name][tool].memory:,.0f} MB |"


def _head(size: Size) -> str:
    return f"{size.queries:,} × {size.depth:,} ({size.judged})"


def _cell(cost: Cost, ours: Cost) -> str:
    return f"{cost.wall:.2f} s" if cost is ours else f"{cost.wall:.2f} s ({cost.wall / ours.wall:.1f}×)"
