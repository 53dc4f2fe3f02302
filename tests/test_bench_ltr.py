"""The benchmark of trainings runs, and its goals are those of its table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import ltr, ltr_choice, ltr_peers
from benchmarks.ltr_repeats import Repeats
from rankgauge.demo.folds import folds_of
from rankgauge.demo.learning import generate_learning, learning_parts
from rankgauge.labelling.simulations.jobs import ExperimentJob, report_nothing
from rankgauge.papers.published.ndcg_tools.findings import HeldOut
from rankgauge.papers.published.ndcg_tools.training import PLAIN, RankerSetup
from rankgauge.training import AdaRank

pytestmark = pytest.mark.process  # computes for long


FOLDS = folds_of(learning_parts(generate_learning(rng=np.random.default_rng(0), like="mq2008", queries=40)))


@pytest.mark.study
def test_page(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On tiny sets the page has a row for each ranker and each peer, and one of the large set; --write keeps it."""
    monkeypatch.setattr(ltr, "PEERS", {"lightgbm": ltr.PEERS["lightgbm"]})
    monkeypatch.setattr(ltr, "OURS", tuple(one for one in ltr.OURS if one.name in ("adarank", "ranksvm")))
    monkeypatch.setattr(ltr_choice, "VARIANTS", ltr_choice.VARIANTS[:2])
    monkeypatch.setattr(ltr, "PAGE", tmp_path / "training.md")
    ltr.PAGE.write_text("before\n<!-- rankers -->\n\nold\n\n<!-- /rankers -->\nafter\n", encoding="utf-8")
    assert ltr.main(["--quick", "--write", f"--folder={tmp_path}"]) == 0
    page = capsys.readouterr().out
    for start in (
        "## Rankers",
        "### A generated set",
        "| AdaRank | 0.",
        "| RankSVM | 0.",
        "| LightGBM lambdarank | 0.",
    ):
        assert f"\n{start}" in f"\n{page}"
    assert "### RankSVM on a generated set like MSLR" in page
    assert "| RankLib's rules | 0." in page
    written = f"before\n<!-- rankers -->\n\n{page}\n<!-- /rankers -->\nafter\n"
    assert ltr.PAGE.read_text(encoding="utf-8") == written


def test_goals() -> None:
    """Every ranker has RankLib's numbers and goals; seconds ten times as few are ten times as fast."""
    assert set(ltr.RANKLIB["goals"]["MQ2008"]) == set(ltr.RANKLIB["MQ2008"]) == {ranker.title for ranker in PLAIN}
    seconds = ltr.RANKLIB["MQ2008"]["RankNet"]["cpu"]
    row = ltr.Row(title="RankNet", values=((0.5, 0.01),) * len(ltr.COLUMNS), cpu=seconds / 10)
    quality, speed = ltr._reached(row, "MQ2008", {})
    assert (quality.measured, quality.verdict) == (0.5, "met")
    assert (speed.measured, speed.verdict) == (pytest.approx(10), "met")
    assert next(ltr._reached(row, "MQ2008", {"RankNet": 0.4})).measured == 0.4  # the mean over seeds
    assert ltr._beside({"RankSVM": 0.5, "LinearSVC on pairs": 4.5}).verdict == "missed"


def test_choice(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """AdaRank's defaults are among the variants tried, and the trials read no test set."""
    defaults = AdaRank().get_params()
    assert any(variant.items() <= defaults.items() for variant in ltr_choice.VARIANTS)
    folds = [replace(fold, test=None) for fold in FOLDS]
    trials = ltr_choice.values(tuple(folds), {"rounds": 3})
    assert trials.shape == (15,)
    monkeypatch.setattr(ltr_choice, "VARIANTS", ltr_choice.VARIANTS[:1])
    assert ltr_choice.main(["--quick"]) == 0
    assert "| RankLib's rules | 0." in capsys.readouterr().out


def test_repeats(tmp_path: Path) -> None:
    """Seeds have trainings of their own, and a training for another measure is one too."""
    ranker = RankerSetup(title="Coordinate Ascent", name="coordinate-ascent", settings={"restarts": 1, "iterations": 1})
    repeats = Repeats(folds=FOLDS, tested=HeldOut.of(FOLDS), folder=tmp_path, workers=1, tell=report_nothing)
    *_, row, _ = repeats.table((ranker,), {"Coordinate Ascent": {"std": 0.5}}, seeds=2)
    first, second = (repeats.value(ranker, seed) for seed in (0, 1))
    assert first != second
    assert row.startswith(f"| Coordinate Ascent | {(first + second) / 2:.4f} | ")
    assert row.endswith(" | 0.5000 |")
    assert repeats.seconds(ranker, "AP") > 0
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["AP", "seed-1"]


@pytest.mark.parametrize("name", list(ltr_peers.PEERS))
def test_peers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each peer learns from a fold and scores its test documents, better than at random."""
    monkeypatch.setattr(ltr_peers, "ROUNDS", 5)
    monkeypatch.setattr(ltr_peers, "COSTS", np.array([1e-3, 1e-1]))
    found = ltr_peers.train(FOLDS, ExperimentJob(name="job", settings={"ranker": name, "fold": "Fold1"}))
    test = FOLDS[0].test
    assert len(found["scores"]) == len(test.grades)
    assert np.corrcoef(found["scores"], test.grades)[0, 1] > 0.1
