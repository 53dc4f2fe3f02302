"""What grades and ranks are worth, in words: the notes on gains and on the top of the scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure, parse
from rankgauge.measures.graded.dcg import DCG
from rankgauge.numeric import FloatArray
from rankgauge.policies import ABOVE_ZERO

if TYPE_CHECKING:
    from rankgauge.labelling.board import BoardTarget
    from rankgauge.labelling.target import Target

GAINS: Mapping[str, str] = {
    "linear": "a grade is worth what it says",
    "binary": "1 for any grade above 0",
    "exp": "a grade is worth 2^grade − 1",
    "letor": "grades 0, 1 and 2 are worth 0, 1 and 3, others nothing",
    "mslr": "grades 0 to 4 are worth 0, 1, 3, 7 and 15, others nothing",
    "yahoo": "a grade is worth (2^grade − 1) / 16",
    "ranklib": "a grade is worth 2^grade − 1, of its whole part",
}
DISCOUNTS: Mapping[str, str] = {
    "log2": "a rank is worth 1 / log2(rank + 1)",
    "letor": "ranks 1 and 2 are worth 1, the others 1 / log2(rank)",
    "log2+2": "a rank is worth 1 / log2(rank + 2)",
    "ln": "a rank is worth 1 / ln(rank + 1)",
    "none": "every rank is worth 1",
}
"""What the named gains and discounts are."""

TABLE = "a table of the measure's own"


NO_EFFECT = "no effect"
"""The subject of a note on measures that the chosen threshold or top grade does not change."""

NAMED = 3
"""How many measures a note names before it says how many more there are."""


def worths(dialect: Dialect, measures: Sequence[Measure], highest: float) -> Iterator[tuple[str, str]]:
    """Notes on what grades are worth; `highest` is the highest grade of the judgments."""
    yield from _gains(dialect, measures)
    yield from thresholds(dialect, measures)
    yield from _settings(dialect, measures)
    yield from _top(dialect, measures, highest)


def board_worths(targets: Sequence[BoardTarget], highest: float) -> Iterator[tuple[str, str]]:
    """The same for the targets of a board, under the names that the user wrote; a threshold is that of the scale."""
    told = worths(targets[0].dialect, [parse(target.name) for target in targets], highest)
    return (note for note in told if note[0] != NO_EFFECT)


def thresholds(dialect: Dialect, measures: Sequence[Measure]) -> Iterator[tuple[str, str]]:
    """Notes on the lowest grade that counts as relevant, and on measures that the chosen one does not change."""
    used: dict[float, list[str]] = {}
    for measure in measures:
        rel = dialect.threshold(measure)
        if rel is None and not isinstance(measure, DCG):
            rel = getattr(measure, "rel", None)  # 0: every judged document counts
        if rel is not None and np.isfinite(rel):
            used.setdefault(rel, []).append(str(measure))
    said = [f"{lowest_relevant(rel)} counts as relevant" for rel in used]
    if len(used) > 1 or sum(map(len, used.values())) < len(measures):
        said = [f"{words} ({listed(names)})" for words, names in zip(said, used.values(), strict=True)]
    if said:
        yield "relevant", "; ".join(said)
    if unmoved := dialect.unmoved(measures):
        own = [replace(one, rel=dialect.rel) for one in unmoved if isinstance(one, DCG) and not one.rel]
        hint = f" ({own[0]} has one)" if own else ""
        yield NO_EFFECT, f"a threshold of {dialect.rel:g} changes nothing for {listed([*map(str, unmoved)])}{hint}"


def _settings(dialect: Dialect, measures: Sequence[Measure]) -> Iterator[tuple[str, str]]:
    """A note on parameters that a user set for all measures, and that none of these leaves open."""
    plain = replace(dialect, readings=dialect.registry.get(dialect.name, dialect).readings)
    if dialect.settings and all(dialect.read(measure) == plain.read(measure) for measure in measures):
        yield NO_EFFECT, f"{', '.join(dialect.settings)} changes nothing for {listed([*map(str, measures)])}"


def lowest_relevant(rel: float) -> str:
    """The threshold in words."""
    return "any grade above 0" if rel == ABOVE_ZERO else f"a grade of {rel:g} or more"


def listed(names: Sequence[str]) -> str:
    """The first of the names, and how many more there are."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _gains(dialect: Dialect, measures: Sequence[Measure]) -> Iterator[tuple[str, str]]:
    said: dict[str, list[str]] = {}
    for measure in measures:
        name = getattr(dialect.read(measure), "gain", None)
        if name is not None:
            words = TABLE if getattr(measure, "gains", None) is not None else f"{name}: {GAINS[name]}"
            said.setdefault(words, []).append(str(measure))
    if len(said) == 1:
        yield "gain", next(iter(said))
    elif said:
        yield "gain", "; ".join(f"{words} ({', '.join(names)})" for words, names in said.items())


def _top(dialect: Dialect, measures: Sequence[Measure], highest: float) -> Iterator[tuple[str, str]]:
    """The top of the scale, where a measure depends on it and leaves it open."""
    needing = [measure for measure in measures if measure.needs_top]
    if not needing:
        if not dialect.top_scale and dialect.max_grade != dialects.get(dialect.name).max_grade:
            yield NO_EFFECT, f"a top grade of {dialect.max_grade:g} changes nothing for {listed([*map(str, measures)])}"
        return
    said: dict[str, list[str]] = {}
    for measure in needing:
        spoken, known = dialect.provider(measure), dialects.get(dialect.name).provider(measure).max_grade
        if (top := spoken.max_grade) is not None:
            said_by = f"that of the scale {spoken.top_scale}" if spoken.top_scale else "as you said"
            words = f"{top:g}, {f'as in the dialect {dialect.name}' if top == known else said_by}"
        else:
            other = needing[0].bound({"max_grade": highest + 1})
            words = f"{highest:g}, the highest of the judgments; for a scale that goes further, say {other}"
        said.setdefault(words, []).append(str(measure))
    told = said if len(said) == 1 else [f"{words} ({', '.join(names)})" for words, names in said.items()]
    yield "top grade", "; ".join(told)


def graded(target: Target, grades: FloatArray) -> Iterator[tuple[str, str]]:
    """What the grades of a pool's scale are worth to the measure that is estimated, where that is all that counts."""
    if target.form is not None:
        shown = (", ".join(f"{number:.4g}" for number in numbers) for numbers in (grades, target.worth))
        yield "worth", "grades {} are worth {}".format(*shown)
    else:
        yield from worths(target.dialect, (target.measure,), float(grades.max()))
