"""The report of `rankgauge fuse`: what was fused and how, and what tuning gains on queries that it has not seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np

from rankgauge.comparison import PairVerdict
from rankgauge.fusion import METHODS, NORMALISATIONS, Fusion, TunedFusion
from rankgauge.fusion.gains import REFERENCE, widening
from rankgauge.fusion.method import Evidence, FusionMethod, LearnedMethod, WeightedMethod
from rankgauge.fusion.tuning import SINGLE, UNTUNED
from rankgauge.policies import Ties
from rankgauge.registry import title_of
from rankgauge.report.format import Medium, Report, ReportDocument
from rankgauge.report.numbers import count, interval, number, p_value, share, signed
from rankgauge.report.passages import Heading, Notes, Passage, ReportTable
from rankgauge.report.terminal import show

NAMED = 3
"""How many queries a note names before it counts them."""

TIES = {Ties.EXPECTED: "share what their ranks are worth", Ties.INPUT: "are ranked in its order"}
"""What is done with ties, in words."""

VERDICTS = {PairVerdict.OPEN.value: "not shown"}
"""The words for a verdict where they differ from those of a comparison."""


def show_methods(out: TextIO) -> None:
    """Every method and normalisation: what it is, its formula, and its parameters."""
    methods = [(name, f"{_sentence(kind)} {kind.formula}{_needs(kind)}") for name, kind in METHODS.items()]
    norms = [(name, f"{norm.title}: {norm.formula}") for name, norm in NORMALISATIONS.items()]
    show((Heading("Methods"), Notes(methods), Heading("Normalisations"), Notes(norms)), out)


def _sentence(kind: type[FusionMethod]) -> str:
    return f"{title_of(kind).removesuffix('.')}:"


def _needs(kind: type[FusionMethod]) -> str:
    """What a method takes."""
    known = [f"--set {name}={value}" for name, value in kind().parameters.items() if name != "weights"]
    weights = ["--weights"] if issubclass(kind, WeightedMethod) else []
    told = [*weights, *known, *(["--judgments"] if issubclass(kind, LearnedMethod) else [])]
    return f" ({', '.join(told)})" if told else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class FusionReport(Report):
    """A fused run, and where it was tuned, how that was done."""

    command = "fuse"

    fusion: Fusion
    tuned: TunedFusion | None = None
    output: str | None = None
    """Where the run was written."""

    def document(self, medium: Medium) -> ReportDocument:
        """The runs, how they were fused, and what tuning gains."""
        passages: list[Passage] = [Heading("Runs")] if medium is Medium.PAGE else []
        passages += [self._runs(), Notes(list(self._facts()))]
        if self.tuned is not None:
            passages += [Heading("Tuned"), self._choices(), *self._gains(), Notes(list(self._tuning()))]
        headline = f"{len(self.fusion.pool.runs)} runs fused by {self.fusion.method.name}"
        return ReportDocument(title=headline, headline=headline, passages=tuple(passages))

    def data(self) -> dict[str, Any]:
        """Everything, for programs."""
        fusion, pool, plan = self.fusion, self.fusion.pool, self.fusion.plan
        found: dict[str, Any] = {
            "method": fusion.method.name,
            "parameters": fusion.method.parameters,
            "normalisation": plan.norm.name,
            "ties": str(plan.ties),
            "depth": plan.depth,
            "learned_from": fusion.learned_from,
            "queries": len(pool.queries),
            "documents": fusion.documents,
            "listed_by": {str(runs): int(n) for runs, n in enumerate(fusion.times.tolist()) if runs},
            "runs": self._listed(),
            "output": self.output,
        }
        if self.tuned is not None:
            found["tuning"] = self._tuned_data(self.tuned)
        return found

    def _listed(self) -> list[dict[str, Any]]:
        pool = self.fusion.pool
        rows = zip(pool.runs.items(), pool.counts, self.fusion.shared.tolist(), strict=True)
        return [
            {
                "run": name,
                "queries": len(run.names),
                "documents": len(run.scores),
                "shared": shared,
                "missing": [pool.queries[at] for at in np.flatnonzero(counts == 0).tolist()],
            }
            for (name, run), counts, shared in rows
        ]

    def _tuned_data(self, tuned: TunedFusion) -> dict[str, Any]:
        task = tuned.task
        return {
            "measure": str(tuned.comparison.measures[0]),
            "dialect": tuned.comparison.dialect.name,
            "folds": task.folds,
            "seed": task.seed,
            "queries": tuned.queries,
            "untuned": tuned.untuned.parameters,
            "in_sample": tuned.in_sample,
            "choices": [
                {"fold": one.fold, "queries": one.queries, "parameters": one.method.parameters, "single": one.single}
                for one in tuned.choices
            ],
            "means": list(tuned.comparison.mean_table.named()),
            "pairs": list(tuned.pairs.named()),
        }

    def _runs(self) -> ReportTable:
        """A row per run: its queries, its documents, and how many of them others have too."""
        weights = self._weights()
        rows = [
            (
                one["run"],
                f"{one['queries']:,}",
                f"{one['documents']:,}",
                share(one["shared"], one["documents"]),
                *([f"{weights[at]:.3g}"] if weights is not None else []),
            )
            for at, one in enumerate(self._listed())
        ]
        header = ("run", "queries", "documents", "in others too", *(["weight"] if weights is not None else []))
        return ReportTable(header=header, rows=rows, numbers=header[1:])

    def _weights(self) -> list[float] | None:
        method = self.fusion.method
        return method.weighing(len(self.fusion.pool.runs)).tolist() if isinstance(method, WeightedMethod) else None

    def _facts(self) -> Iterator[tuple[str, str]]:
        fusion, plan, pool = self.fusion, self.fusion.plan, self.fusion.pool
        yield "method", f"{fusion.method.name}: {fusion.method.formula}{_settings(fusion.method)}"
        if plan.method.looks_at is Evidence.RANKS and not plan.norm.inverts:
            yield "scores", "not looked at: the method knows ranks alone"
        else:
            yield "scores", f"{plan.norm.name}: {plan.norm.title}"
        if plan.uses_ranks:
            yield "ties", f"tied documents of a run {TIES[plan.ties]}"
        if fusion.learned_from:
            yield "learned", f"from {_judged(fusion.learned_from)}; rel is the lowest grade that counts as relevant"
        cut = "" if plan.depth is None else f", the first {plan.depth:,} of each query"
        yield "fused", f"{count(len(pool.queries), 'query', 'queries')}, {count(fusion.documents, 'document')}{cut}"
        yield "overlap", self._overlap()
        for one in self._listed():
            if one["missing"]:
                yield "missing", f"{_some(one['missing'])} in {one['run']}: fused from the other runs"
        yield "written", f"to {self.output}" if self.output else "nowhere: -o FILE writes the fused run to a file"

    def _overlap(self) -> str:
        times = self.fusion.times
        whole, most = int(times.sum()), len(times) - 1
        parts = [f"{share(times[1], whole)} of the documents are listed by one run"]
        parts += [f"{share(times[most], whole)} by {'both' if most == 2 else f'all {most}'}"]
        return ", ".join(parts)

    def _choices(self) -> ReportTable:
        """What was chosen for each fold."""
        tuned = self.tuned
        assert tuned is not None
        rows = [
            (str(one.fold), str(one.queries), _settings(one.method).removeprefix("; ") or "–", one.single)
            for one in tuned.choices
        ]
        final = _settings(tuned.method).removeprefix("; ") or "–"
        rows.append(("all", str(tuned.queries), final, ""))
        header = ("fold", "queries", "parameters from the other folds", SINGLE)
        return ReportTable(header=header, rows=rows, numbers=("fold", "queries"))

    def _gains(self) -> Iterator[Passage]:
        """The means on unseen queries, and the gains."""
        tuned = self.tuned
        assert tuned is not None
        means = tuned.comparison.mean_table
        rows = [
            (row["run"], number(row["mean"]), interval(row["low"], row["high"]), str(row["queries"]))
            for row in means.named()
        ]
        measure = str(tuned.comparison.measures[0])
        yield Heading("On queries that the choice has not seen")
        yield ReportTable(header=("run", measure, "95 % interval", "queries"), rows=rows, numbers=(measure, "queries"))
        gains = [
            (
                f"{row['run']} − {row['other']}",
                signed(row["difference"]),
                "not yet" if np.isnan(row["low"]) else interval(row["low"], row["high"]),
                p_value(row["p"]),
                p_value(row["corrected"]),
                VERDICTS.get(row["verdict"], row["verdict"]),
                f"{row['needed']:,.0f}" if np.isfinite(row["needed"]) else "–",
            )
            for row in tuned.pairs.named()
        ]
        header = ("gain", "mean", "95 % interval", "p", "corrected", "verdict", "needed")
        yield ReportTable(header=header, rows=gains, numbers=("mean", "p", "corrected", "needed"))

    def _tuning(self) -> Iterator[tuple[str, str]]:
        tuned = self.tuned
        assert tuned is not None
        task, settings = tuned.task, tuned.comparison.settings
        measure, dialect = tuned.comparison.measures[0], tuned.comparison.dialect
        yield "tuned", f"for {measure}, as {dialect.name} computes it, on {_judged(tuned.queries)}"
        if tuned.unjudged:
            yield "ignored", f"{count(tuned.unjudged, 'query', 'queries')} of the runs that nobody judged"
        yield "folds", f"{task.folds}, dealt at random (seed {task.seed})"
        yield SINGLE, "for each fold the run that was best on the others"
        if UNTUNED in tuned.comparison.results:
            yield UNTUNED, f"{tuned.untuned.name}{_settings(tuned.untuned) or '; equal weights'}"
        yield "in sample", f"{number(tuned.in_sample)}, on the queries that the parameters were chosen on: too good"
        test = settings.paired_test
        yield (
            "test",
            f"{test.title}; {settings.family_correction.title} over these pairs; verdict at {settings.alpha:g}",
        )
        yield "interval", f"of the mean difference; {_wider(task.folds)}"
        yield "needed", "queries for 80 % power in a paired t test, if the gain found were the true one"


def _settings(method: FusionMethod) -> str:
    """The parameters after a semicolon."""
    known = method.parameters
    if isinstance(method, WeightedMethod):
        known = {**known, "weights": ", ".join(f"{one:.3g}" for one in method.weights)}
    told = [f"{name} = {value}" for name, value in known.items() if value not in ("", None)]
    return f"; {', '.join(told)}" if told else ""


def _judged(queries: int) -> str:
    return count(queries, "judged query", "judged queries")


def _some(names: list[str]) -> str:
    if len(names) <= NAMED:
        return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not"
    return f"{len(names):,} queries ({', '.join(names[:NAMED])}, …) are not"


def _wider(folds: int) -> str:
    """Why intervals and tests differ from those of a plain comparison."""
    factor = f"{widening(folds):.2f}"
    return f"wider than Student's by {factor}, as folds share the queries that they learn from; {REFERENCE}"
