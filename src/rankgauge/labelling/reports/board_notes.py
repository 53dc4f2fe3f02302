"""Notes on what a board rests on: its pool, the judges other than people, and the ideal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rankgauge.judgments.llm.machine_judge import is_stretched
from rankgauge.labelling.board import BoardPool
from rankgauge.numeric import FloatArray
from rankgauge.render.numbers import count

LISTED = 6
"""How many looks are listed; of more, only how far apart they are is said."""

TINY = 1e-9
"""Shares that differ from 1 by less are 1, but for rounding."""


def pool_notes(pool: BoardPool, estimates: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """What values rest on: the pool, what is outside of it, and the ideal."""
    before = int(np.count_nonzero(~np.isnan(pool.known)))
    known = f", {before:,} judged before" if before else ""
    sizes = (count(len(pool.runs), "run"), count(len(pool.queries), "query", "queries"))
    yield "pool", f"{', '.join(sizes)}, {count(len(pool.documents), 'document')}{known}"
    targets = [getattr(one, "target", one) for one in estimates]
    yield from judge_notes(pool, targets[0].grades if targets else None)
    for target in targets:
        inside = pool.weight_inside(target.weights)
        if inside.min(initial=1.0) < 1.0 - TINY:
            shares = _shares(inside)
            yield (
                "outside",
                f"{target}: documents outside the pool count as not relevant; inside is {shares} of a run's weight",
            )
    ratios = [str(target) for target in targets if target.ideal is not None]
    if ratios:
        yield "ideal", f"{', '.join(ratios)}: that of the pool, as if all of it were judged"


def judge_notes(pool: BoardPool, scale: FloatArray | None) -> Iterator[tuple[str, str]]:
    """Which judges other than people there are, and what they are taken for."""
    if pool.judges:
        graded = ", ".join(f"{judge.name} (graded {percent(judge.share)} of the pool)" for judge in pool.judges)
        yield "judges", f"{graded}: believed as far as people's labels bear them out, never taken for labels"
        for judge in pool.judges:
            own = np.unique(judge.grades[~np.isnan(judge.grades)])
            if scale is not None and is_stretched(own, scale):
                told = f"{own[0]:g} to {own[-1]:g} are stretched to {scale[0]:g} to {scale[-1]:g}"
                yield "scale", f"{judge.name}: its grades {told} where it is shown by itself"
        learnt = [judge.name for judge in pool.judges if judge.effects is not None]
        if learnt:
            yield "calibrated", f"{', '.join(learnt)}: expected to do as on the other collection until labels differ"


def look_words(looks: Sequence[int]) -> str:
    """After how many labels a goal is looked at."""
    if len(looks) <= LISTED:
        return f"looked at after {', '.join(map(str, looks))} labels"
    return f"looked at after {looks[0]} labels and every {looks[1] - looks[0]} more"


def percent(share: float) -> str:
    """A share in percent; 100 only if nothing is missing."""
    shown = f"{100 * share:.0f}"
    return f"{100 * share:.2f} %" if shown == "100" and share < 1 else f"{shown} %"


def _shares(inside: FloatArray) -> str:
    low, high = (f"{100 * share:.0f}" for share in (inside.min(), inside.max()))
    return f"{low} %" if low == high else f"{low} to {high} %"
