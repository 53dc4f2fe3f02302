"""What an error suggests for a name that no measure has."""

from __future__ import annotations

import ir_measures
import pytest

from rankgauge import dialects
from rankgauge.errors import UnknownNameError
from rankgauge.measures import MEASURES, parse, resolve
from rankgauge.measures.names import CATALOGUE, LEFT_OUT, OTHER_NAMES, plain, unknown
from rankgauge.measures.trec_names import NAMES


@pytest.mark.parametrize(
    ("written", "meant"),
    [("recall@k", "R@10"), ("P(rel=2)@k", "P(rel=2)@10"), ("unjudged", "Unjudged@10"), ("hit-rate@0", "Success")],
)
def test_the_measure_that_is_meant(written: str, meant: str) -> None:
    """A name whose cutoff is lacking or no number gets its measure and no other, with what else was written."""
    with pytest.raises(UnknownNameError) as caught:
        raise unknown(written, NAMES)
    assert str(caught.value) == f"There is no measure called '{written}'. Did you mean {meant}?"


@pytest.mark.parametrize("other", [*OTHER_NAMES, *(name.swapcase() for name in MEASURES)])
@pytest.mark.parametrize("cutoff", ["", "@5", "@0.5", "@k"])
def test_what_is_suggested_without_doubt_is_known(other: str, cutoff: str) -> None:
    """A single suggestion is a name that can be asked for, whatever the cutoff that was written."""
    (meant,) = unknown(f"{other}{cutoff}", NAMES).near
    assert resolve([meant])


def test_a_slip_keeps_its_cutoff() -> None:
    """Where names are only near, those of measures that take a cutoff have the one that was written."""
    assert unknown("ndgc@20", NAMES).near[0] == "nDCG@20"


def test_a_name_that_is_near_to_none() -> None:
    """It gets a few common measures and the command that lists all, not all of them."""
    with pytest.raises(
        UnknownNameError, match=r"'foo'\. Common ones are .*'rankgauge measures' lists all\.$"
    ) as caught:
        resolve(["foo"])
    assert len(str(caught.value)) < 150


def test_trec_eval_has_its_own_names() -> None:
    """trec_eval's names come before those of other tools: its recall is nine measures, where people may mean one."""
    assert [str(one.measure) for one in resolve(["ndcg", "map", "recall_5"])] == ["nDCG", "AP", "R@5"]
    assert len(resolve(["recall"])) == 9


def test_several_dialects_where_one_is_wanted() -> None:
    """Known dialects between commas are told of the command that takes several; a slip gets the nearest name."""
    with pytest.raises(UnknownNameError, match="'rankgauge audit' shows several side by side"):
        dialects.get("trec_eval,yahoo")
    with pytest.raises(UnknownNameError, match="Did you mean trec_eval"):
        dialects.get("trec_evil,yahoo")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("gini", "rankgauge catalogue RUN --statistics gini"),
        ("GiniIndex@10", "rankgauge catalogue RUN --statistics gini"),
        ("novelty@5", "rankgauge catalogue RUN --statistics novelty"),
        ("tailpercentage", "rankgauge catalogue RUN --statistics tail"),
        ("RMSE", "an error of predicted ratings, .* deliberately left out"),
        ("LogLoss", "an error of predicted ratings, .* deliberately left out"),
        ("TBG", "reading times of documents, and is deliberately left out"),
        ("gauc", "weighs the AUC of each user"),
        ("PercentileRanking", "needs a rank of every item of the catalogue"),
        ("WeightedByInteractionsHitRatioK@10", "weighs the hit rate of each user"),
    ],
)
def test_what_is_no_measure_here(written: str, words: str) -> None:
    """A name that is found elsewhere, or left out on purpose, is not said to be near to some measure."""
    with pytest.raises(UnknownNameError, match=words) as caught:
        resolve([written])
    assert "Did you mean" not in str(caught.value)


def test_no_measure_is_said_to_be_elsewhere() -> None:
    """What is said to be no measure is none, by any of its names."""
    assert not {*CATALOGUE, *LEFT_OUT} & {*OTHER_NAMES, *map(plain, MEASURES), *map(plain, NAMES)}


def test_a_parameter_that_makes_another_measure() -> None:
    """ir-measures' SetP(relative=True) is SetRelativeP, with whatever else is written."""
    assert parse("SetP(relative=True)") == parse("SetRelativeP")
    assert parse("SetP(rel=2, relative=True)") == parse("SetRelativeP(rel=2)")
    assert parse("SetP(relative=False)") == parse("SetP")
    assert parse(ir_measures.SetP(relative=True, rel=2)) == parse("SetRelativeP(rel=2)")
