"""Chunks that are read as their documents, and spans that cover judged passages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankgauge import compare, evaluate
from rankgauge.errors import InputError
from rankgauge.files.spans import Spans
from rankgauge.policies import SpanOverlap

DOCUMENTS = {"q": {"a": 2, "b": 1, "c": 0}}
CHUNKS = {"q": ["c#1", "a#2", "a#1", "b#9"]}
MEASURES = ["nDCG@5", "R@5", "AP"]


def test_judged_documents_score_a_run_of_chunks() -> None:
    """A document has the place of its first chunk, and the chunks below it move up."""
    usual = evaluate(DOCUMENTS, {"q": ["c", "a", "b"]}, MEASURES)
    found = evaluate(DOCUMENTS, CHUNKS, MEASURES, chunks="#")
    assert [found[name] for name in MEASURES] == [usual[name] for name in MEASURES]
    assert any("4 chunks are read as 3 documents" in note for note in found.notes)


def test_copies_of_a_document_follow_the_policy() -> None:
    """What later chunks of a document count is said by `duplicates`, as for any document that is listed twice."""
    found = evaluate(DOCUMENTS, CHUNKS, "P@3", chunks="#", duplicates="count-once")
    assert found["P@3"] == pytest.approx(1 / 3)
    assert evaluate(DOCUMENTS, CHUNKS, "P@3", chunks="#")["P@3"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("rule", "grade"), [("max", 2), ("first", 1), ("last", 2)])
def test_judged_chunks_score_a_run_of_documents(rule: str, grade: int) -> None:
    """A document has the highest grade of its chunks, unless `judged_twice` says another."""
    judged = {"q": {"a#1": 1, "a#2": 2, "b#1": 1}}
    found = evaluate(judged, {"q": ["b", "a"]}, "DCG@2", chunks="#", judged_twice=rule)
    assert found["DCG@2"] == pytest.approx(1 + grade / np.log2(3))
    assert evaluate(judged, {"q": ["b", "a"]}, "DCG@2", chunks="#")["DCG@2"] == pytest.approx(1 + 2 / np.log2(3))


def test_the_last_separator_counts_and_other_ids_stay() -> None:
    """`a#b#1` is a chunk of `a#b`; an id without the separator, or with nothing before it, is a document."""
    judged = {"q": {"a#b#2": 1, "c": 1, "#d": 1}}
    assert evaluate(judged, {"q": ["a#b#1", "c", "#d"]}, "P@3", chunks="#")["P@3"] == 1.0


def test_a_table_or_a_column_names_documents(tmp_path: Path) -> None:
    """A table of chunks and documents does what a separator does, and so does a column of the run."""
    table, run = tmp_path / "chunks.csv", tmp_path / "run.csv"
    table.write_text("chunk,document\nx1,a\nx2,a\nx3,b\n")
    assert evaluate(DOCUMENTS, {"q": ["x1", "x2", "x3"]}, "P@2", chunks=str(table))["P@2"] == 1.0
    run.write_text("query,document,parent,score\nq,x1,a,3\nq,x2,a,2\nq,x3,b,1\n")
    assert evaluate(DOCUMENTS, str(run), "P@2", chunks="column=parent")["P@2"] == 1.0


def test_tables_of_chunks_that_cannot_be_used(tmp_path: Path) -> None:
    """A table without the columns, and a chunk of two documents, are errors that name the file."""
    table = tmp_path / "chunks.csv"
    for text, problem in (("chunk,parent\nx,a\n", "no columns"), ("chunk,document\nx,a\nx,b\n", "several documents")):
        table.write_text(text)
        with pytest.raises(InputError, match=problem) as raised:
            evaluate(DOCUMENTS, CHUNKS, "P@2", chunks=str(table))
        assert str(raised.value.path) == str(table)


def test_a_table_that_is_not_there_is_no_separator() -> None:
    """A mistyped path is an error, not a separator that no id has."""
    with pytest.raises(InputError, match="no such file"):
        evaluate(DOCUMENTS, CHUNKS, "P@2", chunks="chunk.csv")


def test_compare_reads_chunks_too() -> None:
    """`compare` takes the same rule."""
    found = compare(DOCUMENTS, {"one": CHUNKS, "two": {"q": ["a", "b#1"]}}, "R@2", chunks="#")
    assert found.results["two"]["R@2"] == 1.0
    assert found.results["one"]["R@2"] == 0.5


JUDGED = {"q": {"k2:100-160": 2, "k2:900-960": 1}}


def test_a_chunk_counts_as_the_span_that_it_covers() -> None:
    """A chunk that covers a judged span stands for it; one of another document, or beside it, is worth nothing."""
    run = {"q": ["k2:0-120", "k2:0-150", "everest:100-160", "k2:890-1000"]}
    found = evaluate(JUDGED, run, ["P@4", "R@4"], spans="share=0.5")
    assert found["P@4"] == 2 / 4
    assert found["R@4"] == 1.0
    assert any("cover 2 of 2 judged spans" in note for note in found.notes)


def test_a_span_counts_once() -> None:
    """A second chunk that covers the same span takes its place and is worth nothing."""
    run = {"q": ["k2:0-160", "k2:100-160", "k2:90-200", "k2:900-960"]}
    found = evaluate(JUDGED, run, ["P@4", "R@4", "nDCG@4"], spans="share=1")
    assert found["P@4"] == 2 / 4
    assert found["nDCG@4"] == pytest.approx((2 + 1 / np.log2(5)) / (2 + 1 / np.log2(3)))


def test_a_chunk_that_covers_several_spans_takes_a_place_for_each() -> None:
    """One chunk of all the text finds both spans; by intersection over union it finds neither."""
    run = {"q": ["k2:0-1000", "k2:900-960"]}
    assert evaluate(JUDGED, run, "R@2", spans="share=0.5")["R@2"] == 1.0
    assert evaluate(JUDGED, run, "R@2", spans="iou=0.5")["R@2"] == 0.5


def test_a_budget_of_characters_ends_a_list() -> None:
    """`within` looks at as many characters of each list as it says, so that chunk sizes cost what they cost."""
    run = {"q": ["everest:0-500", "k2:0-200", "k2:800-1000"]}
    assert evaluate(JUDGED, run, "R@3", spans="share=0.5,within=700")["R@3"] == 0.5
    assert evaluate(JUDGED, run, "R@3", spans="share=0.5")["R@3"] == 1.0


def test_spans_in_columns_of_tables(tmp_path: Path) -> None:
    """Tables may have the document, the start and the end of a span in columns, under names of their own."""
    judged, run = tmp_path / "judged.csv", tmp_path / "run.jsonl"
    judged.write_text("query,document,start,end,grade\nq,k2,100,160,1\n")
    run.write_text('{"query": "q", "document": "k2", "from": 90, "to": 200, "score": 1}\n')
    found = evaluate(str(judged), str(run), "R@1", spans="iou=0.5", columns={"start": "from", "end": "to"})
    assert found["R@1"] == 1.0
    run.write_text('{"query": "q", "document": "k2", "start_index": 90, "end_char": 200, "score": 1}\n')
    assert evaluate(str(judged), str(run), "R@1", spans="iou=0.5")["R@1"] == 1.0


@pytest.mark.parametrize("rule", ["half=0.5", "share=2", "share=x", "iou=0", "share=0.5,from=3", "share=0.5,within=x"])
def test_rules_of_spans_that_say_nothing(rule: str) -> None:
    """A rule that is not understood is an error that says what to type."""
    with pytest.raises(Exception, match=r"share|policy|overlap") as raised:
        evaluate(JUDGED, {"q": ["k2:0-10"]}, "R@1", spans=rule)
    assert getattr(raised.value, "exit_code", 0)


def test_an_id_that_is_no_span_is_an_error() -> None:
    """The error names the document, and how spans are written."""
    with pytest.raises(InputError, match="k2") as raised:
        evaluate(JUDGED, {"q": ["k2"]}, "R@1", spans="share=0.5")
    assert "document:start-end" in str(raised.value)


@pytest.mark.parametrize("cases", [20, pytest.param(500, marks=pytest.mark.study)])
def test_matching_is_what_a_plain_loop_does(cases: int) -> None:
    """On random spans: the same list as a loop makes that takes chunks from the top and spans not covered yet."""
    rng = np.random.default_rng(7)
    for _ in range(cases):
        gold = sorted({_span(rng) for _ in range(rng.integers(1, 5))})
        chunks = list(dict.fromkeys(_span(rng) for _ in range(rng.integers(1, 12))))
        threshold, kind = float(rng.choice([0.2, 0.5, 1.0])), str(rng.choice(["share", "iou"]))
        scores = -np.arange(len(chunks), dtype=float)
        run = {"query": ["q"] * len(chunks), "document": [_name(one) for one in chunks], "score": list(scores)}
        judged = {"q": {_name(one): 1 for one in gold}}
        found, _ = _match(judged, run, kind, threshold)
        assert found == _loop(gold, chunks, kind, threshold)


def _span(rng: np.random.Generator) -> tuple[str, int, int]:
    start = int(rng.integers(0, 40))
    return str(rng.choice(["a", "b:1"])), start, start + int(rng.integers(1, 20))


def _name(span: tuple[str, int, int]) -> str:
    return f"{span[0]}:{span[1]}-{span[2]}"


def _match(judged: object, run: object, kind: str, threshold: float) -> tuple[list[set[str]], str]:
    from rankgauge.files import as_judgments, as_run

    rule = Spans(overlap=SpanOverlap.parse(kind), threshold=threshold, judged=as_judgments(judged))
    frame, words = rule.match(as_run(run))
    return [set(rows["document"]) for _, rows in frame.group_by("score", maintain_order=True)], words


def _loop(
    gold: list[tuple[str, int, int]], chunks: list[tuple[str, int, int]], kind: str, least: float
) -> list[set[str]]:
    left, places = set(gold), []
    for chunk in chunks:
        covered = {one for one in gold if _overlap(chunk, one, kind) >= least}
        names = {_name(one) for one in covered & left}
        places.append(names or {_name(chunk) + (" (again)" if covered else "")})
        left -= covered
    return places


def _overlap(chunk: tuple[str, int, int], gold: tuple[str, int, int], kind: str) -> float:
    if chunk[0] != gold[0]:
        return 0.0
    one, other = set(range(*chunk[1:])), set(range(*gold[1:]))
    return len(one & other) / len(other if kind == "share" else one | other)
