"""Names of other tools and papers: understood where they have one meaning, shown where they have two."""

from __future__ import annotations

import pytest

from rankgauge import evaluate
from rankgauge.errors import AmbiguousNameError, ParameterError, UnknownNameError, UnknownNamesError
from rankgauge.measures import MEASURES, parse, resolve
from rankgauge.measures.names import AT_RANK, MEANINGS, OTHER_NAMES, WHOLE_LIST

PAPERS = {
    "ndcg@10": "nDCG@10",
    "NDCG@10": "nDCG@10",
    "MAP": "AP",
    "MRR@10": "RR@10",
    "Recall@20": "R@20",
    "Precision@5": "P@5",
    "hit@1": "Success@1",
    "hit_rate": "Success",
    "HR@10": "Success@10",
    "F1@10": "F@10",
    "nDCG10": "nDCG@10",
    "recall(rel=2)@20": "R(rel=2)@20",
    "Q-measure@10": "Q@10",
    "Q-measure": "Q",
    "normalized discounted cumulative gain@5": "nDCG@5",
}
TREC = {
    "map_cut_10": "AP@10",
    "ndcg_cut_10": "nDCG@10",
    "NDCG_cut_10": "nDCG@10",
    "Recip_Rank": "RR",
    "P5": "P@5",
    "11-pt_avg": "IPrecAvg",
}
RANX = {
    "hit_rate@10": "Success@10",
    "r-precision": "Rprec",
    "bpref": "Bpref",
    "rbp.95": "RBP(p=0.95)",
    "ndcg_burges@10": "nDCG(dcg='exp-log2')@10",
    "dcg_burges": "DCG(dcg='exp-log2')",
    "map@100": "AP@100",
    "mrr": "RR",
    "f1@10": "F@10",
    "precision@10-l2": "P(rel=2)@10",
    "map-l2": "AP(rel=2)",
    "nDCG@10-l2": "nDCG(rel=2)@10",
    "P@5-l3": "P(rel=3)@5",
}
DIVERSITY = {
    "α-nDCG@10": "alpha_nDCG@10",
    "α_nDCG@10": "alpha_nDCG@10",
    "alpha-nDCG@5": "alpha_nDCG@5",
    "alpha-DCG@20": "alpha_DCG@20",
    "ERR-IA@20": "ERR_IA@20",
    "nERR-IA@20": "nERR_IA@20",
    "MAP-IA": "AP_IA",
    "MAP_IA": "AP_IA",
    "P-IA@10": "P_IA@10",
    "P_IA@10": "P_IA@10",
    "strec@10": "StRecall@10",
    "D-nDCG@10": "D_nDCG@10",
    "D♯-nDCG@10": "Dsharp_nDCG@10",
    "D#-nDCG@10": "Dsharp_nDCG@10",
    "I-rec@10": "I_rec@10",
}
TORCHMETRICS = {
    "RetrievalMAP": "AP",
    "RetrievalMRR": "RR",
    "RetrievalNormalizedDCG": "nDCG",
    "RetrievalPrecision": "SetP",
    "RetrievalRecall@5": "R@5",
    "RetrievalHitRate": "Success",
    "RetrievalRPrecision": "Rprec",
    "retrieval_average_precision": "AP",
    "retrieval_reciprocal_rank": "RR",
    "retrieval_normalized_dcg": "nDCG",
    "retrieval_recall": "SetR",
}
BEIR = {"MAP@100": "AP@100", "Recall@100": "R@100", "P@10": "P@10", "ndcg_at_10": "nDCG@10", "recall_at_100": "R@100"}
ELASTICSEARCH = {
    "precision@3": "P@3",
    "recall@3": "R@3",
    "mean_reciprocal_rank": "RR",
    "mean_reciprocal_rank@5": "RR@5",
    "dcg@10": "DCG@10",
    "expected_reciprocal_rank@20": "ERR@20",
}
PYTERRIER = {
    "recip_rank": "RR",
    "P_10": "P@10",
    "nDCG@10": "nDCG@10",
    "AP(rel=2)@100": "AP(rel=2)@100",
    "SetRelP": "SetRelativeP",
}


@pytest.mark.parametrize(
    ("written", "meant"),
    [*(PAPERS | TREC | RANX | TORCHMETRICS | BEIR | ELASTICSEARCH | PYTERRIER | DIVERSITY).items()],
)
def test_names_of_others(written: str, meant: str) -> None:
    """A name with one meaning is the measure, and the measure has our name."""
    assert [str(one.measure) for one in resolve([written])] == [meant]


@pytest.mark.parametrize("name", MEASURES)
def test_letters_do_not_matter(name: str) -> None:
    """Our own names are known in any letters, with the cutoff that they need."""
    cutoff = {"required": "@5", "recall": "@0.5"}.get(MEASURES[name].facts.cutoff.value, "")
    assert parse(f"{name.swapcase()}{cutoff}") == parse(f"{name}{cutoff}")


def test_every_name_is_of_a_measure() -> None:
    """Whatever the tables name is a measure with the parameters that they imply."""
    for ours in (*OTHER_NAMES.values(), *WHOLE_LIST.values(), *(name for found in MEANINGS.values() for name in found)):
        cutoff = {"required": "@5", "recall": "@0.5"}.get(
            MEASURES[ours.partition("(")[0].partition("@")[0]].facts.cutoff.value, ""
        )
        assert parse(ours if "@" in ours else f"{ours}{cutoff}")
    assert set(AT_RANK.values()) <= set(MEASURES)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("F1", "SetF (of the whole list) or F@10 (of the first 10 documents)"),
        ("precision", "SetP (of the whole list) or P@10 (of the first 10 documents)"),
        ("Recall", "SetR (of the whole list) or R@10 (of the first 10 documents)"),
        ("hits", "Success (whether there are any) or HitCount (how many there are, as in ranx)"),
        ("hits@5", "Success@5 (whether there are any) or HitCount@5 (how many there are, as in ranx)"),
    ],
)
def test_two_meanings_are_shown(written: str, shown: str) -> None:
    """A name that people use for two measures is an error that says what each of the two is."""
    with pytest.raises(AmbiguousNameError) as caught:
        resolve([written])
    assert str(caught.value) == f"The measure '{written}' may be {shown}. Write the one that you mean."


def test_all_unknown_names_at_once() -> None:
    """One error is about every wrong name of a call, each with its own help; the right ones are not mentioned."""
    with pytest.raises(UnknownNamesError) as caught:
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["ndgc@20", "AP", "F1", "foo", "P@x"])
    first, *rest = str(caught.value).splitlines()
    assert first.startswith("There is no measure called 'ndgc@20'. Did you mean nDCG@20")
    assert [line.partition("'")[2].partition("'")[0] for line in rest] == ["F1", "foo", "cutoff"]
    with pytest.raises(UnknownNameError, match=r"^There is no measure called 'foo'\.") as single:
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["AP", "foo"])
    assert type(single.value) is UnknownNameError
    with pytest.raises(ParameterError, match="P@x"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["P@x", "R@y"])


def test_a_result_is_asked_by_any_name() -> None:
    """The table shows our name; the result knows the one that was written too."""
    result = evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["MAP@100", "Recall@20"])
    assert [str(measure) for measure in result.measures] == ["AP@100", "R@20"]
    assert result["MAP@100"] == result["AP@100"] == 1.0


def test_a_large_cutoff_is_spelled_out() -> None:
    """The name of a measure parses back to it, however large its cutoff is."""
    assert str(parse("P@1000000")) == "P@1000000"
    assert parse(str(parse("R@123456"))) == parse("R@123456")
    assert str(parse("IPrec@0.10")) == "IPrec@0.1"
