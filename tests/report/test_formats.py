"""Formats: every kind of report offers those that it has something for, and says so of the others."""

from __future__ import annotations

import sys
from io import StringIO
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge.audit.tools.report import AuditReport
from rankgauge.comparison.report import ComparisonReport
from rankgauge.demo import generate
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.evaluation.report import EvaluationReport
from rankgauge.evaluation.result import Result
from rankgauge.judgments.report import AgreementReport
from rankgauge.labelling.reports.campaign import CampaignReport
from rankgauge.labelling.simulations.report import BoardSimulationReport, SimulationReport
from rankgauge.render import FORMATS, Report
from rankgauge.render.format import Medium, ReportDocument
from rankgauge.render.html import page
from rankgauge.render.passages import Notes
from rankgauge.render.table import ReportTable
from rankgauge.romip.report import RomipReport

WITH_PICTURES = (AuditReport, BoardSimulationReport, CampaignReport, ComparisonReport, RomipReport, SimulationReport)
MADE = generate(rng=np.random.default_rng(0))


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    """Two runs."""
    return {name: evaluate(MADE.judgments, run, ["nDCG@10", "AP"]) for name, run in MADE.runs.items()}


@pytest.mark.parametrize("kind", WITH_PICTURES)
def test_a_picture_beside_the_page(kind: type[Report]) -> None:
    """What has charts on its page is also written as a picture."""
    common = {"table", "md", "tex", "html", "svg", "png", "json", "csv", "jsonl"}
    assert common == set(kind.formats()) - {"paragraph", "ndeval", "junit"}


def test_what_a_report_lacks() -> None:
    """A format that others have is refused with those that this report has; an unknown one with its neighbours."""
    assert set(AgreementReport.formats()) == {"table", "md", "tex", "html", "csv", "json", "jsonl"}
    with pytest.raises(InputError, match=r"does not write means\.svg") as refused:
        AgreementReport.find("means.svg")
    assert refused.value.hint == "It writes csv, html, json, jsonl, md, table, tex."
    with pytest.raises(InputError, match=r"no output format belongs to the ending \.doc"):
        EvaluationReport.find("means.doc")
    with pytest.raises(UnknownNameError, match="html"):
        EvaluationReport.find("htm1")


@pytest.mark.parametrize("name", ["table", "md", "tex", "html"])
def test_every_text_has_the_means(results: dict[str, Result], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each format for people has every run's mean, and what to know of it."""
    FORMATS[name].write(EvaluationReport(results=results), sys.stdout)
    printed = capsys.readouterr().out
    for run, result in results.items():
        assert run in printed
        assert f"{result['AP']:.4f}" in printed
    assert "Student's t" in printed.replace("&#39;", "'")


def test_words_on_a_page_are_words() -> None:
    """What looks like markup in a cell or a note is shown as it is."""
    table = ReportTable(columns=("<b>",), rows=[("a & b",)])
    shown = page(ReportDocument(headline="x < y", passages=[table, Notes([("*", "<script>")])]))
    assert "x &lt; y" in shown
    assert "&lt;b&gt;" in shown
    assert "a &amp; b" in shown
    assert "<script" not in shown


def test_media(results: dict[str, Result]) -> None:
    """A document can be had for every medium."""
    for medium in Medium:
        assert EvaluationReport(results=results, per_query=True).document(medium).passages


def test_cells_without_a_value_are_empty() -> None:
    """A spreadsheet takes the word NaN for text: where there is no value, CSV has nothing."""
    stream, table = StringIO(), pl.DataFrame({"run": ["a", "b"], "low": [0.5, np.nan], "queries": [2, None]})
    FORMATS["csv"].write(SimpleNamespace(frame=lambda: table), stream)
    assert stream.getvalue() == "run,low,queries\na,0.5,2\nb,,\n"


def test_all_equal_best_values_stand_out() -> None:
    """Whatever prints as the best does is marked as it is; where all runs print alike, none is."""
    judged = {f"q{n}": {"a": 1} for n in range(3)}
    first, second = ({query: {"a": a, "b": b} for query in judged} for a, b in ((2.0, 1.0), (1.0, 2.0)))
    for runs, bold in (({"x": first, "y": second, "z": first}, 2), ({"x": first, "z": first}, 0)):
        report = EvaluationReport(results={name: evaluate(judged, run, "RR") for name, run in runs.items()})
        stream = StringIO()
        FORMATS["tex"].write(report, stream)
        assert stream.getvalue().count(r"\textbf{1.0000}") == bold
