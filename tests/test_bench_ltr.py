"""The benchmark of trainings runs, and its goals are those of its table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import ltr, ltr_peers
from rankgauge.datasets.folds import folds_of
from rankgauge.datasets.learning import generate_learning, learning_parts
from rankgauge.experiments.jobs import ExperimentJob
from rankgauge.experiments.papers.ndcg_tools.training import PLAIN

FOLDS = folds_of(learning_parts(generate_learning(rng=np.random.default_rng(0), like="mq2008", queries=40)))


def test_page(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On tiny sets the page has a row for each ranker and each peer, and one of the large set; --write keeps it."""
    monkeypatch.setattr(ltr, "PEERS", {"lightgbm": ltr.PEERS["lightgbm"]})
    monkeypatch.setattr(ltr, "OURS", tuple(one for one in ltr.OURS if one.name in ("adarank", "ranksvm")))
    monkeypatch.setattr(ltr, "PAGE", tmp_path / "rankers.md")
    assert ltr.main(["--quick", "--write", f"--folder={tmp_path}"]) == 0
    page = capsys.readouterr().out
    for start in ("# Rankers", "## A generated set", "| AdaRank | 0.", "| RankSVM | 0.", "| LightGBM lambdarank | 0."):
        assert f"\n{start}" in f"\n{page}"
    assert "## RankSVM on a generated set like MSLR" in page
    assert (tmp_path / "rankers.md").read_text(encoding="utf-8") == page


def test_goals() -> None:
    """Every ranker has RankLib's numbers and goals; seconds ten times as few are ten times as fast."""
    assert set(ltr.RANKLIB["goals"]) == set(ltr.RANKLIB["MQ2008"]) == {ranker.title for ranker in PLAIN}
    seconds = ltr.RANKLIB["MQ2008"]["RankNet"]["cpu"]
    row = ltr.Row(title="RankNet", values=((0.5, 0.01),) * len(ltr.COLUMNS), cpu=seconds / 10)
    quality, speed = ltr._reached(row)
    assert (quality.measured, quality.verdict) == (0.5, "met")
    assert (speed.measured, speed.verdict) == (pytest.approx(10), "met")
    assert ltr._beside({"RankSVM": 0.5, "LinearSVC on pairs": 4.5}).verdict == "missed"


@pytest.mark.parametrize("name", list(ltr_peers.PEERS))
def test_peers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each peer learns from a fold and scores its test documents, better than at random."""
    monkeypatch.setattr(ltr_peers, "ROUNDS", 5)
    monkeypatch.setattr(ltr_peers, "COSTS", np.array([1e-3, 1e-1]))
    found = ltr_peers.train(FOLDS, ExperimentJob(name="job", settings={"ranker": name, "fold": "Fold1"}))
    test = FOLDS[0].test
    assert len(found["scores"]) == len(test.grades)
    assert np.corrcoef(found["scores"], test.grades)[0, 1] > 0.1
