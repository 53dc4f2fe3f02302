"""A campaign that is renamed, gets another budget, or is deleted while others work on it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from rankgauge.errors import GoneError, InputError, ParameterError
from rankgauge.labelling.campaign import Campaign
from rankgauge.labelling.campaign.database import writing
from rankgauge.labelling.campaign.rules import CampaignRules, write_rules
from rankgauge.labelling.campaign.tables import rules_metadata
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.reports.campaign import CampaignReport
from tests.program import invoke
from tests.web.house import pool, truth


def made(folder: Path, **settings: object) -> Campaign:
    """A campaign of twelve queries with six documents each."""
    chosen = {"budget": 30, "method": "passive", **settings}
    return Campaign.create(folder / "c.rg", Pool.of(pool().drop("grade")), "ERR@5", **chosen)


def judge(campaign: Campaign, most: int = 1000) -> int:
    """Judges what is handed out; says how much that was."""
    tasks = campaign.lease(most, "ann")
    campaign.record([(task.query, task.document, truth()[task.query, task.document], "ann") for task in tasks])
    return len(tasks)


def test_a_budget_changed_before_the_start_is_planned_anew(tmp_path: Path) -> None:
    """Until something was handed out, it is as if the campaign had been made with the budget."""
    with made(tmp_path, method="auto") as campaign, Campaign.open(tmp_path / "c.rg") as other:
        campaign.change_budget(50)
        assert campaign.settings.planned is None
        assert [one.plans[0].budget for one in (campaign, other) if one.progress()] == [50, 50]
        assert other.settings.budget == 50


def test_a_raised_budget_is_spent(tmp_path: Path) -> None:
    """The draws go on where they were, in every process; that the budget was changed is kept and told."""
    with made(tmp_path) as campaign, Campaign.open(tmp_path / "c.rg") as other:
        assert judge(campaign) == 30
        before = campaign.progress()
        campaign.change_budget(60)
        assert judge(other) == 30, "another process knows the new budget"
        assert campaign.progress().spent == other.progress().spent == 60
        assert campaign.progress().complete == 2 * before.complete
        assert campaign.settings.planned == 30
        campaign.change_budget(72)
        assert campaign.settings.planned == 30, "what it began with"
        report = CampaignReport.of(campaign, level=0.95, interval="t")
        assert "changed from 30: only --interval sequence holds" in dict(report.notes())["interval"]
        assert CampaignReport.of(campaign, level=0.95, interval=None).estimate == campaign.estimate(interval="sequence")


def test_a_stopping_rule_needs_a_sequence(tmp_path: Path) -> None:
    """Whoever stops by an interval gets one that holds then, in Python and from the command line, as in the room."""
    with made(tmp_path) as campaign:
        judge(campaign)
        assert campaign.interval == "t"
        rules_metadata.create_all(campaign._state.engine)
        with writing(campaign._state.engine) as connection:
            write_rules(connection, campaign._state.store.campaign, CampaignRules(stop_at=0.02))
        assert campaign.estimate() == campaign.estimate(interval="sequence") != campaign.estimate(interval="t")
        report = CampaignReport.of(campaign, level=0.95, interval="t")
        told = "and the campaign stops at ± 0.02: only --interval sequence holds"
        assert told in dict(report.notes())["interval"]
    shown = invoke(["active", "estimate", str(tmp_path / "c.rg")]).output
    assert "valid whenever you stop" in shown


@pytest.mark.parametrize("budget", [17, 0, -1, math.inf, math.nan])
def test_a_budget_below_what_is_spent_is_refused(tmp_path: Path, budget: float) -> None:
    """Nothing that was bought can be given back."""
    with made(tmp_path) as campaign:
        judge(campaign, 20)
        with pytest.raises(ParameterError):
            campaign.change_budget(budget)
        assert campaign.settings.budget == 30
        campaign.change_budget(20)
        assert judge(campaign) == 0


def test_renamed_everywhere(tmp_path: Path) -> None:
    """Every process sees the new name; one that is taken, empty or too long is refused."""
    with made(tmp_path) as campaign, Campaign.open(tmp_path / "c.rg") as other:
        campaign.rename(" spring ")
        other.progress()
        assert (campaign.name, other.name) == ("spring", "spring")
        for name in ("", "x" * 201, "a\0"):
            with pytest.raises(ParameterError):
                campaign.rename(name)
        Campaign.create(campaign._state.engine, campaign.pool, "ERR@5", budget=9, name="taken")
        with pytest.raises(InputError, match="there is a campaign called 'taken' already"):
            campaign.rename("taken")


def test_deleted_while_another_process_works(tmp_path: Path) -> None:
    """Whoever still has it open is told that it is gone, and nothing is written."""
    with made(tmp_path) as campaign, Campaign.open(tmp_path / "c.rg") as other:
        judge(campaign, 10)
        with writing(campaign._state.engine) as connection:
            campaign._state.store.delete(connection)
        for act in (other.progress, other.pause, lambda: other.lease(1, "bob"), other.labels):
            with pytest.raises(GoneError):
                act()
