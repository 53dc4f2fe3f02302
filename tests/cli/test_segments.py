"""Segments of queries: means and pairs by segment, losses that a mean hides, and what the gate makes of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge import InputError, compare, evaluate
from rankgauge.comparison.gate import GateVerdict
from rankgauge.comparison.segments import hidden_losses
from rankgauge.errors import ParameterError
from rankgauge.statistics.intervals import t_interval
from tests.cli.conftest import Command, below_judged

RANKS = {"brand": (1, 3), "long tail": (5, 1)}
"""In each segment, the rank of the one relevant document in the old and in the new run."""


def collection() -> tuple[dict, dict, dict[str, str]]:
    """Sixty queries: the new run is better on the long tail, and worse on the twenty of brands; two have no segment."""
    rng = np.random.default_rng(0)
    judgments, runs, by = {}, {"old": {}, "new": {}}, {}
    for i in range(60):
        query, segment = f"q{i:02}", "brand" if i % 3 == 0 else "long tail"
        judgments[query] = {"good": 1}
        for run, rank in zip(("old", "new"), RANKS[segment], strict=True):
            at = max(1, rank + int(rng.integers(-1, 2)))
            listed = [*(f"d{j}" for j in range(at - 1)), "good", *(f"e{j}" for j in range(9))]
            runs[run][query] = {document: float(-place) for place, document in enumerate(listed)}
        if i < 58:
            by[query] = segment
    return judgments, runs, by


@pytest.fixture
def files(folder: Path) -> Path:
    """The same in files, with a second way to group queries."""
    judgments, runs, by = collection()
    qrels = [
        f"{query} 0 {document} {grade}\n" for query, found in judgments.items() for document, grade in found.items()
    ]
    (folder / "q.txt").write_text("".join(qrels))
    for name, run in runs.items():
        lines = [
            f"{q} Q0 {d} {n} {s} {name}\n" for q, found in run.items() for n, (d, s) in enumerate(found.items(), 1)
        ]
        (folder / f"{name}.txt").write_text("".join(lines))
    lines = [f"{query},{segment},{'de' if place % 2 else 'fr'}\n" for place, (query, segment) in enumerate(by.items())]
    (folder / "segments.csv").write_text("query,kind,market\n" + "".join(lines))
    return folder


def test_means_by_segment() -> None:
    """Each is the mean and the interval of its own queries; queries without a segment are one too."""
    judgments, runs, by = collection()
    result = evaluate(judgments, runs["new"], ["RR"], by=by)
    rows = {row["segment"]: row for row in result.segments.iter_rows(named=True)}
    assert list(rows) == ["brand", "long tail", "(none)"]
    assert [row["queries"] for row in rows.values()] == [20, 38, 2]
    values = np.array([result.by_query[query]["RR"] for query in by if by[query] == "brand"])
    ends = t_interval(values)
    assert (rows["brand"]["mean"], rows["brand"]["low"]) == pytest.approx((values.mean(), ends.low))
    frame = pl.DataFrame({"qid": list(by), "kind": list(by.values())})
    several = evaluate(judgments, runs, ["RR"], by=frame)
    assert several["new"].segments["mean"].to_list() == result.segments["mean"].to_list()


def test_a_mean_hides_a_loss() -> None:
    """Better over all queries and worse on brands: it is said, once, with and without a baseline."""
    judgments, runs, by = collection()
    found = compare(judgments, runs, ["RR"], baseline="old", by={"kind": by})
    assert found.pairs["verdict"].to_list() == ["better"]
    (loss,) = hidden_losses(found)
    assert (loss["run"], loss["segment"], loss["verdict"], loss["overall"]) == ("new", "brand", "worse", "better")
    assert loss["high"] < 0 < loss["overall_difference"]
    each = compare(judgments, runs, ["RR"], by=by)
    assert [(row["run"], row["segment"]) for row in hidden_losses(each)] == [("new", "brand")]
    assert not list(hidden_losses(compare(judgments, {"a": runs["old"], "b": runs["old"]}, ["RR"], by=by)))


def test_segments_are_corrected_together() -> None:
    """Holm over the segments of a measure: the least p-value counts as many times as there are segments."""
    judgments, runs, by = collection()
    table = compare(judgments, runs, ["RR"], baseline="old", by=by).segments
    least = table["p"].arg_min()
    assert table["corrected"][least] == pytest.approx(min(1.0, 3 * table["p"][least]))


def test_a_segment_fails_the_gate() -> None:
    """A run that is better as a whole fails for one segment; that a segment is open makes nothing undecided."""
    judgments, runs, by = collection()
    whole = compare(judgments, runs, ["RR"], baseline="old")
    assert whole.gate("RR").verdict is GateVerdict.PASS
    gate = whole.segmented(by).gate("RR:0.01")
    assert gate.verdict is GateVerdict.WORSE
    assert gate.lost["segment"] == ["brand"]
    assert gate.part_alpha == pytest.approx(0.05 / 3)
    few = whole.segmented({query: "few" if query in ("q00", "q03", "q06") else "rest" for query in judgments})
    assert few.gate("RR").part_rows["verdict"][0] == GateVerdict.UNDECIDED.value
    assert few.gate("RR").verdict is GateVerdict.PASS


def test_evaluate_by(command: Command, files: Path) -> None:
    """A table for each column beside the queries, in every kind of output."""
    told = command("evaluate", "q.txt", "new.txt", "-m", "RR", "--by", "segments.csv")
    assert "By kind\nmeasure  kind" in told
    assert "By market\nmeasure  market" in told
    assert "(none)    2 queries have no kind" in told
    assert "| RR | brand |" in command("evaluate", "q.txt", "new.txt", "-m", "RR", "--by", "segments.csv", "-o", "md")
    rows = command("evaluate", "q.txt", "old.txt", "new.txt", "-m", "RR", "--by", "segments.csv", "-o", "csv")
    assert rows.splitlines()[0] == "run,by,segment,measure,mean,low,high,queries,dialect"
    data = json.loads(command("evaluate", "q.txt", "new.txt", "-m", "RR", "--by", "segments.csv", "-o", "json"))
    assert [row["queries"] for row in data["runs"][0]["segments"]] == [20, 38, 2, 29, 29, 2]


def test_compare_by(command: Command, files: Path) -> None:
    """The notes say which mean hides a loss; the gate fails because of it, and names the segment."""
    words = ("compare", "q.txt", "old.txt", "new.txt", "-m", "RR", "--baseline", "old", "--by", "segments.csv")
    told = " ".join(command(*words).split())
    assert "RR of new.txt against old.txt is better" in told
    assert "for kind brand it is worse (−" in told
    command(*words, "--fail-if-worse", "RR", "-o", "pr.md", code=1)
    summary = below_judged(Path("pr.md").read_text(encoding="utf-8"))
    assert summary.startswith("## Gate: worse\n\nWorse than old.txt by more than luck: RR of new.txt for kind brand −")
    assert "| by | segment |" in summary
    assert "brand" in command(*words, "-o", "html")


def test_wrong_segments(command: Command, files: Path) -> None:
    """One clear error each, with the file's name."""
    for text, told in (
        ("query,kind\nnobody,brand\n", "none of its queries is evaluated"),
        ("query,kind\nq01,brand\nq01,other\n", "row 2: query q01 has the kind other, and brand before"),
        ("a,b\nq01,brand\n", "expected a column of queries"),
    ):
        Path("s.csv").write_text(text)
        error = command("evaluate", "q.txt", "new.txt", "--by", "s.csv", code=2)
        assert told in error
        assert "s.csv" in error
    with pytest.raises(InputError, match="none of its queries"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", by={"x": "y"})


def test_a_segment_has_its_own_tolerance() -> None:
    """A loss on brands fails the gate, unless that much is tolerated there; a misspelt segment is an error."""
    judgments, runs, by = collection()
    found = compare(judgments, runs, ["RR"], baseline="old", by={"kind": by})
    assert found.gate("RR").verdict.value == "worse"
    for name in ("brand", "kind=brand"):
        lenient = found.gate("RR", segments={name: 0.9})
        assert lenient.verdict.value == "pass"
        rows = {row["segment"]: row["tolerance"] for row in lenient.part_rows.named()}
        assert rows == {"brand": 0.9, "long tail": 0.0, "(none)": 0.0}
    with pytest.raises(ParameterError, match="brand, long tail"):
        found.gate("RR", segments={"brnd": 0.9})


def test_segments_follow_the_rules_of_ids(command: Command, folder: Path) -> None:
    """With --ids, queries of the segments are the same as those of judgments and runs by the same rules."""
    queries = [f"Brand {n}" for n in range(6)] + [f"tail {n}" for n in range(6)]
    judgments = {query: {"a": 1} for query in queries}
    run = {query.lower(): {"a": 1.0} for query in queries}
    by = {query.upper() if query[-1] == "0" else query: query[:5].strip() for query in queries}
    one = evaluate(judgments, run, "RR", ids="casefold", by=by).segments
    pair = compare(judgments, {"old": run, "new": run}, "RR", ids=["casefold"], by=by).segments
    for found in (one, pair):
        assert dict(found.select("segment", "queries").iter_rows()) == {"Brand": 6, "tail": 6}
    with pytest.raises(InputError, match="query TAIL 1 has the segment other, and another spelling of it tail"):
        evaluate(judgments, run, "RR", ids="casefold", by=by | {"TAIL 1": "other"})
    (folder / "q.csv").write_text("query,document,grade\n" + "".join(f"{query},a,1\n" for query in queries))
    (folder / "r.csv").write_text("query,document,score\n" + "".join(f"{query},a,1\n" for query in run))
    (folder / "by.csv").write_text("query,kind\n" + "".join(f"{query},{kind}\n" for query, kind in by.items()))
    for asked in (("evaluate", "q.csv", "r.csv"), ("compare", "q.csv", "r.csv", "s=r.csv")):
        told = command(*asked, "-m", "RR", "--ids", "casefold", "--by", "by.csv")
        assert "By kind" in told
        assert "(none)" not in told


def test_intervals_end_where_the_measure_does(command: Command, folder: Path) -> None:
    """Values of 1 and 0.5 have an interval far beyond 1, which no mean can reach; so have differences."""
    (folder / "q.txt").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    (folder / "r.txt").write_text("q1 Q0 d1 1 2 r\nq2 Q0 d2 1 2 r\nq2 Q0 d1 2 1 r\n")
    (folder / "s.txt").write_text("q1 Q0 d2 1 2 s\nq2 Q0 d3 1 2 s\n")
    (folder / "by.csv").write_text("query,kind\nq1,all\nq2,all\n")
    (whole,) = evaluate(folder / "q.txt", folder / "r.txt", "RR", by=folder / "by.csv").segments.iter_rows(named=True)
    assert (whole["mean"], whole["low"], whole["high"]) == (0.75, 0, 1)
    assert "[0.0000, 1.0000]" in command("evaluate", "q.txt", "r.txt", "-m", "RR", "--by", "by.csv").split("By kind")[1]
    asked = ("compare", "q.txt", "r.txt", "s.txt", "-m", "RR", "--by", "by.csv", "-o", "csv")
    pairs = command(*asked, notes=["few", "warning"]).splitlines()
    row = dict(zip(pairs[0].split(","), pairs[1].split(","), strict=True))
    assert float(row["low"]) == -1


def test_the_headline_names_the_segment_that_loses(command: Command, files: Path) -> None:
    """A page that says that a run is better also says for whom it is worse."""
    command("compare", "q.txt", "old.txt", "new.txt", "-m", "RR", "--by", "segments.csv", "-o", "page.html")
    headline = (files / "page.html").read_text(encoding="utf-8").split("<h1>")[1].split("</h1>")[0]
    assert headline.startswith("new.txt is above old.txt by more than luck (RR); worse for kind brand (−")


def test_a_column_in_place_of_a_table(command: Command) -> None:
    """Who names a column hears that there is no such file, and what a table is called."""
    error = command("evaluate", "qrels.txt", "bm25.txt", "--by", "topic", code=2)
    assert "topic: there is no such file" in error
    assert "such as topics.csv" in error
