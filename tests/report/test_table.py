"""Tests of tables: one value, from which every format is written."""

from __future__ import annotations

import io

import pytest

from rankgauge.render.format import FORMATS, Medium, Report, ReportDocument
from rankgauge.render.formats.json import plain
from rankgauge.render.formats.md import table as markdown
from rankgauge.render.html import table as page_table
from rankgauge.render.numbers import number, percent, thousands, with_sign
from rankgauge.render.table import INTERVAL, Column, ReportTable
from rankgauge.render.terminal import show

COLUMNS = (Column("measure", once=True), Column("run"), Column("mean", format=number), INTERVAL)
ROWS = [
    {"measure": "AP", "run": "a", "mean": 0.25, "low": 0.125, "high": 0.375, "more": "not shown"},
    {"measure": "AP", "run": "b|c", "mean": float("nan"), "low": float("nan"), "high": 1.0, "more": ""},
    {"measure": "RR", "run": "a", "mean": 3.0, "low": 0.5, "high": 1.0, "more": ""},
]
TABLE = ReportTable(columns=COLUMNS, rows=ROWS, strong=frozenset({(0, 2)}))


def test_cells_are_the_formats_of_values() -> None:
    """A format gets the values under its keys; a value that the row above has too is left out where asked for."""
    assert TABLE.cells == [
        ["AP", "a", "0.2500", "[0.1250, 0.3750]"],
        ["", "b|c", "–", "–"],
        ["RR", "a", "3", "[0.5000, 1.0000]"],
    ]


def test_programs_get_values_under_keys() -> None:
    """Records have the numbers themselves, under every key that a column shows and no other."""
    first = TABLE.records()[0]
    assert first == {"measure": "AP", "run": "a", "mean": 0.25, "low": 0.125, "high": 0.375}
    assert [record["measure"] for record in TABLE.records()] == ["AP", "AP", "RR"]


def test_rows_without_keys_follow_the_columns() -> None:
    """A row may be a sequence in the order of the columns; a name alone is a column of texts."""
    table = ReportTable(columns=("run", Column("change", "delta", with_sign)), rows=[("a", -0.5), ("b", 0.25)])
    assert table.cells == [["a", "−0.5000"], ["b", "+0.2500"]]
    assert table.records() == [{"run": "a", "delta": -0.5}, {"run": "b", "delta": 0.25}]


def test_numbers_are_aligned_to_the_right() -> None:
    """Columns with a format are aligned to the right, unless they say that they are not."""
    assert [column.right for column in TABLE.heads] == [False, False, True, False]
    assert markdown(TABLE).splitlines() == [
        "| measure | run | mean | 95 % interval |",
        "| --- | --- | ---: | --- |",
        "| AP | a | **0.2500** | [0.1250, 0.3750] |",
        r"|  | b\|c | – | – |",
        "| RR | a | 3 | [0.5000, 1.0000] |",
    ]
    out = io.StringIO()
    show([TABLE], out)
    assert out.getvalue().splitlines()[:2] == [
        "measure  run    mean  95 % interval",
        "AP       a    0.2500  [0.1250, 0.3750]",
    ]
    assert '<td class="num">' in page_table(TABLE)


@pytest.mark.parametrize(
    ("written", "expected"), [(thousands(1234.0), "1,234"), (thousands(float("inf")), "–"), (percent(0.125), "12 %")]
)
def test_counts_and_shares(written: str, expected: str) -> None:
    """Counts have commas, shares per cent."""
    assert written == expected


class _Tabled(Report):
    command = "none"

    def document(self, medium: Medium) -> ReportDocument:
        return ReportDocument(passages=[TABLE])


@pytest.mark.parametrize("name", ["table", "md", "tex", "html"])
def test_every_format_for_people_shows_the_same_cells(name: str) -> None:
    """Terminal, Markdown, LaTeX and pages write the cells of one table."""
    out = io.StringIO()
    FORMATS[name].write(_Tabled(), out)
    assert all(text in out.getvalue() for text in ("0.2500", "[0.1250, 0.3750]", "RR"))


def test_json_has_the_values_of_a_table() -> None:
    """A table among a report's data is a list of records; what is not a number is null."""
    assert plain({"means": TABLE})["means"][1] == {
        "measure": "AP",
        "run": "b|c",
        "mean": None,
        "low": None,
        "high": 1.0,
    }
