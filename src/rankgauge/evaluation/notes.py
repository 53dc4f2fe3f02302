"""What a reader should know before quoting a number: the notes under a table, in plain words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.evaluation import judged_share as judging
from rankgauge.evaluation.summary import SAMPLE
from rankgauge.measures import Measure, parse
from rankgauge.measures.graded.dcg import DCG
from rankgauge.numeric import FloatArray
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, JudgmentKind, MissingQuery, Undefined, Unjudged
from rankgauge.render.numbers import number

if TYPE_CHECKING:
    from rankgauge.evaluation.report import EvaluationReport
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
    """Yield notes on what grades are worth; `highest` is the highest grade of the judgments."""
    yield from _gains(dialect, measures)
    yield from thresholds(dialect, measures)
    yield from _settings(dialect, measures)
    yield from _top(dialect, measures, highest)


def board_worths(targets: Sequence[BoardTarget], highest: float) -> Iterator[tuple[str, str]]:
    """Yield notes on what grades are worth to a board's measures, by the names that the user wrote."""
    told = worths(targets[0].dialect, [parse(target.name) for target in targets], highest)
    return (note for note in told if note[0] != NO_EFFECT)


def thresholds(dialect: Dialect, measures: Sequence[Measure]) -> Iterator[tuple[str, str]]:
    """Yield notes on the lowest grade that counts as relevant, and on measures that the chosen one does not change."""
    used: dict[float, list[str]] = {}
    for measure in measures:
        if (rel := threshold(dialect, measure)) is not None:
            used.setdefault(rel, []).append(str(measure))
    said = [f"{lowest_relevant(rel)} counts as relevant" for rel in used]
    if len(used) > 1 or sum(map(len, used.values())) < len(measures):
        said = [f"{words} ({shorten_list(names)})" for words, names in zip(said, used.values(), strict=True)]
    if said:
        yield "relevant", "; ".join(said)
    if unmoved := dialect.unmoved(measures):
        own = [replace(one, rel=dialect.rel) for one in unmoved if isinstance(one, DCG) and not one.rel]
        hint = f" ({own[0]} has one)" if own else ""
        yield (
            NO_EFFECT,
            f"a threshold of {dialect.rel:g} changes nothing for {shorten_list([*map(str, unmoved)])}{hint}",
        )


def threshold(dialect: Dialect, measure: Measure) -> float | None:
    """Return the lowest grade that counts as relevant, 0 if every judged document does; None if there is none."""
    rel = dialect.threshold(measure)
    if rel is None and not isinstance(measure, DCG):
        rel = getattr(measure, "rel", None)
    return rel if rel is not None and np.isfinite(rel) else None


def _settings(dialect: Dialect, measures: Sequence[Measure]) -> Iterator[tuple[str, str]]:
    """Yield a note on parameters that a user set for all measures, and that none of these leaves open."""
    plain = replace(dialect, readings=dialect.registry.get(dialect.name, dialect).readings)
    if dialect.settings and all(dialect.read(measure) == plain.read(measure) for measure in measures):
        yield NO_EFFECT, f"{', '.join(dialect.settings)} changes nothing for {shorten_list([*map(str, measures)])}"


def lowest_relevant(rel: float) -> str:
    """Return the threshold in words."""
    return "any grade above 0" if rel == ABOVE_ZERO else f"a grade of {rel:g} or more"


def shorten_list(names: Sequence[str]) -> str:
    """Return the first of the names, and how many more there are."""
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
    """Yield the top of the scale, where a measure depends on it and leaves it open."""
    needing = [measure for measure in measures if measure.needs_top]
    if not needing:
        if not dialect.top_scale and dialect.max_grade != dialects.get(dialect.name).max_grade:
            yield (
                NO_EFFECT,
                f"a top grade of {dialect.max_grade:g} changes nothing for {shorten_list([*map(str, measures)])}",
            )
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


def note_worths(target: Target, grades: FloatArray) -> Iterator[tuple[str, str]]:
    """What the grades of a pool's scale are worth to the measure that is estimated, where that is all that counts."""
    if target.form is not None:
        shown = (", ".join(f"{number:.4g}" for number in numbers) for numbers in (grades, target.worth))
        yield "worth", "grades {} are worth {}".format(*shown)
    else:
        yield from worths(target.dialect, (target.measure,), float(grades.max()))


FEW = 10
"""With fewer queries an interval says little: Student's factor is 2.3 at 9 queries, 12.7 at 2."""


def notes(report: EvaluationReport) -> list[tuple[str, str]]:
    """Return pairs of a subject and what to know of it; a subject that does not matter to these results is absent."""
    return [
        note
        for kind in (
            *(_dialect, _note_lacking, _ideal, _worths, _intervals, _few),
            *(_note_counts, _note_undefined, _bounds, _note_sampled, _strangers, _files),
        )
        for note in kind(report)
    ]


def collection_notes(reports: Mapping[str, EvaluationReport]) -> Iterator[tuple[str, str]]:
    """Yield the notes on the same runs over many collections: what holds for all once, queries by collection."""
    first = next(iter(reports.values()))
    results = {place: list(report.results.values()) for place, report in reports.items()}
    yield from _dialect(first)
    yield from _note_lacking(first)
    yield from worths(
        first.dialect, first.measures, max(one.hits.highest for found in results.values() for one in found)
    )
    counted: dict[tuple[str, str, str], list[str]] = {}
    for place, report in reports.items():
        yield from ((subject, f"{place}: {words}") for subject, words in _ideal(report))
        for subject, counts, queries, decision in _decisions(report):
            counted.setdefault((subject, queries, decision), []).append(f"{place} {counts}")
        for subject, words in _note_undefined(report):
            yield subject, f"on {place}, {words}"
    for (subject, queries, decision), by_place in counted.items():
        more = f"; and {len(by_place) - NAMED} more collections" if len(by_place) > NAMED else ""
        yield subject, f"{queries} ({'; '.join(by_place[:NAMED])}{more}); {decision}"
    if drawn := [place for place, found in results.items() if any((one.errors > 0).any() for one in found)]:
        yield "sampled", f"orders of tied documents were drawn at random on {shorten_list(drawn)}"
    if strange := [place for place, found in results.items() if any(one.hits.strangers for one in found)]:
        yield "ignored", f"queries that nobody judged, on {shorten_list(strange)}"
    for words in dict.fromkeys(words for found in results.values() for one in found for words in one.hits.notes):
        yield "input", words


def warnings(report: EvaluationReport) -> list[tuple[str, str]]:
    """Return the notes without which values alone would mislead, for formats that have no place for notes."""
    kinds = (
        _note_unjudged,
        _dialect,
        _note_lacking,
        _ideal,
        _thresholds,
        _few,
        _note_counts,
        _note_undefined,
        _strangers,
        _files,
    )
    return [note for kind in kinds for note in kind(report)]


def _note_unjudged(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Yield how much is judged, where not all of it is."""
    yield from (("warning", words) for words in judging.warnings(report.results))
    if not judging.is_complete(report.results):
        words = unjudged_words(report.dialect, report.measures)
        only = f"; {judging.RELEVANT_ONLY}" if judging.is_relevant_only(report.results) else ""
        yield "judged", f"{judging.judged_line(report.results)}; {words}{only}"


def describe_empty(empty: Undefined) -> str:
    """Return what becomes of a query with nothing relevant."""
    return "they are left out of the mean" if empty == LEAVE_OUT else f"a value of 0/0 counts as {float(empty):g}"


def _dialect(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    yield "dialect", report.dialect.label()


def _note_lacking(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Yield the measures that the dialect's tool does not have."""
    lacked = report.dialect.lacked(report.measures)
    if lacked is not None:
        yield "no tool", lacked


def _ideal(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Yield the relevant documents that a tool passes over, as its ideal holds retrieved ones alone."""
    words = {run: result.ideal_words for run, result in report.results.items()}
    for run, told in words.items():
        if told is not None:
            yield "ideal", f"{run}: {told}" if len(words) > 1 else told


def _worths(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    highest = max(result.hits.highest for result in report.results.values())
    return worths(report.dialect, report.measures, highest)


def _thresholds(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Which grades count as relevant, where a grade of 1 does not decide, and what the user's threshold leaves."""
    used = {threshold(report.dialect, measure) for measure in report.measures}
    told = thresholds(report.dialect, report.measures)
    return (note for note in told if note[0] == NO_EFFECT or used - {None, 1.0})


def _intervals(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    uneven = [str(one) for one in report.uneven] if report.several else []
    if report.several and len(uneven) < len(report.measures):
        yield "*", "the best of the runs by this measure"
    if uneven:
        which = f" by {shorten_list(uneven)}" if len(uneven) < len(report.measures) else ""
        yield (
            "no best",
            f"the runs' means{which} rest on different queries; rankgauge compare uses those that both have",
        )
    if report.interval == SAMPLE:
        yield from _sample_intervals(report)
        return
    kind = {"t": "Student's t", "bca": f"BCa bootstrap, seed {report.seed}"}[report.interval]
    alone = "; of each run by itself, no test of their difference" if report.several else ""
    yield "interval", f"95 %, of the mean over queries ({kind}){alone}"


def _sample_intervals(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Yield what intervals of a sample are of, and why some are missing."""
    from rankgauge.evaluation.sample_intervals import SAMPLES

    yield (
        "interval",
        "95 %, of what the mean over these queries would be with all of the pool judged; not of other queries "
        f"({SAMPLES} samples drawn again, seed {report.seed})",
    )
    if report.by:
        yield "segments", "have no intervals of this kind"
    concerned: dict[str, list[str]] = {}
    for run, result in report.results.items():
        for measure, reason in zip(report.measures, result.sample_intervals(report.seed).reasons, strict=True):
            if reason is not None:
                concerned.setdefault(reason, []).append(f"{measure} of {run}" if report.several else str(measure))
    for reason, names in concerned.items():
        yield "no interval", f"for {shorten_list(names)}: {reason}"


def _few(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Too few queries: the interval may even be as wide as the measure's bounds."""
    fewest = min(len(result.counted) for result in report.results.values())
    if fewest < FEW:
        yield "few", f"{fewest} {'query is' if fewest == 1 else 'queries are'} too few for an interval to say much"


def unjudged_words(dialect: Dialect, measures: Sequence[Measure]) -> str:
    """Return what becomes of unjudged documents; of a sample, those that were drawn stand for others."""
    drawn = [str(measure) for measure in measures if measure.facts.judgments is JudgmentKind.SAMPLES]
    skipping = [str(measure) for measure in measures if measure.judged_only]
    if skipping and not drawn:
        if len(skipping) == len(measures):
            return Unjudged.SKIP.words
        return f"{dialect.unjudged.words}; by {shorten_list(skipping)}, {Unjudged.SKIP.words}"
    if not drawn:
        return dialect.unjudged.words
    if len(drawn) == len(measures):
        return "those that were drawn stand for the rest of the pool, and others count as not relevant"
    return f"{dialect.unjudged.words}; by {shorten_list(drawn)} those that were drawn stand for the rest of the pool"


def _note_counts(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Return queries that need a decision, and how the dialect decided."""
    return ((subject, f"{counts} {queries}; {decision}") for subject, counts, queries, decision in _decisions(report))


def _decisions(report: EvaluationReport) -> Iterator[tuple[str, str, str, str]]:
    """Yield a subject, how many queries of each run need a decision, which queries they are, and the decision."""
    decisions: tuple[tuple[str, str, Callable[[Dialect], str]], ...] = (
        ("empty", "have nothing relevant", lambda dialect: describe_empty(dialect.empty) + _scope(dialect, "empty")),
        ("missing", "are judged but not in the run", describe_missing),
        ("short", "have a list shorter than a cutoff", lambda dialect: dialect.short.words + _scope(dialect, "short")),
        ("tied", "have tied scores", lambda dialect: dialect.ties.words),
    )
    for subject, what, decide in decisions:
        ruled = {str(one): one for one in report.measures if subject != "empty" or not one.left_out}
        counts: dict[str, str] = {}
        concerned: dict[str, int] = {}
        for run, result in report.results.items():
            numbers = zip(map(str, report.measures), result.counts[subject].tolist(), strict=True)
            counted = {measure: n for measure, n in numbers if n and measure in ruled}
            if counted:
                counts[run] = f"{max(counted.values())} of {len(result.hits.names)}"
                concerned |= counted
        if counts:
            decision = describe_by_measure(report.dialect, ruled.values(), decide)
            yield subject, _by_run(report, counts), f"queries {what}{_of_measures(report, concerned)}", decision


def describe_by_measure(dialect: Dialect, measures: Iterable[Measure], describe: Callable[[Dialect], str]) -> str:
    """Return what the dialect does in words, by measure where it does not do the same for each of them."""
    words: dict[str, list[str]] = {}
    for measure in measures:
        words.setdefault(describe(dialect.provider(measure)), []).append(str(measure))
    return "; ".join(said if len(words) == 1 else f"by {shorten_list(names)} {said}" for said, names in words.items())


def describe_missing(dialect: Dialect) -> str:
    """Return what becomes of a judged query for which nothing was retrieved."""
    if dialect.missing is not MissingQuery.ZERO:
        return dialect.missing.words
    said = MissingQuery.ZERO.words
    if dialect.unanswered is not None:
        said = f"a judged query that the run does not answer {_describe_worth(dialect.unanswered)}"
    if dialect.vacant is not None:
        said += f"; one with nothing to find either {_describe_worth(dialect.vacant)}"
    return said


def _describe_worth(value: Undefined) -> str:
    return "is left out of the mean" if value == LEAVE_OUT else f"counts {float(value):g}"


def _note_undefined(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Yield queries for which a formula is 0/0 although they have something relevant."""
    for at, measure in enumerate(report.measures):
        counts = {}
        for run, result in report.results.items():
            if result.undefined[at]:
                counts[run] = f"{result.undefined[at]} of {len(result.counted)}"
        if counts:
            decision = describe_empty(LEAVE_OUT if measure.left_out else report.dialect.choice("empty", measure))
            yield "undefined", f"{_by_run(report, counts)} queries have no {measure}: it is 0/0; {decision}"


def _scope(dialect: Dialect, choice: str) -> str:
    """Return which measures a choice of the dialect is for, where it is not for all of them."""
    return f" (for {', '.join(dialect.only_for[choice])} only)" if choice in dialect.only_for else ""


def _of_measures(report: EvaluationReport, concerned: Collection[str]) -> str:
    """Return which measures a count is about, where it is not about all of them."""
    return "" if len(concerned) == len(report.measures) else f" ({shorten_list(list(concerned))})"


def _bounds(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Yield how far the order of tied documents alone could move a mean."""
    improving = [str(measure) for measure in report.measures if measure.facts.improves]
    for run, table in report.summaries.items():
        of = f" of {run}" if report.several else ""
        bounds = [row for row in table.rows("measure", "worst", "best") if row[0] in improving and row[2] > row[1]]
        widest = sorted(bounds, key=lambda row: row[2] - row[1], reverse=True)
        ends = [(measure, number(low), number(high)) for measure, low, high in widest]
        ranges = [f"{measure} {low} to {high}" for measure, low, high in ends if low != high]
        if ranges:
            yield "tie range", f"the order of tied documents alone could move the mean{of}: {shorten_list(ranges)}"


def _note_sampled(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Yield means that rest on random orders of tied documents, as no closed form is known."""
    for run, table in report.summaries.items():
        errors = [f"{name} ± {error:.5f}" for name, error in table.rows("measure", "sampling_error") if error > 0]
        if errors:
            of = f" of {run}" if report.several else ""
            yield (
                "sampled",
                f"orders of tied documents{of} were drawn at random; standard error: {shorten_list(errors)}",
            )


def _strangers(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Yield the queries that runs answer and that nobody judged; runs with the same ones share a note."""
    for queries in dict.fromkeys(filter(None, report.unjudged.values())):
        runs = [run for run, strangers in report.unjudged.items() if strangers == queries]
        of = ", ".join(runs) if report.several else "the run"
        plural = "query" if len(queries) == 1 else "queries"
        yield "ignored", f"{len(queries)} {plural} of {of} that nobody judged: {shorten_list(queries)}"


def _files(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Yield what the readers of the files had to say, once where several runs share it."""
    for words in dict.fromkeys(words for result in report.results.values() for words in result.hits.notes):
        yield "input", words


def _by_run(report: EvaluationReport, counts: Mapping[str, str]) -> str:
    same = len(counts) == len(report.results) and len(set(counts.values())) == 1
    if same:
        return next(iter(counts.values()))
    return ", ".join(f"{count} ({run})" for run, count in counts.items())
