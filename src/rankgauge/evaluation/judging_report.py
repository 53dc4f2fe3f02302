"""How much of what measures look at is judged: the line that comes before every value and every verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankgauge.evaluation.judged_share import JudgedShare, percent
from rankgauge.evaluation.result import Result
from rankgauge.render.passages import Paragraph

NAMED = 3
"""Up to so many runs are named one by one."""

Results = Mapping[str, Result]


def is_complete(results: Results) -> bool:
    """Whether everything that the measures look at is judged."""
    return all(share.judged == share.listed for result in results.values() for share in result.judged.values())


def judged_line(results: Results) -> str:
    """Which share of the measures' depth is judged, for each run: 77 % (bm25), 75 % (dense) of the top 10."""
    if is_complete(results):
        return "everything that the measures look at"
    shares = {run: {one.depth: one for one in result.judged.values()} for run, result in results.items()}
    depths = sorted(next(iter(shares.values())), key=lambda depth: (not depth, depth))
    return " and ".join(_of_depth({run: found[depth] for run, found in shares.items()}) for depth in depths)


def _of_depth(shares: Mapping[str, JudgedShare]) -> str:
    """The shares of the runs at one depth; of many runs the least and the most."""
    place = next(iter(shares.values())).place
    told = {run: percent(one) for run, one in shares.items()}
    if len(set(told.values())) == 1:
        return f"{next(iter(told.values()))} of {place}"
    named = list(told.items())
    if len(named) > NAMED:
        ordered = sorted(shares, key=lambda run: shares[run].share)
        return " to ".join(f"{told[run]} ({run})" for run in (ordered[0], ordered[-1])) + f" of {place}"
    return ", ".join(f"{words} ({run})" for run, words in named) + f" of {place}"


def is_relevant_only(results: Results) -> bool:
    """Whether the judgments list relevant documents alone, so that nobody knows which others were looked at."""
    return any(share.relevant_only for result in results.values() for share in result.judged.values())


RELEVANT_ONLY = (
    "every judged document has the same grade, so the judgments may list relevant documents only: whether others were "
    "looked at is not known"
)


def warnings(results: Results) -> Iterator[str]:
    """One sentence for each run of which so little is judged that its values mean nothing: why, and what to do."""
    for run, result in results.items():
        if (words := result.thin_words(run)) is not None:
            yield words


def passages(results: Results, *, always: bool, unjudged: str) -> Iterator[Paragraph]:
    """The share judged, and warnings, before anything else; `unjudged` says what becomes of other documents."""
    for words in warnings(results):
        yield Paragraph(f"Warning: {words}.", strong=True)
    if is_complete(results):
        if always:
            yield Paragraph(f"Judged: {judged_line(results)}.")
        return
    words = f"{unjudged}; {RELEVANT_ONLY}" if is_relevant_only(results) else unjudged
    yield Paragraph(f"Judged: {judged_line(results)}; {words}.")


def data(results: Results) -> list[dict[str, Any]]:
    """A row for each run and measure, for programs."""
    return [
        {
            "run": run,
            "measure": measure,
            "depth": share.depth or None,
            "listed": share.listed,
            "judged": share.judged,
            "share": share.share,
            "enough": not share.is_thin,
        }
        for run, result in results.items()
        for measure, share in result.judged.items()
    ]
