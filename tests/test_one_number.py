"""One name, one number: whoever is asked for nDCG@10 of a run that is judged whole gives what `evaluate` gives."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankgauge
from rankgauge.audit.judge.consequences import JudgedRuns
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.evaluation.arrays import score_arrays
from rankgauge.fusion import fusion_gain
from rankgauge.integrations.lightgbm import metric
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.campaign import BoardCampaign, Campaign
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.pools import reuse
from rankgauge.labelling.simulations.trials import BoardSimulation
from rankgauge.labelling.target import Target
from rankgauge.measures import parse
from rankgauge.papers.simulation import Simulation
from rankgauge.room.app import create_app
from rankgauge.room.new_campaign import NewCampaign, PlannedCampaign, single_file
from rankgauge.room.settings import RoomSettings
from rankgauge.training.documents import Documents
from rankgauge.training.objective import Objective
from tests.active.campaigns import spend
from tests.program import invoke
from tests.web.house import parquet

pytestmark = pytest.mark.process  # computes for long


NAME = "nDCG@10"
QUERIES, DOCUMENTS = 8, 12


def rows() -> pl.DataFrame:
    """Every query's documents with their grades and scores, the best scores first."""
    rng = np.random.default_rng(3)
    grades = rng.integers(0, 4, size=QUERIES * DOCUMENTS).astype(float)
    found = pl.DataFrame(
        {
            "query": [f"q{q}" for q in range(QUERIES) for _ in range(DOCUMENTS)],
            "document": [f"d{d:02}" for _ in range(QUERIES) for d in range(DOCUMENTS)],
            "score": grades + rng.normal(0, 2, len(grades)),
            "grade": grades,
        }
    )
    return found.sort("query", -pl.col("score"))


JUDGMENTS, RUN = rows().select("query", "document", "grade"), rows().select("query", "document", "score")
SIZES = np.full(QUERIES, DOCUMENTS)
TRUTH = {(query, document): grade for query, document, grade in JUDGMENTS.rows()}


def value() -> float:
    """What `evaluate` says."""
    return rankgauge.evaluate(JUDGMENTS, RUN, NAME)[NAME]


def files(folder: Path) -> list[str]:
    """The judgments and the run as files."""
    texts = {
        "qrels.txt": [f"{query} 0 {document} {grade:g}" for query, document, grade in JUDGMENTS.rows()],
        "run.txt": [f"{query} Q0 {document} 0 {score!r} run" for query, document, score in RUN.rows()],
    }
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [str(folder / name) for name in texts]


def said(*arguments: str) -> Any:
    """What a command prints as JSON."""
    found = invoke([*arguments, "-o", "json"], catch_exceptions=False)
    return json.loads(found.stdout)


def pool() -> Pool:
    """The run as a pool about which nothing is known."""
    return Pool.of(RUN, grades=[0, 1, 2, 3], cost="documents")


def board_pool() -> BoardPool:
    """The run as a board of its own."""
    return BoardPool.from_runs({"run": RUN})


def by_evaluate_command(folder: Path) -> float:
    return float(said("evaluate", *files(folder), "-m", NAME)["runs"][0]["summary"][0]["mean"])


def by_compare(folder: Path) -> float:
    return float(rankgauge.compare(JUDGMENTS, {"run": RUN, "again": RUN}, NAME).results["run"][NAME])


def by_arrays(folder: Path) -> float:
    return float(np.mean(score_arrays(rows()["grade"], rows()["score"], NAME, group=SIZES)))


def by_target(folder: Path) -> float:
    found = pool()
    queries = found.queries.gather(found.query)
    grades = np.array([TRUTH[pair] for pair in zip(queries, found.documents, strict=True)])
    return float(Target.of(NAME, found).values(found, grades).mean())


def by_campaign(folder: Path) -> float:
    with Campaign.create(folder / "one.rg", pool(), NAME, budget=QUERIES * DOCUMENTS) as campaign:
        spend(campaign, TRUTH, n=50)
        found = campaign.estimate()
    assert found is not None
    return found.value


def by_board_campaign(folder: Path) -> float:
    options = {"grades": [0, 1, 2, 3], "budget": QUERIES * DOCUMENTS}
    with BoardCampaign.create(folder / "board.rg", board_pool(), [NAME], **options) as campaign:  # type: ignore[arg-type]
        spend(campaign, TRUTH, n=50)
        return float(campaign.estimates()[0].values[0])


def by_active_command(folder: Path) -> float:
    kept = str(folder / "planned.rg")
    rest = ["--grades", "0,1,2,3", "--depth", str(DOCUMENTS), "--budget", str(QUERIES * DOCUMENTS), "-o", kept]
    made = invoke(["active", "plan", files(folder)[1], "-m", NAME, *rest], catch_exceptions=False)
    assert re.search(r"^dialect +standard$", made.stdout, re.MULTILINE)
    with BoardCampaign.open(kept) as campaign:
        spend(campaign, TRUTH, n=50)
    return float(said("active", "estimate", kept)["board"][0]["value"])


def by_room(folder: Path) -> float:
    room = create_app(RoomSettings(database=f"sqlite:///{folder / 'room.db'}", port=0)).state.room
    wanted = NewCampaign(name="autumn", measure=NAME, budget=QUERIES * DOCUMENTS, scale="0=0, 1=1, 2=2, 3=3")
    number = PlannedCampaign(wanted=wanted, contents=single_file(parquet(RUN), "pool.parquet")).create(room.campaigns)
    campaign = room.campaigns.get(number).campaign
    spend(campaign, TRUTH, n=50)
    found = campaign.estimate() if isinstance(campaign, Campaign) else campaign.estimates()[0]
    room.engine.dispose()
    return float(found.value if isinstance(campaign, Campaign) else found.values[0])


def by_judge_audit(folder: Path) -> float:
    pairs = GradedPairs.from_grades(JUDGMENTS, {"judge": JUDGMENTS})
    return float(JudgedRuns.from_runs(pairs, {"run": RUN}).values(pairs.people, parse(NAME)).mean())


def by_objective(folder: Path) -> float:
    return Objective.of(Documents.of(np.zeros((len(RUN), 1)), rows()["grade"].to_numpy(), RUN["query"]), NAME).mean(
        rows()["score"].to_numpy()
    )


def by_lightgbm(folder: Path) -> float:
    grades = rows()["grade"].to_numpy()
    data = SimpleNamespace(get_group=lambda: SIZES, get_label=lambda: grades, get_weight=lambda: None)
    return float(metric()(rows()["score"].to_numpy(), data)[1])


def by_pool_reuse(folder: Path) -> float:
    found = reuse(JUDGMENTS, {"other": RUN}, [NAME], new={"run": RUN}).new_runs
    assert found is not None
    (row,) = found.frame().rows(named=True)
    assert row["worst"] == pytest.approx(row["best"])
    return float(row["value"])


def by_fusion(folder: Path) -> float:
    found = fusion_gain(JUDGMENTS, {"a": RUN, "b": RUN}, NAME, folds=2)
    return float(found.comparison.results["fused"][NAME])


ASKED = [named for name, named in globals().items() if name.startswith("by_")]


@pytest.mark.parametrize("ask", ASKED, ids=lambda ask: str(ask.__name__))
def test_one_name_is_one_number(ask: Callable[[Path], float], tmp_path: Path) -> None:
    """The command line, Python, campaigns, the room and trainers agree with `evaluate` where no dialect is named."""
    assert ask(tmp_path) == pytest.approx(value(), abs=1e-9)


def test_simulations_of_a_users_own_data_have_the_same_default() -> None:
    """A simulation is of what a campaign would have estimated."""
    simulated = (Simulation(path=Path("letor.txt")), BoardSimulation(judgments=JUDGMENTS, runs={"run": RUN}))
    assert {one.dialect for one in simulated} == {"standard"}


@pytest.mark.parametrize("written", ["rbp", "rbp@10", "Rbp(p=0.5)@3"])
def test_a_measure_in_small_letters_is_the_measure(written: str) -> None:
    """`evaluate`, `measure` and arrays mean the same by rbp; only trec_eval 10, which prints a rbp, means gRBP."""
    asked, named = rankgauge.evaluate(JUDGMENTS, RUN, written), parse(written)
    grades, scores = (rows()[column].to_numpy().reshape(QUERIES, -1) for column in ("grade", "score"))
    assert asked.measures == (named,)
    assert named == parse(written.replace("rbp", "RBP").replace("Rbp", "RBP"))
    assert asked[str(named)] == pytest.approx(float(np.mean(score_arrays(grades, scores, written))), abs=1e-12)
    assert [str(one) for one in rankgauge.dialect("trec_eval-10").select("rbp")] == ["gRBP"]
