"""Ranked lists to try measures on: every short one, and longer ones drawn with a seed.

Lists stand in order of length, so the first that breaks a law is also the shortest: nothing has to be shrunk.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter

import numpy as np

from rankgauge.errors import InputError
from rankgauge.measures import Measure
from rankgauge.measures.gains import GAINS
from rankgauge.measures.measure import DEFAULTS
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import UNJUDGED, RankedLists
from rankgauge.ranking.facets import FacetLists
from rankgauge.ranking.lists import Grade

SEED = 20101
BY_SUBTOPIC: tuple[Grade, ...] = ((0.0, 0.0), (1.0, 0.0), (0.0, 2.0), (2.0, 1.0), (3.0, 3.0))
"""The grades on two subtopics that a measure of diversity is tried on."""

_NOT = float("nan")
IN_STRATA: tuple[Grade, ...] = ((0.0, _NOT), (_NOT, 1.0), (1.0, _NOT), (_NOT, 0.0), (_NOT, UNJUDGED), (2.0, _NOT))
"""The grades of documents in either of two strata that a measure of a sample is tried on."""


@dataclass(frozen=True)
class Listed:
    """A list as a person would write it: grades in rank order (None: unjudged), grades missed, falling scores, and how
    many subtopics the query has, if documents are judged by subtopic."""

    grades: tuple[Grade | None, ...]
    missed: tuple[Grade, ...] = ()
    scores: tuple[int, ...] = ()
    facets: int = 0

    def strict(self) -> RankedLists:
        """The list in its order."""
        return RankedLists.of(self.grades, missed=self.missed, facets=self.facets)

    def tied(self) -> RankedLists:
        """The list with its documents of equal score tied."""
        hits = [rank for rank, grade in enumerate(self.grades) if grade is not None]
        first = np.array([self.scores.index(self.scores[hit]) + 1.0 for hit in hits])
        size = np.array([float(self.scores.count(self.scores[hit])) for hit in hits])
        return replace(self.strict(), first=first, size=size)

    def orders(self) -> Iterator[Listed]:
        """Every order that the scores allow."""
        spans = [list(group) for _, group in itertools.groupby(range(len(self.scores)), key=self.scores.__getitem__)]
        for parts in itertools.product(*(itertools.permutations(span) for span in spans)):
            yield replace(self, grades=tuple(self.grades[i] for i in itertools.chain.from_iterable(parts)))

    def swapped(self) -> Iterator[Listed]:
        """The list with a judged document in the place of a lower-graded one above it, for every such pair."""
        judged = [r for r, grade in enumerate(self.grades) if grade is not None and grade != UNJUDGED]
        for above, below in itertools.combinations(judged, 2):
            if _is_lower(self.grades[above], self.grades[below]):
                grades = list(self.grades)
                grades[above], grades[below] = grades[below], grades[above]
                yield replace(self, grades=tuple(grades))

    def condensed(self) -> Listed:
        """The list without its unjudged documents; those of a stratum stay in the pool."""
        known = [r for r, grade in enumerate(self.grades) if grade is not None and not _is_unjudged(grade)]
        lost = tuple(grade for grade in self.grades if isinstance(grade, tuple) and _is_unjudged(grade))
        return replace(
            self,
            grades=tuple(self.grades[r] for r in known),
            missed=self.missed + lost,
            scores=tuple(self.scores[r] for r in known),
        )


class Rows(tuple[Listed, ...]):
    """Lists that a law is tried on: a tuple that computes its hash once, since every law looks it up often."""

    def __hash__(self) -> int:
        if "known" not in vars(self):
            self.known = super().__hash__()
        return self.known


@cache
def changed(rows: Rows, change: Callable[..., Listed], *details: object) -> Rows:
    """Return the lists, each of them changed; computed once for all measures that are tried on the same lists."""
    return Rows(change(row, *details) for row in rows)


@cache
def every(rows: Rows, step: int) -> Rows:
    """Return each list that stands so many places after another."""
    return Rows(rows[::step])


@cache
def apart(rows: Rows, made: Callable[[Listed], RankedLists]) -> tuple[RankedLists, ...]:
    """Return each list as a block of its own, computed once for all measures."""
    return tuple(made(row) for row in rows)


def _is_unjudged(grade: Grade) -> bool:
    """Whether a document of the pool was not judged, on any facet."""
    return not any(one > UNJUDGED for one in (grade if isinstance(grade, tuple) else (grade,)))


def _is_lower(grade: Grade, other: Grade) -> bool:
    """Whether a grade is below another: on some subtopic, and above it on none."""
    pairs = zip(*((one if isinstance(one, tuple) else (one,)) for one in (grade, other)), strict=True)
    return grade != other and all(one <= two for one, two in pairs)


def facets(measure: Measure) -> int:
    """How many subtopics the queries have that the measure is tried on."""
    return 0 if measure.facts.judgments is JudgmentKind.GRADES else 2


@cache
def scale(measure: Measure) -> tuple[Grade, ...]:
    """The grades from 0 to 4 that the measure takes, up to the first that is worth less than a lower one."""
    if facets(measure):
        return IN_STRATA if measure.facts.judgments is JudgmentKind.SAMPLES else BY_SUBTOPIC
    grades = np.array([grade for grade in (0.0, 1.0, 2.0, 3.0, 4.0) if _takes(measure, grade)])
    bound = measure.bound(DEFAULTS)
    worth = GAINS[getattr(bound, "gain", "linear")](grades)
    for grade, gain in getattr(bound, "gains", None) or ():
        worth[grades == grade] = gain
    falls = np.flatnonzero(np.diff(worth) < 0)
    return tuple(grades[: falls[0] + 1] if len(falls) else grades)


def _takes(measure: Measure, grade: float) -> bool:
    try:
        measure.score(RankedLists.of([grade]))
    except InputError:
        return False
    return True


@cache
def lists_on(grades: tuple[Grade, ...]) -> Rows:
    """Return every short list on a scale, and the longer ones that are drawn on it."""
    return Rows(short(grades) + drawn(grades))


@cache
def short(grades: tuple[Grade, ...]) -> tuple[Listed, ...]:
    """Every list of up to three documents on three grades, with every way to tie them, missing nothing or something."""
    levels = (None, grades[0], grades[1], grades[-1])
    lists = [
        Listed(found, missed, _scores(steps), _width(grades))
        for length in range(4)
        for found in itertools.product(levels, repeat=length)
        for steps in itertools.product((0, 1), repeat=max(length - 1, 0))
        for missed in ((), (grades[-1], grades[0]))
    ]
    return tuple(one for one in lists if len(one.scores) == len(one.grades))


@cache
def drawn(grades: tuple[Grade, ...], *, longest: int = 14, number: int = 120) -> tuple[Listed, ...]:
    """Lists drawn at random, the shortest first."""
    rng = np.random.default_rng(SEED)
    lists = []
    for length in sorted(rng.integers(4, longest + 1, number)):
        levels = (None, *(() if grades is IN_STRATA else (UNJUDGED,)), *grades, *grades)
        found = tuple(levels[i] for i in rng.integers(0, len(levels), length))
        missed = tuple(grades[i] for i in rng.integers(0, len(grades), rng.integers(0, 5)))
        lists.append(Listed(found, missed, _scores(rng.integers(0, 2, length - 1)), _width(grades)))
    return tuple(lists)


def _width(grades: tuple[Grade, ...]) -> int:
    """How many subtopics the grades are for."""
    return len(grades[0]) if isinstance(grades[0], tuple) else 0


def _scores(steps: Sequence[int]) -> tuple[int, ...]:
    """Scores that fall by these steps; a step of 0 is a tie."""
    return tuple(int(score) for score in -np.cumsum([0, *steps]))


@cache
def strict(rows: tuple[Listed, ...], *, spare: int = 0) -> RankedLists:
    """The lists in their order, as one block."""
    return stacked([row.strict() for row in rows], spare=spare)


@cache
def tied(rows: tuple[Listed, ...], *, spare: int = 0) -> RankedLists:
    """The lists with their ties, as one block."""
    return stacked([row.tied() for row in rows], spare=spare)


def stacked(rows: Sequence[RankedLists], *, spare: int = 0) -> RankedLists:
    """The lists as one block, padded with NaN to the longest and `spare` columns more, in arrays that refuse to be
    written to."""

    def block(name: str) -> np.ndarray:
        columns = [attrgetter(name)(row) for row in rows]
        cells = np.full((len(rows), max(map(len, columns)) + spare, *columns[0].shape[1:]), np.nan)
        for row, column in zip(cells, columns, strict=True):
            row[: len(column)] = column
        return cells

    averaged = rows[0].tied
    lists = RankedLists(
        ranks=block("ranks"),
        grades=block("grades"),
        ideal=block("ideal"),
        retrieved=np.array([row.retrieved for row in rows], dtype=np.float64),
        first=block("first") if averaged else None,
        size=block("size") if averaged else None,
        facets=_facets(rows, block),
    )
    return frozen(lists)


def _facets(rows: Sequence[RankedLists], block: Callable[[str], np.ndarray]) -> FacetLists | None:
    if rows[0].facets is None:
        return None
    weights = np.array([row.facets.weights for row in rows])
    places = block("facets.places")
    return FacetLists(grades=block("facets.grades"), pool=block("facets.pool"), weights=weights, places=places)


def frozen(lists: RankedLists) -> RankedLists:
    """The same lists in arrays that refuse to be written to."""
    arrays = [lists.ranks, lists.grades, lists.ideal, lists.retrieved, lists.first, lists.size]
    if lists.facets is not None:
        arrays += [lists.facets.grades, lists.facets.pool, lists.facets.weights, lists.facets.places]
    for array in arrays:
        if array is not None:
            array.flags.writeable = False
    return lists
