"""A campaign made on the page, by the API and at the command line is the same campaign."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from markupsafe import escape

from rankgauge.cli.commands.active_plan import PlanOptions
from rankgauge.files.scales import SCALES
from rankgauge.labelling import defaults
from rankgauge.labelling.campaign import Campaign
from rankgauge.labelling.label_format import LABEL_FORMATS
from rankgauge.labelling.method import METHODS
from rankgauge.labelling.pool_rows import COSTS
from rankgauge.labelling.pool_sources import UNITS
from rankgauge.room.new_campaign import NewCampaign
from tests.program import invoke
from tests.web.house import House, csrf, parquet, pool, write_pool

SAME = ("measure", "method", "dialect", "assessors", "combine", "unjudgeable", "seed", "grades")


def test_one_act_has_one_default(house: House, tmp_path: Path) -> None:
    """Only with a name, a pool and a budget, the page makes the campaign that `active plan` makes."""
    written, admin = write_pool(tmp_path), house.admin()
    sent = {"csrf": csrf(admin, "/campaigns/new"), "name": "page", "budget": "40"}
    begun = admin.post("/drafts", data=sent, files={"lists": ("pool.parquet", written.read_bytes())})
    assert begun.headers["location"] == "/drafts/1/pool", begun.text
    assert admin.post("/drafts/1/plan", data=sent).status_code == 303
    answer = admin.post("/drafts/1/make", data=sent)
    assert answer.status_code == 303, answer.text
    page = asdict(house.room.campaigns.get(int(answer.headers["location"].rpartition("/")[2])).campaign.settings)
    command = ["active", "plan", str(written), "--budget", "40", "-o", str(tmp_path / "planned.rg")]
    planned = invoke(command)
    assert planned.exit_code == 0, planned.output
    with Campaign.open(tmp_path / "planned.rg") as campaign:
        typed = asdict(campaign.settings)
    assert {name: page[name] for name in SAME} == {name: typed[name] for name in SAME}
    assert (page["measure"], page["method"], page["combine"]) == ("ERR@10", "auto", "mean")


def test_pages_offer_what_is_registered(house: House) -> None:
    """Methods, costs and label formats that a file adds are seen on the pages."""
    files = house.admin().get(f"/campaigns/{house.campaign()}/files").text
    assert all(str(escape(title)) in files for title in LABEL_FORMATS.titles().values())
    admin = house.admin()
    sent = {"csrf": csrf(admin, "/campaigns/new")}
    admin.post("/drafts", data=sent, files={"lists": ("pool.parquet", parquet(pool().drop("grade")))})
    page = admin.get("/drafts/1/plan").text
    assert all(f'<option value="{name}">' in page for name in COSTS)
    assert all(f'<option value="{name}"' in page for name in (*METHODS, *UNITS))
    assert all(f'<option value="{name}"' in admin.get("/drafts/1/judging").text for name in SCALES)


def test_the_form_has_the_defaults_of_the_command() -> None:
    """Each setting that the form and `active plan` have in common has one default."""
    typed = {name: option.default for name, option in PlanOptions.parameters().items()}
    typed["measure"] = typed["measure"] or defaults.MEASURE  # the command takes several, and this one if none is named
    common = (NewCampaign.model_fields.keys() & typed.keys()) - {"budget", "scale"}  # the form offers the pool's scale
    assert common >= {"measure", "method", "goal", "combine", "seed", "assessors", "dialect", "depth", "cost", "unit"}
    assert {name: NewCampaign.model_fields[name].default for name in common} == {name: typed[name] for name in common}
