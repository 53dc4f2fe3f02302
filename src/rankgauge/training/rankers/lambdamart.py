"""LambdaMART: boosted trees that follow the swaps of a measure, grown by LightGBM.

Lambdas are the gradient that it follows, for any measure under any dialect. Burges, From RankNet to LambdaRank to
LambdaMART, MSR-TR-2010-82: each pair of documents pulls its better one up and the other down with the slope of the
logistic loss, times what their swap would change. The better one is the one that gives the larger value when it comes
first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.constraints import real_number, whole_number
from rankgauge.errors import MissingExtraError
from rankgauge.measures import Measure
from rankgauge.measures.forms import Form, Shape
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking import RankedLists
from rankgauge.ranking.arrays import pad_groups
from rankgauge.training.objective import Discounted, Divisor, Objective, taken_apart, weights_of
from rankgauge.training.ranker import Ranker, Watch, parameter
from rankgauge.training.trees import BoostedTree, lightgbm_text, lightgbm_trees

SWAPPED = 1 << 20
"""How many grades of swapped lists are scored together."""


def swaps_of(objective: Objective, most: int) -> Closed | Rescored:
    """Return the swaps of an objective; without a closed form, `most` of each list are tried.

    Their `gains` are how much the value grows when the documents at two places are swapped (lists × tops × places), for
    lists of grades in the order of their scores, padded with NaN. The first place is among the first `tops`, the second
    is behind it; elsewhere, and on padding, it is 0.
    """
    if isinstance(objective, Discounted):  # what the sum is divided by is up to the objective
        return Closed(form=objective.form)
    form, divisor = taken_apart(objective.kernel)
    if form is not None and form.shape in _GAINS:
        return Closed(form=form, divisor=divisor)
    return Rescored(kernel=objective.kernel, most=most)


@dataclass(frozen=True, kw_only=True)
class Closed:
    """The swaps of a form, in closed form."""

    form: Form
    divisor: Divisor | None = None

    def gains(self, grades: FloatArray, tops: int, rng: np.random.Generator) -> FloatArray:
        lists = _lists(grades, grades if self.divisor is None else -np.sort(-grades, axis=1))
        weight = weights_of(self.form, np.arange(1.0, grades.shape[1] + 1))
        gains = _GAINS[self.form.shape](self.form.worth(lists), weight, tops) * _behind(grades, tops)
        divisor = None if self.divisor is None else self.divisor(lists)
        return gains if divisor is None else gains / np.where(divisor > 0, divisor, np.inf)[:, np.newaxis, np.newaxis]


def _linear(worth: FloatArray, weight: FloatArray, tops: int) -> FloatArray:
    """Σ w_r u_r: the difference of worths times that of weights."""
    return (worth[:, np.newaxis] - worth[:, :tops, np.newaxis]) * (weight[:tops, np.newaxis] - weight)


def _cascade(worth: FloatArray, weight: FloatArray, tops: int) -> FloatArray:
    """Σ w_r p_r Π (1 − p before): for a swap of i and j, R_i (p_j − p_i) (w_i − M_ij − E_ij w_j).

    R_i is the chance to reach i, E_ij the chance to pass everything between i and j, and M_ij what that adds.
    """
    reached = _before(np.cumprod(1.0 - worth, axis=1, dtype=np.float64), 1.0)
    gains = np.zeros((len(worth), tops, worth.shape[1]))
    for i in range(tops):
        later = worth[:, i + 1 :]
        passed = _before(np.cumprod(1.0 - later, axis=1, dtype=np.float64), 1.0)
        between = _before(np.cumsum(weight[i + 1 :] * later * passed, axis=1), 0.0)
        moved = weight[i] - between - passed * weight[i + 1 :]
        gains[:, i, i + 1 :] = reached[:, i, np.newaxis] * (later - worth[:, i, np.newaxis]) * moved
    return gains


def _precision(worth: FloatArray, weight: FloatArray, tops: int) -> FloatArray:
    """Σ relevant_r C_r / r: a swap moves one precision, and adds or removes 1 / r at each relevant rank between."""
    counted, shared = np.cumsum(worth, axis=1), np.cumsum(worth * weight, axis=1)
    upper = (_before(counted, 0.0) + 1.0) * weight - shared
    pairs = upper[:, :tops, np.newaxis] + (_before(shared, 0.0) - counted * weight)[:, np.newaxis]
    pairs *= worth[:, np.newaxis] - worth[:, :tops, np.newaxis]
    return np.asarray(pairs)


_GAINS: Mapping[Shape, Callable[[FloatArray, FloatArray, int], FloatArray]] = {
    Shape.LINEAR: _linear,
    Shape.CASCADE: _cascade,
    Shape.PRECISION: _precision,
}
"""The gains from the worth of each document and the weight of each place, 0 past the cutoff."""


@dataclass(frozen=True, kw_only=True)
class Rescored:
    """Any measure: the swapped lists are scored.

    Behind the first `tops` only the grade matters, so one document represents all of its grade. If more than `most`
    swaps of a list remain, that many are drawn at random and weighted up.
    """

    kernel: Measure
    most: int

    def gains(self, grades: FloatArray, tops: int, rng: np.random.Generator) -> FloatArray:
        place, ideal = np.arange(grades.shape[1]), -np.sort(-grades, axis=1)
        alike = np.broadcast_to(place, grades.shape) if self.kernel.depth != tops else _alike(grades, tops)
        differ = (grades[:, np.newaxis] != grades[:, :tops, np.newaxis]) & _behind(grades, tops)
        tried = differ & (alike == place)[:, np.newaxis]
        counts = tried.sum(axis=(1, 2))
        for row in np.flatnonzero(counts > self.most).tolist():
            left_out = rng.permutation(np.flatnonzero(tried[row]))[self.most :]
            tried[row].reshape(-1)[left_out] = False
        at, before = np.nonzero(tried), self.kernel.score(_lists(grades, ideal))
        changes, step = np.zeros(len(at[0])), max(SWAPPED // grades.shape[1], 1)
        for start in range(0, len(changes), step):
            lists, i, j = (places[start : start + step] for places in at)
            swapped, line = grades[lists], np.arange(len(lists))
            swapped[line, i], swapped[line, j] = grades[lists, j], grades[lists, i]
            changes[start : start + step] = self.kernel.score(_lists(swapped, ideal[lists])) - before[lists]
        gains = np.zeros(differ.shape)
        gains[at] = np.nan_to_num(changes, nan=0.0) * np.maximum(counts / self.most, 1.0)[at[0]]
        copied = np.broadcast_to(alike[:, np.newaxis], differ.shape)
        return np.asarray(np.take_along_axis(gains, copied, axis=2) * differ)


def _lists(grades: FloatArray, ideal: FloatArray) -> RankedLists:
    listed = ~np.isnan(grades)
    ranks = np.where(listed, np.arange(1.0, grades.shape[1] + 1), np.nan)
    return RankedLists(ranks=ranks, grades=grades, ideal=ideal, retrieved=listed.sum(axis=1).astype(np.float64))


def _behind(grades: FloatArray, tops: int) -> BoolArray:
    """Return where the second place is behind the first, and both hold a document."""
    place = np.arange(grades.shape[1])
    return np.asarray((place > place[:tops, np.newaxis]) & ~np.isnan(grades)[:, np.newaxis])


def _before(sums: FloatArray, first: float) -> FloatArray:
    """Sums or products of everything before each place."""
    return np.concatenate([np.full((len(sums), 1), first), sums[:, :-1]], axis=1)[:, : sums.shape[1]]


def _alike(grades: FloatArray, tops: int) -> IndexArray:
    """For each place the first one behind the tops with the same grade; for tops and padding, the place itself."""
    alike = np.broadcast_to(np.arange(grades.shape[1]), grades.shape).copy()
    for grade in np.unique(grades[:, tops:][~np.isnan(grades[:, tops:])]):
        same = grades == grade
        same[:, :tops] = False
        alike = np.where(same, same.argmax(axis=1)[:, np.newaxis], alike)
    return alike


CELLS = 1 << 18
"""How many pairs are computed together: few enough for the cache."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Lambdas:
    """The slope and the curvature of the objective by each document's score."""

    objective: Objective
    tops: int
    """One document of each pair is among the first `tops`."""
    most: int
    rng: np.random.Generator

    def __call__(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        swaps = swaps_of(self.objective, self.most)
        slopes, curves = np.zeros(len(scores)), np.zeros(len(scores))
        for documents, grades, norms in self._lists:
            listed = ~np.isnan(grades)  # padding is last, before and after documents are sorted
            padded = np.where(listed, scores[documents], -np.inf)
            order = np.argsort(-padded, axis=1, kind="stable")
            documents, grades, padded = (
                np.take_along_axis(values, order, axis=1) for values in (documents, grades, padded)
            )
            gains = swaps.gains(grades, min(self.tops, padded.shape[1]), self.rng) / norms[:, np.newaxis, np.newaxis]
            lists, tops, width = gains.shape
            # Most swaps are of documents with equal grades, and change nothing.
            pair = np.flatnonzero(gains)
            line, lower = pair // width, pair % width
            row = line // tops
            lower += row * width
            upper = line - row * tops + row * width
            flat, gain = np.where(listed, padded, 0.0).ravel(), gains.ravel()[pair]
            # If a swap gains, the upper document should be below: it is pulled down, and the lower one up, by the
            # logistic function, computed by a faster one.
            wrong = 0.5 + 0.5 * np.tanh(np.copysign(0.5, gain) * (flat[upper] - flat[lower]))
            force = gain * wrong
            bend, cells, kept = np.abs(force) * (1.0 - wrong), lists * width, listed.ravel()
            for totals, amount, sign in ((slopes, force, -1.0), (curves, bend, 1.0)):
                pulled = np.bincount(upper, amount, cells) + np.bincount(lower, sign * amount, cells)
                totals[documents[listed]] = pulled[kept]
        return slopes, curves

    @cached_property
    def _lists(self) -> list[tuple[IndexArray, FloatArray, FloatArray]]:
        """Lists of similar length: documents and grades, padded with NaN, and what their values are divided by."""
        sizes, grades = self.objective.documents.sizes, self.objective.grades
        norms = self.objective.ideal if isinstance(self.objective, Discounted) else np.ones(len(sizes))
        lists = []
        for rows, (padded, numbers) in pad_groups(sizes, grades, np.arange(len(grades), dtype=np.float64)):
            places = np.nan_to_num(numbers).astype(np.int64)
            step = max(CELLS // (padded.shape[1] * min(self.tops, padded.shape[1])), 1)
            for at in range(0, len(rows), step):
                some = slice(at, at + step)
                lists.append((places[some], padded[some], norms[rows[some]]))
        return lists


try:
    import lightgbm
except ImportError:
    raise MissingExtraError("lightgbm", "ltr") from None

TOPS = 30
"""How many top documents form pairs if the measure has no cutoff, as in LightGBM."""

LEAST_SHARE, LEAST_MOST = 0.01, 50


class LambdaMART(Ranker):
    """Boosted trees of `leaves` leaves, each of at least `min_leaf` documents (by default a hundredth, at most 50).

    Each tree follows the slopes of the metric under the dialect: what a swap of two documents would change weighs
    their pair, and a query that the dialect gives one value whatever the order weighs nothing. It stops when
    `patience` trees in a row were not the best on the validation set, and keeps the trees up to the best. A share of
    the features and of the documents may be drawn for each tree; `penalty` is on the squares of leaves. Pairs have one
    document among the first `tops`, by default the metric's cutoff. Where the swaps of a metric have no closed form,
    `swaps` of each query are tried. NaN is a value of its own.

    Wu, Burges, Svore & Gao, Adapting boosting for information retrieval measures, Information Retrieval 2010; Ke et
    al., LightGBM, NIPS 2017.
    """

    name = "lambdamart"
    quick = {"trees": 10}
    keeps_nan = True

    trees: int = parameter(whole_number(), default=1000)
    leaves: int = parameter(whole_number(least=2), default=10)
    rate: float = parameter(real_number(positive=True), default=0.1)
    min_leaf: int | None = parameter(whole_number(optional=True), default=None)
    feature_share: float = parameter(real_number(positive=True, most=1.0), default=1.0)
    document_share: float = parameter(real_number(positive=True, most=1.0), default=1.0)
    penalty: float = parameter(real_number(), default=0.0)
    patience: int = parameter(whole_number(), default=50)
    tops: int | None = parameter(whole_number(optional=True), default=None)
    swaps: int = parameter(whole_number(), default=200)
    n_jobs: int = parameter(whole_number(), default=1)

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        rng, chosen = self._generator(), train.live & ~train.short
        self._grow(())
        if not chosen.any():
            return  # every order is as good as any other: all documents score 0
        tops = self.tops or train.measure.depth or TOPS
        lambdas = Lambdas(objective=train.of_queries(chosen), tops=tops, most=self.swaps, rng=rng)
        documents = lambdas.objective.documents
        settings = self._settings(len(documents.grades), int(rng.integers(1 << 31)))
        data = lightgbm.Dataset(documents.matrix, documents.grades, params=settings).construct()
        if not any(data.feature_num_bin(feature) > 1 for feature in range(data.num_feature())):
            return
        held, best = data, -np.inf
        if validation is not None:
            held = data.create_valid(validation.documents.matrix, validation.documents.grades)

        def value(scores: FloatArray) -> float:
            """Return the value on the validation documents, or in training: queries not chosen have a constant."""
            if validation is not None:
                return validation.mean(scores)
            values = train.constant.copy()
            values[chosen] = lambdas.objective.values(scores)
            return train.overall(values)

        def note(round_: Any) -> None:
            """Report a round, and keep the best by validation, or the last if there is no validation."""
            nonlocal best
            number, reached = round_.iteration + 1, round_.evaluation_result_list[0][2]
            if validation is None or self.best_round_ is None or reached > best:
                best, self.best_round_ = reached, number
            watch(number, self.trees, *((reached, np.nan) if validation is None else (np.nan, reached)))
            if number - self.best_round_ >= self.patience:
                raise lightgbm.callback.EarlyStopException(self.best_round_ - 1, round_.evaluation_result_list)

        grown = lightgbm.train(
            # A function: LightGBM would copy any other object, and all documents with it.
            {**settings, "objective": lambda scores, _: lambdas(scores)},
            data,
            num_boost_round=self.trees,
            valid_sets=[held],
            feval=lambda scores, _: ("value", value(scores), True),
            callbacks=[note],
        )
        text = grown.model_to_string(num_iteration=self.best_round_)
        self._grow(lightgbm_trees(text, self.n_features_in_))

    def _settings(self, documents: int, seed: int) -> dict[str, Any]:
        least = self.min_leaf or int(np.clip(LEAST_SHARE * documents, 1, LEAST_MOST))
        return {
            "num_leaves": self.leaves,
            "learning_rate": self.rate,
            "min_data_in_leaf": least,
            "min_data_in_bin": min(least, 3),
            "feature_pre_filter": False,
            "feature_fraction": self.feature_share,
            "bagging_fraction": self.document_share,
            "bagging_freq": int(self.document_share < 1),
            "lambda_l2": self.penalty,
            "metric": "None",
            "seed": seed,
            "num_threads": self.n_jobs,
            "deterministic": True,
            "force_row_wise": True,
            "verbosity": -1,
        }

    def _grow(self, trees: tuple[BoostedTree, ...]) -> None:
        """Take the trees, after fitting as after loading, so that scores agree to the last bit."""
        self.trees_ = trees
        self._model = lightgbm.Booster(model_str=lightgbm_text(trees, self.n_features_in_)) if trees else None

    def _scores(self, matrix: FloatArray) -> FloatArray:
        if self._model is None:
            return np.zeros(len(matrix))
        return np.asarray(self._model.predict(matrix, num_threads=self.n_jobs), dtype=np.float64)

    def _state(self) -> dict[str, Any]:
        return {"trees": [tree.state() for tree in self.trees_]}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._grow(tuple(BoostedTree.restore(tree, self.n_features_in_) for tree in state["trees"]))
