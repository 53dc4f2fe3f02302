"""Simulations of boards: jobs that resume, collections on disk, and the page on few labels."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.simulations.trials import BLOCK, BoardSimulation, BoardTrials, PoolKind, judged_board
from rankgauge.labelling.yardstick import YARDSTICKS, JudgedBoard
from rankgauge.papers import PAPERS, Setting, Verdict
from rankgauge.papers.pages.few_labels import MEASURES, numbers
from rankgauge.papers.reproduction import Reproduction
from rankgauge.papers.trec import dl19, trec8
from rankgauge.render.format import Medium
from tests.active.board.collection import noisy_judge, tables


@pytest.fixture(scope="module")
def judged() -> JudgedBoard:
    """Five runs on ten queries of forty documents."""
    judgments, runs, _ = tables()
    pool = BoardPool.from_runs(runs, only=judgments, judges={"model": noisy_judge()})
    return judged_board(pool, pool.grades(judgments), ("nDCG@10", "AP"), dialect="standard")


def test_trials_resume(judged: JudgedBoard, tmp_path: Path) -> None:
    """Finished blocks are not tried again, also if more repetitions are asked for, and give what one go gives; so do
    two processes."""
    once = BoardTrials(methods=("depth", "uniform"), labels=(40, 80), repetitions=BLOCK + 2, workers=1)
    whole = once.run(judged, "a board").to_frame()
    fewer = BoardTrials(methods=("uniform",), labels=(40, 80), repetitions=BLOCK, workers=1, folder=tmp_path)
    fewer.run(judged, "a board")
    (part,) = tmp_path.iterdir()
    kept = json.loads(part.read_text(encoding="utf-8"))
    written = part.stat().st_mtime_ns
    done: list[tuple[int, int, str]] = []
    more = BoardTrials(
        methods=("depth", "uniform"),
        labels=(40, 80),
        repetitions=BLOCK + 2,
        workers=1,
        folder=tmp_path,
        progress=lambda *told: done.append(told),
    )
    assert more.run(judged, "a board").to_frame().equals(whole, null_equal=True)
    assert done[0][:2] == (1, 4)
    assert done[-1][:2] == (4, 4)
    assert part.stat().st_mtime_ns == written
    assert replace(once, workers=2).run(judged, "a board").to_frame().equals(whole, null_equal=True)
    assert kept["settings"]["method"] == "uniform"


def test_slow_yardsticks_are_tried_less_often(judged: JudgedBoard) -> None:
    """Each yardstick has its own number of repetitions, and the frame says it."""
    trials = BoardTrials(methods=("depth", "uniform"), labels=(40,), repetitions=6, fewer={"depth": 2}, workers=1)
    found = trials.run(judged, "a board").to_frame()
    assert dict(found.select("method", "repetitions").iter_rows()) == {"depth": 2, "uniform": 6}


def test_a_pool_by_depth() -> None:
    """The pool may be the first documents of every list; those nobody judged count as not relevant."""
    judgments, runs, _ = tables()
    simulation = BoardSimulation(
        judgments=judgments.filter(pl.col("grade") > 0),
        runs=runs,
        pool=PoolKind.DEPTH,
        depth=4,
        methods=("depth",),
        repetitions=2,
        workers=1,
    )
    (study,) = simulation.run().studies
    pooled = BoardPool.from_runs(runs, depth=4)
    assert study.documents == len(pooled.documents) < 10 * 5 * 4
    assert study.facts["pool"] == "the first 4 of every list"


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"methods": ("maxmeen",)}, UnknownNameError, "Did you mean maxmean"),
        ({"repetitions": 1}, ParameterError, "2 or more"),
        ({"shares": (1.5,)}, ParameterError, "up to 1"),
        ({"shares": (0.5,), "budgets": (10,)}, ParameterError, "where budgets are given"),
        ({"budgets": (1,)}, ParameterError, "2 labels or more"),
        ({"budgets": (10_000,)}, ParameterError, "up to the 400 documents"),
        ({"depth": 3}, ParameterError, "unless the pool is that of a depth"),
        ({"pool": PoolKind.DEPTH}, ParameterError, "how many documents of each list"),
    ],
    ids=lambda value: str(value),
)
def test_refusals(changes: dict[str, object], error: type[Exception], words: str) -> None:
    """What makes no sense is refused with what was expected."""
    judgments, runs, _ = tables()
    with pytest.raises(error, match=words):
        BoardSimulation(judgments=judgments, runs=runs, **changes).run()  # type: ignore[arg-type]


def test_judgments_of_other_runs() -> None:
    """Judgments that have nothing above 0 in the pool are refused."""
    judgments, runs, _ = tables()
    with pytest.raises(InputError, match="no document of the pool has a grade above 0"):
        BoardSimulation(judgments=judgments.with_columns(grade=pl.lit(0.0)), runs=runs).run()


def write_dl19(folder: Path) -> None:
    """The small collection in the files of TREC 2019."""
    judgments, runs, _ = tables()
    folder.mkdir(parents=True)
    lines = [f"{q} 0 {d} {g:.0f}" for q, d, g in judgments.select("query", "document", "grade").iter_rows()]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lists = []
    for name, run in runs.items():
        for (query,), hits in run.sort("score", descending=True).group_by("query", maintain_order=True):
            lists.append(f"{name}\t{query}\t{' '.join(hits['document'])}")
    (folder / "runs_order_top100.txt.xz").write_bytes(lzma.compress("\n".join(lists).encode()))


def test_dl19_files(tmp_path: Path) -> None:
    """The files give the runs in the order of their lists, and the grades of all that is judged."""
    write_dl19(tmp_path / "there")
    pool, grades = dl19(tmp_path / "there")
    _, runs, known = tables()
    assert pool.runs == tuple(runs)
    assert sorted(grades) == sorted(known)
    first = runs["run 0"].filter(query="q0").sort("score", descending=True)["document"][0]
    assert pool.documents[int(pool.document[0])] == first
    (tmp_path / "there" / "qrels.txt").unlink()
    with pytest.raises(InputError, match=r"qrels\.txt: there is no such file"):
        dl19(tmp_path / "there")


def test_trec8_files(tmp_path: Path) -> None:
    """Tables of judgments and hits give the same pool as runs would."""
    judgments = pl.DataFrame({"topic": [1, 1, 2], "document": ["a", "b", "c"], "grade": [1, 0, 1]})
    # Runs are in the order of their names, whatever the order of the file.
    hits = pl.DataFrame({"run": ["y", "x", "x"], "topic": [1, 1, 2], "rank": [1, 3, 2], "judgment": [1, 0, 2]})
    judgments.write_parquet(tmp_path / "judgments.parquet")
    hits.with_columns(pl.col("run").cast(pl.Categorical)).write_parquet(tmp_path / "hits.parquet")
    pool, grades = trec8(tmp_path)
    assert grades.tolist() == [1.0, 0.0, 1.0]
    assert pool.queries.to_list() == ["1", "2"]
    assert pool.runs == ("x", "y")
    assert (pool.run.tolist(), pool.document.tolist(), pool.rank.tolist()) == ([0, 0, 1], [0, 2, 1], [3, 2, 1])
    # y is judged up to its end at rank 1; above the hits of x others are not judged, so that its lists may go on.
    assert pool.lengths.tolist() == [[3, 3], [1, 0]]


def test_few_labels(tmp_path: Path) -> None:
    """The page's tables are shown and written; claims of the collection that is not there are not tested."""
    write_dl19(tmp_path / "data" / "trec_dl19_passage")
    setting = Setting(trials=2, data=tmp_path / "data", folder=tmp_path / "out", jobs=1)
    found = Reproduction.of(PAPERS["few-labels"], setting)
    measured = found.measurements.numbers
    assert {"DL19, nDCG@10: least coverage of a run", "DL19, nDCG@10, 5 %: RMSE"} <= set(measured)
    assert 0 < measured["DL19, nDCG@10, 5 %: RMSE over that of uniform"].value < np.inf
    verdicts = {found.verdict(claim) for claim in PAPERS["few-labels"].paper.claims}
    assert verdicts == {Verdict.UNTESTED}
    written = {path.name for path in found.write(tmp_path / "out", figures=False)}
    assert {"boards.html", "boards.md", "marks.csv", "claims.csv", "results.json"} <= written
    shown = (tmp_path / "out" / "boards.md").read_text(encoding="utf-8")
    assert "## 95 % intervals of leaderboard: DL19, nDCG@10" in shown
    assert len(list((tmp_path / "out" / "parts").iterdir())) == sum(
        not (one.judge or one.slow) for one in YARDSTICKS.values()
    )


def test_few_labels_with_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judges in the folder have a study each, beside none, a random one and one that is always right."""
    folder = tmp_path / "data" / "trec_dl19_passage"
    write_dl19(folder)
    (folder / "llm").mkdir()
    rows = noisy_judge().select("query", "document", "grade").iter_rows()
    lines = [f"{query} 0 {document} {grade:.0f}" for query, document, grade in rows]
    (folder / "llm" / "llama-70b-four-prompts.qrels").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.setattr("rankgauge.papers.pages.few_labels.MORE", 1)
    found = Reproduction.of(PAPERS["few-labels"], Setting(trials=2, data=tmp_path / "data", jobs=1))
    titles = found.measurements.tables["marks"]["collection"].unique(maintain_order=True).to_list()
    judges = ("no judge", "llama-70b", "random", "always right")
    assert titles == ["DL19", *(f"DL19 with {name}" for name in judges)]
    measured = found.measurements.numbers
    about = {number for number in claimed() if "judge" in number or "llama" in number}
    assert about <= set(measured)
    shown = str(found.measurements.reports["boards"].document(Medium.PAGE))
    assert "Labels for a root mean squared error of 0.03: DL19 with llama-70b" in shown


def test_few_labels_without_data(tmp_path: Path) -> None:
    """Without data no claim is tested; a folder that has none of the collections is refused."""
    experiment = PAPERS["few-labels"]
    found = Reproduction.of(experiment, Setting())
    assert {found.verdict(claim) for claim in experiment.paper.claims} == {Verdict.UNTESTED}
    with pytest.raises(InputError, match="trec8_adhoc or trec_dl19_passage"):
        Reproduction.of(experiment, Setting(data=tmp_path))


def test_every_claimed_number_is_measured(judged: JudgedBoard) -> None:
    """The numbers that claims name are those that a study of each collection gives."""
    measured: set[str] = set()
    for title, measures in MEASURES.items():
        trials = BoardTrials(methods=tuple(YARDSTICKS), labels=(20, 40, 80, 240), repetitions=2, workers=1)
        pool, grades = judged.board.pool, judged.grades
        study = trials.run(judged_board(pool, grades, measures, dialect="standard"), title)
        measured |= {name for name, _ in numbers(study)}
    assert {number for number in claimed() if "llama" not in number and "random" not in number} <= measured


def claimed() -> set[str]:
    """The numbers that the page's claims are about."""
    return {condition.number for claim in PAPERS["few-labels"].paper.claims for condition in claim.conditions}
