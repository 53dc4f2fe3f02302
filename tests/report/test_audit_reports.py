"""Audits as reports: the page is whole and needs nothing from outside, and every format has the audit's numbers."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from rankgauge.audit.tools import Audit, audit
from rankgauge.audit.tools.report import AuditReport
from rankgauge.demo import generate, write
from rankgauge.render import FORMATS
from tests.docs.blocks import ROOT
from tests.shared import shared

SVG = "{http://www.w3.org/2000/svg}"

TEXTS = tuple(name for name in AuditReport.formats() if name != "png")
"""Every format that is text."""

VOID = {"meta", "line", "polyline", "path", "br"}


@pytest.fixture(scope="module")
def audited() -> Audit:
    """The two runs of a generated collection, one of them under a name that a page must escape."""
    made = generate(rng=np.random.default_rng(0))
    runs = {"<bm25> & co": made.runs["bm25"], "dense": made.runs["dense"]}
    return audit(made.judgments, runs, dialects=["gdeval", "sklearn", "trec_eval", "trec_eval-8.1+ndcg"])


def written(audited: Audit, name: str) -> str:
    """The audit in that format."""
    stream = io.StringIO()
    FORMATS[name].write(AuditReport(audit=audited), stream)
    return stream.getvalue()


class Balance(HTMLParser):
    """The elements that were opened and not closed, and every attribute that names a place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.places: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.places += [value for name, value in attrs if name in ("src", "href", "action", "data")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole(audited: Audit) -> None:
    """Every element of the page is closed, in order; nothing is fetched from anywhere."""
    page = written(audited, "html")
    parsed = Balance()
    parsed.feed(page)
    assert parsed.open == []
    assert parsed.places == []
    assert not re.search(r"https?://|@import|url\(", page)


def test_the_page_escapes_names(audited: Audit) -> None:
    """A run's name is text on the page, whatever is in it."""
    page = written(audited, "html")
    assert "&lt;bm25&gt; &amp; co" in page
    assert "<bm25>" not in page.replace('"<bm25> & co"', "")  # as it is only within JSON


def test_the_page_has_every_pair(audited: Audit) -> None:
    """The page's data hold each pair of tools both ways, and the parts of each sum to the difference."""
    page = written(audited, "html")
    data = json.loads(re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[0])
    names = {dialect.name for dialect in audited.dialects}
    assert set(data["runs"]) == set(audited.scores)
    for bases in data["runs"].values():
        assert set(bases) == names
        for base, tools in bases.items():
            assert set(tools) == names - {base}
            for tool, one in tools.items():
                assert sum(part[1] for part in one["parts"]) == pytest.approx(one["difference"], abs=1e-11)
                assert one["difference"] == pytest.approx(-bases[tool][base]["difference"], abs=1e-12)


def test_a_browser_draws_the_parts(audited: Audit, tmp_path: Path) -> None:
    """In a browser the page's script draws a row for each tool but the base."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium here")
    (tmp_path / "audit.html").write_text(written(audited, "html"), encoding="utf-8")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
    command = [browser, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run([*command, (tmp_path / "audit.html").as_uri()], capture_output=True, text=True, timeout=120)
    drawn = done.stdout.partition('id="parts"')[2].partition("<noscript>")[0]
    assert drawn.count('class="row"') == len(audited.dialects) - 1
    assert 'class="piece"' in drawn


def test_the_picture_ends_at_each_mean(audited: Audit) -> None:
    """In the picture each tool's bars lead from the base to a dot at its mean: all dots are on one scale."""
    root = ElementTree.fromstring(written(audited, "svg"))
    rows = [group for group in root.iter(f"{SVG}g") if group.get("text-anchor") == "end"]
    means = [float(group.findall(f"{SVG}text")[1].text or "") for group in rows]
    _, *dots = (float(dot.get("cx", "")) for dot in root.iter(f"{SVG}circle"))  # the first is the legend's
    names = [name for group in rows for name in (group.findtext(f"{SVG}title") or "").split(", ")]
    assert sorted(names) == sorted(dialect.name for dialect in audited.dialects for _ in audited.scores)
    slope, start = np.polyfit(means, dots, 1)
    assert slope > 0
    assert np.polyval([slope, start], means) == pytest.approx(dots, abs=0.2)
    assert not re.search(r"nan|href|url\(", written(audited, "svg"))


@pytest.fixture(scope="module")
def between(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """The demonstration's test set under five tools; the base is at neither end."""
    folder = tmp_path_factory.mktemp("demo")
    write(generate(rng=np.random.default_rng(0)), folder)
    names = ("ranklib", "letor4", "yahoo", "gdeval", "trec_eval")
    return audit(folder / "test.txt", folder / "scores.txt", dialects=names)


@pytest.mark.parametrize("name", ["table", "md", "html"])
def test_the_gap_stands_below_the_tools(between: Audit, audited: Audit, name: str) -> None:
    """The gap that the headline splits is the table's last row, unless the base is at one end of it."""
    amounts = [between.gaps["run"].amount(cause) for cause in between.told_causes]
    cells = [f"{amount:+.4f}".replace("-", "−") for amount in amounts if abs(amount) > 5e-5]
    plain = re.sub(r"<[^>]*>", " ", written(between, name))
    (row,) = re.findall(r"highest − lowest.*", plain, re.DOTALL)
    assert re.findall(r"[+−]\d\.\d{4}", row)[1 : len(cells) + 1] == cells
    assert {"standard"} == {gap.base.name for gap in audited.gaps.values()}
    assert "highest − lowest" not in written(audited, name)


@pytest.mark.parametrize("name", ["table", "md", "html", "svg"])
def test_what_is_taken_back_is_told(between: Audit, name: str) -> None:
    """Every format for people has the whole headline, with what narrows the gap."""
    plain = " ".join(re.sub(r"<[^>]*>", " ", written(between, name)).split())
    assert "; other choices narrow it by 5 %." in plain


def test_the_picture_explains_its_marks(between: Audit) -> None:
    """The legend names each colour in words, the dot and the line; causes too narrow to be seen have no colour."""
    root = ElementTree.fromstring(written(between, "svg"))
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"queries without a relevant document", "what the tool gives", "standard: the usual definition"} <= {*words}
    hues = [rect.get("fill") for rect in root.iter(f"{SVG}rect") if rect.get("rx") == "2"]
    assert len(hues) == len(set(hues)) == 4  # empty, top grade, gain, discount
    assert {rect.get("fill") for rect in root.iter(f"{SVG}rect")} == {*hues, "#ffffff"}


def test_the_picture_of_the_readme(tmp_path: Path) -> None:
    """The README's picture is what the command makes of MQ2008, ranked by feature 40."""
    text = "".join(shared(f"data/mq2008/S{part}.txt").read_text() for part in range(1, 6))
    (tmp_path / "mq2008.txt").write_text(text)
    column = pl.Series(text.splitlines()).str.extract(r" 40:(\S+)")
    (tmp_path / "feature40.txt").write_text("\n".join(column) + "\n")
    made = written(audit(tmp_path / "mq2008.txt", {"feature40.txt": tmp_path / "feature40.txt"}), "svg")
    assert made == (ROOT / "docs" / "images" / "audit.svg").read_text(encoding="utf-8")


def test_json_has_the_numbers(audited: Audit) -> None:
    """JSON holds each tool's mean, and parts that sum to each difference."""
    told = json.loads(written(audited, "json"))
    for run in told["runs"]:
        for dialect in audited.dialects:
            assert run["means"][dialect.name] == audited.mean(run["run"], dialect)
        for one in run["attributions"]:
            assert sum(part["amount"] for part in one["parts"]) == pytest.approx(one["difference"], abs=1e-12)
    assert {contest["outcome"] for contest in told["verdict"]["contests"]} <= {
        "agree",
        "noise",
        "leaning",
        "contradiction",
    }


@pytest.mark.parametrize("name", ["table", "md"])
def test_tables_have_the_numbers(audited: Audit, name: str) -> None:
    """A table for people has each tool's mean of each run."""
    shown = written(audited, name)
    for run in audited.scores:
        for dialect in audited.dialects:
            assert re.search(rf"{re.escape(dialect.name)}\W.*{audited.mean(run, dialect):.4f}", shown)


def test_one_run_one_tool() -> None:
    """An audit of one tool has no difference to take apart, and says so in every format."""
    alone = audit({"a": {"x": 1}}, {"a": {"x": 1}}, "AP", dialects=["standard"])
    for name in TEXTS:
        assert "1.0" in written(alone, name)


@pytest.mark.parametrize("name", ["table", "md", "html", "json"])
def test_nothing_to_do(name: str) -> None:
    """Tools that agree leave nothing to do; tools that agree on nothing do not."""
    told = written(audit({"a": {"x": 1}}, {"a": {"x": 1}}, dialects=["trec_eval"]), name)
    assert "The tools agree on this data" in told or json.loads(told)["advice"] == []
    for judgments in ({"a": {"x": 0}}, {"a": {"y": 1}}):
        vain = written(audit(judgments, {"a": {"x": 1}}, dialects=["trec_eval"]), name)
        assert "Nothing" not in vain
        assert "Check the" in vain


def test_nothing_relevant_anywhere() -> None:
    """Where a tool leaves every query out it has no mean: a dash, and no number in JSON."""
    empty = audit({"a": {"x": 0}}, {"a": {"x": 1}}, dialects=["gdeval", "lightgbm"])
    assert re.search(r"gdeval +–", written(empty, "table"))
    assert "0.00 (standard) to 1.00 (lightgbm)" in written(empty, "html")
    assert json.loads(written(empty, "json"))["runs"][0]["means"]["gdeval"] is None
    assert "nan" not in written(empty, "svg")
    nowhere = audit({"a": {"x": 0}}, {"a": {"x": 1}}, dialects=["gdeval"], base="gdeval")
    for name in set(TEXTS) - {"csv", "jsonl"}:  # these have numbers only
        assert "is not defined on this data" in " ".join(written(nowhere, name).split())


def test_formats_by_ending() -> None:
    """A file's ending names the format."""
    assert AuditReport.find("audit.html")[0].name == "html"
    assert AuditReport.find("json") == (FORMATS["json"], None)
