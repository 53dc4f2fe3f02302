"""What in a data set distorts scores: every check finds what was planted, and nothing where there is nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from rankgauge import dialects
from rankgauge.audit.tools import audit
from rankgauge.audit.tools.check import CHECKS, Finding, lint

CLEAN = ({"a": {f"d{n}": float(n % 3) for n in range(12)}}, {"a": {f"d{n}": float(n) for n in range(12)}})


def found(judgments: object, run: object = None) -> Mapping[str, Finding]:
    """The findings by the names of their checks."""
    return {one.check.name: one.finding for one in lint(judgments, run)}


def test_nothing_to_find() -> None:
    """Twelve judged documents with three grades and distinct scores bend nothing."""
    assert found(*CLEAN) == {}


def test_queries_come_first() -> None:
    """Findings are told in the order of what they do to a mean: empty queries first, features last."""
    assert list(CHECKS)[:2] == ["empty", "short"]
    assert list(CHECKS)[-3:] == ["torn", "constant", "idle"]


TWELVE = {f"d{n}": float(n % 3) for n in range(12)}
SCORED = {f"d{n}": float(n) for n in range(12)}
PLANTED = {
    "empty": ({"q": dict.fromkeys(TWELVE, 0.0)}, {"q": SCORED}),
    "short": ({"q": {"x": 1, "y": 0}}, {"q": {"x": 1, "y": 2}}),
    "single": ({"q": {"x": 1}}, {"q": {"x": 1}}),
    "uniform": ({"q": {"x": 1, "y": 1}}, {"q": {"x": 1, "y": 2}}),
    "missing": ({"q": TWELVE}, {}),
    "strangers": ({}, {"q": SCORED}),
    "ties": ({"q": TWELVE}, {"q": {**SCORED, "d0": 1.0}}),
    "precision": ({"q": TWELVE}, {"q": {**SCORED, "d0": 1 + 1e-9}}),
    "unjudged": ({"q": TWELVE}, {"q": {**SCORED, "u": 20.0}}),
    "ids": ({"q": {**TWELVE, "D12": 1.0}}, {"q": {**SCORED, "d12": 20.0}}),
    "negative": ({"q": {**TWELVE, "d0": -1.0}}, {"q": SCORED}),
    "fractional": ({"q": {**TWELVE, "d0": 0.5}}, {"q": SCORED}),
    "above LETOR": ({"q": {**TWELVE, "d0": 3.0}}, {"q": SCORED}),
    "above scale": ({"q": {**TWELVE, "d0": 5.0}}, {"q": SCORED}),
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_was_planted_is_found(name: str) -> None:
    """Each check finds its one case, and says in which query."""
    judgments, run = PLANTED[name]
    finding = found({**CLEAN[0], **judgments}, {**CLEAN[1], **run})[name]
    assert finding.count == 1
    assert "q" in " ".join(finding.examples)


def test_lines_of_a_file(tmp_path: Path) -> None:
    """In a LETOR file: documents twice, torn queries, grades written 1.0, constant and idle features."""
    (tmp_path / "test.txt").write_text(
        "1 qid:1 1:5 2:1 3:0.1 #docid = d\n"
        "0 qid:1 1:5 2:1 3:0.2 #docid = d\n"
        "2 qid:2 1:5 2:2 3:0.3 #docid = e\n"
        "1.0 qid:2 1:5 2:2 3:0.4 #docid = f\n"
        "0 qid:1 1:5 2:1 3:0.5 #docid = g\n"
    )
    findings = found(tmp_path / "test.txt")
    for name, count, of, examples in (
        ("duplicates", 1, 5, ("d (query 1)",)),
        ("torn", 1, 2, ("1",)),
        ("spelling", 1, 5, ("1.0 (query 2)",)),
        ("constant", 1, 3, ("1",)),
        ("idle", 1, 3, ("2",)),
    ):
        assert (findings[name].count, findings[name].of, findings[name].examples) == (count, of, examples)


@pytest.mark.filterwarnings("ignore:.*the ranks contradict the scores")
@pytest.mark.parametrize(
    ("name", "line", "head"),
    [("run.txt", "{} Q0 {} {} {} tag\n", ""), ("run.csv", "{},{},{},{}\n", "query,document,rank,score\n")],
)
def test_ranks_against_scores(tmp_path: Path, name: str, line: str, head: str) -> None:
    """Ranks 1, 2, 3 with scores that rise, as distances do, are found; scores that fall or tie, and no ranks, are not.

    Of the judged queries, `far` has distances; `near` falls, `tied` does not rise, `none` has 0 on every line.
    """
    rows = {
        "near": [("x", 1, 3.0), ("y", 2, 2.0), ("z", 3, 1.0)],
        "far": [("x", 1, 1.0), ("y", 2, 2.0), ("z", 3, 3.0)],
        "tied": [("x", 2, 1.0), ("y", 1, 1.0)],
        "none": [("x", 0, 1.0), ("y", 0, 2.0)],
        "stranger": [("x", 1, 1.0), ("y", 2, 2.0)],
    }
    told = "".join(line.format(query, *row) for query, listed in rows.items() for row in listed)
    (tmp_path / name).write_text(head + told)
    judgments = {query: {"x": 1.0, "y": 0.0} for query in rows if query != "stranger"}
    finding = found(judgments, tmp_path / name)["ranks"]
    assert (finding.count, finding.of, finding.queries) == (1, 4, ("far",))


def test_sparse_features(tmp_path: Path) -> None:
    """A feature that a line lacks is 0 there: 7 changes, 8 is 3 in the one line that has it and 0 in the other."""
    (tmp_path / "test.txt").write_text("1 qid:1 7:1 9:2\n0 qid:1 7:2 8:3 9:2\n")
    findings = found(tmp_path / "test.txt")
    assert findings["constant"].examples == ("9",)
    assert findings["constant"].of == 3


def test_large_files_are_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in pieces of few lines has the findings of the same file in one."""
    lines = [f"{n % 3} qid:{n // 4} 1:{n % 5} 2:{n // 4} 3:1 #docid = d{n}\n" for n in range(200)]
    (tmp_path / "test.txt").write_text("".join(lines))
    whole = found(tmp_path / "test.txt")
    monkeypatch.setattr("rankgauge.audit.tools.check.PIECE", 64)
    assert found(tmp_path / "test.txt") == whole
    assert whole["constant"].examples == ("3",)
    assert whole["idle"].examples == ("2",)


def test_the_effect_is_measured() -> None:
    """With an audit of the run each finding has every tool's mean with and without its queries.

    Of two queries one is empty, the other perfect: standard gives 1/2 and, without the empty one, 1; LightGBM 1 and 1.
    """
    judgments = {"a": {"x": 0, "y": 0}, "b": {"x": 1, "y": 0}}
    run = {query: {"x": 2.0, "y": 1.0} for query in judgments}
    lints = lint(judgments, run, audit=audit(judgments, run, dialects=["standard", "lightgbm"]))
    empty = next(one for one in lints if one.check.name == "empty")
    assert [(shift.dialect, shift.whole, shift.without) for shift in empty.shifts] == [
        ("standard", 1 / 2, 1.0),
        ("lightgbm", 1.0, 1.0),
    ]


def test_every_check_speaks_of_tools() -> None:
    """Each check has a title and says what its matter does to scores."""
    assert len(CHECKS) >= 17
    for check in CHECKS.values():
        assert check.title
        assert check.effect.endswith(".")


def test_what_is_said_of_empty_queries_is_true() -> None:
    """The words on empty queries are those of the dialects."""
    said = {"letor4": 0.0, "ranklib-2011-fork": 0.5, "yahoo": 1.0, "catboost": 1.0, "gdeval": "leave-out"}
    assert {name: dialects.get(name).empty for name in said} == said
