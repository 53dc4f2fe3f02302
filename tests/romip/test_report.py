"""Reports: every official metric under every table, in every format and both languages."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from rankgauge import romip
from rankgauge.cli.main import run as command
from rankgauge.errors import RankGaugeError
from rankgauge.render import FORMATS
from rankgauge.romip import TrackResult
from rankgauge.romip.metrics import CURVES, binary, graded_metrics
from rankgauge.romip.report import LANGUAGES, RomipReport, words

ENGLISH = "recall, precision, accuracy, error, F-measure, precision(5), R-precision, average precision, bpref, bpref-10"
RUSSIAN = (
    "полнота, точность, аккуратность, ошибка, F-мера, точность на уровне 5 документов, R-точность, средняя точность, "
    "bpref, bpref-10, 11-точечный график полноты/точности (TREC)"
)


@pytest.fixture(scope="module")
def outcome(folder: Path) -> TrackResult:
    """The search track."""
    runs = {path.stem: path for path in sorted((folder / "search/runs").iterdir())}
    return romip.search(romip.read_tables(folder / "search/tables"), runs)


def written(outcome: TrackResult, format_: str, language: str = "en") -> str:
    """The report as text."""
    stream = io.StringIO()
    FORMATS[format_].write(RomipReport(outcome=outcome, words=words(language)), stream)
    return stream.getvalue()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("format_", ["table", "md", "html"])
def test_everything_official_is_shown(outcome: TrackResult, format_: str, language: str) -> None:
    """Each table and metric by name, the reconstruction labelled as such, the queries left out."""
    text, spoken = written(outcome, format_, language), words(language)
    for name in (RUSSIAN if language == "ru" else ENGLISH).split(", "):
        assert name in text
    for metric in (*binary(), *graded_metrics(), *CURVES):
        assert (metric.russian if language == "ru" else metric.english) in text
    for table, used, left_out in outcome.used.iter_rows():
        assert table in text
        assert spoken["queries"].format(used=used, left_out=left_out) in text
    assert ("реконструкция, не официальный" if language == "ru" else "reconstruction, not official") in text
    shown = outcome.value("and_relevant-minus", "average precision", "alpha")
    assert f"{shown:.4f}" in text


def test_csv_and_json_have_every_digit(outcome: TrackResult) -> None:
    """A row per figure and point, with the exact value and the number of queries."""
    rows = list(csv.DictReader(io.StringIO(written(outcome, "csv"))))
    assert len(rows) == len(outcome.figures) + len(outcome.curves)
    wanted = {"table": "or_vital", "metric": "bpref-10", "run": "beta"}
    (row,) = (row for row in rows if wanted.items() <= row.items())
    assert float(row["value"]) == outcome.value("or_vital", "bpref-10", "beta")
    assert {"11-point matrix (TREC)@0.3", "11-point matrix (ROMIP)@0.3"} <= {row["metric"] for row in rows}
    document = json.loads(written(outcome, "json"))
    assert len(document["values"]) == len(outcome.values)
    assert document["tables"] == outcome.used.rows(named=True)


def test_the_page_stands_alone(outcome: TrackResult) -> None:
    """Well-formed plots, two per binary table with a line per run, and nothing fetched from elsewhere."""
    page = written(outcome, "html")
    plots = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(plots) == 2 * 6
    for plot in plots:
        assert len(ElementTree.fromstring(plot).findall("polyline")) == 3
    assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!#)|url\(|@import|<script", page)


def test_the_page_is_balanced(outcome: TrackResult) -> None:
    """Every element that opens closes again."""
    depth: list[str] = []

    class Balance(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag != "meta":
                depth.append(tag)

        def handle_startendtag(self, tag: str, attrs: object) -> None:
            """Opens and closes at once."""

        def handle_endtag(self, tag: str) -> None:
            assert depth.pop() == tag

    Balance().feed(written(outcome, "html"))
    assert depth == []


def test_names_are_escaped() -> None:
    """A run's name is text, never markup."""
    judged = romip.derive(pl.DataFrame({"query": ["q"], "document": ["a"], "grade": [3.0]}))
    evil = romip.search(judged, {"<script>alert(1)</script>": {"q": {"a": 1.0}}, "[bold]": {"q": {"a": 1.0}}})
    assert "<script" not in written(evil, "html")
    assert "[bold]" in written(evil, "table")


def test_a_table_without_queries_says_so() -> None:
    """Nothing is vital: the table has no figures, and the report says why."""
    judged = romip.derive(pl.DataFrame({"query": ["q"], "document": ["a"], "grade": [1.0]}))
    outcome = romip.search(judged, {"run": {"q": {"a": 1.0}}})
    for format_ in ("table", "md", "html"):
        assert words("en")["nothing"] in written(outcome, format_)


def test_outputs_and_languages() -> None:
    """A format or a file's ending; what is neither is an error."""
    assert RomipReport.find("romip.html") == (FORMATS["html"], Path("romip.html"))
    for wrong in ("romip.pdf", "pdf"):
        with pytest.raises(RankGaugeError):
            RomipReport.find(wrong)
    with pytest.raises(RankGaugeError, match="language"):
        words("de")


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit code of the command line."""
    monkeypatch.setattr("sys.argv", ["rankgauge", "romip", *arguments])
    with pytest.raises(SystemExit) as ended:
        command()
    return int(ended.value.code or 0)


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The four tracks from files to reports, and errors as exit codes."""
    monkeypatch.chdir(tmp_path)
    assert call(monkeypatch, "example", ".") == 0
    assert "search/tables/: assessor-1.xml" in capsys.readouterr().out
    assert call(monkeypatch, "search", "search/tables", "search/runs", "--at", "3", "-o", "romip.html") == 0
    assert "precision(3)" in (tmp_path / "romip.html").read_text(encoding="utf-8")
    classes = ("classification/truth.xml", "classification/results/alpha.xml", "classification/results/beta.xml")
    assert call(monkeypatch, "classification", *classes, "--lang", "ru") == 0
    assert "аккуратность, макро" in capsys.readouterr().out
    shown = ("annotation/annotations/alpha", "annotation/annotations/beta")
    assert call(monkeypatch, "annotation", "annotation/documents", *shown) == 0
    assert "precision, micro" in capsys.readouterr().out
    assert call(monkeypatch, "qa", "qa/tables", "qa/runs", "-o", "csv") == 0
    assert "RomipReciprocalRank" in capsys.readouterr().out
    assert call(monkeypatch, "search", "search/tables", "search/runs", "--at", "x") == 4
    assert call(monkeypatch, "search", "nowhere", "search/runs") == 2
    assert call(monkeypatch, "qa", "qa/tables", "qa/runs", "--lang", "de") == 3
