"""AUC: the area that scikit-learn finds, ties included; a list without a pair to compare has none."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from rankgauge import evaluate
from rankgauge.evaluation.notes import notes
from rankgauge.evaluation.report import EvaluationReport


@pytest.mark.parametrize("levels", [4, 50])
def test_scikit_learn(levels: int) -> None:
    """On lists whose every document is judged, with many ties or few, the value is scikit-learn's."""
    rng = np.random.default_rng(levels)
    grades = {str(q): {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 3, 30))} for q in range(40)}
    scores = {q: {d: float(rng.integers(0, levels)) for d in found} for q, found in grades.items()}
    result = evaluate(grades, scores, ["AUC(rel=2)"])
    wanted = [roc_auc_score([g == 2 for g in grades[q].values()], list(scores[q].values())) for q in result.queries]
    np.testing.assert_allclose(result.matrix[:, 0], wanted, atol=1e-12)


def test_without_a_pair_a_query_is_left_out() -> None:
    """A list of relevant documents only, or without any, has no AUC: it does not count, and a note says so."""
    judgments = {"all": {"a": 1, "b": 1}, "some": {"a": 1, "b": 0, "c": 0}, "none": {"a": 0}, "empty": {"a": 1}}
    run = {"all": ["a", "b"], "some": ["b", "a", "c"], "none": ["a"], "empty": ["x"]}
    result = evaluate(judgments, run, ["AUC", "P@1"])
    assert result.by_query == {
        "all": {"P@1": 1.0},
        "some": {"AUC": 1 / 2, "P@1": 0.0},
        "none": {"P@1": 0.0},
        "empty": {"P@1": 0.0},
    }
    assert result["AUC"] == 1 / 2
    told = notes(EvaluationReport(results={"run": result}))
    assert ("undefined", "3 of 4 queries have no AUC: it is 0/0; they are left out of the mean") in told
    assert dict(told)["empty"].startswith("1 of 4 queries have nothing relevant (P@1)")
