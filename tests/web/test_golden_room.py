"""A room that version 0.1.0 left: today's code opens its database and finds the same."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from scipy import stats

from rankgauge.files import read_judgments
from rankgauge.judgments import agreement
from tests.web.house import House, open_house

ROOM = Path(__file__).parents[1] / "golden" / "room_0_1"
EXPECTED = json.loads((ROOM / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    shutil.copy(ROOM / "room.db", tmp_path / "room.db")
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as opened:
        yield opened


@pytest.fixture
def program(house: House) -> httpx.Client:
    """A program with the token that the old version made."""
    return house.guest(headers={"Authorization": f"Bearer {EXPECTED['token']}"})


def widened(estimate: dict[str, Any]) -> dict[str, Any]:
    """The estimate with its confidence sequence as it is now: wider by what Student's t adds for an unknown error."""
    value, factor = estimate["value"], stats.t.ppf(0.975, estimate["freedom"]) / stats.norm.ppf(0.975)
    return estimate | {end: value + (estimate[end] - value) * factor for end in ("low", "high")}


def near(row: dict[str, Any]) -> dict[str, Any]:
    """The row, whose numbers may differ in their last digits from one processor to another."""
    return {name: pytest.approx(value, rel=1e-12) if isinstance(value, float) else value for name, value in row.items()}


def test_the_campaign_is_as_it_was(program: httpx.Client) -> None:
    """Settings, progress, estimate and the rule to stop are those of the old version."""
    (now,) = program.get("/api/v1/campaigns").json()
    del now["progress"]["leased"]  # depends on the hour
    then = EXPECTED["summary"]
    assert now["estimate"] == near(widened(then["estimate"]))
    # Who settled a disagreement is no longer counted as an assessor; what was imported or settled was not counted then.
    counted = {"assessors": then["progress"]["assessors"] - 1, "imported": 0, "adjudicated": 1}
    assert now["progress"] == then["progress"] | counted
    assert {name: now[name] for name in ("id", "name", "measure", "method", "stop_at")} == {
        name: then[name] for name in ("id", "name", "measure", "method", "stop_at")
    }


@pytest.mark.parametrize("name", ["judgments.txt", "assessors.txt"])
def test_the_exports_are_the_same(program: httpx.Client, name: str) -> None:
    """The exported qrels are those of the old version, byte for byte."""
    assert program.get(f"/api/v1/campaigns/1/files/{name}").content == (ROOM / name).read_bytes()


def test_the_assessors_agree_as_before(program: httpx.Client) -> None:
    """Coefficients of agreement and the number of disagreements are those of the old version, but for Fleiss' kappa, in
    which documents with one label did not count there: it is that of the exported judgments."""
    found = program.get("/api/v1/campaigns/1/agreement").json()["coefficients"]
    exported = agreement(read_judgments(ROOM / "assessors.txt", "trec-assessors"))
    then = [
        row | {"value": exported["fleiss"]} if row["coefficient"] == "fleiss" else row for row in EXPECTED["agreement"]
    ]
    assert found == [near(row) for row in then]
    assert len(program.get("/api/v1/campaigns/1/disagreements").json()) == EXPECTED["disagreements"]


def test_labels_belong_to_people(house: House) -> None:
    """Every label of ann's and bob's is theirs by their numbers, and the one that settled is the administrator's."""
    numbers = {row.name: row.id for row in house.room.people.of_campaign(1)}
    labels = house.room.campaigns.get(1).campaign.labels(history=True)
    assert labels["person"].null_count() == 0
    for name, number in numbers.items():
        assert set(labels.filter(labels["assessor"] == name)["person"]) == {number}
    settled = labels.filter(labels["kind"] == "settled")
    assert set(settled["assessor"]).isdisjoint(numbers)
    assert set(settled["origin"]) == {"adjudicated"}


def test_judging_goes_on(house: House, program: httpx.Client) -> None:
    """The people, the guide and the budget are still there, and a new label counts."""
    assert [row["name"] for row in program.get("/api/v1/campaigns/1/assessors").json()] == ["ann", "bob"]
    page = house.admin().get("/campaigns/1/judge").text
    assert "Judge what the query asks for." in page
    label = {**program.get("/api/v1/campaigns/1/judgments").json()[0], "assessor": "cleo"}
    assert program.post("/api/v1/campaigns/1/labels", json={"labels": [label]}).json()["new"] == 1
