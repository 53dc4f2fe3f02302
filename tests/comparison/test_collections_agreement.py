"""Means, ranks and tests over collections as mteb, beir and statsmodels compute them (tests/golden/collections)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankgauge import compare
from rankgauge.comparison.collections import CollectionsComparison
from rankgauge.comparison.collections.sources import read_board
from rankgauge.statistics import collection_means as levels
from tests.comparison.test_collections import mteb_folder
from tests.golden.collections.printed import drawn

PRINTED = json.loads((Path(__file__).parents[1] / "golden" / "collections" / "expected.json").read_text())


def test_means_and_ranks_of_mteb(tmp_path: Path) -> None:
    """From the same files: the mean over tasks, the mean of the types' means, and the rank by Borda."""
    said = PRINTED["mteb"]
    folder = mteb_folder(tmp_path, {model.replace("/", "__"): tasks for model, tasks in said["scores"].items()})
    grouped = [replace(one, group=said["types"][one.name]).by_scores(["main_score"]) for one in read_board(folder)]
    tasks, types = (
        CollectionsComparison(given=tuple(grouped), measures=("main_score",), weights=weights).mean_table
        for weights in ("each", "groups")
    )
    borda = list(tasks["borda"])
    for place, run in enumerate(tasks["run"]):
        mean, by_type, rank = said["expected"][run]
        assert tasks["mean"][place] == pytest.approx(mean, abs=1e-12)
        assert types["mean"][place] == pytest.approx(by_type, abs=1e-12)
        assert 1 + sum(points > borda[place] for points in borda) == rank


def test_means_of_beir() -> None:
    """nDCG, AP, recall and precision of three sets, and their mean over sets, to the printed digit."""
    said = PRINTED["beir"]
    boards = {name: (one["judgments"], one["runs"]) for name, one in said["sets"].items()}
    names = {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P"}
    for measure in said["printed"]["bm25"]:
        name, depth = measure.split("@")
        found = compare(boards, f"{names[name]}@{depth}", dialect="trec_eval")
        table = found.mean_table
        for place, run in enumerate(table["run"]):
            scores = found.of_measure(found.measures[0]).by_collection[:, place]
            assert [round(float(one), 5) for one in scores] == said["printed"][run][measure]
            assert table["mean"][place] == pytest.approx(said["means"][run][measure], abs=5e-6)


@pytest.mark.parametrize("case", range(50))
def test_figures_of_statsmodels(case: int) -> None:
    """Student's t over collections, the mixed model's error, Welch's interval over queries, Paule and Mandel's τ²."""
    said, values = PRINTED["statsmodels"][case], drawn(35, case)
    count, means = len(values), values.mean(axis=1)[:, np.newaxis]
    weights = np.full(count, 1 / count)
    errors = levels.collection_errors(means, weights)
    mean, half = float(weights @ means[:, 0]), float(errors.half_widths(0.95)[0])
    assert errors.freedom[0, 0] == pytest.approx(said["freedom"])
    assert mean / errors.alone[0] == pytest.approx(said["t"])
    assert (mean - half, mean + half) == pytest.approx((said["low"], said["high"]), abs=1e-9)
    p = levels.p_values(np.array([mean]), errors.alone, errors.freedom[0])
    assert p[0] == pytest.approx(said["p"])
    assert (mean, errors.alone[0]) == pytest.approx((said["mixed_mean"], said["mixed_error"]), rel=2e-3)
    spread = levels.heterogeneity(means, (values.var(axis=1, ddof=1) / values.shape[1])[:, np.newaxis])
    assert spread.variance[0] == pytest.approx(said["tau2"], rel=1e-5)
    assert spread.share[0] == pytest.approx(said["i2"])
    two = levels.query_errors([one[:, np.newaxis] for one in values[:2]], np.array([0.5, 0.5]))
    middle, reach = values[:2].mean(), two.half_widths(0.95)[0]
    assert (middle - reach, middle + reach) == pytest.approx((said["welch_low"], said["welch_high"]), abs=1e-9)
