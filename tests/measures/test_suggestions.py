"""What an error suggests for a name that no measure has."""

from __future__ import annotations

import pytest

from rankgauge import dialects
from rankgauge.errors import UnknownNameError
from rankgauge.measures import MEASURES, resolve
from rankgauge.measures.names import unknown
from rankgauge.measures.other_names import OTHER_NAMES
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
