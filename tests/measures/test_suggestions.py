"""What an error suggests for a name that no measure has."""

from __future__ import annotations

import pytest

from rankgauge import dialects
from rankgauge.errors import UnknownNameError
from rankgauge.measures import MEASURES, resolve
from rankgauge.measures.names import OTHER_NAMES, unknown
from rankgauge.measures.trec_names import NAMES


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("recall@5", "R@5"),
        ("precision@5", "P@5"),
        ("MAP", "AP"),
        ("MAP@100", "AP@100"),
        ("MRR", "RR"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG", "nDCG"),
        ("nDCG10", "nDCG@10"),
        ("hits@5", "Success@5"),
        ("hit-rate@5", "Success@5"),
        ("recall(rel=2)@20", "R(rel=2)@20"),
        ("precision", "P@10"),
        ("recall@k", "R@10"),
        ("Recip_Rank", "recip_rank"),
    ],
)
def test_the_measure_that_is_meant(written: str, meant: str) -> None:
    """A name that other tools use, or one in other letters, gets its measure and no other, with what was written."""
    with pytest.raises(UnknownNameError) as caught:
        resolve([written])
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
    """Other names are for suggestions only: trec_eval's ndcg, map and recall_5 are measures as they stand."""
    assert [str(one.measure) for one in resolve(["ndcg", "map", "recall_5"])] == ["nDCG", "AP", "R@5"]


def test_several_dialects_where_one_is_wanted() -> None:
    """Known dialects between commas are told of the command that takes several; a slip gets the nearest name."""
    with pytest.raises(UnknownNameError, match="'rankgauge audit' shows several side by side"):
        dialects.get("trec_eval,yahoo")
    with pytest.raises(UnknownNameError, match="Did you mean trec_eval"):
        dialects.get("trec_evil,yahoo")
