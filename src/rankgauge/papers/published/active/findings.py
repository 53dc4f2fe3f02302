"""The numbers behind the claims: cost saved, wrong choices, errors by training size, and coverage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from rankgauge.labelling.methods.paper import PaperMethod
from rankgauge.labelling.simulations.study import ErrorCurve, Study, jackknife, saving
from rankgauge.numeric import FloatArray
from rankgauge.papers.experiment import CLEAR, Number
from rankgauge.papers.published.active.trials import Case

BASELINES = ("passive-iid", "passive")
"""What the paper's method is compared with: the paper's own baseline, and one that draws no query twice."""

OWN = ("greg", "document")
"""Methods that go beyond the paper."""

ALMOST = 0.75
"""The share of a gain that counts as almost as good as all of it."""

SAMPLED = 0.5
"""The share of the documents that are judged where ERR is computed from them alone."""

OPEN = 1.0
"""The least standard error of a saving against a method that chooses no better than a coin: any budget does as well."""

VARIANTS = ("uniD", "uniC")
"""The paper's method with uniform beliefs, and with equal costs where it draws."""

COMPARED = (
    *(("paper", other) for other in BASELINES),
    *((variant, "passive-iid") for variant in VARIANTS),
    *((own, "paper") for own in OWN),
)

UNSURE = 0.05
"""Savings by choices are measured at the largest budget with which passive-iid still errs this often.

Where it hardly ever errs, nothing can be saved that chance would not hide."""


def savings(studies: Sequence[Study], at: float) -> Iterator[tuple[str, Number]]:
    """Yield what methods save against each other for the same mean absolute error, in every study."""
    for study in studies:
        for method, other in COMPARED:
            saved = saving(study.curves[method], study.curves[other], budget=at)
            name = f"{study.title}, {study.measure}: {method} saves against {other}"
            yield name, Number(value=saved.value, error=saved.error)


def choice_savings(pairs: Sequence[Study], at: float) -> Iterator[tuple[str, Number]]:
    """Yield what methods save against each other for the same model selection error, which Figure 2 shows."""
    for study in pairs:
        budget = choice_budget(study, at)
        for method, other in COMPARED:
            saved = saving(study.curves[method], study.curves[other], budget=budget, loss="wrong")
            name = f"{study.title}, {study.measure}: {method} saves against {other}, by choices"
            row = study.curves[other].to_frame().row(by_predicate=pl.col("budget") == budget, named=True)
            beats_a_coin = row["wrong"] + CLEAR * row["wrong_se"] < 0.5
            yield name, Number(value=saved.value, error=saved.error if beats_a_coin else max(saved.error, OPEN))


def overall(numbers: Mapping[str, Number], measure: str, pairs: Sequence[Study]) -> Iterator[tuple[str, Number]]:
    """Yield the least and the largest saving of the paper's seven experiments, each by the loss that its figure shows.

    A saving that is open does not count, unless all are.
    """
    ending, by_choices = ": paper saves against passive-iid", ", by choices"
    mine = {study.title for study in pairs}
    shown = [
        number
        for name, number in numbers.items()
        if f", {measure}{ending}" in name and name.endswith(by_choices) is (name.partition(",")[0] in mine)
    ]
    shown = [number for number in shown if number.error < OPEN] or shown
    yield f"all experiments, {measure}: least saving", min(shown, key=lambda number: number.value)
    yield f"all experiments, {measure}: largest saving", max(shown, key=lambda number: number.value)


def variance_savings(cases: Sequence[Case], variants: Mapping[str, PaperMethod]) -> Iterator[tuple[str, Number]]:
    """Yield what draws save in theory on an index update, and which queries a method's variance comes from.

    With q(x) the chance of a query, p(x) = 1/m, a difference Δ(x) and its mean R, a draw costs Σ q λ on average, and
    the estimate has the variance Σ p²/q (Δ − R)² per draw. The product of the two is compared with that of q = p.
    """
    for name, variant in variants.items():
        parts = [_variance(case, variant.chances(case.pool, case.target)) for case in cases]
        savings, rare = (Number(value=float(part)) for part in np.mean(parts, axis=0))
        yield f"index update, {cases[0].label}: {name} saves in theory", savings
        yield f"index update, {cases[0].label}: variance of {name} from the tenth it draws least", rare


def _variance(case: Case, chance: FloatArray) -> tuple[float, float]:
    """Return the saving in theory, and the share of the variance that comes from the least likely tenth of queries."""
    values, costs = case.target.values(case.pool, case.grades), case.target.query_costs(case.pool)
    uniform = np.full(len(values), 1 / len(values))
    parts = uniform**2 / np.maximum(chance, 1e-300) * (values - values.mean()) ** 2
    passive = (uniform * (values - values.mean()) ** 2).sum() * (uniform @ costs)
    rare = np.argsort(chance)[: len(chance) // 10]
    return 1.0 - parts.sum() * (chance @ costs) / passive, parts[rare].sum() / parts.sum()


def choice_budget(study: Study, at: float) -> float:
    """Return the largest budget, up to `at`, with which passive-iid is wrong often enough to measure a saving."""
    rows = study.curves["passive-iid"].to_frame().filter(pl.col("budget") <= at)
    unsure = rows.filter(pl.col("wrong") >= UNSURE)["budget"]
    return float(unsure[-1] if len(unsure) else rows["budget"][0])


def choice_gains(pairs: Sequence[Study]) -> Iterator[tuple[str, Number]]:
    """Yield how much less often `paper` and uniC are wrong than `passive-iid`, a mean over pairs and budgets.

    The last number is above 0 if uniC has at least three quarters of the gain that `paper` has.
    """
    curves = [study.curves[name] for study in pairs for name in ("passive-iid", "paper", "uniC")]
    weights = {
        "paper's gain": (1.0, -1.0, 0.0),
        "uniC's gain": (1.0, 0.0, -1.0),
        "uniC's gain less three quarters of paper's": (1.0 - ALMOST, ALMOST, -1.0),
    }
    for name, weight in weights.items():
        each = np.tile(weight, len(pairs)) / len(pairs)
        value, error = jackknife(curves, lambda c, each=each: float(each @ [np.nanmean(one.wrong) for one in c]))  # type: ignore[misc]
        yield f"pairs, {pairs[0].measure}: {name}, by choices", Number(value=value, error=error)


def size_ratios(curves: Mapping[str, Mapping[str, ErrorCurve]]) -> Iterator[tuple[str, Number]]:
    """Yield the mean absolute error of the paper's method over that of each baseline, by training size."""
    for name, mine in curves.items():
        for other in BASELINES:
            both = [mine["paper"], mine[other]]
            value, error = jackknife(both, lambda c: float(np.nanmean(c[0].error)) / float(np.nanmean(c[1].error)))
            yield f"{name}: error of paper over that of {other}", Number(value=value, error=error)


def size_table(curves: Mapping[str, Mapping[str, ErrorCurve]], sizes: Mapping[str, int]) -> pl.DataFrame:
    """Return a row per training size and method."""
    frames = [
        curve.to_frame().select(pl.lit(sizes[name]).alias("documents"), pl.all())
        for name, mine in curves.items()
        for curve in mine.values()
    ]
    return pl.concat(frames)


def discounts_known(case: Case) -> float:
    """Return the bias of ERR, as a share of it, if half of the documents are judged and a discount knows only these.

    Each document is judged with probability ½ and counts twice; its discount is the product over the judged documents
    above it. Its expected value has 1 − ½ ℓ in place of each 1 − ℓ: it is larger than ERR.
    """
    order = np.lexsort((case.pool.ranks[:, 0], case.pool.query))
    worth, weight = case.target.worths(case.grades)[order], case.target.weights(case.pool)[order, 0]
    first = np.searchsorted(case.pool.query[order], case.pool.query[order])

    def total(share: float) -> float:
        stays = np.log1p(-share * worth)
        passed = np.cumsum(stays) - stays
        return float((weight * worth) @ np.exp(passed - passed[first]))

    return total(SAMPLED) / total(1.0) - 1.0


def coverages(studies: Sequence[Study], at: float) -> Iterator[tuple[str, Number]]:
    """Yield how often each method's intervals hold the truth, on average over the studies."""
    for method in studies[0].methods:
        # At the budget, or at the method's largest budget below it.
        frames = [study.curves[method].to_frame().filter(pl.col("budget") <= at) for study in studies]
        value, error = (float(np.mean([f[part][-1] for f in frames])) for part in ("coverage", "coverage_se"))
        yield f"coverage of {method}, mean over pools", Number(value=value, error=error / np.sqrt(len(frames)))
