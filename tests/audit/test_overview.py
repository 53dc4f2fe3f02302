"""The audit as a whole: every tool beside each other, refusals with their reasons, headline and advice."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from rankgauge import dialects
from rankgauge.audit.tools import advise, audit, headline, movers
from rankgauge.audit.tools.cause import CAUSES
from rankgauge.audit.tools.overview import remedies
from rankgauge.audit.tools.report import AuditReport
from rankgauge.audit.tools.scores import LEARNED_ONLY, fitting
from rankgauge.errors import InputError, ParameterError
from tests.audit.house import HOUSE, LETOR, RANKLIB, STANDARD, YAHOO

Table = dict[str, dict[str, float]]

EMPTY_AND_SHORT = (
    {"a": {"x": 0}, "b": {f"d{n}": float(n == 0) for n in range(12)}, "c": {"y": 1, "z": 0}},
    {"a": {"x": 1}, "b": {f"d{n}": 12.0 - n for n in range(12)}, "c": {"y": 2, "z": 1}},
)
"""Query a has nothing relevant, b is ranked perfectly, c too, but has two documents: with nDCG@10 a tool that counts
empty queries as 1 gives 3/3, one that counts short lists as 0 gives 1/3, the standard gives 2/3."""


def test_one_ranking_under_every_tool() -> None:
    """Each tool's mean is the hand-worked one."""
    found = audit(*EMPTY_AND_SHORT, dialects=[LETOR, YAHOO, RANKLIB])
    means = {dialect.name: found.mean("run", dialect) for dialect in found.dialects}
    assert means == pytest.approx({"standard": 2 / 3, "like letor": 1 / 3, "like yahoo": 3 / 3, "like ranklib": 2 / 3})
    assert [dialect.name for dialect in found.rank_dialects("run")][0::3] == ["like letor", "like yahoo"]


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


def share_told(words: str) -> int:
    """What the shares of a headline come to, without what narrows the gap."""
    return sum(int(n) for n in re.findall(r"(\d+) % ", words.partition(";")[0]))


def test_the_headline_says_what_is_taken_back() -> None:
    """Shares are of what widens the gap, never more than 100 %; they are followed by how far the rest narrows it.

    One query with the grades 1, 2 in the wrong order, and one empty: linear gains that count the empty query 1 stand
    above exponential gains that count it 0, by 1/2 and the gain's share; where the gains are the other way round, the
    empty query would make a gap of 1/2, and the gains narrow it.
    """
    data = {"a": {"x": 1, "y": 2}, "b": {"z": 0}}, {"a": {"x": 2, "y": 1}, "b": {"z": 1}}
    log = np.log2(3)
    gain = ((1 + 2 / log) / (2 + 1 / log) - (1 + 3 / log) / (3 + 1 / log)) / 2
    narrowed = headline(audit(*data, dialects=[replace(RANKLIB, name="other", empty=1.0)]), "run")
    assert narrowed.cause == (
        "All of the gap comes from 1 query without a relevant document; other choices narrow it by "
        f"{100 * gain / 0.5:.0f} %."
    )
    widened = headline(audit(*data, dialects=[RANKLIB, replace(STANDARD, name="other", empty=1.0)]), "run")
    assert widened.cause.startswith(f"{100 * 0.5 / (0.5 + gain):.0f} % of the gap comes from 1 query")
    assert share_told(widened.cause) == 100


@pytest.mark.parametrize("measure", ["nDCG@10", "nDCG@3", "P@5", "AP", "ERR@10"])
def test_the_shares_of_a_headline_sum(letor: tuple[Path, Path], measure: str) -> None:
    """With what other choices add, the shares come to 100 %, but for the rounding of four numbers."""
    for dialect in HOUSE[1:]:
        cause = headline(audit(*letor, measure, dialects=[dialect]), "run").cause
        assert cause.startswith("All of the gap") or abs(share_told(cause) - 100) <= 2 or not cause


def test_the_gap_has_causes_of_its_own() -> None:
    """A query that is empty and short is 0 for two reasons in a tool that counts either as 0, for one in the standard.

    Beside the standard short lists change nothing; between that tool and one that counts empty queries as 1, which is
    at the other end, each of the two reasons has half of what the query adds to the mean of two.
    """
    found = audit(
        {"a": {"x": 0}, "b": {f"d{n}": 1.0 + (n == 11) for n in range(12)}},
        {"a": {"x": 1}, "b": EMPTY_AND_SHORT[1]["b"]},
        dialects=[LETOR, YAHOO],
    )
    gap = found.gaps["run"]
    assert (gap.base.name, gap.other.name) == ("like letor", "like yahoo")
    amounts = {part.cause.name: part.amount for part in gap.parts}
    assert (amounts["empty"], amounts["short"]) == pytest.approx((1 / 2 / 2, 1 / 2 / 2))
    assert "short" not in {cause.name for cause in found.causes}
    assert {cause.name for cause in found.told_causes} == {*(cause.name for cause in found.causes), "short"}


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
        "State how the number was computed",
    ]
    long = {"b": EMPTY_AND_SHORT[0]["b"], "c": {f"d{n}": float(n in (1, 2)) + (n == 1) for n in range(12)}}
    run = dict.fromkeys(long, EMPTY_AND_SHORT[1]["b"])
    assert [advice.title for advice in advise(audit(long, run, dialects=[LETOR, YAHOO]))] == [
        "State how the number was computed"
    ]


def test_advice_goes_by_the_shares() -> None:
    """The advice on the cause with the largest share of the gap is the first; a cause without a share has none.

    Between LETOR's tool and Yahoo's the short list, which is perfect, has 1/3 of 1/3 + 1/3 where it stands beside an
    empty long query; with a second empty query it has the smaller share.
    """
    judgments, run = (
        {**table, "d": {f"e{n}": value for n in range(12)}}
        for table, value in zip(EMPTY_AND_SHORT, (0, 1), strict=True)
    )
    judgments["e"], run["e"] = judgments["d"], run["d"]
    titles = [advice.title for advice in advise(audit(judgments, run, dialects=[LETOR, YAHOO]))]
    assert titles[:2] == ["Mind the queries without relevant documents", "Avoid tools that count short lists as 0"]
    titles = [advice.title for advice in advise(audit(judgments, run, dialects=[YAHOO]))]
    assert titles == ["Mind the queries without relevant documents", "State how the number was computed"]


def test_every_cause_has_advice() -> None:
    """Each cause has a remedy that ends in a full stop."""
    for cause in CAUSES.values():
        assert cause.remedy or cause.advice
        if cause.name != "ties":  # the queries whose ties matter are those of a gap
            for advice in remedies(cause, audit(*EMPTY_AND_SHORT, dialects=[LETOR, YAHOO])):
                assert advice.words.endswith(".")
                assert "{" not in advice.words


def test_advice_on_a_scale_that_a_tool_does_not_know() -> None:
    """LETOR 4 knows grades up to 2: a document of grade 3 counts 0 there, and the advice says so."""
    judgments = {"a": {f"d{n}": float(3 * (n == 0)) + (n == 2) for n in range(12)}}
    (first, *_) = advise(audit(judgments, {"a": EMPTY_AND_SHORT[1]["b"]}, dialects=["letor4"]))
    assert first.title == "Use a tool on the grades that it knows"
    assert first.words.startswith("Grades above 2 count 0 in letor4, so the best documents count as the worst")


@pytest.mark.parametrize(
    ("judgments", "run", "title"),
    [
        ({"a": {"x": 0}}, {"a": {"x": 1}}, "Check the judgments"),
        ({"a": {"x": 1}}, {"a": {"y": 1}}, "Check the ids of the documents"),
        ({"a": {"x": 1, "y": 0}}, {"a": {"y": 1}}, "Look at the run first"),
    ],
)
def test_agreement_on_nothing(judgments: Table, run: Table, title: str) -> None:
    """Where every tool gives 0 because there is nothing to measure, there is something to do."""
    found = audit(judgments, run, dialects=["trec_eval", RANKLIB])
    assert "0.0000 by nDCG@10, whatever the tool" in str(headline(found, "run"))
    assert [advice.title for advice in advise(found)] == [title]


def test_queries_of_another_collection() -> None:
    """A run without a judged query is an error, whatever the tool."""
    with pytest.raises(InputError, match="no query of the run is judged: the run has 1, the judgments q1"):
        audit({"q1": {"x": 1}}, {"1": {"x": 1}})


def test_a_refusal_is_told() -> None:
    """A tool that refuses the input appears with its reason; the others are computed."""
    judgments, run = {"a": {"x": 1, "y": -1}}, {"a": {"x": 1, "y": 2}}
    found = audit(judgments, run, dialects=["trec_eval", "sklearn"])
    assert "negative grade -1" in found.refused["sklearn"]
    assert [dialect.name for dialect in found.dialects] == ["standard", "trec_eval"]


def test_a_refusal_is_no_agreement() -> None:
    """Where tools refuse the data, nothing says that the tools agree; the refusal comes first, with options."""
    stream = StringIO()
    found = audit({"a": {"x": 1}, "b": {"y": 1}}, {"a": {"x": 1}}, "P@1", dialects=["ranx", "beir-mrr"])
    AuditReport(audit=found).show(stream)
    shown = " ".join(stream.getvalue().split())
    assert shown.startswith("Refused ranx ranx refuses a run without documents for a judged query: b")
    assert "Evaluate with --missing zero" in shown
    assert "whatever the tool that accepts it" in shown
    assert "tools agree" not in shown
    assert "This data is refused by ranx; tools that take it differ in nothing." in shown


def test_an_input_that_nobody_takes() -> None:
    """Where every tool refuses, the audit is an error that says why."""
    with pytest.raises(InputError, match=r"no tool accepts this input; sklearn says: .*negative grade"):
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
    assert set(LEARNED_ONLY) <= set(dialects.DIALECTS)


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


def test_measures_of_diversity_are_audited(tmp_path: Path) -> None:
    """Tools that read subtopics are compared: ndeval does not divide at rank 1, and orders by the stated rank."""
    (tmp_path / "qrels.txt").write_text("1 1 a 1\n1 2 a 0\n1 2 b 1\n")
    (tmp_path / "run.txt").write_text("1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n")
    found = audit(tmp_path / "qrels.txt", tmp_path / "run.txt", "ERR_IA@1")
    means = {dialect.name: found.mean("run", dialect) for dialect in found.dialects}
    assert means == {"standard": 1 / 2, "ndeval": 1.0}
    (tmp_path / "run.txt").write_text("1 Q0 x 3 2.0 t\n1 Q0 b 2 1.0 t\n")
    found = audit(tmp_path / "qrels.txt", tmp_path / "run.txt", "StRecall@1")
    assert {dialect.name: found.mean("run", dialect) for dialect in found.dialects} == {"standard": 0, "ndeval": 1 / 2}
