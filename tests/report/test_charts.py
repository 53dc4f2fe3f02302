"""Charts for notebooks: they show the numbers of what they are drawn from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankgauge as rg
from rankgauge.audit.tools import Audit, audit
from rankgauge.charts import KINDS
from rankgauge.demo import generate
from rankgauge.demo.collection import generate_pool
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.labelling import BoardCampaign, BoardPool, Campaign, Pool, Target, simulate
from rankgauge.labelling.methods import Estimate
from tests.active.board.collection import tables

pytestmark = pytest.mark.process  # computes for long


MADE = generate(rng=np.random.default_rng(0))


@pytest.fixture(scope="module")
def result() -> rg.Result:
    """One run by two measures."""
    return rg.evaluate(MADE.judgments, MADE.runs["bm25"], ["nDCG@10", "AP"])


@pytest.fixture(scope="module")
def comparison() -> rg.Comparison:
    """Two runs by two measures."""
    return rg.compare(MADE.judgments, MADE.runs, ["nDCG@10", "AP"])


@pytest.fixture(scope="module")
def audited() -> Audit:
    """Two runs under the tools that take them."""
    return audit(MADE.judgments, MADE.runs)


def rows(chart: Any) -> list[dict[str, Any]]:
    """All rows of data that a chart holds."""
    return [row for data in chart.to_dict()["datasets"].values() for row in data]


def drawn(chart: Any, folder: Path) -> None:
    """The chart is drawn: Vega finds nothing wrong with it, and there is a picture."""
    chart.save(folder / "chart.svg")
    assert (folder / "chart.svg").read_text().startswith("<svg")


def test_pages_need_no_network(comparison: rg.Comparison, tmp_path: Path) -> None:
    """A chart saved as a page holds the drawing code, also after a change; who wants it from the network says so."""
    chart: Any = rg.plot(comparison)
    for saved, options in ((chart, {}), (chart.properties(title="other"), {}), (chart, {"inline": False})):
        saved.save(tmp_path / "chart.html", **options)
        text = (tmp_path / "chart.html").read_text(encoding="utf-8")
        assert ("<script src=" in text.replace(' type="text/javascript"', "")) is bool(options)


def test_the_values_of_a_result(result: rg.Result, tmp_path: Path) -> None:
    """Every query is in one of a panel's bars, and the line stands at the mean."""
    chart = rg.plot(result)
    counted = [row["queries"] for row in rows(chart) if "from" in row]
    assert sum(counted) == 2 * len(result.queries)
    assert {row["mean"] for row in rows(chart) if "mean" in row} == set(result.summary["mean"])
    drawn(chart, tmp_path)


@pytest.mark.parametrize(("chart", "value"), [("means", "mean"), ("pairs", "difference")])
def test_a_comparison(comparison: rg.Comparison, chart: str, value: str, tmp_path: Path) -> None:
    """Each run's mean, or each pair's difference, is a dot with its interval."""
    found = [row for row in rows(rg.plot(comparison, chart)) if value in row]
    assert {row[value] for row in found} == set(getattr(comparison, chart)[value])
    assert all(row["low"] < row[value] < row["high"] for row in found)
    drawn(rg.plot(comparison, chart), tmp_path)


def test_every_verdict_has_its_colour() -> None:
    """Panels share one scale of colours, in which no two verdicts of a chart look alike."""
    comparison = rg.compare(MADE.judgments, MADE.runs, ["RR", "nDCG@10"])
    assert comparison.pairs["verdict"].to_list() == ["open", "better"]
    layers = [layer for panel in rg.plot(comparison, "pairs").to_dict()["concat"] for layer in panel["layer"]]
    scales = [layer["encoding"]["color"]["scale"] for layer in layers if "color" in layer["encoding"]]
    assert all(scale == scales[0] for scale in scales)
    assert scales[0]["domain"] == ["better", "open"]
    assert len(set(scales[0]["range"])) == 2


def test_an_audit(audited: Audit, tmp_path: Path) -> None:
    """Bars are the means; the parts of each tool sum to its difference."""
    means = rows(rg.plot(audited, "tools"))
    assert {row["mean"] for row in means} == set(audited.parts["mean"])
    parts = rows(rg.plot(audited, "causes"))
    for row in audited.parts.iter_rows(named=True):
        own = [part["amount"] for part in parts if (part["run"], part["tool"]) == (row["run"], row["tool"])]
        assert sum(own) == pytest.approx(row["difference"], abs=1e-6)  # causes that show to no decimal are left out
    for chart in ("tools", "causes"):
        drawn(rg.plot(audited, chart), tmp_path)


def test_a_campaign(tmp_path: Path) -> None:
    """The line ends at the estimate."""
    pool = generate_pool(rng=np.random.default_rng(0), queries=30)
    with Campaign.create(tmp_path / "c.rg", Pool.of(pool.drop("grade")), "ERR@10", budget=60) as campaign:
        campaign.lease(60)
        campaign.record(pool.select("query", "document", "grade"))
        estimate = campaign.estimate()
        assert estimate is not None
        assert rows(rg.plot(campaign))[-1]["value"] == pytest.approx(estimate.value, abs=1e-12)
        drawn(rg.plot(campaign), tmp_path)
        assert f"{estimate.value:.4f}" in str(estimate)
        assert f"{estimate.value:.4f}" in estimate._repr_html_()


def test_a_board(tmp_path: Path) -> None:
    """Each run is a dot with the interval that holds for all runs at once; before there is one, nothing is drawn."""
    judgments, runs, _ = tables()
    made = BoardPool.from_runs(runs)
    with BoardCampaign.create(tmp_path / "b.rg", made, ["P@5"], grades=(0, 1, 2, 3), budget=60) as campaign:
        with pytest.raises(InputError, match="no interval"):
            rg.plot(campaign)
        campaign.lease(60)
        campaign.record(judgments.join(pl.DataFrame({"document": made.documents}), on="document", how="semi"))
        (estimate,) = campaign.estimates()
        shown = {row["run"]: row["value"] for row in rows(rg.plot(campaign))}
        assert shown == pytest.approx(dict(zip(estimate.runs, estimate.values, strict=True)))
        drawn(rg.plot(campaign), tmp_path)


def test_a_study(tmp_path: Path) -> None:
    """Each method is a line over what was spent."""
    made = generate_pool(rng=np.random.default_rng(0), queries=30)
    pool, methods = Pool.of(made.drop("grade")), ["passive", "greg"]
    target = Target.of("ERR@10", pool)
    study = simulate(pool, target, made["grade"].to_numpy(), methods_=methods, budgets=[30, 60], count=20)
    assert {row["method"] for row in rows(rg.plot(study))} == set(study.methods)
    drawn(rg.plot(study), tmp_path)


def test_what_has_no_chart(result: rg.Result) -> None:
    """A thing without a chart, and a chart that a thing has not, are answered with what there is."""
    with pytest.raises(InputError, match="no chart of int"):
        rg.plot(3)
    with pytest.raises(UnknownNameError, match="values"):
        rg.plot(result, "valuess")


def test_every_kind_is_where_it_is_said_to_be() -> None:
    """The classes that can be drawn are known by where they live; one that moves is noticed here."""
    import importlib

    for name in KINDS:
        module, _, kind = name.rpartition(".")
        assert getattr(importlib.import_module(module), kind).__module__ == module


def test_notebooks_show_tables(comparison: rg.Comparison, audited: Audit) -> None:
    """A comparison shows its pairs, an audit its parts; as pandas frames too."""
    assert "<td" in comparison._repr_html_()
    assert f"{comparison.pairs['difference'][0]:+.4f}" in comparison._repr_html_()
    assert "gdeval" in audited._repr_html_()
    assert list(comparison.to_pandas("means").columns) == comparison.means.columns
    assert list(audited.to_pandas()["tool"]) == audited.parts["tool"].to_list()
    with pytest.raises(UnknownNameError, match="table of a comparison"):
        comparison.to_pandas("pears")


def test_an_estimate_without_an_interval() -> None:
    """Before there are queries enough for an interval there is no number."""
    nothing = Estimate(
        value=0.5, error=np.nan, low=np.nan, high=np.nan, level=0.95, draws=1, labels=1, cost=1.0, method="passive"
    )
    assert str(nothing) == "not yet (1 spent, passive)"
    assert "not yet" in nothing._repr_html_()
