"""rankgauge measures, dialects, formats, judgments, demo."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rankgauge import dialects, files
from rankgauge.files.scales import SCALES
from rankgauge.measures import MEASURES
from rankgauge.render import FORMATS

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
    """A dialect is listed, and its card names what differs from standard, and from the tool itself."""
    assert name in command("dialects")
    shown = " ".join(command("dialects", "show", name).split())
    dialect, standard = dialects.get(name), dialects.get("standard")
    for policy in ("ties", "missing", "negative", "short", "unjudged", "ideal", "query_order"):
        if getattr(dialect, policy) is not getattr(standard, policy):
            assert getattr(dialect, policy).words in shown
    assert all(words in shown for words in dialect.differs)


def test_formats_are_listed(command: Command) -> None:
    """Every format that is read or written is in the list."""
    shown = command("formats")
    for name in (*files.FORMATS, *FORMATS):
        assert f"  {name} " in shown


def test_scales_are_listed(command: Command) -> None:
    """Each scale that --scale knows, with its words and what they are worth."""
    text = " ".join(command("formats", "scales").split())
    for name, scale in SCALES.items():
        assert name in text
        assert all(f"{label}={grade:g}" in text for label, grade in scale.levels)


@pytest.mark.parametrize(
    ("choice", "said"),
    [("leave-out", "0.5000"), ("empty", "0.2500"), ("stop", "1 search of 2 failed: blue jeans (no such index)")],
)
def test_failed_searches_on_the_command_line(command: Command, folder: Path, choice: str, said: str) -> None:
    """--on-failure: left out of the mean, an empty list, or an error."""
    failed = {"error": {"type": "index_not_found_exception", "reason": "no such index"}, "status": 404}
    answers = {"red dress": {"hits": {"hits": [{"_id": "d7"}, {"_id": "d1"}]}}, "blue jeans": failed}
    (folder / "run.json").write_text(json.dumps(answers))
    (folder / "ratings.csv").write_text("query,docid,rating\nred dress,d1,3\nblue jeans,d3,2\n")
    words = ("evaluate", str(folder / "ratings.csv"), str(folder / "run.json"), "-m", "RR", "--on-failure", choice)
    assert said in command(*words, code=2 if choice == "stop" else 0)


def test_agreement(command: Command) -> None:
    """Agreement has coefficients with intervals, pairs of assessors and each assessor's mean grade."""
    shown = command("judgments", "agreement", "ratings.csv")
    assert "alpha-ordinal" in shown
    assert "ann       bob      480" in shown
    assert shown == command("judgments", "agreement", "ratings.csv")
    assert shown != command("judgments", "agreement", "ratings.csv", "--seed", "1")


def test_the_hint_on_assessors_names_an_option_that_there_is(command: Command, folder: Path) -> None:
    """Qrels with assessors in their second field ask for their format, and the option that is named works."""
    (folder / "named.txt").write_text("q1 ann d1 2\nq1 bob d1 1\nq1 ann d2 0\nq1 bob d2 0\n")
    words = ("judgments", "agreement", "named.txt")
    assert "--format-judgments trec-assessors" in command(*words, code=2)
    assert "ann" in command(*words, "--format-judgments", "trec-assessors")


def test_files_are_assessors(command: Command, folder: Path) -> None:
    """Two files of judgments are two assessors, called by their names; the pairs can be written as a table."""
    shown = command("judgments", "agreement", "qrels.txt", "LLM=judge.qrels")
    assert re.search(r"qrels +LLM +480", shown)
    assert command("judgments", "agreement", "qrels.txt", "judge.qrels", "-o", "pairs.csv") == ""
    assert (folder / "pairs.csv").read_text().splitlines()[1].startswith("qrels,judge,480,")


def test_a_crowd_is_summed_up(command: Command, folder: Path) -> None:
    """Of more pairs than anybody reads there are the quantiles, and who agrees least."""
    rows = [f"q,d{n},{(n + (w == 3)) % 2},w{w}" for n in range(30) for w in range(12)]
    (folder / "crowd.csv").write_text("\n".join(["query,document,grade,assessor", *rows]) + "\n")
    shown = command("judgments", "agreement", "crowd.csv")
    assert "66 pairs" in shown
    assert re.search(r"agrees least.*\nw3 +30 +0\.5000 +0\.0000 +330\n", shown)
    assert len(shown.splitlines()) < 80
    asked = ("judgments", "combine", "crowd.csv", "--rule", "dawid-skene", "--confusion", "workers.csv", "-o", "d.txt")
    assert command(*asked) == ""
    assert "w3,30,0.0,1.0,1.0" in (folder / "workers.csv").read_text().splitlines()
    assert "--confusion needs --rule dawid-skene" in command(*asked[:3], "--confusion", "workers.csv", code=4)


def test_combine(command: Command, folder: Path) -> None:
    """Combined judgments go to a file or to the standard output, and are judgments."""
    asked = ("judgments", "combine", "ratings.csv", "--rule", "and", "--at", "2")
    assert command(*asked, "-o", "strict.txt") == ""
    assert set(files.read_judgments(folder / "strict.txt")["grade"]) == {0.0, 1.0}
    assert "lowest grade that counts as relevant" in command(*asked[:5], code=4)


def test_demo(command: Command, tmp_path: Path) -> None:
    """The demo runs every step that it announces."""
    shown = command("demo", str(tmp_path / "demo"), notes=["input"])
    for step in range(1, 9):
        assert f"\n{step}. " in shown
    assert "$ rankgauge evaluate qrels.txt bm25.txt dense.txt.gz" in shown
    assert "*  [" in shown


def test_demo_data(command: Command, tmp_path: Path) -> None:
    """--data-only writes the files and stops."""
    shown = command("demo", str(tmp_path / "data"), "--data-only")
    assert (tmp_path / "data" / "qrels.txt").exists()
    assert "$" not in shown
