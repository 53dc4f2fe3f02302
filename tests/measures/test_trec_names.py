"""trec_eval's names: what they stand for, and back."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.measures import MEASURES, parse, parse_all, resolve, trec_name
from rankgauge.measures.trec_names import NAMES, SETS
from rankgauge.ranking import UNJUDGED, RankedLists


@pytest.mark.parametrize(
    ("name", "measures"),
    [
        ("map", ["AP"]),
        ("P_5", ["P@5"]),
        ("P.10,5", ["P@5", "P@10"]),
        ("success", ["Success@1", "Success@5", "Success@10"]),
        ("ndcg_cut.10,23.4", ["nDCG@10", "nDCG@23"]),
        ("ndcg.1=3,2=7", ["nDCG(gains={1: 3, 2: 7})"]),
        ("iprec_at_recall_0.10", ["IPrec@0.1"]),
        ("iprec_at_recall..20,.10", ["IPrec@0.1", "IPrec@0.2"]),
        ("11pt_avg..25,0.5", ["IPrecAvg(levels=(0.25, 0.5))"]),
        ("utility.2,-1,0,0", ["Utility(relevant=2)"]),
        ("set_F.2.0", ["SetF(beta=2)"]),
        ("relstring.20", ["RelString@13", "RelString(start=14)@20"]),
        ("bpref", ["Bpref"]),
        ("bpref_10", ["bpref_10"]),
        ("P@7", ["P@7"]),
    ],
)
def test_names_stand_for_measures(name: str, measures: list[str]) -> None:
    """A name of trec_eval stands for measures of ours, cutoffs rising; our own names stay what they are."""
    assert parse_all([name]) == [parse(measure) for measure in measures]


@pytest.mark.parametrize("name", NAMES)
def test_labels_come_back(name: str) -> None:
    """The label that a measure prints under resolves to the same measure, and is the measure's name."""
    for printed in resolve([name]):
        assert resolve([printed.name]) == [printed] or name == "relstring"
        assert trec_name(printed.measure) == printed.name


def test_no_name_means_two_things() -> None:
    """A name that both trec_eval and we have is the same measure in both."""
    for name in set(NAMES) & set(MEASURES) - {"P"}:
        assert parse_all([name]) == [parse(name)]


def test_sets() -> None:
    """The official measures come first among all of them, and each measure stands there once."""
    every = parse_all(["all"])
    assert parse_all(["official"]) == every[: len(parse_all(["official"]))]
    assert parse_all(["official", "all_trec", "set"]) == every
    assert set(SETS["set"]) < set(NAMES)


def test_labels_of_other_cutoffs() -> None:
    """A cutoff that trec_eval does not print by itself has a label too; other parameters have none."""
    assert trec_name(parse("nDCG@7")) == "ndcg_cut_7"
    assert trec_name(parse("IPrec@0.15")) == "iprec_at_recall_0.15"
    assert trec_name(parse("P(rel=2)@5")) is None
    assert trec_name(parse("ERR@20")) is None


@pytest.mark.parametrize("name", ["map.3", "P.x", "ndcg.1=2=3", "utility.1,2", "set_F.a"])
def test_parameters_that_make_no_sense(name: str) -> None:
    """Parameters that trec_eval would not take are refused with an example of those that it does."""
    with pytest.raises(ParameterError, match=name.split(".")[0]):
        parse_all([name])


def test_unknown_names_suggest_both() -> None:
    """A misspelt name is answered with near names, trec_eval's among them."""
    with pytest.raises(UnknownNameError, match="recip_rank"):
        parse_all(["recip_rnk"])


def test_relevance_string_reads_back() -> None:
    """Every symbol of a relevance string survives the number that holds it, the first and the thirteenth alike."""
    grades = [0, 9, 10, None, UNJUDGED, 1, 2, 3, 4, 5, 6, 7, None]
    measure = parse("RelString@13")
    value = float(measure.score(RankedLists.of(grades)))
    assert value < 2**53
    assert measure.text(value, 4) == "'09>-.1234567-'"
    assert measure.text(float(measure.score(RankedLists.of([]))), 4) == "''"
    assert np.isclose(parse("RelString").score(RankedLists.of([2])), 3)
    with pytest.raises(ParameterError, match="13 ranks"):
        parse("RelString@14")
