"""coordinate-ascent: a linear ranker, optimised one weight at a time.

Metzler & Croft, Linear feature-based models for information retrieval, Information Retrieval 2007. From each start the
weights are taken in random order, and each is moved by the step that raises the measure most, until a round over all of
them gains next to nothing. Of all rounds, the weights that are best on the validation documents are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from rankgauge.constraints import choice_of, real_number, whole_number
from rankgauge.measures.forms import Form, Shape, chance_to_pass
from rankgauge.measures.measure import Aggregate
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.policies import Ties
from rankgauge.training.objective import Objective, divisors_of, taken_apart, weights_of, worths_of
from rankgauge.training.ranker import LinearRanker, Watch, WeightedRound, parameter, weigh_features

CELLS = 1 << 17
"""How many scores are sorted together: few enough for the cache."""
LONGER = 1.25
"""How many times as long as its shortest list the longest of a block may be: shorter ones are padded."""


def sorted_lists(objective: Objective, alike: IndexArray, steps: int) -> Iterator[SortedLists]:
    """Yield the lists that an order can change, those of similar length together, for so many scores of each document.

    Documents with the same number in `alike` are tied. They come in the order that is right for ties.
    """
    form, divisor = taken_apart(objective.kernel)
    assert form is not None
    documents = objective.documents
    divisors = divisors_of(divisor, objective.grades, documents.sizes)
    kept = objective.live & (divisors > 0) & ~objective.short
    chosen = np.flatnonzero(kept[documents.query])
    worth = worths_of(form, objective.grades)[chosen]
    order, worth, own = _order_ties(form, worth, documents.query[chosen], alike[chosen], objective.dialect.ties)
    chosen, sizes, divisors = chosen[order], documents.sizes[kept], divisors[kept]
    starts, order = np.cumsum(sizes) - sizes, np.argsort(sizes, kind="stable")
    while len(order):
        shortest = int(sizes[order[0]])
        fit = int(np.searchsorted(sizes[order], LONGER * shortest, side="right"))
        rows = order[: max(min(fit, CELLS // (steps * shortest)), 1)]
        places = np.arange(int(sizes[rows[-1]]))
        filled = places < sizes[rows][:, np.newaxis]
        source = np.where(filled, starts[rows][:, np.newaxis] + places, 0)
        yield SortedLists(
            form=form,
            documents=np.where(filled, chosen[source], -1),
            worth=np.where(filled, worth[source], 0.0),
            own=own[source],
            divisors=divisors[rows],
        )
        order = order[len(rows) :]


def _order_ties(
    form: Form, worth: FloatArray, query: IndexArray, alike: IndexArray, ties: Ties
) -> tuple[IndexArray, FloatArray, FloatArray]:
    """The documents in the order that is right where their scores are equal, their worths in it, and their own ones.

    Documents that are tied by chance come in the worst order, whatever the rule: a step that only makes ties is none.
    """
    both = query * (alike.max(initial=0) + 1) + alike
    _, group, counts = np.unique(both, return_inverse=True, return_counts=True)
    mean = np.bincount(group, worth) / counts
    within = {Ties.BEST: -worth, Ties.WORST: worth}.get(ties, np.zeros(len(worth)))
    order = np.lexsort((within, group, mean[group], query))
    worth, own, sizes = worth[order], np.ones(len(worth)), counts[group[order]]
    if ties is Ties.EXPECTED:
        for size in np.unique(sizes[sizes > 1]):
            rows = np.flatnonzero(sizes == size).reshape(-1, size)
            worth[rows], own[rows] = _AVERAGED[form.shape](worth[rows])
    return order, worth, own


def _precision(worth: FloatArray) -> tuple[FloatArray, FloatArray]:
    """As in McSherry & Najork 2008: if the document at place p of m is relevant, so are (r − 1)/(m − 1) of the others.

    The places before it count r/m each already; `own` makes up the difference.
    """
    places, size = np.arange(worth.shape[1]), worth.shape[1]
    relevant = worth.sum(axis=1, keepdims=True)
    own = 1.0 + places * ((relevant - 1.0) / (size - 1.0) - relevant / size)
    return np.broadcast_to(relevant / size, worth.shape), own


def _cascade(stop: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return for each place the chance that a user who gets there stops."""
    passed = chance_to_pass(stop)
    before = np.where(passed[:, :-1] > 0, passed[:, :-1], 1.0)
    return 1.0 - passed[:, 1:] / before, np.ones(stop.shape)


_AVERAGED: Mapping[Shape, Callable[[FloatArray], tuple[FloatArray, FloatArray]]] = {
    Shape.LINEAR: lambda worth: (np.repeat(worth.mean(axis=1, keepdims=True), worth.shape[1], 1), np.ones(worth.shape)),
    Shape.PRECISION: _precision,
    Shape.CASCADE: _cascade,
}
"""What documents that are tied are worth place by place (groups × places), and their own."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SortedLists:
    """Lists of similar length, padded to the longest."""

    form: Form
    documents: IndexArray
    """The documents of each list; −1 is padding."""
    worth: FloatArray
    """What each document is worth: of tied ones, what the document in that place is worth on average."""
    own: FloatArray
    """What each document adds to the number of relevant ones down to its own rank, on average, if it is relevant."""
    divisors: FloatArray

    def values(self, scores: FloatArray, column: FloatArray, steps: FloatArray) -> FloatArray:
        """Return the value of each list after steps from the scores along the column (steps × lists)."""
        width = self.documents.shape[1]
        depth = width if self.form.cutoff is None else min(int(self.form.cutoff), width)
        at = self._rank(scores, column, steps, depth)
        weights, worth = weights_of(self.form, np.arange(1.0, depth + 1)), self.worth.ravel().take(at)
        match self.form.shape:
            case Shape.PRECISION:
                before = np.cumsum(worth, axis=-1)
                before -= worth
                before += self.own.ravel().take(at)
                worth *= before
            case Shape.CASCADE:
                passed = np.cumprod(1.0 - worth, axis=-1)
                worth[..., 1:] *= passed[..., :-1]
        return np.asarray(worth @ weights / self.divisors)

    def _rank(self, scores: FloatArray, column: FloatArray, steps: FloatArray, depth: int) -> IndexArray:
        """Return where the documents of the first ranks are in the flat lists (steps × lists × ranks)."""
        start, slope = scores[self.documents], column[self.documents]
        # The highest score is the least number, and all are above 0: then numbers are in the order of their bits.
        most = 1.0 + np.abs(start).max() + np.abs(steps).max() * np.abs(slope).max()
        start = np.where(self.documents < 0, 4.0 * most, most - start)
        after = steps[:, np.newaxis, np.newaxis] * -slope
        after += start
        keys, width, low = after.view(np.int64), self.documents.shape[1], self.documents.size.bit_length()
        keys &= -1 << low
        keys |= np.arange(self.documents.size).reshape(self.documents.shape)
        if depth < width:
            keys.partition(depth - 1, axis=-1)
            keys = keys[..., :depth]
        keys.sort(axis=-1)
        keys &= (1 << low) - 1
        return keys


SHORTEST, DOUBLINGS = 2.0**-9, 10
"""The shortest step, given weights whose sizes add up to 1, and how often it doubles."""

_SIZES = np.ravel(SHORTEST * np.exp2(np.arange(DOUBLINGS))[:, np.newaxis] * [1.0, 1.5])
STEPS: FloatArray = np.concatenate([-_SIZES[::-1], _SIZES])
"""The steps: two to each doubling, evenly spaced, and their negatives."""


class LineSearch:
    """The values of scores after steps along a feature, for any measure: each step is an evaluation.

    `columns` has a row for each feature.
    """

    def __init__(self, objective: Objective, columns: FloatArray) -> None:
        self.objective, self.columns = objective, columns

    def start(self, scores: FloatArray) -> None:
        """Make these the scores to step from."""
        self.scores, self.value = scores, self.objective.mean(scores)
        (self._level,) = self._after(np.zeros_like(scores), np.zeros(1))

    def best(self, feature: int) -> float:
        """The step along the feature that gives the largest value, the shortest if several do; 0 if none raises it."""
        levels = self.along(feature)
        high = levels.max()
        if not high > self._level:
            return 0.0
        step = float(min(STEPS[levels == high], key=abs))
        after = self.scores + step * self.columns[feature]
        value = self.objective.mean(after)
        if not value > self.value:
            return 0.0
        self.scores, self.value, self._level = after, value, high
        return step

    def along(self, feature: int) -> FloatArray:
        """Return the level after each step along the feature: a number that grows with the value."""
        return self._after(self.columns[feature], STEPS)

    def _after(self, column: FloatArray, steps: FloatArray) -> FloatArray:
        values = self.objective.table(self.scores[:, np.newaxis] + column[:, np.newaxis] * steps)
        return np.array([self.objective.overall(row) for row in values])


class SortedSearch(LineSearch):
    """The search for a measure that states its form: the scores after all steps are sorted together."""

    def __init__(self, objective: Objective, columns: FloatArray) -> None:
        super().__init__(objective, columns)
        # One number for all features: the same for documents with the same features, and in practice for no others.
        mixed = weigh_features(columns.T, np.random.default_rng(0).normal(size=len(columns)))
        self._kinds = np.unique(mixed, return_inverse=True)[1]

    def start(self, scores: FloatArray) -> None:
        levels, level = np.unique(scores, return_inverse=True)
        self._lists = [*sorted_lists(self.objective, self._kinds * len(levels) + level, len(STEPS))]
        super().start(scores)

    def _after(self, column: FloatArray, steps: FloatArray) -> FloatArray:
        after_step = (lists.values(self.scores, column, steps) for lists in self._lists)
        values = np.hstack([np.zeros((len(steps), 0)), *after_step])
        if self.objective.measure.facts.aggregate is Aggregate.GEOMETRIC:
            return np.array([self.objective.overall(row) for row in values])
        return np.asarray(values.sum(axis=1))


def line_search(objective: Objective, columns: FloatArray) -> LineSearch:
    """Return the fastest search: by sorted lists if the measure states its form and lists are not cut."""
    form, _ = taken_apart(objective.kernel)
    whole = objective.dialect.depth is None and not objective.measure.judged_only
    formed = form is not None and form.shape in _AVERAGED and whole and bool(np.isfinite(objective.grades).all())
    return (SortedSearch if formed else LineSearch)(objective, columns)


class CoordinateAscent(LinearRanker):
    """A weighted sum of features that makes any measure large, under any dialect.

    `restarts` counts the starts, `iterations` the rounds over all weights from each of them at most; a round that gains
    less than `tolerance` is the last. The first start has equal weights; the others are drawn evenly from the simplex.
    `keep` says what may be kept, by its value on the validation documents: the weights after any round, or those after
    the last round of a start.
    """

    name = "coordinate-ascent"
    quick = {"restarts": 2, "iterations": 3}

    restarts: int = parameter(whole_number(), default=5)
    iterations: int = parameter(whole_number(), default=25)
    tolerance: float = parameter(real_number(), default=0.0001)
    keep: str = parameter(choice_of("round", "start"), default="round")

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        self.weights_ = np.zeros(self.n_features_in_)
        self._keep_best(self._climbs(train), self.restarts * self.iterations, validation, watch)

    def _climbs(self, train: Objective) -> Iterator[WeightedRound]:
        """Yield each round, start by start; none if every order is as good."""
        scale = train.documents.spread
        used = np.flatnonzero(scale)
        if not train.live.any() or not len(used):
            return
        live = train.of_queries(train.live)
        columns = np.ascontiguousarray((live.documents.matrix[:, used] / scale[used]).T)
        search, rng = line_search(live, columns), self._generator()
        for restart in range(self.restarts):
            start = rng.dirichlet(np.ones(len(used))) if restart else np.full(len(used), 1.0 / len(used))
            rounds = enumerate(self._climb(search, start, rng), start=1)
            for n, climbed in rounds if self.keep == "round" else deque(rounds, maxlen=1):
                weights = np.zeros(len(scale))
                weights[used] = climbed / scale[used]
                value = train.mean(weigh_features(train.documents.matrix, weights))
                yield WeightedRound(number=restart * self.iterations + n, weights=weights, value=value)

    def _climb(self, search: LineSearch, weights: FloatArray, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield the weights after each round over all of them; before each round their sizes add up to 1."""
        for _ in range(self.iterations):
            weights = weights / np.abs(weights).sum()
            search.start(weigh_features(search.columns.T, weights))
            before = search.value
            for feature in rng.permutation(len(weights)):
                weights[feature] += search.best(feature)
            yield weights
            if search.value - before < self.tolerance:
                return
