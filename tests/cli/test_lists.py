"""rankgauge measures, dialects, formats, judgments, demo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rankgauge import dialects, io
from rankgauge.measures import MEASURES
from rankgauge.report import FORMATS

Command = Callable[..., str]


def test_measures_are_listed(command: Command) -> None:
    """Every measure is in the list, with its title."""
    shown = command("measures")
    for name, kind in MEASURES.items():
        assert f"{name} " in shown
        assert kind.facts.title in shown


@pytest.mark.parametrize("name", MEASURES)
def test_measure_is_shown(command: Command, name: str) -> None:
    """A measure's card has its reference, and each example's arithmetic."""
    flat = " ".join(command("measures", "show", name).split())
    facts = MEASURES[name].facts
    assert " ".join(facts.reference.split()) in flat
    for example in facts.examples:
        assert f"{' '.join(example.value.split())} = " in flat


def test_measure_with_parameters_is_found(command: Command) -> None:
    """A name with parameters and cutoff shows its measure; an unknown one suggests."""
    assert command("measures", "show", "nDCG(gain='exp')@10") == command("measures", "show", "nDCG")
    assert "Did you mean nDCG" in command("measures", "show", "ndcgg", code=3)


@pytest.mark.parametrize("name", dialects.DIALECTS)
def test_dialect_is_shown(command: Command, name: str) -> None:
    """A dialect is listed, and its card names every choice that differs from standard, in words."""
    assert name in command("dialects")
    shown = " ".join(command("dialects", "show", name).split())
    dialect, standard = dialects.get(name), dialects.get("standard")
    for policy in ("ties", "missing", "negative", "short", "unjudged", "ideal", "query_order"):
        if getattr(dialect, policy) is not getattr(standard, policy):
            assert getattr(dialect, policy).words in shown


def test_formats_are_listed(command: Command) -> None:
    """Every format that is read or written is in the list."""
    shown = command("formats")
    for name in (*io.FORMATS, *FORMATS):
        assert f"  {name} " in shown


def test_agreement(command: Command) -> None:
    """Agreement has coefficients with intervals, pairs of assessors and each assessor's mean grade."""
    shown = command("judgments", "agreement", "ratings.csv")
    assert "alpha-ordinal" in shown
    assert "ann       bob      480" in shown
    assert shown == command("judgments", "agreement", "ratings.csv")
    assert shown != command("judgments", "agreement", "ratings.csv", "--seed", "1")


def test_combine(command: Command, folder: Path) -> None:
    """Combined judgments go to a file or to the standard output, and are judgments."""
    asked = ("judgments", "combine", "ratings.csv", "--rule", "and", "--at", "2")
    assert command(*asked, "-o", "strict.txt") == ""
    assert set(io.read_judgments(folder / "strict.txt")["grade"]) == {0.0, 1.0}
    assert "lowest grade that counts as relevant" in command(*asked[:5], code=4)


def test_demo(command: Command, tmp_path: Path) -> None:
    """The demo runs every step that it announces."""
    shown = command("demo", str(tmp_path / "demo"))
    for step in range(1, 9):
        assert f"\n{step}. " in shown
    assert "$ rankgauge evaluate qrels.txt bm25.txt dense.txt.gz" in shown
    assert "*  [" in shown


def test_demo_data(command: Command, tmp_path: Path) -> None:
    """--data-only writes the files and stops."""
    shown = command("demo", str(tmp_path / "data"), "--data-only")
    assert (tmp_path / "data" / "qrels.txt").exists()
    assert "$" not in shown
