"""Pictures of runs over collections: a heat map, ranks with their intervals, differences by collection."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankgauge.comparison.collections.board import BEYOND, HERE, CollectionsComparison, MeasuredRuns
from rankgauge.render.numbers import decimal, signed
from rankgauge.render.svg import LETTER, WIDTH, Axis, Drawing, margin, short, ticks
from rankgauge.statistics.student import student_quantile

DRAWN = 40
"""How many runs a chart shows, the best first."""

FORESTS = 4
"""How many pairs have a forest plot."""

ROW, CELL = 22, 46


def heat_map(measured: MeasuredRuns) -> Drawing:
    """A cell for each run and collection: the darker, the further from the collection's mean over these runs."""
    board, order = measured.board, measured.order[:DRAWN]
    scores, names = measured.by_collection, [one.name for one in board.collections]
    left = margin(board.runs[run] for run in order)
    top = 14 + 0.72 * LETTER * max(len(short(name)) for name in names)
    title = f"{measured.measure} by collection"
    lean = 0.72 * LETTER * len(short(names[-1]))
    cell = CELL if len(names) <= 24 else 26
    drawn = Drawing(max(WIDTH, left + cell * len(names) + lean), top + ROW * len(order) + 6, title)
    gap = scores - scores[:, order].mean(axis=1, keepdims=True)
    largest = np.abs(gap[:, order]).max(axis=1, keepdims=True)
    shade = gap / np.where(largest > 0, largest, 1.0)
    for column, name in enumerate(names):
        x = left + (column + 0.5) * cell
        turn = f"rotate(-45 {x:.1f} {top - 6:.1f})"
        drawn.text((x, top - 6), short(name), transform=turn, kind="tick", title=name)
    for row, run in enumerate(order):
        y = top + row * ROW
        drawn.text((left - 8, y + 15), short(board.runs[run]), anchor="end", title=board.runs[run])
        for column, name in enumerate(names):
            x, depth = left + column * cell, float(shade[column, run])
            told = f"{board.runs[run]}, {name}: {decimal(scores[column, run])} ({signed(gap[column, run])})"
            kind = "down" if depth < 0 else "up"
            drawn.rect((x + 0.5, y + 0.5), cell - 1, ROW - 1, kind=kind, opacity=0.04 + 0.54 * abs(depth), title=told)
            if cell == CELL:
                drawn.text((x + cell / 2, y + 15), decimal(scores[column, run], 3), anchor="middle", kind="value")
    return drawn


def rank_chart(measured: MeasuredRuns) -> Drawing:
    """Each run's rank with the ranks that it may have: a bar for the first question that has an answer, else a line."""
    board, order = measured.board, measured.order[:DRAWN]
    left, right, bottom = margin(board.runs[run] for run in order), 14, 8 + ROW * len(order)
    drawn = Drawing(WIDTH, bottom + 38, f"ranks by {measured.measure}")
    ends = {question: measured.ranks(question) for question in (BEYOND, HERE)}
    last = max(2, len(order), *(int(high[order].max()) for _, high in ends.values() if math.isfinite(high[0])))
    across = Axis(low=1, high=last, start=left + 8, end=WIDTH - right)
    for level in sorted({1, *(round(one) for one in ticks(1, last))} - {0}):
        drawn.line((across(level), 0), (across(level), bottom), kind="grid")
        drawn.tick((across(level), bottom + 14), f"{level:g}", "middle")
    drawn.tick(((left + WIDTH - right) / 2, bottom + 32), "rank", "middle")
    for row, run in enumerate(order):
        y = 8 + row * ROW + 7
        drawn.text((left - 8, y + 5), short(board.runs[run]), anchor="end", title=board.runs[run])
        for question, (low, high) in ends.items():
            if math.isfinite(low[run]):
                told = f"{board.runs[run]}: rank {low[run]:.0f} to {high[run]:.0f}"
                x, width = across(low[run]) - 3, across(high[run]) - across(low[run]) + 6
                told += " on these collections" if question == HERE else " on ones like these"
                if question == measured.question:
                    drawn.rect((x, y - 4), width, 8, kind="bar", rx=4, title=told)
                else:
                    drawn.line((x, y + 7), (x + width, y + 7), kind="whisker", title=told)
        drawn.dot((across(row + 1), y), r=4.2, kind="dot")
    return drawn


def forests(measured: MeasuredRuns) -> dict[str, Drawing]:
    """For some pairs the difference on each collection, the mean on these, and on collections like these."""
    board = measured.board
    run, other = board.paired
    place = {name: rank for rank, name in enumerate(measured.order.tolist())}
    nearest = sorted(
        range(len(run)), key=lambda pair: (min(place[run[pair]], place[other[pair]]), _far(pair, place, board))
    )
    return {
        f"{measured.measure}: {board.runs[run[pair]]} − {board.runs[other[pair]]}": _forest(measured, pair)
        for pair in nearest[:FORESTS]
    }


def _far(pair: int, place: dict[int, int], board: CollectionsComparison) -> int:
    return max(place[int(side[pair])] for side in board.paired)


def _forest(measured: MeasuredRuns, pair: int) -> Drawing:
    board, found = measured.board, measured.pair_differences[:, pair]
    row = next(one for n, one in enumerate(measured.pairs().named()) if n == pair)
    lines: list[tuple[str, float, float, float, str]] = []
    for at, one in enumerate(board.collections):
        half = math.nan
        if measured.pair_variances is not None:
            freedom = len(one.queries) - 1
            half = float(student_quantile(freedom, 0.975)) * math.sqrt(measured.pair_variances[at, pair])
        lines.append((one.name, float(found[at]), float(found[at]) - half, float(found[at]) + half, "dot"))
    lines.sort(key=lambda line: -line[1])
    lines.append(("on these", row["difference"], row["low"], row["high"], "up"))
    lines.append(("on ones like these", row["difference"], row["low_beyond"], row["high_beyond"], "up"))
    lines.append(("on one more", math.nan, row["low_next"], row["high_next"], "up"))
    shown = [line for line in lines if math.isfinite(line[2]) or line[4] == "dot"]
    return _whiskers(shown, len(found), f"differences of {row['run']} and {row['other']} by collection")


def _whiskers(lines: Sequence[tuple[str, float, float, float, str]], single: int, title: str) -> Drawing:
    left, right = margin(name for name, *_ in lines), 62
    ends = [end for _, *values, _ in lines for end in values if math.isfinite(end)]
    across = Axis(low=min(0.0, *ends), high=max(0.0, *ends), start=left, end=WIDTH - right)
    bottom = 6 + ROW * len(lines) + 8
    drawn = Drawing(WIDTH, bottom + 20, title)
    for level in across.ticks():
        drawn.line((across(level), 0), (across(level), bottom), kind="grid" if level else "zero")
        drawn.tick((across(level), bottom + 14), f"{level:g}".replace("-", "−"), "middle")
    for row, (name, value, low, high, kind) in enumerate(lines):
        y = 6 + row * ROW + 8 + (8 if row >= single else 0)
        drawn.text((left - 8, y + 5), short(name), anchor="end", title=name)
        if math.isfinite(low) and math.isfinite(high):
            drawn.line((across(low), y), (across(high), y), kind="whisker")
        if math.isfinite(value):
            drawn.dot((across(value), y), r=3.6 if kind == "dot" else 4.6, kind=kind)
            drawn.text((WIDTH - right + 6, y + 5), signed(value, 3), kind="value")
    return drawn
