"""Trackers of experiments: a result's metrics under names that they take."""

from __future__ import annotations

import re

import pytest

from rankgauge import dialects, evaluate
from rankgauge.evaluation.result import logged_name
from rankgauge.measures import MEASURES
from rankgauge.measures.trec_names import NAMES

MLFLOW = re.compile(r"[/\w.\- ]*", re.ASCII)
"""What a name of a metric may hold, in mlflow.utils.validation (a colon too, but not on Windows); 250 characters."""


@pytest.mark.parametrize(
    ("name", "logged"),
    [
        ("nDCG@10", "nDCG_at_10"),
        ("AP(rel=2)", "AP_rel_2"),
        ("nDCG(dcg='exp-log2')@10", "nDCG_dcg_exp-log2_at_10"),
        ("IPrec@0.1", "IPrec_at_0.1"),
        ("bpref_10(rel=2)", "bpref_10_rel_2"),
    ],
)
def test_names(name: str, logged: str) -> None:
    """A cutoff is written as a word, as MLflow writes its own, and what else it refuses becomes a stroke."""
    result = evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, name)
    assert result.to_mlflow() == {logged: result[name]}
    assert result.to_mlflow("bm25/") == {f"bm25/{logged}": result[name]}


def test_every_measure_has_a_name_of_its_own() -> None:
    """MLflow takes each name, and no two measures share one."""
    examples = [example.measure for kind in MEASURES.values() for example in kind.facts.examples]
    every = {str(measure) for measure in dialects.get("standard").select([*examples, *NAMES])}
    logged = {logged_name(name) for name in every}
    assert len(logged) == len(every)
    assert all(MLFLOW.fullmatch(name) and len(name) <= 250 for name in logged)
