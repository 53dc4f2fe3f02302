"""What an audit advises: each sentence follows from a number of the audit, and says no more than that."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from rankgauge.audit.judge.report import JudgeAuditReport, advise
from tests.judge_audit.collection import audited, board


def told(**settings: object) -> str:
    """The advice on a judge, as one text."""
    audit = audited(**settings)  # type: ignore[arg-type]
    return " ".join(advise(audit, "judge", JudgeAuditReport(audit=audit).needed))


def sampled(number: int, depth: int | None = None) -> pl.DataFrame:
    """People's grades of documents drawn at random, from those that a run has above a depth if there is one."""
    people, runs, _ = board()
    if depth is not None:
        tops = pl.concat(
            [
                run.filter(pl.int_range(pl.len()).over("query") < depth).select("query", "document")
                for run in runs.values()
            ]
        )
        people = people.join(tops.unique(), on=["query", "document"], how="semi")
    kept = np.random.default_rng(5).permutation(len(people))[:number]
    return people[np.sort(kept)]


def test_a_perfect_judge_may_be_quoted() -> None:
    """No bias, no claim that fails."""
    text = told(judge=board()[0])
    assert "Its values of nDCG@10 may be quoted: they are off by 0.00 at most" in text
    assert "probably right (τ 1.00 to 1.00" in text
    assert "Do not" not in text


def test_a_generous_judge_is_not_quoted() -> None:
    """The span of the sentence is that of the intervals in the table of values."""
    audit = audited()
    rows = audit.values.filter(pl.col("measure") == "nDCG@10")
    low, high = rows["low"].min(), rows["high"].max()
    text = told()
    assert f"{low:.2f} to {high:.2f} too high" in text or f"{-low:.2f} too low or {high:.2f} too high" in text
    assert "Do not publish its values" in text


def test_claims_that_fail_are_named() -> None:
    """Where people judged everything, the pairs that the judge alone calls significant are those not to claim."""
    audit = audited()
    lost = audit.differences.filter(pl.col("significant"), pl.col("kept") < 0.95)
    text = told()
    assert ("Do not claim on its word" in text) == (len(lost) > 0)
    claimed = audit.differences.filter(pl.col("significant"))
    assert f"Of {len(claimed)} differences that it calls significant, {claimed['kept'].sum():.0f} hold." in text


def test_a_forecast_is_not_stated_as_a_fact() -> None:
    """From a sample of labels, differences should hold, and the labels that would settle more are named."""
    text = told(people=sampled(200))
    title = JudgeAuditReport(audit=audited(people=sampled(200))).headline()
    assert "the forecast from 200 labels is that" in title
    assert "forecast" not in JudgeAuditReport(audit=audited()).headline()
    assert "should hold" in text
    assert re.search(r"Do not claim on its word that \S+ beats \S+ \(\d+ % likely\)", text)
    assert "likely" not in told()
    assert "possible with 200 labels" in text
    assert "rankgauge active plan RUN… --judge judge=FILE --judgments LABELS -m nDCG@10 --budget" in text
    assert "on queries like these)" in told()


def test_labels_of_the_top_alone_are_said_to_be() -> None:
    """A judge that was checked at ranks 1 to 5 alone was not checked below."""
    audit = audited(people=sampled(150, depth=5))
    assert audit.shallow_labels == 5
    assert "all of documents at rank 5 or above in some run" in " ".join(JudgeAuditReport(audit=audit).advice)
    assert audited(people=sampled(200)).shallow_labels is None


def test_without_runs_there_is_nothing_to_advise() -> None:
    """Agreement alone decides nothing about runs."""
    assert told(runs={}) == ""
