"""AUC: the area that scikit-learn finds, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from rankgauge import evaluate


@pytest.mark.parametrize("levels", [4, 50])
def test_scikit_learn(levels: int) -> None:
    """On lists whose every document is judged, with many ties or few, the value is scikit-learn's."""
    rng = np.random.default_rng(levels)
    grades = {str(q): {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 3, 30))} for q in range(40)}
    scores = {q: {d: float(rng.integers(0, levels)) for d in found} for q, found in grades.items()}
    result = evaluate(grades, scores, ["AUC(rel=2)"])
    wanted = [roc_auc_score([g == 2 for g in grades[q].values()], list(scores[q].values())) for q in result.queries]
    np.testing.assert_allclose(result.matrix[:, 0], wanted, atol=1e-12)
