"""The gate of a comparison as a reader of a pull request sees it: the verdict, the difference, what would settle it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankgauge.comparison.gate import FEW_QUERIES, FEWEST, Gate, GateVerdict, fewest
from rankgauge.comparison.judging import BLIND, FAILED, FEW_JUDGED, JUDGING, UNANSWERED, WIDE
from rankgauge.comparison.tables import MOST, PairVerdict
from rankgauge.evaluation.judged_share import JudgedShare, remedy, too_few
from rankgauge.evaluation.judged_share import percent as judged_percent
from rankgauge.numeric import BoolArray
from rankgauge.records import record
from rankgauge.render.numbers import count, general, interval, number, percent, thousands, with_sign
from rankgauge.render.passages import Heading, Notes, Paragraph, Passage
from rankgauge.render.table import INTERVAL, Column, ReportTable

if TYPE_CHECKING:
    from rankgauge.comparison.gate import CollectionsGate

AnyGate: TypeAlias = "Gate | CollectionsGate"

REASONS = (*JUDGING, FAILED, FEW_QUERIES, UNANSWERED)
"""Why there is no verdict, where luck is not the reason."""

SHOWN = 3
"""How many queries are named."""


def headline(gate: AnyGate) -> str:
    """Return one sentence: the verdict, and what it rests on; another on ids that are spelled differently."""
    said = _verdict(gate)
    told = gate.misspelled if isinstance(gate, Gate) and "spelling" not in said else ""
    return f"{said}. {_sentence(told)}" if told else said


def _verdict(gate: AnyGate) -> str:
    base, concerned = " and ".join(gate.bases), list(gate.rows.where("verdict", gate.verdict.value).named())
    named = "; ".join(
        f"{_subject_against(gate, row)} {with_sign(row['difference'])}" for row in (*concerned, *gate.lost.named())
    )
    floors = "; ".join(
        f"{_subject(row)} {_beside_floor(row['mean'], row['floor'])}, floor {row['floor']:g}"
        for row in gate.floor_rows.where("verdict", gate.verdict.value).named()
    )
    if isinstance(gate, Gate) and (unjudged := _untold_rows(gate)):
        return f"cannot tell against {base}: {'; '.join(_explain_no_verdict(gate, row) for row in unjudged)}"
    match gate.verdict:
        case GateVerdict.WORSE:
            told = [f"worse than {base} by more than luck: {named}"] if named else []
            return "; ".join([*told, f"below the floor: {floors}"] if floors else told)
        case GateVerdict.UNDECIDED if isinstance(gate, Gate) and not concerned:
            return f"cannot tell: {'; '.join(_untold_floors(gate))}"
        case GateVerdict.UNDECIDED:
            return f"undecided against {base}: {named}; {_say_what_would_settle(concerned)}"
    return f"pass against {base}: {named}" if named else f"pass: not below the floor: {floors}"


def _say_what_would_settle(rows: Sequence[Mapping[str, Any]]) -> str:
    if any(row["reason"] in JUDGING for row in rows):
        return "too little is judged to tell"
    if any(row["reason"] == UNANSWERED for row in rows):
        return (
            "neither run answers many of the judged queries, and without these the verdict would be another one: leave "
            "them out (--missing skip), or say that nothing was found for them (--min-judged 0)"
        )
    if "needed" not in rows[0]:
        return f"the queries at hand, {rows[0]['queries']:,}, do not settle it"
    most = max(row["needed"] for row in rows)
    settled = f"about {most:,.0f} queries would settle it" if math.isfinite(most) else "more queries may not help"
    return f"{settled}, there are {rows[0]['queries']:,}"


def _untold_rows(gate: AnyGate) -> list[Mapping[str, Any]]:
    """Return the rows on which missing judgments or values leave no verdict, if nothing else decides."""
    rows: list[Mapping[str, Any]] = [row for row in gate.rows.named() if row["reason"] in REASONS]
    return rows if gate.verdict is GateVerdict.UNDECIDED else []


def _untold_floors(gate: Gate) -> Iterator[str]:
    """Yield why missing judgments do not show whether runs are below their floors."""
    for row in gate.floor_rows.where("verdict", GateVerdict.UNDECIDED.value).named():
        run, measure = row["run"], gate.measure(row["measure"])
        if gate.comparison.missing.has_failed(run):
            yield _failures(gate, run)
        elif gate.comparison.missing.is_thin(measure, run):
            yield _too_few(gate, run, str(measure))
        else:
            share = gate.comparison.results[run].judged[str(measure)]
            most = max(
                (gate.comparison.results[base].judged[str(measure)] for base in gate.bases), key=lambda one: one.share
            )
            supposed = gate.comparison.judged_rule.suppose(share, most)
            reached = number(gate.mean_as_good(measure, run))
            yield (
                f"{_subject(row)} {_beside_floor(row['mean'], row['floor'])} is below the floor {row['floor']:g}, but "
                f"{judged_percent(share, unjudged=True)} of {share.place} of {run} is unjudged, more than of the "
                f"baseline, and if those documents {supposed} it would be {reached}. "
                f"{_judge_more(gate, run, share)}"
            )


def _too_few(gate: Gate, run: str, measure: str) -> str:
    """Return how little of a run is judged, which share a verdict needs, and what to type."""
    result, least = gate.comparison.results[run], gate.comparison.judged_rule.least
    share = result.judged[measure]
    if share.is_thin:
        return f"{too_few(run, result.judged, share)}. {remedy(result.hits.mismatch)}"
    could = f"the {share.possible:,} documents in {share.place} of {run} that could be judged"
    few = f"{round(share.judged, 1):,} of {could} are ({100 * share.reach:.0f} %)"
    return f"{few}, fewer than --min-judged {least:g} asks for. {remedy(result.hits.mismatch)}"


def _explain_no_verdict(gate: Gate, row: Mapping[str, Any]) -> str:
    """Return why missing judgments or values leave no verdict on a run, and what to type."""
    if row["reason"] == FAILED:
        return "; ".join(
            _failures(gate, name) for name in (row["run"], row["other"]) if gate.comparison.missing.has_failed(name)
        )
    if row["reason"] == FEW_QUERIES:
        some = count(row["queries"], "query", "queries") if row["queries"] else "no query"
        return (
            f"{_subject(row)} {with_sign(row['difference'])}, but {some} can be compared, and a verdict needs {FEWEST}"
        )
    if row["reason"] == UNANSWERED:
        return _unanswered(gate, row)
    shares = {name: gate.comparison.results[name].judged[row["measure"]] for name in (row["run"], row["other"])}
    if row["reason"] == FEW_JUDGED:
        thin = [name for name, share in shares.items() if gate.comparison.judged_rule.is_thin(share)]
        told = (_too_few(gate, name, row["measure"]) for name in thin)
        told = (_sentence(words) if place else words for place, words in enumerate(told))
        return " ".join(words if words.endswith("?") else f"{words}." for words in told).removesuffix(".")
    if row["reason"] == BLIND:
        return _blind(gate, row)
    name = min(shares, key=lambda run: shares[run].share)
    other, share = next(one for run, one in shares.items() if run != name), shares[name]
    whose = row["other"] if name == row["run"] else row["run"]
    open_ = f"{judged_percent(share, unjudged=True)} of {share.place} of {name} is unjudged"
    more = f"{judged_percent(other, unjudged=True)} of {whose}'s"
    return (
        f"{_subject(row)} {with_sign(row['difference'])}, but {open_} ({more}), and if those documents "
        f"{gate.comparison.judged_rule.suppose(share, other)} it would be {with_sign(row['as_good'])}. "
        f"{_judge_more(gate, name, share)}"
    )


def _judge_more(gate: Gate, run: str, share: JudgedShare) -> str:
    return (
        f"Judge these {count(share.unjudged, 'document')} ({_pool_command(gate, run, share)}), or say --unjudged "
        "not-relevant if they are known not to be relevant"
    )


def _failures(gate: Gate, run: str) -> str:
    """Return how many searches of a run failed, and for which queries."""
    failed, queries = gate.comparison.missing.failed[run], gate.comparison.queries
    return (
        f"{int(failed.sum()):,} of {len(queries):,} searches of {run} failed ({_some(queries, failed)}). Search again"
    )


def _blind(gate: Gate, row: Mapping[str, Any]) -> str:
    """Return in how many queries nothing of one run is judged, for which, and why that may be."""
    comparison, measure = gate.comparison, gate.measure(row["measure"])
    blind = comparison.missing.blind(measure, row["run"], row["other"])
    shares = {name: comparison.missing.shares(measure, name)[0] for name in (row["run"], row["other"])}
    name = min(shares, key=lambda run: shares[run].share)
    named = [query for query, one in zip(comparison.queries, blind, strict=True) if one]
    judge = (
        f"Judge its documents ({_pool_command(gate, name, shares[name])}), or say --unjudged not-relevant if they are "
    )
    why = gate.explain(name, named) or f"{judge}known not to be relevant"
    return (
        f"{_subject(row)} {with_sign(row['difference'])}, but nothing in {shares[name].place} of {name} is judged for "
        f"{len(named):,} of {count(len(blind), 'query', 'queries')} ({_some(comparison.queries, blind)}), so that "
        f"these show nothing. {_sentence(why)}"
    )


def _unanswered(gate: Gate, row: Mapping[str, Any]) -> str:
    """Return how many queries neither run answers, the difference on the others, and what to type."""
    comparison = gate.comparison
    none = comparison.missing.unanswered(row["run"], row["other"])
    wanted = (row["run"], row["other"])
    pairs = enumerate(zip(*comparison.paired, strict=True))
    pair = next(at for at, sides in pairs if tuple(comparison.runs[side] for side in sides) == wanted)
    differences = comparison.differences[comparison.measures.index(gate.measure(row["measure"])), :, pair]
    other = float(np.nanmean(differences[~none]))
    judged = count(len(none), "judged query", "judged queries")
    return (
        f"{_subject(row)} {with_sign(row['difference'])}, but neither run answers {int(none.sum()):,} of {judged} "
        f"({_some(comparison.queries, none)}), and over the others it is {with_sign(other)}, which gives another "
        "verdict. If these were not searched for, or are spelled differently in the runs, mend that or leave them out "
        "(--missing skip); if nothing was found for them, say --min-judged 0"
    )


def _some(queries: Sequence[str], chosen: BoolArray) -> str:
    named = [query for query, one in zip(queries, chosen, strict=True) if one]
    return ", ".join(named[:SHOWN]) + (", …" if len(named) > SHOWN else "")


def _pool_command(gate: Gate, run: str, share: JudgedShare) -> str:
    source, judgments = gate.sources.get(run, run), gate.sources.get("", "JUDGMENTS")
    depth = f" --depth {share.depth}" if share.depth else ""
    return f"rankgauge pool make {source}{depth} --judgments {judgments} -o pool.csv"


def _subject(row: Mapping[str, Any]) -> str:
    segment = f" for {row['by']} {row['segment']}" if "segment" in row else ""
    collection = f" on {row['collection']}" if "collection" in row else ""
    return f"{row['measure']} of {row['run']}{segment}{collection}"


def _subject_against(gate: AnyGate, row: Mapping[str, Any]) -> str:
    """Return what a row is about, with its baseline where there are several."""
    return _subject(row) + (f" against {row['other']}" if len(gate.bases) > 1 and "other" in row else "")


def passages(gate: AnyGate) -> Iterator[Passage]:
    """Yield the verdict, a row per measure and run, and the rule."""
    yield Heading(f"Gate: {gate.verdict.value}" + _why(gate))
    words = _sentence(headline(gate))
    yield Paragraph(words if words.endswith("?") else f"{words}.")
    if gate.rules:
        yield ReportTable(columns=_columns(gate, gate.alpha), rows=[*gate.rows.named()])
    if (unequal := unequally_judged(gate)).rows:
        yield Heading(unequal.title)
        yield unequal
    if gate.lost:
        parts = [name for name in ("by", "segment", "collection") if name in gate.lost.kinds]
        yield ReportTable(columns=(*parts, *_columns(gate, gate.part_alpha)), rows=[*gate.lost.named()])
    if gate.floor_rows:
        yield floors(gate)
    yield Notes(list(notes(gate)))


def _why(gate: AnyGate) -> str:
    reasons = {row["reason"] for row in _untold_rows(gate)}
    told = {FAILED: "searches failed", FEW_QUERIES: "too few queries", UNANSWERED: "queries not answered"}
    return f" ({told.get(next(iter(reasons)), 'too little is judged')})" if reasons else ""


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def unequally_judged(gate: AnyGate) -> ReportTable:
    """List the runs that are judged more or less than the baseline, and what that can do to the difference."""
    changes = {"difference": "difference", "if as good": "as_good", "at least": "least", "at most": "most"}
    columns = (
        *(Column("measure"), Column("run")),
        Column("judged", format=percent),
        Column("baseline's", "other_judged", percent),
        *(Column(name, key, with_sign) for name, key in changes.items()),
    )
    rows = [row for row in gate.rows.named() if not math.isnan(row.get("as_good", math.nan))]
    return ReportTable(title="Judged unequally", columns=columns, rows=rows)


def _columns(gate: AnyGate, alpha: float) -> tuple[Column, ...]:
    columns = (
        *(Column("measure"), Column("run")),
        *((Column("against", "other"),) if len(gate.bases) > 1 else ()),
        Column("difference", format=with_sign),
        replace(INTERVAL, name=f"{100 * (1 - alpha):.4g} % interval"),
        Column("tolerated", "tolerance", general),
        *(Column(name, format=thousands) for name in ("queries", "changed", "needed")),
        Column("verdict"),
    )
    return tuple(column for column in columns if column.keys[0] in gate.rows.kinds)


def floors(gate: AnyGate) -> ReportTable:
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


def notes(gate: AnyGate) -> Iterator[tuple[str, str]]:
    """Yield the rule in words."""
    strict = [rule for rule in gate.rules if not rule.tolerance]
    if gate.floor_rows:
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
    if isinstance(gate, Gate):
        yield from _conflicts(gate)
    if unequally_judged(gate).rows:
        yield (
            "if as good",
            "the difference if each unjudged document had the grade of a judged one of its run from about the same "
            f"rank, or, of a run that is judged {100 * WIDE:.0f} points less, the highest grade; a verdict counts only "
            "if it stays the same",
        )
        yield "bounds", "at least and at most: whatever the grades of the unjudged documents that the two runs show"
    if gate.part_count and gate.rules:
        looked = f"{gate.part_count} looked at, at 1 − {gate.part_alpha:.2g}"
        own = "".join(f"; {tolerance.segment} may lose {tolerance.loss:g}" for tolerance in gate.tolerances)
        yield gate.part_kind, f"{looked}; one that is worse fails the gate, none makes it undecided{own}"
    if isinstance(gate, Gate):
        yield from _query_notes(gate)


def _query_notes(gate: Gate) -> Iterator[tuple[str, str]]:
    least, open_ = fewest(gate.alpha), gate.rows.where("verdict", GateVerdict.UNDECIDED.value)
    if any(0 < changed < least for changed in gate.rows["changed"]):
        few = f"fewer than {least} queries differ: the interval reaches as far as others like them"
        yield "changed", f"{few}, not seen yet, could move the mean"
    if any(math.isfinite(needed) for needed in open_["needed"]):
        yield "needed", "the queries that would settle it in 4 of 5 cases, if difference and spread are as found"


def _conflicts(gate: Gate) -> Iterator[tuple[str, str]]:
    """Yield why the table of pairs says something else of a run, where it does."""
    key = ("measure", "run", "other")
    pairs = {tuple(row[name] for name in key): row["verdict"] for row in gate.comparison.pair_table.named()}
    conflicts = [(row, pairs[tuple(row[name] for name in key)]) for row in gate.rows.named()]
    lost = PairVerdict.WORSE.value
    other = [
        (row, said) for row, said in conflicts if (said == lost) is not (row["verdict"] == GateVerdict.WORSE.value)
    ]
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


def cases(gate: AnyGate) -> list[GateCase]:
    """Return everything that the gate looks at."""
    cases = []
    for group, rows, alpha in (("gate", gate.rows, gate.alpha), (gate.part_kind, gate.part_rows, gate.part_alpha)):
        for row in rows.named():
            ends = f"{100 * (1 - alpha):.4g} % interval {interval(row['low'], row['high'])}"
            numbers = f"{with_sign(row['difference'])} against {row['other']}, {ends}, tolerated {row['tolerance']:g}"
            why = f": {row['reason']}" if row["reason"] in REASONS else ""
            words = f"{numbers}, {count(row['queries'], 'query', 'queries')}{why}"
            cases.append(GateCase(group=group, name=_subject_against(gate, row), verdict=row["verdict"], words=words))
    for row in gate.floor_rows.named():
        mean, queries = _beside_floor(row["mean"], row["floor"]), count(row["queries"], "query", "queries")
        words = f"mean {mean}, floor {row['floor']:g}, {queries}"
        cases.append(GateCase(group="floors", name=_subject(row), verdict=row["verdict"], words=words))
    return cases


def lost_queries(gate: Gate) -> ReportTable:
    """Return the queries on which runs lost most against the baseline, by the measures of the rules."""
    comparison, rows = gate.comparison, []
    for place in sorted({comparison.measures.index(gate.measure(rule.measure)) for rule in gate.rules}):
        values, differences = comparison.values[place], comparison.differences[place]
        for pair, (run, other) in enumerate(zip(*comparison.paired, strict=True)):
            order = np.argsort(differences[:, pair], kind="stable")  # NaN comes last
            for query in [one for one in order if differences[one, pair] < 0][:MOST]:
                named = (str(comparison.measures[place]), comparison.queries[query], comparison.runs[run])
                rows.append((*named, values[query, other], values[query, run], differences[query, pair]))
    values_ = (
        Column("baseline's", format=number),
        Column("run's", format=number),
        Column("difference", format=with_sign),
    )
    return ReportTable(title="Queries that lost most", columns=("measure", "query", "run", *values_), rows=rows)


def data(gate: AnyGate) -> dict[str, Any]:
    """Return the verdict, its exit code, the levels, and the rows."""
    own = {"judged": asdict(gate.comparison.judged_rule), "floors": gate.floor_rows} if isinstance(gate, Gate) else {}
    return {
        "verdict": gate.verdict.value,
        "exit_code": gate.verdict.exit_code,
        "level": 1 - gate.alpha,
        f"{gate.part_kind.removesuffix('s')}_level": 1 - gate.part_alpha,
        "rows": gate.rows,
        gate.part_kind: gate.part_rows,
        **own,
    }
