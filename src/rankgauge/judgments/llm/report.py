"""What asking a language model will take, and what it took, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

import polars as pl

from rankgauge.files import table_suffixes
from rankgauge.files.source import suffix_of
from rankgauge.judgments.agreement import agreement
from rankgauge.judgments.llm.asking.outcome import Asked
from rankgauge.judgments.llm.asking.session import AskingSession, spell_duration
from rankgauge.judgments.pairwise import Choices, FittedPreferences
from rankgauge.render.numbers import count, percent

Lines = Iterator[tuple[str, str]]
"""A subject, or nothing if it is that of the line above, and words."""


def show_forecast(session: AskingSession, out: TextIO) -> None:
    """Says what is to be asked, and about what that costs."""
    _print(_forecast(session), out)


def _forecast(session: AskingSession) -> Lines:
    told, prices, question, noun = session.forecast(), session.prices, session.question, session.noun
    yield noun + "s", f"{told.pairs:,} of {told.queries:,} queries; {told.cached:,} answered before"
    if cut := session.pairs.cut:
        be = "is" if cut == 1 else "are"
        how = "judged in windows, whose best grade counts" if session.pairs.windows else "cut"
        yield "long", f"{count(cut, 'text')} of documents {be} {how}"
    if examples := question.prompt.examples:
        yield "examples", f"{len(examples)}, graded by people; an audit leaves them out"
    to_ask = told.pairs - told.cached
    if not to_ask:
        return
    answers = f", {question.samples} answers each" if question.samples > 1 else ""
    yield "to ask", f"{count(to_ask, noun)}, {session.patience.jobs} at a time{answers}"
    yield "tokens", f"about {told.tokens_in:,} in, {'about' if told.is_counted else 'at most'} {told.tokens_out:,} out"
    if question.samples > 1:
        yield "", "an endpoint that gives one answer at a time charges the prompt again for each"
    if prices.known:
        cost, spent = prices.cost(told.tokens_in, told.tokens_out), session.spending.cost
        before = f"; {_money(spent)} was spent before" if spent else ""
        yield "cost", f"{'about' if told.is_counted else 'up to about'} {_money(cost)}{before}"
    caps = [f"{prices.max_tokens:,} tokens"] if prices.max_tokens is not None else []
    caps += [f"a cost of {prices.max_cost:g}"] if prices.max_cost is not None else []
    if caps:
        yield "cap", f"{' and '.join(caps)}, earlier sessions included"
    if told.seconds is not None:
        yield "time", f"about {spell_duration(told.seconds)} at the pace so far"
    if question.has_chances:
        source = "log-probabilities" if question.logprobs else f"{question.samples} answers for each pair"
        yield "grades", f"with probabilities, from {source}"


def show_prompt(session: AskingSession, out: TextIO) -> None:
    """Shows the messages about one pair."""
    for message in session.example():
        print(f"\n--- {message['role']} ---\n{message['content']}", file=out)


def show_outcome(outcome: Asked, output: Path, out: TextIO) -> None:
    """Says how it went."""
    _print(_outcome(outcome), out)
    if outcome.frame.is_empty():
        print(f"nothing is written to {output}: there are no grades", file=out)
        return
    part = "" if outcome.is_complete else ", what there is so far"
    bare = outcome.has_chances and suffix_of(output) not in table_suffixes()
    print(f"written to {output}{part}{', without the probabilities: it is no table' if bare else ''}", file=out)


def _outcome(outcome: Asked) -> Lines:
    noun, answered = outcome.noun, f"{outcome.pairs:,} {outcome.noun}s ({outcome.cached:,} from before)"
    if outcome.choices is not None:
        yield "answered", f"{len(outcome.choices.query):,} of {answered}"
        yield from _preferences(outcome.choices)
    elif noun == "window":
        yield "graded", f"{count(len(outcome.frame), 'document')}, from {answered}"
    else:
        yield "graded", f"{len(outcome.frame):,} of {answered}"
    yield "requests", f"{outcome.requests:,}"
    if outcome.refusals or outcome.refused:
        answers, pairs = count(outcome.refusals, "answer"), count(outcome.refused, noun)
        yield "refused", f"{answers}, not a grade in the agreed form; {pairs} without a grade"
        if outcome.refused:
            yield "", "they are not asked about again unless a higher --again is given"
    if outcome.failed:
        yield "failed", f"{count(outcome.failed, noun)}; the next start asks again"
    if outcome.left:
        yield "left", f"{count(outcome.left, noun)}, not asked: {'an error' if outcome.error else outcome.stopped}"
    yield from (("fault", f"{problem} ({count(times, 'time')})") for problem, times in outcome.faults)
    cost = "" if outcome.cost is None else f"; cost {_money(outcome.cost)}"
    yield "tokens", f"{outcome.tokens_in:,} in, {outcome.tokens_out:,} out{cost}"
    if outcome.caps:
        yield "cap", f"{outcome.caps} spent, earlier sessions included"
    yield from (("note", note) for note in outcome.notes)
    yield "time", f"{outcome.seconds:.1f} s"


def _preferences(choices: Choices) -> Lines:
    """Say how far the first place is preferred, how often both orders agree, and what was fitted."""
    if not choices.query:
        return
    fitted = FittedPreferences.fit(choices)
    value, low, high = fitted.first_share()
    ends = f"{percent(value)} [{100 * low:.0f}, {100 * high:.0f}]"
    agree = percent(fitted.swap_share())
    yield "first", f"of two equal documents the first is preferred in {ends} of the answers"
    yield "", f"asking in both orders takes that out; both orders agree on {agree} of the pairs"
    yield "grades", "the share of the query's other documents that a document is preferred to"


def show_panel(panel: Mapping[str, pl.DataFrame], out: TextIO) -> None:
    """Say how far the models of a panel agree, two by two."""
    told = [
        frame.select("query", "document", pl.col("grade").cast(pl.Float64), assessor=pl.lit(name))
        for name, frame in panel.items()
    ]
    print(file=out)
    _print(_panel(len(panel), pl.concat(told)), out)


def _panel(models: int, grades: pl.DataFrame) -> Lines:
    agreed = agreement(grades)
    yield "panel", f"{models} models; alpha (ordinal) {agreed['alpha-ordinal']:.2f}"
    for row in agreed.pairs.iter_rows(named=True):
        same = f"same grade {percent(row['observed'])}, kappa (quadratic) {row['kappa_quadratic']:.2f}"
        yield "", f"{row['assessor']} and {row['other']}: {same}, {row['items']:,} pairs"
    yield "", "how many independent judges they are worth takes people's labels: rankgauge audit judge"


def _print(lines: Lines, out: TextIO) -> None:
    for subject, words in lines:
        print(f"{subject:10} {words}", file=out)


def _money(cost: float) -> str:
    return f"{cost:,.2f}" if cost >= 10 else f"{cost:.4f}"
