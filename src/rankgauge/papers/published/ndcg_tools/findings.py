"""The numbers behind the paper's claims: from the values of every ranker, reading and cutoff on each query, and from
AdaRank's query weights and first coefficient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations, islice, product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.demo.folds import Fold
from rankgauge.dialects import Dialect
from rankgauge.evaluation.evaluation import evaluate
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.papers.experiment import CLEAR, Measurements, Number, fold_means, fold_number
from rankgauge.papers.published.ndcg_tools.training import METRIC, OPTIMISERS, READINGS, SPOKEN
from rankgauge.render.plots import Panels

if TYPE_CHECKING:
    from rankgauge.training.rankers.adarank import Boosting


CUTOFFS = tuple(range(1, 11))
MEASURES = tuple(f"nDCG@{k}" for k in CUTOFFS)
LAST = -1
"""The cutoff that rankers are compared at: 10, the last one."""

SHOWN = ("AdaRank", "LambdaMART", "RankNet", "Coordinate Ascent")
"""The rankers of Figure 1, in the paper's order. All but RankNet use NDCG in training; RankNet chooses its layers and
its epoch by it."""
MIDDLE = ("RankBoost", "RankSVM", "LambdaMART")
LOWER = ("AdaRank", "RankNet")
LATE = "LambdaMART of drawn features and documents, trained under LETOR less standard"
BEST = "Coordinate Ascent"
BOOST = "RankBoost"


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldOut:
    """The test documents of all folds, query by query."""

    judgments: pl.DataFrame
    """A row per document: query (its number as a text), document, grade."""
    fold: IndexArray
    """The fold of each query."""

    @classmethod
    def of(cls, folds: tuple[Fold, ...]) -> HeldOut:
        """Return the test sets of the folds, in their order."""
        number = {
            key: n for n, key in enumerate(dict.fromkeys((f, q) for f, x in enumerate(folds) for q in x.test.queries))
        }
        parts = [
            pl.DataFrame(
                {
                    "query": [str(number[at, query]) for query in fold.test.queries],
                    "document": pl.Series(list(map(str, fold.test.documents))),
                    "grade": fold.test.grades,
                }
            )
            for at, fold in enumerate(folds)
        ]
        return cls(judgments=pl.concat(parts), fold=np.array([fold for fold, _ in number]))

    @property
    def sizes(self) -> IndexArray:
        """How many documents each query has."""
        return np.bincount(self.judgments["query"].cast(pl.Int64).to_numpy(), minlength=len(self.fold))

    @property
    def is_short(self) -> BoolArray:
        """Which queries have fewer documents than the last cutoff."""
        return np.asarray(self.sizes < CUTOFFS[-1])

    @property
    def is_empty(self) -> BoolArray:
        """Which queries have no relevant document."""
        graded = self.judgments.filter(pl.col("grade") > 0)["query"].cast(pl.Int64).to_numpy()
        return np.asarray(np.bincount(graded, minlength=len(self.fold)) == 0)

    def values(self, scores: FloatArray, dialect: Dialect) -> FloatArray:
        """Return NDCG at each cutoff (rankings × cutoffs × queries) of rankings given by scores (rankings × documents).

        All rankings are evaluated at once: each has its own copy of the queries, under other numbers.
        """
        n = len(self.fold)
        number = self.judgments["query"].cast(pl.Int64).to_numpy()
        names = (number + n * np.arange(len(scores))[:, np.newaxis]).ravel()
        repeated = pl.concat([self.judgments] * len(scores)).with_columns(pl.Series("query", names).cast(pl.String))
        run = repeated.select("query", "document").with_columns(pl.Series("score", scores.ravel()))
        result = evaluate(repeated, run, MEASURES, dialect=dialect)
        values = np.full((len(scores) * n, len(MEASURES)), np.nan)
        values[result.queries.cast(pl.Int64).to_numpy()] = result.matrix
        return np.moveaxis(values.reshape(len(scores), n, len(MEASURES)), 1, 2)


TOOLS: Mapping[str, Dialect] = {
    "RankLib": dialects.get("ranklib"),
    "trec_eval": dialects.get("trec_eval-8.1+ndcg", gain="exp"),
    "LETOR 3.0": dialects.get("letor3"),
    "LETOR 4.0": dialects.get("letor4"),
    "MSLR": dialects.get("mslr"),
    "Yahoo": dialects.get("yahoo"),
}
"""The tools as they are, by the paper's names; trec_eval with exponential gains, as in the paper's experiments."""

COMPARED = (
    ("trec_eval", "RankLib"),
    ("LETOR 3.0", "RankLib"),
    ("LETOR 3.0", "LETOR 4.0"),
    ("MSLR", "LETOR 4.0"),
    ("Yahoo", "RankLib"),
)


def tool_differences(tested: HeldOut, scores: FloatArray) -> Iterator[tuple[str, Number]]:
    """Yield how far tools are apart on the rankings of six models (rankings × documents).

    These are differences between two ways to compute a value from the same rankings: they have no sampling error.
    """
    values = {name: tested.values(scores, tool) for name, tool in TOOLS.items()}
    for one, other in COMPARED:
        apart = float((values[one] - values[other])[:, -1].mean())
        yield f"{one} less {other}, NDCG@10", Number(value=apart)
    short = values["LETOR 4.0"][:, -1, tested.is_short]
    yield "LETOR 4.0 on short queries, NDCG@10", Number(value=float(np.max(short, initial=0.0)))
    met = np.abs(values["Yahoo"] - values["RankLib"])[..., ~tested.is_empty]
    yield "Yahoo less RankLib, queries with a relevant document", Number(value=float(np.max(met, initial=0.0)))


def tie_effects(tested: HeldOut, rankers: Sequence[str], scores: FloatArray) -> Iterator[tuple[str, Number]]:
    """Yield how many documents of each ranking are tied, and how much the order of ties changes its NDCG@10."""
    query = tested.judgments.select("query")
    shares = [query.with_columns(pl.Series("score", score)).is_duplicated().to_numpy().mean() for score in scores]
    best, worst = (tested.values(scores, READINGS["std"].changed(ties=order))[:, -1] for order in ("best", "worst"))
    moved = (best - worst).mean(axis=-1)
    yield "tied documents, mean", Number(value=float(np.mean(shares)))
    yield "best less worst order of ties, largest", Number(value=float(moved.max()))
    for ranker, share, by in zip(rankers, shares, moved, strict=True):
        yield f"tied documents, {ranker}", Number(value=float(share))
        yield f"best less worst order of ties, {ranker}", Number(value=float(by))


@dataclass(frozen=True, kw_only=True, eq=False)
class Findings:
    """Values of NDCG (judged by × trained under × rankers × cutoffs × queries), and what follows from them."""

    values: FloatArray
    """The first two axes are the readings, in their order."""
    rankers: tuple[str, ...]
    tested: HeldOut
    """The queries."""

    def numbers(self) -> dict[str, Number]:
        """Return every number by its name."""
        comparisons = (self._order(), self._short(), self._large(), self._swaps())
        return dict(chain(self._evaluators(), self.trainings(), *comparisons))

    @property
    def fold(self) -> IndexArray:
        """The fold of each query."""
        return self.tested.fold

    def compare(self, judged: str, trained: str) -> FloatArray:
        """Return the values (rankers × cutoffs × queries) of models trained under one reading, judged by another."""
        judge, taught = (tuple(READINGS).index(reading) for reading in (judged, trained))
        return np.asarray(self.values[judge, taught])

    def _evaluators(self) -> Iterator[tuple[str, Number]]:
        of_four = dict(zip(READINGS, self.values[:, :, [self.rankers.index(name) for name in SHOWN]], strict=True))
        raised = fold_means(of_four["yahoo"] - of_four["std"], self.fold)[0]
        # The difference of two readings of the same rankings is arithmetic: it has no sampling error.
        yield "Yahoo less standard", Number(value=float(raised.mean()))
        yield "Yahoo less standard, highest less lowest", Number(value=float(np.ptp(raised)))
        lowered = (of_four["letor"] - of_four["std"]).mean(axis=0)
        for place in (6, 7, 8, 9):
            losses = [fold_number(of_ranker[place], self.fold) for of_ranker in lowered]
            yield f"LETOR less standard at {place + 1}, least loss", max(losses, key=lambda loss: loss.value)

    def trainings(self) -> Iterator[tuple[str, Number]]:
        """Yield what training under one reading or another changes for each ranker, judged by the standard reading."""
        for one, other in (("letor", "std"), ("yahoo", "std"), ("yahoo", "letor")):
            label = f"trained under {SPOKEN[one]} less {SPOKEN[other]}"
            gains = self.compare("std", one)[:, LAST] - self.compare("std", other)[:, LAST]
            for ranker, of_ranker in zip(self.rankers, gains, strict=True):
                yield f"{label}, {ranker}", fold_number(of_ranker, self.fold)
            if set(OPTIMISERS) <= set(self.rankers):
                three = gains[[self.rankers.index(name) for name in OPTIMISERS]]
                yield f"{label}, mean of three", fold_number(three.mean(axis=0), self.fold)

    def _order(self) -> Iterator[tuple[str, Number]]:
        """Yield which ranker is better, all trained under the standard reading."""
        for reading, title in SPOKEN.items():
            values = self._at_last(reading)
            leads = [fold_number(values[BEST] - others, self.fold) for name, others in values.items() if name != BEST]
            yield f"{BEST} less the best other, {title}", min(leads, key=lambda lead: lead.value)
        at_last = self._at_last("std")
        means = {name: fold_number(values, self.fold).value for name, values in at_last.items()}
        ordered = sorted(MIDDLE, key=means.__getitem__)
        apart = at_last[ordered[-1]] - at_last[ordered[0]]
        yield f"{', '.join(MIDDLE)}: best less worst", fold_number(apart, self.fold)
        middle = np.mean([at_last[name] for name in MIDDLE], axis=0)
        for name in (BEST, *LOWER):
            yield f"{name} less the middle three", fold_number(at_last[name] - middle, self.fold)
        known = np.where(self.tested.is_empty, np.nan, apart)  # NaN leaves a query out
        shrunk = fold_number(apart, self.fold).value / fold_number(known, self.fold).value
        yield "a difference over all queries, as a share of that without empty ones", Number(value=shrunk)

    def _at_last(self, reading: str) -> dict[str, FloatArray]:
        return dict(zip(self.rankers, self.compare(reading, "std")[:, LAST], strict=True))

    def _short(self) -> Iterator[tuple[str, Number]]:
        """Yield RankBoost beside the other two of the middle: on short queries, and on all by each reading."""
        short = np.where(self.tested.is_short, 0.0, np.nan)  # NaN leaves a query out
        for other in (name for name in MIDDLE if name != BOOST):
            usual = self._at_last("std")
            yield f"{BOOST} less {other}, short queries", fold_number(usual[BOOST] - usual[other] + short, self.fold)
            for reading in ("std", "letor"):
                by_reading = self._at_last(reading)
                label = f"{BOOST} less {other}, all queries by {SPOKEN[reading]}"
                yield label, fold_number(by_reading[BOOST] - by_reading[other], self.fold)

    def _large(self) -> Iterator[tuple[str, Number]]:
        """Yield what LETOR's metric prefers where a ranker is better on large sets, another one on small sets.

        On large sets the two metrics agree, on small ones LETOR's is 0: the means are over all queries, not over folds.
        """
        short, standard, letor = self.tested.is_short, self._at_last("std"), self._at_last("letor")
        pairs = [(ranker, other) for ranker in self.rankers for other in self.rankers if ranker != other]
        apart = [(standard[one] - standard[other], letor[one] - letor[other]) for one, other in pairs]
        crossed = [both for both in apart if both[0][~short].sum() > 0 > both[0][short].sum()]
        chosen = [sum(both[metric].sum() > 0 for both in crossed) for metric in (0, 1)]
        yield "pairs with one ranker better on large sets, the other on small sets", Number(value=float(len(crossed)))
        yield "of these, the better on large sets is preferred by standard", Number(value=float(chosen[0]))
        share = chosen[1] / len(crossed) if crossed else np.nan
        yield "of these, the share whose better on large sets is preferred by LETOR", Number(value=share)

    def _swaps(self) -> Iterator[tuple[str, Number]]:
        """Yield how often another reading orders the rankers differently, all trained under the standard reading."""
        groups = {"the six": self.rankers, "the middle three": MIDDLE}
        for reading, (group, names) in product(("yahoo", "letor"), groups.items()):
            pairs = list(combinations(map(self.rankers.index, names), 2))
            usual, usual_clear = self._signs("std", pairs)
            signs, clear = self._signs(reading, pairs)
            other = (signs != usual).any(axis=0).sum()
            opposite = ((signs != usual) & clear & usual_clear).any(axis=1).sum()
            yield f"cutoffs with another order of {group}, {SPOKEN[reading]}", Number(value=float(other))
            yield f"pairs of {group} in clearly opposite orders, {SPOKEN[reading]}", Number(value=float(opposite))

    def _signs(self, reading: str, pairs: list[tuple[int, int]]) -> tuple[FloatArray, BoolArray]:
        """Return which of two rankers is better (pairs × cutoffs), and whether by two standard errors."""
        values = self.compare(reading, "std")
        means, errors = fold_means(np.array([values[one] - values[other] for one, other in pairs]), self.fold)
        rounded = np.round(means, 12)  # a difference in the last bits is none
        return np.asarray(np.sign(rounded)), np.asarray(np.abs(means) > CLEAR * errors)


def seed_effects(standard: FloatArray, letor: FloatArray, fold: IndexArray) -> Iterator[tuple[str, Number]]:
    """Yield what training under LETOR changes for LambdaMARTs of several seeds (seeds × queries): mean and range."""
    gains = letor - standard
    yield f"{LATE}, mean over seeds", fold_number(gains.mean(axis=0), fold)
    means = fold_means(gains, fold)[0]
    for label, value in (("least", means.min()), ("largest", means.max()), ("spread", means.std(ddof=1))):
        yield f"{LATE}, {label} of {len(gains)} seeds", Number(value=float(value))


ROUNDS = 30
TRIES = 500
"""How many rounds AdaRank may try, including those it undoes."""
TOLERANCE = 0.002
DEPTH = 10

KINDS = ("no relevant document", "fewer than 10 documents, some relevant")


def measure_weights(folds: tuple[Fold, ...]) -> Measurements:
    """Return the shares of AdaRank's query weights, round by round, and what short queries do to its coefficient."""
    numbers, parts = {}, []
    for reading, title in SPOKEN.items():
        shares = np.array([_shares(fold, reading) for fold in folds])
        for kind, words, of_kind in zip(("empty", "short"), KINDS, np.moveaxis(shares, 1, 0), strict=True):
            means = [_over_folds(values) for values in of_kind.T]
            name = f"{title}: {kind} queries' weight"
            numbers[f"{name}, beginning"], numbers[f"{name}, after {ROUNDS} rounds"] = means[0], means[-1]
            numbers[f"{name}, end over beginning"] = _over_folds(of_kind[:, -1] / of_kind[:, 0])
            labels = {"training": f"trained under the {title} reading", "queries with": words}
            columns = {"share": [mean.value for mean in means], "error": [mean.error for mean in means]}
            frame = pl.DataFrame({"round": range(ROUNDS + 1), **columns})
            parts.append(frame.select(*(pl.lit(text).alias(label) for label, text in labels.items()), pl.all()))
    numbers["LETOR: first coefficient, with over without short queries"] = _over_folds(
        np.array([coefficient_ratio(fold) for fold in folds])
    )
    frame = pl.concat(parts)
    panels = Panels(
        frame=frame, x="round", y="share", error="error", series="queries with", column="training", limits=(0.0, 1.0)
    )
    title = "AdaRank: share of the weight on some queries (bars: one standard error each way)"
    figures = {"figure-weights": partial(panels.draw, title)}
    return Measurements(numbers=numbers, tables={"figure-weights": frame}, figures=figures)


def _shares(fold: Fold, reading: str) -> FloatArray:
    """Return the share of the weight on each kind of query (kinds × rounds from 0 on) while RankLib's AdaRank learns.

    If there are fewer than ROUNDS rounds, the last weights are repeated.
    """
    boosting = _boosting(fold, reading)
    documents = boosting.objective.documents
    empty = np.maximum.reduceat(documents.grades, documents.starts) <= 0
    kinds = np.array([empty, ~empty & (documents.sizes < DEPTH)])[:, boosting.counted]
    rounds = islice(boosting.set_aside(TRIES, TOLERANCE), ROUNDS)
    weights = [np.full(kinds.shape[1], 1.0 / kinds.shape[1]), *(round_.shares for round_ in rounds)]
    shares = [(of_round * kinds).sum(axis=1) for of_round in weights]
    return np.transpose(shares + [shares[-1]] * (ROUNDS + 1 - len(shares)))


def coefficient_ratio(fold: Fold) -> float:
    """Return AdaRank's first coefficient under LETOR's reading, as a share of the one without short queries.

    The coefficient is ½ ln(Σ P(1 + E) / Σ P(1 − E)), P a query's weight and E its value (Xu & Li 2007). A query of
    value 0 adds its weight to both sums, so it draws the coefficient towards 0. NaN if every query is short.
    """
    from rankgauge.training.rankers.adarank import SURE

    boosting = _boosting(fold, "letor")
    values = boosting.table[boosting.table.mean(axis=1).argmax()]
    long = (boosting.objective.documents.sizes >= DEPTH)[boosting.counted]
    if not long.any():
        return np.nan
    with_short, without = np.arctanh(np.minimum([values.mean(), values[long].mean()], SURE))
    return float(with_short / without)


def _boosting(fold: Fold, reading: str) -> Boosting:
    from rankgauge.training import Documents, Objective
    from rankgauge.training.rankers.adarank import Boosting

    documents = Documents.of(fold.train.matrix, fold.train.grades, fold.train.queries)
    return Boosting.like_ranklib(Objective.of(documents, METRIC, READINGS[reading]))


def _over_folds(values: FloatArray) -> Number:
    return Number(value=float(values.mean()), error=float(values.std(ddof=1) / np.sqrt(len(values))))
