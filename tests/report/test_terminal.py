"""Text for a terminal."""

from __future__ import annotations

import io

import pytest

from rankgauge.render.numbers import shortest
from rankgauge.render.passages import Heading, Notes, Paragraph
from rankgauge.render.table import Column, ReportTable
from rankgauge.render.terminal import Screen, bold, cells, show, wrap


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_lines_break_between_words() -> None:
    """A line is broken between words; a word that is longer than a line begins one, and is broken where it must be."""
    assert [part.rstrip() for part in wrap("one two three", 7)] == ["one two", "three"]
    assert [part.rstrip() for part in wrap("a abcdefgh b", 4)] == ["a", "abcd", "efgh", "b"]
    assert list(wrap("", 4)) == [""]


def test_columns_of_wide_characters() -> None:
    """A table is aligned by the columns that a terminal shows, not by characters."""
    assert (cells("run"), cells("検索"), cells("e\u0301"), cells(bold("run"))) == (3, 4, 1, 3)
    out = io.StringIO()
    columns = ("run", Column("mean", format=str))
    Screen(out).table(ReportTable(columns=columns, rows=[("検索", 0.5), ("a", 10.25)]))
    assert out.getvalue().splitlines() == ["run    mean", "検索    0.5", "a     10.25"]


def test_notes_are_beside_their_subjects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Subjects and words are two columns, and no line is longer than the terminal."""
    monkeypatch.setenv("COLUMNS", "20")
    out = io.StringIO()
    show([Notes([("ties", "none of them matters"), ("empty", "")])], out)
    assert out.getvalue().splitlines() == ["ties   none of them", "       matters", "empty"]


def test_styles_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal gets bold headings; a pipe, a dumb terminal and whoever wants no colours get plain text."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    passages = [Heading("Means"), ReportTable(columns=("run",), rows=[("[a]",)]), Paragraph("p")]
    plain, coloured, without = io.StringIO(), Terminal(), Terminal()
    show(passages, plain)
    show(passages, coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    show(passages, without)
    assert plain.getvalue() == without.getvalue() == "Means\nrun\n[a]\n\np\n"
    assert coloured.getvalue().startswith("\x1b[1mMeans\x1b[0m\n\x1b[1mrun\x1b[0m\n[a]")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.3, "0.3"), (0.0, "0.0"), (1.25e-5, "0.0000125"), (-1e-5, "-0.00001"), (1.5e-7, "1.5e-7"), (1e16, "1e+16")],
)
def test_shortest(value: float, text: str) -> None:
    """A number has the fewest digits that give it again."""
    assert shortest(value) == text
    assert float(text) == value
