"""What asking a language model will take, and what it took, in a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

import polars as pl

from rankgauge.files import table_suffixes
from rankgauge.files.source import suffix_of
from rankgauge.judgments.agreement import agreement
from rankgauge.judgments.llm.asking.outcome import Asked
from rankgauge.judgments.llm.asking.requests import spelled
from rankgauge.judgments.llm.asking.session import AskingSession
from rankgauge.judgments.pairwise import Choices, FittedPreferences
from rankgauge.render.numbers import percent


def show_forecast(session: AskingSession, out: TextIO) -> None:
    """Says what is to be asked, and about what that costs."""
    found, prices, question = session.forecast(), session.prices, session.question
    to_ask = found.pairs - found.cached
    noun = session.noun
    print(f"{noun + 's':10} {found.pairs:,} of {found.queries:,} queries; {found.cached:,} answered before", file=out)
    if session.pairs.cut:
        how = " are judged in windows, whose best grade counts" if session.pairs.windows else " are cut"
        how = how.replace("are", "is") if session.pairs.cut == 1 else how
        print(f"long       {session.pairs.cut:,} {_plural(session.pairs.cut, 'text')} of documents{how}", file=out)
    if question.prompt.examples:
        print(f"examples   {len(question.prompt.examples)}, graded by people; an audit leaves them out", file=out)
    if not to_ask:
        return
    print(f"to ask     {to_ask:,} {_plural(to_ask, noun)}, {_asking(session)}", file=out)
    most = "about" if found.is_counted else "at most"
    print(f"tokens     about {found.tokens_in:,} in, {most} {found.tokens_out:,} out", file=out)
    if question.samples > 1:
        print("           an endpoint that gives one answer at a time charges the prompt again for each", file=out)
    if prices.known:
        cost = prices.cost(found.tokens_in, found.tokens_out)
        spent = session.spending.cost
        before = f"; {_money(spent)} was spent before" if spent else ""
        print(f"cost       {'about' if found.is_counted else 'up to about'} {_money(cost)}{before}", file=out)
    caps = [f"{prices.max_tokens:,} tokens"] if prices.max_tokens is not None else []
    caps += [f"a cost of {prices.max_cost:g}"] if prices.max_cost is not None else []
    if caps:
        print(f"cap        {' and '.join(caps)}, earlier sessions included", file=out)
    if found.seconds is not None:
        print(f"time       about {spelled(found.seconds)} at the pace so far", file=out)
    if question.has_chances:
        source = "log-probabilities" if question.logprobs else f"{question.samples} answers for each pair"
        print(f"grades     with probabilities, from {source}", file=out)


def show_prompt(session: AskingSession, out: TextIO) -> None:
    """Shows the messages about one pair."""
    for message in session.example():
        print(f"\n--- {message['role']} ---\n{message['content']}", file=out)


def show_outcome(outcome: Asked, output: Path, out: TextIO) -> None:
    """Says how it went."""
    if outcome.choices is None:
        print(
            f"graded     {len(outcome.frame):,} of {outcome.pairs:,} pairs ({outcome.cached:,} from before)", file=out
        )
    else:
        told = len(outcome.choices.query)
        print(f"answered   {told:,} of {outcome.pairs:,} lists ({outcome.cached:,} from before)", file=out)
        show_preferences(outcome.choices, out)
    print(f"requests   {outcome.requests:,}", file=out)
    if outcome.refusals or outcome.refused:
        print(
            f"refused    {outcome.refusals:,} {_plural(outcome.refusals, 'answer')}, not a grade in the agreed",
            file=out,
            end="",
        )
        print(f" form; {outcome.refused:,} {_plural(outcome.refused, 'pair')} without a grade", file=out)
        if outcome.refused:
            print("           they are not asked about again unless a higher --again is given", file=out)
    if outcome.failed:
        print(f"failed     {outcome.failed:,} {_plural(outcome.failed, 'pair')}; the next start asks again", file=out)
    if outcome.left:
        why = "an error" if outcome.error else outcome.stopped
        print(f"left       {outcome.left:,} {_plural(outcome.left, 'pair')}, not asked: {why}", file=out)
    for problem, times in outcome.faults:
        print(f"fault      {problem} ({times:,} {_plural(times, 'time')})", file=out)
    cost = "" if outcome.cost is None else f"; cost {_money(outcome.cost)}"
    print(f"tokens     {outcome.tokens_in:,} in, {outcome.tokens_out:,} out{cost}", file=out)
    for note in outcome.notes:
        print(f"note       {note}", file=out)
    print(f"time       {outcome.seconds:.1f} s", file=out)
    if outcome.frame.is_empty():
        print(f"nothing is written to {output}: there are no grades", file=out)
    else:
        part = "" if outcome.is_complete else ", what there is so far"
        bare = outcome.has_chances and suffix_of(output) not in table_suffixes()
        print(f"written to {output}{part}{', without the probabilities: it is no table' if bare else ''}", file=out)


def show_preferences(choices: Choices, out: TextIO) -> None:
    """Say how far the first place is preferred, how often both orders agree, and what was fitted."""
    if not choices.query:
        return
    fitted = FittedPreferences.fit(choices)
    value, low, high = fitted.first_share()
    agree = fitted.swap_share()
    ends = f"{percent(value)} [{100 * low:.0f}, {100 * high:.0f}]"
    print(f"first      of two equal documents the first is preferred in {ends} of the answers", file=out)
    print(
        f"           asking in both orders takes that out; both orders agree on {percent(agree)} of the pairs", file=out
    )
    print("grades     the share of the query's other documents that a document is preferred to", file=out)


def show_panel(panel: Mapping[str, pl.DataFrame], out: TextIO) -> None:
    """Say how far the models of a panel agree, two by two."""
    told = [
        frame.select("query", "document", pl.col("grade").cast(pl.Float64), assessor=pl.lit(name))
        for name, frame in panel.items()
    ]
    found = agreement(pl.concat(told))
    print(f"\npanel      {len(panel)} models; alpha (ordinal) {found['alpha-ordinal']:.2f}", file=out)
    for row in found.pairs.iter_rows(named=True):
        same = f"same grade {percent(row['observed'])}, kappa (quadratic) {row['kappa_quadratic']:.2f}"
        print(f"           {row['assessor']} and {row['other']}: {same}, {row['items']:,} pairs", file=out)
    print(
        "           how many independent judges they are worth takes people's labels: rankgauge audit judge", file=out
    )


def _asking(session: AskingSession) -> str:
    answers = session.question.samples
    return f"{session.patience.jobs} at a time" + (f", {answers} answers each" if answers > 1 else "")


def _money(cost: float) -> str:
    return f"{cost:,.2f}" if cost >= 10 else f"{cost:.4f}"


def _plural(n: int, word: str) -> str:
    return word if n == 1 else f"{word}s"
