"""The gate of a comparison as a reader of a pull request sees it: the verdict, the difference, what would settle it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from rankgauge.comparison.gate import BLIND, FAILED, FEW_JUDGED, FEW_QUERIES, FEWEST, JUDGING, Gate, GateVerdict, fewest
from rankgauge.comparison.tables import MOST, PairVerdict
from rankgauge.evaluation.judged_share import JudgedShare, remedy, too_few
from rankgauge.evaluation.judged_share import percent as judged_percent
from rankgauge.numeric import BoolArray
from rankgauge.records import record
from rankgauge.render.numbers import count, general, interval, number, percent, signed, thousands
from rankgauge.render.passages import Heading, Notes, Paragraph, Passage
from rankgauge.render.table import INTERVAL, Column, ReportTable

REASONS = (*JUDGING, FAILED, FEW_QUERIES)
"""Why there is no verdict, where luck is not the reason."""

SHOWN = 3
"""How many queries are named."""


def headline(gate: Gate) -> str:
    """One sentence: the verdict, and what it rests on; another on ids that are spelled differently."""
    said = _verdict(gate)
    told = gate.misspelled if "spelling" not in said else ""
    return f"{said}. {_sentence(told)}" if told else said


def _verdict(gate: Gate) -> str:
    base, rows = " and ".join(gate.comparison.bases), list(gate.rows.named())
    concerned = [row for row in rows if row["verdict"] == gate.verdict.value]
    lost = list(gate.lost.named())
    named = "; ".join(f"{_subject_against(gate, row)} {signed(row['difference'])}" for row in (*concerned, *lost))
    floors = "; ".join(
        f"{_subject(row)} {_beside_floor(row['mean'], row['floor'])}, floor {row['floor']:g}"
        for row in gate.floor_rows.where("verdict", gate.verdict.value).named()
    )
    if unjudged := _untold_rows(gate):
        return f"cannot tell against {base}: {'; '.join(_untold(gate, row) for row in unjudged)}"
    match gate.verdict:
        case GateVerdict.WORSE:
            told = [f"worse than {base} by more than luck: {named}"] if named else []
            return "; ".join([*told, f"below the floor: {floors}"] if floors else told)
        case GateVerdict.UNDECIDED if not concerned:
            return f"cannot tell: {'; '.join(_untold_floors(gate))}"
        case GateVerdict.UNDECIDED:
            most = max(row["needed"] for row in concerned)
            settled = (
                f"about {most:,.0f} queries would settle it" if math.isfinite(most) else "more queries may not help"
            )
            return f"undecided against {base}: {named}; {settled}, there are {concerned[0]['queries']:,}"
    return f"pass against {base}: {named}" if named else f"pass: not below the floor: {floors}"


def _untold_rows(gate: Gate) -> list[Mapping[str, Any]]:
    """The rows on which missing judgments or values leave no verdict, if nothing else decides."""
    rows: list[Mapping[str, Any]] = [row for row in gate.rows.named() if row["reason"] in REASONS]
    return rows if gate.verdict is GateVerdict.UNDECIDED else []


def _untold_floors(gate: Gate) -> Iterator[str]:
    """Why missing judgments do not show whether runs are below their floors."""
    for row in gate.floor_rows.where("verdict", GateVerdict.UNDECIDED.value).named():
        failed = gate.has_failed(row["run"])
        yield _failures(gate, row["run"]) if failed else _too_few(gate, row["run"], row["measure"])


def _too_few(gate: Gate, run: str, measure: str) -> str:
    """How little of a run is judged, which share a verdict needs, and what to type."""
    result, least = gate.comparison.results[run], gate.comparison.judged_rule.least
    share = result.judged[measure]
    if share.is_thin:
        return f"{too_few(run, result.judged, share)}. {remedy(result.hits.mismatch)}"
    could = f"the {share.possible:,} documents in {share.place} of {run} that could be judged"
    few = f"{round(share.judged, 1):,} of {could} are ({100 * share.reach:.0f} %)"
    return f"{few}, fewer than --min-judged {least:g} asks for. {remedy(result.hits.mismatch)}"


def _untold(gate: Gate, row: Mapping[str, Any]) -> str:
    """Why missing judgments or values leave no verdict on a run, and what to type."""
    if row["reason"] == FAILED:
        return "; ".join(_failures(gate, name) for name in (row["run"], row["other"]) if gate.has_failed(name))
    if row["reason"] == FEW_QUERIES:
        some = count(row["queries"], "query", "queries") if row["queries"] else "no query"
        return f"{_subject(row)} {signed(row['difference'])}, but {some} can be compared, and a verdict needs {FEWEST}"
    shares = {name: gate.comparison.results[name].judged[row["measure"]] for name in (row["run"], row["other"])}
    if row["reason"] == FEW_JUDGED:
        thin = [name for name, share in shares.items() if gate.comparison.judged_rule.is_thin(share)]
        return ". ".join(_too_few(gate, name, row["measure"]) for name in thin)
    if row["reason"] == BLIND:
        return _blind(gate, row)
    name = min(shares, key=lambda run: shares[run].share)
    other, share = next(one for run, one in shares.items() if run != name), shares[name]
    whose = row["other"] if name == row["run"] else row["run"]
    open_ = f"{judged_percent(share, unjudged=True)} of {share.place} of {name} is unjudged"
    more = f"{judged_percent(other, unjudged=True)} of {whose}'s"
    documents = count(share.unjudged, "document")
    return (
        f"{_subject(row)} {signed(row['difference'])}, but {open_} ({more}), and if those documents were as good as "
        f"judged ones it would be {signed(row['as_good'])}. Judge these {documents} "
        f"({_pool_command(gate, name, share)}), or say --unjudged not-relevant if they are "
        "known not to be relevant"
    )


def _failures(gate: Gate, run: str) -> str:
    """How many searches of a run failed, and for which queries."""
    failed, queries = gate.comparison.missing.failed[run], gate.comparison.queries
    return (
        f"{int(failed.sum()):,} of {len(queries):,} searches of {run} failed ({_some(queries, failed)}). Search again"
    )


def _blind(gate: Gate, row: Mapping[str, Any]) -> str:
    """In how many queries nothing of one run is judged, for which, and why that may be."""
    comparison = gate.comparison
    measure = next(one for one in comparison.measures if str(one) == row["measure"])
    blind = comparison.missing.blind(measure, row["run"], row["other"])
    shares = {name: comparison.missing.shares(measure, name)[0] for name in (row["run"], row["other"])}
    name = min(shares, key=lambda run: shares[run].share)
    named = [query for query, one in zip(comparison.queries, blind, strict=True) if one]
    judge = (
        f"Judge its documents ({_pool_command(gate, name, shares[name])}), or say --unjudged not-relevant if they are "
    )
    why = gate.explain(name, named) or f"{judge}known not to be relevant"
    return (
        f"{_subject(row)} {signed(row['difference'])}, but nothing in {shares[name].place} of {name} is judged for "
        f"{len(named):,} of {count(len(blind), 'query', 'queries')} ({_some(comparison.queries, blind)}), so that "
        f"these show nothing. {_sentence(why)}"
    )


def _some(queries: Sequence[str], chosen: BoolArray) -> str:
    """The first of the chosen queries."""
    named = [query for query, one in zip(queries, chosen, strict=True) if one]
    return ", ".join(named[:SHOWN]) + (", …" if len(named) > SHOWN else "")


def _pool_command(gate: Gate, run: str, share: JudgedShare) -> str:
    """What to type for the documents of a run that nobody judged."""
    source, judgments = gate.sources.get(run, run), gate.sources.get("", "JUDGMENTS")
    depth = f" --depth {share.depth}" if share.depth else ""
    return f"rankgauge pool make {source}{depth} --judgments {judgments} -o pool.csv"


def _subject(row: Mapping[str, Any]) -> str:
    segment = f" for {row['by']} {row['segment']}" if "segment" in row else ""
    return f"{row['measure']} of {row['run']}{segment}"


def _subject_against(gate: Gate, row: Mapping[str, Any]) -> str:
    """What a row is about, with its baseline where there are several."""
    return _subject(row) + (f" against {row['other']}" if gate.comparison.rivals and "other" in row else "")


def passages(gate: Gate) -> Iterator[Passage]:
    """The verdict, a row per measure and run, and the rule."""
    yield Heading(f"Gate: {gate.verdict.value}" + _why(gate))
    words = _sentence(headline(gate))
    yield Paragraph(words if words.endswith("?") else f"{words}.")
    if gate.rules:
        yield table(gate)
    if (unequal := unequally_judged(gate)).rows:
        yield Heading(unequal.title)
        yield unequal
    if gate.lost:
        yield lost(gate)
    if gate.floors:
        yield floors(gate)
    yield Notes(list(notes(gate)))


def _why(gate: Gate) -> str:
    """What there is too little of for a verdict, if luck is not the reason."""
    reasons = {row["reason"] for row in _untold_rows(gate)}
    told = {FAILED: "searches failed", FEW_QUERIES: "too few queries"}
    return f" ({told.get(next(iter(reasons)), 'too little is judged')})" if reasons else ""


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def table(gate: Gate) -> ReportTable:
    """List what the gate asks of each measure and run, and what became of it."""
    return ReportTable(columns=_columns(gate, gate.alpha), rows=[*gate.rows.named()])


def unequally_judged(gate: Gate) -> ReportTable:
    """List the runs that are judged more or less than the baseline, and what that can do to the difference."""
    changes = {"difference": "difference", "if as good": "as_good", "at least": "least", "at most": "most"}
    columns = (
        *(Column("measure"), Column("run")),
        Column("judged", format=percent),
        Column("baseline's", "other_judged", percent),
        *(Column(name, key, signed) for name, key in changes.items()),
    )
    rows = [row for row in gate.rows.named() if not math.isnan(row["as_good"])]
    return ReportTable(title="Judged unequally", columns=columns, rows=rows)


def _columns(gate: Gate, alpha: float) -> tuple[Column, ...]:
    return (
        *(Column("measure"), Column("run")),
        *((Column("against", "other"),) if gate.comparison.rivals else ()),
        Column("difference", format=signed),
        replace(INTERVAL, name=f"{100 * (1 - alpha):.4g} % interval"),
        Column("tolerated", "tolerance", general),
        Column("queries", format=thousands),
        Column("changed", format=thousands),
        Column("needed", format=thousands),
        Column("verdict"),
    )


def lost(gate: Gate) -> ReportTable:
    """List the measures, runs and segments that are worse."""
    columns = (Column("by"), Column("segment"), *_columns(gate, gate.segment_alpha))
    return ReportTable(columns=columns, rows=[*gate.lost.named()])


def floors(gate: Gate) -> ReportTable:
    """List the floors by measure and run."""
    columns = (
        *(Column("measure"), Column("run")),
        Column("mean", ("mean", "floor"), _beside_floor),
        Column("floor", format=general),
        Column("queries", format=thousands),
        Column("verdict"),
    )
    return ReportTable(columns=columns, rows=[*gate.floor_rows.named()])


def _beside_floor(mean: float, floor: float) -> str:
    """Write a mean, with more digits where a rounded one would be on the other side of its floor."""
    short = f"{mean:.4f}"
    return short if (float(short) < floor) is (mean < floor) else f"{mean:.6f}"


def notes(gate: Gate) -> Iterator[tuple[str, str]]:
    """The rule in words."""
    strict = [rule for rule in gate.rules if not rule.tolerance]
    if gate.floors:
        yield "floor", "the mean over the queries at hand must not be below it, whatever its interval and the baseline"
    if len(strict) < len(gate.rules):
        yield "gate", "worse if the whole interval is below the tolerated loss, pass if it is wholly above it"
    if strict:
        yield (
            "gate" if len(strict) == len(gate.rules) else "without",
            "without a tolerance: worse if the whole interval is below 0, pass if the mean is not below the "
            "baseline's, which does not show that nothing was lost",
        )
    if gate.tests > 1:
        level = gate.alpha * gate.tests
        yield "interval", f"at 1 − {level:.4g}/{gate.tests}, since {gate.tests} are looked at (Bonferroni)"
    if gate.look is not None:
        yield "look", gate.look.words
    yield from _conflicts(gate)
    if unequally_judged(gate).rows:
        yield (
            "if as good",
            "the difference if each unjudged document had the grade of a judged one of its run from about the same "
            "rank; a verdict counts only if it stays the same",
        )
        yield "bounds", "at least and at most: whatever the grades of the unjudged documents that the two runs show"
    least = fewest(gate.alpha)
    if gate.comparison.by and gate.rules:
        looked = f"{len(gate.segments)} looked at, at 1 − {gate.segment_alpha:.2g}"
        own = "".join(f"; {one.segment} may lose {one.loss:g}" for one in gate.tolerances)
        yield "segments", f"{looked}; one that is worse fails the gate, none makes it undecided{own}"
    open_ = gate.rows.where("verdict", GateVerdict.UNDECIDED.value)
    if any(0 < changed < least for changed in gate.rows["changed"]):
        few = f"fewer than {least} queries differ: the interval reaches as far as others like them"
        yield "changed", f"{few}, not seen yet, could move the mean"
    if any(math.isfinite(needed) for needed in open_["needed"]):
        yield "needed", "the queries that would settle it in 4 of 5 cases, if difference and spread are as found"


def _conflicts(gate: Gate) -> Iterator[tuple[str, str]]:
    """Why the table of pairs says something else of a run, where it does."""
    key = ("measure", "run", "other")
    pairs = {tuple(row[name] for name in key): row["verdict"] for row in gate.comparison.pair_table.named()}
    found = [(row, pairs[tuple(row[name] for name in key)]) for row in gate.rows.named()]
    lost = PairVerdict.WORSE.value
    other = [(row, said) for row, said in found if (said == lost) is not (row["verdict"] == GateVerdict.WORSE.value)]
    if other:
        settings, (row, said) = gate.comparison.settings, other[0]
        loss = f"a loss of more than {row['tolerance']:g}" if row["tolerance"] else "a loss"
        yield (
            "and pairs",
            f"{_subject(row)} is {row['verdict']} here and {said} among the pairs: those ask whether there is any "
            f"difference ({settings.paired_test.title}, corrected over the pairs of a measure, at {settings.alpha:g}), "
            f"the gate for {loss} by an interval at {100 * (1 - gate.alpha):.4g} %",
        )


@record
class GateCase:
    """One thing that a gate looks at, as a test: its group, its name, the verdict, and the numbers in words."""

    group: str
    name: str
    verdict: str
    words: str


def cases(gate: Gate) -> list[GateCase]:
    """Everything that the gate looks at."""
    found = []
    for group, rows, alpha in (("gate", gate.rows, gate.alpha), ("segments", gate.segment_rows, gate.segment_alpha)):
        for row in rows.named():
            ends = f"{100 * (1 - alpha):.4g} % interval {interval(row['low'], row['high'])}"
            numbers = f"{signed(row['difference'])} against {row['other']}, {ends}, tolerated {row['tolerance']:g}"
            why = f": {row['reason']}" if row["reason"] in REASONS else ""
            words = f"{numbers}, {count(row['queries'], 'query', 'queries')}{why}"
            found.append(GateCase(group=group, name=_subject_against(gate, row), verdict=row["verdict"], words=words))
    for row in gate.floor_rows.named():
        mean, queries = _beside_floor(row["mean"], row["floor"]), count(row["queries"], "query", "queries")
        words = f"mean {mean}, floor {row['floor']:g}, {queries}"
        found.append(GateCase(group="floors", name=_subject(row), verdict=row["verdict"], words=words))
    return found


def lost_queries(gate: Gate) -> ReportTable:
    """The queries on which runs lost most against the baseline, by the measures of the rules."""
    comparison, rows = gate.comparison, []
    for place in sorted({comparison.measures.index(gate.measure(rule)) for rule in gate.rules}):
        values, differences = comparison.values[place], comparison.differences[place]
        for pair, (run, other) in enumerate(zip(*comparison.paired, strict=True)):
            order = np.argsort(differences[:, pair], kind="stable")  # NaN comes last
            for query in [one for one in order if differences[one, pair] < 0][:MOST]:
                named = (str(comparison.measures[place]), comparison.queries[query], comparison.runs[run])
                rows.append((*named, values[query, other], values[query, run], differences[query, pair]))
    values_ = (Column("baseline's", format=number), Column("run's", format=number), Column("difference", format=signed))
    return ReportTable(title="Queries that lost most", columns=("measure", "query", "run", *values_), rows=rows)


def data(gate: Gate) -> dict[str, Any]:
    """The verdict, its exit code, the level, and the rows."""
    return {
        "judged": asdict(gate.comparison.judged_rule),
        "verdict": gate.verdict.value,
        "exit_code": gate.verdict.exit_code,
        "level": 1 - gate.alpha,
        "segment_level": 1 - gate.segment_alpha,
        "rows": gate.rows,
        "segments": gate.segment_rows,
        "floors": gate.floor_rows,
    }
