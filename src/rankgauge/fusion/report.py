"""The report of `rankgauge fuse`: what was fused and how, and what tuning gains on queries that it has not seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TextIO

import numpy as np

from rankgauge.comparison import PairVerdict
from rankgauge.evaluation.notes import thresholds
from rankgauge.fusion import METHODS, NORMALISATIONS, Fusion, JudgedFusion, TunedFusion
from rankgauge.fusion.method import Evidence, FusionMethod, LearnedMethod, WeightedMethod
from rankgauge.fusion.tuning import FEWEST, REFERENCE, SINGLE, UNTUNED, widening
from rankgauge.policies import Ties
from rankgauge.registry import title_of
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import count, interval, number, p_value, share, thousands, with_sign
from rankgauge.render.passages import Heading, Notes, Passage
from rankgauge.render.table import INTERVAL, Column, ReportTable
from rankgauge.render.terminal import show

NAMED = 3
"""How many queries a note names before it counts them."""

TIES = {Ties.EXPECTED: "share what their ranks are worth", Ties.INPUT: "are ranked in its order"}
"""What is done with ties, in words."""

VERDICTS = {PairVerdict.OPEN.value: "not shown"}
"""The words for a verdict where they differ from those of a comparison."""


UNSEEN, JUDGED = "On queries that the choice has not seen", "On judged queries"
"""The headings of what is gained by a tuned fusion, and by one as it is."""


def show_methods(out: TextIO) -> None:
    """Show every method and normalisation: what it is, its formula, and its parameters."""
    methods = [
        (name, f"{title_of(kind).removesuffix('.')}: {kind.formula}{_needs(kind)}") for name, kind in METHODS.items()
    ]
    norms = [(name, f"{norm.title}: {norm.formula}") for name, norm in NORMALISATIONS.items()]
    show((Heading("Methods"), Notes(methods), Heading("Normalisations"), Notes(norms)), out)


def _needs(kind: type[FusionMethod]) -> str:
    known = [f"--set {name}={value}" for name, value in kind().parameters.items() if name != "weights"]
    weights = ["--weights"] if issubclass(kind, WeightedMethod) else []
    told = [*weights, *known, *(["--judgments"] if issubclass(kind, LearnedMethod) else [])]
    return f" ({', '.join(told)})" if told else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class FusionReport(Report):
    """A fused run, and where it was tuned or tested on judged queries, what it gains there."""

    command = "fuse"

    fusion: Fusion
    tested: JudgedFusion | None = None
    untested: str | None = None
    """Why judgments do not tell what the fusion gains."""
    output: str | None = None
    """Where the run was written."""

    def document(self, medium: Medium) -> ReportDocument:
        """Return the runs, how they were fused, and what tuning gains."""
        passages: list[Passage] = [Heading("Runs")] if medium is Medium.PAGE else []
        passages += [self._runs(), Notes(list(self._facts()))]
        if self.tested is not None:
            passages += [*self._gains(self.tested), Notes(list(self._tuning(self.tested)))]
        title = f"{len(self.fusion.pool.runs)} runs fused by {self.fusion.method.name}"
        return ReportDocument(title=title, headline=self.headline(), passages=tuple(passages))

    def headline(self) -> str:
        """Say whether the fusion is shown to be better than the best single run, where judgments tell."""
        fused = f"{len(self.fusion.pool.runs)} runs fused by {self.fusion.method.name}"
        if self.tested is None:
            return fused
        gain = next(row for row in self.tested.gains.named() if row["other"] == SINGLE)
        measure = self.tested.comparison.measures[0]
        amount = f"{number(abs(gain['difference']))} {measure}"
        match PairVerdict(gain["verdict"]):
            case PairVerdict.BETTER:
                return f"{fused} beat the best single run by {amount}, which is more than luck"
            case PairVerdict.WORSE:
                return f"{fused} fall behind the best single run by {amount}, which is more than luck"
            case PairVerdict.EQUAL:
                return f"{fused} are as good as the best single run by {measure}"
        return (
            f"{fused}: not shown to beat the best single run ({with_sign(gain['difference'])} {measure}, may be luck)"
        )

    def data(self) -> dict[str, Any]:
        """Return everything, for programs."""
        fusion, pool, plan = self.fusion, self.fusion.pool, self.fusion.plan
        data: dict[str, Any] = {
            "method": fusion.method.name,
            "parameters": self._parameters(fusion.method),
            "normalisation": plan.norm.name,
            "ties": str(plan.ties),
            "depth": plan.depth,
            "learned_from": fusion.learned_from,
            "queries": len(pool.queries),
            "documents": fusion.documents,
            "listed_by": {str(runs): int(n) for runs, n in enumerate(fusion.times.tolist()) if runs},
            "runs": self._run_rows(),
            "output": self.output,
            **({} if self.untested is None else {"untested": self.untested}),
        }
        if (tested := self.tested) is not None:
            choices = [
                {
                    "fold": choice.fold,
                    "queries": choice.queries,
                    "parameters": self._parameters(choice.method),
                    "single": choice.single,
                }
                for choice in tested.choices
            ]
            tuned: dict[str, Any] = {}
            if isinstance(tested, TunedFusion):
                tuned = {"untuned": self._parameters(tested.untuned), "in_sample": tested.in_sample}
            data["tuning" if tuned else "test"] = {
                "headline": self.headline(),
                "measure": str(tested.comparison.measures[0]),
                "dialect": tested.comparison.dialect.name,
                "folds": tested.folds,
                "seed": tested.task.seed,
                "queries": tested.queries,
                **tuned,
                "choices": choices,
                "means": tested.comparison.mean_table,
                "pairs": tested.pairs,
            }
        return data

    def _run_rows(self) -> list[dict[str, Any]]:
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

    def _runs(self) -> ReportTable:
        """Return a row per run: its queries, its documents, and how many of them others have too."""
        weights = self._parameters(self.fusion.method).get("weights")
        rows = [{**listed, "weight": weights and weights[at]} for at, listed in enumerate(self._run_rows())]
        columns = (
            Column("run"),
            Column("queries", format=thousands),
            Column("documents", format=thousands),
            Column("in others too", ("shared", "documents"), share),
            *(() if weights is None else (Column("weight", format=lambda weight: f"{weight:.3g}"),)),
        )
        return ReportTable(columns=columns, rows=rows)

    def _parameters(self, method: FusionMethod) -> dict[str, Any]:
        """Return the parameters of a method for these runs, with the weights that it takes where none are given."""
        if not isinstance(method, WeightedMethod):
            return method.parameters
        return {**method.parameters, "weights": method.weighing(len(self.fusion.pool.runs)).tolist()}

    def _facts(self) -> Iterator[tuple[str, str]]:
        fusion, plan, pool = self.fusion, self.fusion.plan, self.fusion.pool
        yield "method", f"{fusion.method.name}: {fusion.method.formula}{_settings(fusion.method)}"
        if plan.method.looks_at is Evidence.RANKS and not plan.norm.inverts:
            yield "scores", "not looked at: the method knows ranks alone"
        else:
            yield "scores", f"{plan.norm.name}: {plan.norm.title}"
        if plan.method.looks_at is not Evidence.SCORES or plan.norm.by_rank:
            yield "ties", f"tied documents of a run {TIES[plan.ties]}"
        if fusion.learned_from:
            yield (
                "learned",
                f"from {_judged_words(fusion.learned_from)}; rel is the lowest grade that counts as relevant",
            )
        cut = "" if plan.depth is None else f", the first {plan.depth:,} of each query"
        yield "fused", f"{count(len(pool.queries), 'query', 'queries')}, {count(fusion.documents, 'document')}{cut}"
        whole, most = int(fusion.times.sum()), len(fusion.times) - 1
        of_all = f"{share(fusion.times[most], whole)} by {'both' if most == 2 else f'all {most}'}"
        yield "overlap", f"{share(fusion.times[1], whole)} of the documents are listed by one run, {of_all}"
        for row in self._run_rows():
            if row["missing"]:
                yield "missing", f"{_some(row['missing'])} in {row['run']}: fused from the other runs"
        if self.untested is not None:
            yield "tested", f"not yet: {self.untested}"
        yield "written", f"to {self.output}" if self.output else "nowhere: -o FILE writes the fused run to a file"

    def _gains(self, tested: JudgedFusion) -> Iterator[Passage]:
        """Yield what was tuned for each fold, if anything was, and what is gained."""
        if isinstance(tested, TunedFusion):
            rows = [(choice.fold, choice.queries, choice.method, choice.single) for choice in tested.choices]
            columns = (
                Column("fold", format=str),
                Column("queries", format=str),
                Column(
                    "parameters from the other folds", format=lambda method: _settings(method)[2:] or "–", left=True
                ),
                Column(SINGLE),
            )
            yield Heading("Tuned")
            yield ReportTable(columns=columns, rows=[*rows, ("all", tested.queries, tested.method, "")])
        mean = Column(str(tested.comparison.measures[0]), "mean", number)
        yield Heading(UNSEEN if isinstance(tested, TunedFusion) else JUDGED)
        means = [*tested.comparison.mean_table.named()]
        yield ReportTable(columns=("run", mean, INTERVAL, Column("queries", format=str)), rows=means)
        yield ReportTable(columns=GAINS, rows=[*tested.pairs.named()])

    def _tuning(self, tested: JudgedFusion) -> Iterator[tuple[str, str]]:
        task, settings = tested.task, tested.comparison.settings
        measure, dialect = tested.comparison.measures[0], tested.comparison.dialect
        done = "tuned" if isinstance(tested, TunedFusion) else "tested"
        yield done, f"for {measure}, as {dialect.name} computes it, on {_judged_words(tested.queries)}"
        yield from thresholds(dialect, (measure,))
        if tested.unjudged:
            yield "ignored", f"{count(tested.unjudged, 'query', 'queries')} of the runs that nobody judged"
        yield "folds", f"{tested.folds}, dealt at random (seed {task.seed})"
        tuned = isinstance(tested, TunedFusion)  # whose table says which runs were best
        best = "" if tuned else f": {', '.join(dict.fromkeys(choice.single for choice in tested.choices))}"
        yield SINGLE, f"for each fold the run that was best on the others{best}"
        if isinstance(tested, TunedFusion):
            if UNTUNED in tested.comparison.results:
                yield UNTUNED, f"{tested.untuned.name}{_settings(tested.untuned) or '; equal weights'}"
            yield "in sample", f"{number(tested.in_sample)}, on the queries that chose the parameters: no test of them"
        if any(np.isnan(row["low"]) for row in tested.pairs.named()):
            yield "not yet", f"fewer than {FEWEST} queries tell the two apart: no interval yet"
        test = settings.paired_test
        yield (
            "test",
            f"{test.title}; {settings.family_correction.title} over these pairs; verdict at {settings.alpha:g}",
        )
        wider = f"wider than Student's by {widening(tested.folds):.2f}, as folds share the queries that they learn from"
        yield "interval", f"of the mean difference; {wider}; {REFERENCE}"
        yield "needed", "queries for 80 % power in a paired t test, if the gain found were the true one"


def _settings(method: FusionMethod) -> str:
    known = method.parameters
    if isinstance(method, WeightedMethod):
        known = {**known, "weights": ", ".join(f"{weight:.3g}" for weight in method.weights)}
    told = [f"{name} = {value}" for name, value in known.items() if value not in ("", None)]
    return f"; {', '.join(told)}" if told else ""


GAINS = (
    Column("gain", ("run", "other"), "{} − {}".format, left=True),
    Column("mean", "difference", with_sign),
    replace(INTERVAL, format=lambda low, high: "not yet" if np.isnan(low) else interval(low, high)),
    Column("p", format=p_value),
    Column("corrected", format=p_value),
    Column("verdict", format=lambda verdict: VERDICTS.get(verdict, str(verdict)), left=True),
    Column("needed", format=thousands),
)
"""The gains of a fusion over other runs."""


def _judged_words(queries: int) -> str:
    return count(queries, "judged query", "judged queries")


def _some(names: list[str]) -> str:
    if len(names) <= NAMED:
        return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not"
    return f"{len(names):,} queries ({', '.join(names[:NAMED])}, …) are not"
