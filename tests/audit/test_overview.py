"""The audit as a whole: every tool beside each other, refusals with their reasons, headline and advice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankgauge import dialects
from rankgauge.audit import advise, audit, headline, movers
from rankgauge.audit.fitting import LEARNED_ONLY, fitting
from rankgauge.errors import InputError, ParameterError
from tests.audit.house import HOUSE, LETOR, RANKLIB, STANDARD, YAHOO

EMPTY_AND_SHORT = (
    {"a": {"x": 0}, "b": {f"d{n}": float(n == 0) for n in range(12)}, "c": {"y": 1, "z": 0}},
    {"a": {"x": 1}, "b": {f"d{n}": 12.0 - n for n in range(12)}, "c": {"y": 2, "z": 1}},
)
"""Query a has nothing relevant, b is ranked perfectly, c too, but has two documents: with nDCG@10 a tool that counts
empty queries as 1 gives 3/3, one that counts short lists as 0 gives 1/3, the papers give 2/3."""


def test_one_ranking_under_every_tool() -> None:
    """Each tool's mean is the hand-worked one."""
    found = audit(*EMPTY_AND_SHORT, dialects=[LETOR, YAHOO, RANKLIB])
    means = {dialect.name: found.mean("run", dialect) for dialect in found.dialects}
    assert means == pytest.approx({"standard": 2 / 3, "like letor": 1 / 3, "like yahoo": 3 / 3, "like ranklib": 2 / 3})
    assert [dialect.name for dialect in found.ranked("run")][0::3] == ["like letor", "like yahoo"]


def test_the_headline_names_the_gap_and_its_sources() -> None:
    """From 1/3 to 1: half of the gap is c, which is short; half is a, where empty and short meet.

    The gap is 2/3: c alone adds 1/3; a adds 1/3 once it is neither 0 for being short nor 0 for being empty, which two
    causes share: 3/4 of the gap are the short lists', 1/4 the empty query's.
    """
    told = headline(audit(*EMPTY_AND_SHORT, dialects=[LETOR, YAHOO]), "run")
    assert (
        told.gap == "The same ranking scores 0.33 (like letor) to 1.00 (like yahoo) by nDCG@10, depending on the tool."
    )
    assert told.cause == (
        "75 % of the gap comes from 2 lists of fewer than 10 documents, 25 % from 1 query without a relevant document."
    )


def test_tools_that_agree() -> None:
    """Where all tools agree the headline says so, and there is nothing to do."""
    found = audit({"a": {"x": 1}}, {"a": {"x": 1}}, dialects=[RANKLIB])
    assert str(headline(found, "run")) == "The same ranking scores 1.0000 by nDCG@10, whatever the tool."
    assert advise(found) == []
    assert movers(found, "run") == []


def test_advice_applies_to_the_data() -> None:
    """Each of the study's recommendations is given where the data has what it is about, and not elsewhere."""
    titles = [advice.title for advice in advise(audit(*EMPTY_AND_SHORT, dialects=[LETOR, YAHOO]))]
    assert titles == [
        "Avoid tools that count short lists as 0",
        "Mind the queries without relevant documents",
        "Report the standard definition",
    ]
    long = {"b": EMPTY_AND_SHORT[0]["b"], "c": {f"d{n}": float(n in (1, 2)) + (n == 1) for n in range(12)}}
    run = dict.fromkeys(long, EMPTY_AND_SHORT[1]["b"])
    assert [advice.title for advice in advise(audit(long, run, dialects=[LETOR, YAHOO]))] == [
        "Report the standard definition"
    ]


def test_a_refusal_is_told() -> None:
    """A tool that refuses the input appears with its reason; the others are computed."""
    judgments, run = {"a": {"x": 1, "y": -1}}, {"a": {"x": 1, "y": 2}}
    found = audit(judgments, run, dialects=["trec_eval", "sklearn"])
    assert "negative grade -1" in found.refused["sklearn"]
    assert [dialect.name for dialect in found.dialects] == ["standard", "trec_eval"]


def test_an_input_that_nobody_takes() -> None:
    """Where every tool refuses, the audit is an error that says why."""
    with pytest.raises(InputError, match=r"no tool takes this input; sklearn says: .*negative grade"):
        audit({"a": {"x": 1, "y": -1}}, {"a": {"x": 1, "y": 2}}, dialects=["sklearn"], base="sklearn")


def test_a_base_that_refuses_is_replaced() -> None:
    """Where the base refuses, the others are compared with the first that does not."""
    found = audit({"a": {"x": 1, "y": -1}}, {"a": {"x": 1, "y": 2}}, dialects=["trec_eval"], base="sklearn")
    assert found.base.name == "trec_eval"


def test_duplicates_as_each_tool_reads_them(tmp_path: Path) -> None:
    """A document twice in a LETOR query: standard and trec_eval refuse, LETOR 4 keeps the last line, MSLR both.

    The lines are d (grade 0, score 3), e (grade 1, score 2), d (grade 1, score 1). LETOR 4 ranks e, d: nDCG@1 = 1;
    MSLR ranks d, e, d with grades 0, 1, 1: nDCG@1 = 0.
    """
    (tmp_path / "test.txt").write_text("0 qid:1 1:0 #docid = d\n1 qid:1 1:0 #docid = e\n2 qid:1 1:0 #docid = d\n")
    (tmp_path / "scores.txt").write_text("3\n2\n1\n")
    found = audit(tmp_path / "test.txt", tmp_path / "scores.txt", "nDCG@1", dialects=["trec_eval", "letor4", "mslr"])
    assert set(found.refused) == {"standard", "trec_eval"}
    means = {dialect.name: found.mean("run", dialect) for dialect in found.dialects}
    assert means == pytest.approx({"letor4": 1 / 3, "mslr": 0 / 3})
    attribution = found.attribution("run", dialects.get("mslr"))
    assert {part.cause.name for part in attribution.mattering} == {"duplicates"}


def test_dialects_fit_the_files(letor: tuple[Path, Path]) -> None:
    """A LETOR file with scores is compared under the learners' tools as well, a run only under search tools."""
    learned = {dialect.name for dialect in fitting(*letor)}
    searched = {dialect.name for dialect in fitting({}, {})}
    assert {"standard", "trec_eval", "gdeval", *LEARNED_ONLY} <= learned
    assert {"standard", "trec_eval", "gdeval"} <= searched
    assert not searched & {*LEARNED_ONLY}
    assert set(LEARNED_ONLY) <= set(dialects.registry())


def test_movers_are_the_queries_apart(letor: tuple[Path, Path]) -> None:
    """The queries are listed by falling spread, each pattern of values once, with what they are like."""
    found = audit(*letor, dialects=HOUSE)
    listed = movers(found, "run", most=1000)
    assert [mover.spread for mover in listed] == sorted((mover.spread for mover in listed), reverse=True)
    assert sum(mover.like for mover in listed) <= 60
    empty = next(mover for mover in listed if "empty" in mover.kinds and mover.values["like letor"] == 0)
    assert empty.values["like yahoo"] == 1.0
    assert np.isnan(empty.values["like gdeval"])
    assert empty.relevant == 0


def test_several_runs_are_named(letor: tuple[Path, Path]) -> None:
    """A mapping of names to runs is several runs; a dict of dicts is one."""
    assert list(audit(letor[0], {"one": letor[1], "two": letor[1]}, dialects=[YAHOO]).scores) == ["one", "two"]
    nested = {"one": EMPTY_AND_SHORT[1], "two": EMPTY_AND_SHORT[1]}
    assert list(audit(EMPTY_AND_SHORT[0], nested, dialects=[YAHOO]).scores) == ["one", "two"]
    assert list(audit(*EMPTY_AND_SHORT, dialects=[YAHOO]).scores) == ["run"]


def test_counts_are_no_subject() -> None:
    """A measure that is a count has no mean to take apart."""
    with pytest.raises(ParameterError, match="averaged over queries"):
        audit(*EMPTY_AND_SHORT, "NumRel", dialects=[STANDARD])
