"""What asking a language model took, in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from rankgauge.files import table_suffixes
from rankgauge.files.source import suffix_of
from rankgauge.judgments.agreement import agreement
from rankgauge.judgments.llm.asking.outcome import Asked
from rankgauge.judgments.llm.asking.session import Lines, spell_cost
from rankgauge.judgments.pairwise import FittedPreferences
from rankgauge.render.numbers import count, percent


def show(lines: Lines) -> None:
    """Print subjects and words."""
    for subject, words in lines:
        print(f"{subject:10} {words}")


def show_outcome(outcome: Asked, output: Path) -> None:
    """Say how it went."""
    show(_outcome(outcome))
    if outcome.frame.is_empty():
        print(f"nothing is written to {output}: there are no grades")
        return
    part = "" if outcome.is_complete else ", what there is so far"
    bare = outcome.has_chances and suffix_of(output) not in table_suffixes()
    print(f"written to {output}{part}{', without the probabilities: it is no table' if bare else ''}")


def _outcome(outcome: Asked) -> Lines:
    noun, answered = outcome.noun, f"{outcome.pairs:,} {outcome.noun}s ({outcome.cached:,} from before)"
    if outcome.choices is not None:
        yield "answered", f"{len(outcome.choices.query):,} of {answered}"
        if outcome.choices.query:
            fitted = FittedPreferences.fit(outcome.choices)
            value, low, high = fitted.first_share()
            ends, agree = f"{percent(value)} [{100 * low:.0f}, {100 * high:.0f}]", percent(fitted.swap_share())
            yield "first", f"of two equal documents the first is preferred in {ends} of the answers"
            yield "", f"asking in both orders takes that out; both orders agree on {agree} of the pairs"
            yield "grades", "the share of the query's other documents that a document is preferred to"
    elif noun == "window":
        yield "graded", f"{count(len(outcome.frame), 'document')}, from {answered}"
    else:
        yield "graded", f"{len(outcome.frame):,} of {answered}"
    yield "requests", f"{outcome.requests:,}"
    if outcome.refusals or outcome.refused:
        yield "refused", f"{count(len(outcome.refusals), 'answer')}; {count(outcome.refused, noun)} without a grade"
        kinds = Counter(reason.partition(": ")[0] for reason in outcome.refusals)
        for kind, times in kinds.most_common():
            said = next(reason for reason in reversed(outcome.refusals) if reason.startswith(kind))
            yield (
                "",
                f"{count(times, 'time')} {said}"
                if times == 1
                else f"{times:,} times {kind}, the last{said[len(kind) :]}",
            )
        if outcome.refused:
            yield "", "they are not asked about again unless a higher --again is given"
    if outcome.failed:
        yield "failed", f"{count(outcome.failed, noun)}; the next start asks again"
    if outcome.left:
        yield "left", f"{count(outcome.left, noun)}, not asked: {'an error' if outcome.error else outcome.stopped}"
    yield from (("fault", f"{problem} ({count(times, 'time')})") for problem, times in outcome.faults)
    cost = "" if outcome.cost is None else f"; cost {spell_cost(outcome.cost)}"
    yield "tokens", f"{outcome.tokens_in:,} in, {outcome.tokens_out:,} out{cost}"
    if outcome.caps:
        yield "cap", f"{outcome.caps} spent, earlier sessions included"
    yield from (("note", note) for note in outcome.notes)
    yield "time", f"{outcome.seconds:.1f} s"


def panel(frames: Mapping[str, pl.DataFrame]) -> Lines:
    """Yield how far the models of a panel agree, two by two."""
    grades = pl.col("grade").cast(pl.Float64)
    told = [frame.select("query", "document", grades, assessor=pl.lit(name)) for name, frame in frames.items()]
    agreed = agreement(pl.concat(told))
    yield "panel", f"{len(frames)} models; alpha (ordinal) {agreed['alpha-ordinal']:.2f}"
    for row in agreed.pairs.iter_rows(named=True):
        same = f"same grade {percent(row['observed'])}, kappa (quadratic) {row['kappa_quadratic']:.2f}"
        yield "", f"{row['assessor']} and {row['other']}: {same}, {row['items']:,} pairs"
    yield "", "how many independent judges they are worth takes people's labels: rankgauge audit judge"
