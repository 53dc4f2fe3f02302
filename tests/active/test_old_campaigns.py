"""Campaign files that version 0.1 wrote open today, give the numbers that it printed, and go on."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from rankgauge.labelling.campaign import Campaign

GOLDEN = Path(__file__).parent.parent / "golden" / "campaign_0_1"
"""Campaigns of two assessors, two stages and an open task, with what `active estimate -o json` printed."""

PRINTED_AT = 1_794_843_900.0
"""Before the leases of the open tasks run out."""


@pytest.fixture(params=["auto", "paper"])
def method(request: pytest.FixtureRequest) -> str:
    """The method of the campaign."""
    return str(request.param)


@pytest.fixture
def campaign(method: str, tmp_path: Path) -> Campaign:
    """The campaign, in a file that may be written to."""
    path = tmp_path / f"{method}.rg"
    path.write_bytes(gzip.decompress((GOLDEN / f"{method}.rg.gz").read_bytes()))
    return Campaign.open(path, clock=lambda: PRINTED_AT)


@pytest.fixture
def printed(method: str) -> dict[str, Any]:
    """What version 0.1 printed."""
    printed: dict[str, Any] = json.loads((GOLDEN / f"{method}.json").read_text())
    if printed["estimate"]["freedom"] is None:  # JSON has no number for it
        printed["estimate"] = narrowed(printed["estimate"]) | {"freedom": math.inf}
        printed["curve"] = [narrowed(point) for point in printed["curve"]]
    return printed


def narrowed(estimate: dict[str, Any]) -> dict[str, Any]:
    """The estimate with its interval as it is now: by the normal quantile, for which 10⁶ degrees of freedom stood."""
    value, factor = estimate["value"], stats.norm.ppf(0.975) / stats.t.ppf(0.975, 1e6)
    return estimate | {end: value + (estimate[end] - value) * factor for end in ("low", "high")}


def test_same_numbers(campaign: Campaign, printed: dict[str, Any]) -> None:
    """Estimate, progress, curve and settings are those that were printed then."""
    with campaign:
        estimate, curve = campaign.estimate(), campaign.curve().to_dicts()
        assert estimate is not None
        assert estimate.to_json() == pytest.approx(printed["estimate"], abs=1e-12)
        progress = campaign.progress().to_json()
        assert {name: progress[name] for name in printed["progress"]} == pytest.approx(printed["progress"], abs=1e-12)
        assert len(curve) == len(printed["curve"])
        for point, then in zip(curve, printed["curve"], strict=True):
            assert point == pytest.approx(then, abs=1e-12)
        wanted = printed["settings"]
        assert campaign.settings.measure == wanted["measure"]
        assert campaign.settings.dialect == wanted["dialect"]
        assert campaign.settings.grades == tuple(wanted["grades"])
        assert (campaign.settings.assessors, campaign.settings.combine) == (wanted["assessors"], wanted["combine"])


def test_goes_on(campaign: Campaign) -> None:
    """Documents are handed out and their labels counted, within the budget, until nothing is left to judge."""
    with campaign:
        before = campaign.progress()
        held = campaign.lease(2, "anna", again=True)
        assert {task.assessor for task in held} == {"anna"}
        for _ in range(20):
            for assessor in ("anna", "ben"):
                tasks = campaign.lease(10, assessor, again=True)
                campaign.record([(task.query, task.document, 1, assessor) for task in tasks])
        after, estimate = campaign.progress(), campaign.estimate()
        assert after.labels > before.labels
        assert after.complete > before.complete
        assert after.spent <= after.budget
        assert estimate is not None
        assert estimate.draws == after.complete
