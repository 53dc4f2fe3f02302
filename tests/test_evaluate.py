"""The whole flow: policies act where they say they act, and a result tells what it rests on."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from math import log2
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge import InputError, ParameterError, Result, UnknownNameError, compare, evaluate
from rankgauge.audit.tools import audit
from rankgauge.evaluation.scoring import score
from rankgauge.files import write_judgments, write_run
from rankgauge.policies import Ties
from tests.examples import examples

JUDGMENTS = {
    "usual": {"a": 2, "b": 0, "c": 1, "missed": 1},
    "empty": {"a": 0, "b": 0},
    "missing": {"a": 1},
    "negative": {"a": -1, "b": 1},
}
RUN = {
    "usual": {"b": 3.0, "x": 2.0, "a": 1.0, "c": 0.5},
    "empty": {"a": 2.0, "b": 1.0},
    "negative": {"a": 2.0, "b": 1.0},
    "stranger": {"a": 1.0},
}


def value(result: Result, query: str) -> float:
    """The value of the result's only measure for a query."""
    row = list(result.queries).index(query)
    return float(result.matrix[row, 0])


def test_unjudged() -> None:
    """An unjudged document counts as not relevant, or is taken out before ranks are counted."""
    assert value(evaluate(JUDGMENTS, RUN, "RR"), "usual") == 1 / 3
    assert value(evaluate(JUDGMENTS, RUN, "RR", unjudged="skip"), "usual") == 1 / 2
    assert value(evaluate(JUDGMENTS, RUN, "RR(judged_only=True)"), "usual") == 1 / 2


def test_missing_queries() -> None:
    """A judged query that the run does not answer counts with an empty list, or is left out."""
    counted = evaluate(JUDGMENTS, RUN, "RR")
    assert list(counted.queries) == ["usual", "empty", "missing", "negative"]
    assert counted["RR"] == (1 / 3 + 0 + 0 + 1 / 2) / 4
    skipped = evaluate(JUDGMENTS, RUN, "RR", missing="skip")
    assert list(skipped.queries) == ["usual", "empty", "negative"]
    assert skipped["RR"] == (1 / 3 + 0 + 1 / 2) / 3


def test_queries_that_nobody_judged() -> None:
    """A query of the run that nobody judged takes no part, and is named."""
    result = evaluate(JUDGMENTS, RUN, "RR")
    assert "stranger" not in list(result.queries)
    assert result.hits.strangers == ("stranger",)


@pytest.mark.parametrize("empty", [0.0, 0.5, 1.0])
def test_empty_queries_count_as(empty: float) -> None:
    """The value of a query without relevant documents, where the measure is 0/0, is a choice."""
    result = evaluate(JUDGMENTS, RUN, "AP", empty=empty)
    assert value(result, "empty") == empty
    assert value(result, "missing") == 0


def test_empty_queries_left_out() -> None:
    """Left out, a query without relevant documents is in no measure's mean, whether the measure is defined or not."""
    result = evaluate(JUDGMENTS, RUN, ["P@1", "AP"], empty="leave-out")
    assert "empty" not in list(result.values["query"])
    assert list(result.summary["queries"]) == [3, 3]
    assert list(result.summary["empty"]) == [1, 1]
    # b, the only relevant document of "negative", stands second; "usual" begins with a non-relevant one.
    assert result["P@1"] == 0
    assert result["AP"] == pytest.approx(((1 / 3 + 2 / 4) / 3 + 0 + 1 / 2) / 3)


def test_short_lists() -> None:
    """A list shorter than the cutoff is judged as far as it goes, or counts 0 as in LETOR's scripts."""
    dcg = 2 / log2(4) + 1 / log2(5)
    ideal = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert value(evaluate(JUDGMENTS, RUN, "nDCG@10"), "usual") == pytest.approx(dcg / ideal)
    assert value(evaluate(JUDGMENTS, RUN, "nDCG@10", short="zero"), "usual") == 0
    assert value(evaluate(JUDGMENTS, RUN, "nDCG@4", short="zero"), "usual") == pytest.approx(dcg / ideal)
    assert list(evaluate(JUDGMENTS, RUN, "nDCG@4").summary["short"]) == [2]


def test_negative_grades() -> None:
    """A grade below zero is judged and worth nothing, or not judged, or itself, or refused."""
    gained = {
        policy: value(evaluate(JUDGMENTS, RUN, "CG@2", negative=policy), "negative") for policy in ("zero", "keep")
    }
    assert gained == {"zero": 0 + 1, "keep": -1 + 1}
    assert value(evaluate(JUDGMENTS, RUN, "Judged@2", negative="zero"), "negative") == 2 / 2
    assert value(evaluate(JUDGMENTS, RUN, "Judged@2", negative="unjudged"), "negative") == 1 / 2
    with pytest.raises(InputError, match="negative grade -1 of document a in query negative"):
        evaluate(JUDGMENTS, RUN, "AP", negative="refuse")


def test_ideal_pool() -> None:
    """The ideal ranking holds every judged document, or only those that the run retrieved."""
    dcg = 2 / log2(4) + 1 / log2(5)
    judged, retrieved = (
        value(evaluate(JUDGMENTS, RUN, "nDCG", ideal=pool), "usual") for pool in ("judged", "retrieved")
    )
    assert judged == pytest.approx(dcg / (2 + 1 / log2(3) + 1 / log2(4)))
    assert retrieved == pytest.approx(dcg / (2 + 1 / log2(3)))


def test_depth() -> None:
    """A depth cuts each list before anything is measured."""
    assert value(evaluate(JUDGMENTS, RUN, "SetR", depth=3), "usual") == 1 / 3
    assert value(evaluate(JUDGMENTS, RUN, "NumRet", depth=3), "usual") == 3


def test_tie_bounds() -> None:
    """The summary says how far the order of tied documents alone could move the mean."""
    judgments, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0, "x": 1.0}}
    result = evaluate(judgments, run, ["RR", "P@1"])
    row = result.summary.row(0, named=True)
    assert (row["worst"], row["best"], row["tied"]) == (1 / 3, 1.0, 1)
    assert row["mean"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert result["P@1"] == pytest.approx(1 / 3)


def test_sampled_ties_say_so() -> None:
    """A measure whose mean over orders is sampled shows the standard error; an exact one, and one whose few orders are
    all scored, shows 0."""
    judgments = {"q": {"a": 1, "b": 0, "c": 1}}
    many, few = {"q": dict.fromkeys("abcdefgh", 1.0)}, {"q": dict.fromkeys("abcd", 1.0)}
    errors = evaluate(judgments, many, ["IPrec@0.5", "AP"]).summary["sampling_error"]
    assert errors[0] > 0
    assert errors[1] == 0
    assert evaluate(judgments, few, ["IPrec@0.5", "AP"]).summary["sampling_error"].to_list() == [0, 0]


def test_several_assessors() -> None:
    """Several assessors need a rule, and the error says which there are; one assessor needs none."""
    rated = pl.DataFrame(
        {"query": ["q"] * 4, "document": ["a", "a", "b", "b"], "assessor": ["x", "y"] * 2, "grade": [2, 1, 0, 1]}
    )
    run = {"q": {"b": 2.0, "a": 1.0}}
    with pytest.raises(InputError, match=r"(?s)2 assessors judged.*assessors='mean'") as caught:
        evaluate(rated, run, "CG")
    assert caught.value.exit_code == 2
    assert evaluate(rated, run, "CG", assessors="mean")["CG"] == 1.5 + 0.5
    assert evaluate(rated, run, "CG", assessors="and@1")["CG"] == 1
    assert evaluate(rated.filter(pl.col("assessor") == "x"), run, "CG")["CG"] == 2


def test_the_name_is_the_key() -> None:
    """A value is found under the name that was asked for, in either syntax."""
    result = evaluate(JUDGMENTS, RUN, ["ndcg_cut_10", "AP(rel=2)"])
    assert result["nDCG@10"] == result["ndcg_cut_10"]
    assert [str(measure) for measure in result.measures] == ["nDCG@10", "AP(rel=2)"]
    assert set(result.values["measure"]) == {"nDCG@10", "AP(rel=2)"}


def test_clear_errors() -> None:
    """A wrong name is answered with the nearest right one."""
    with pytest.raises(UnknownNameError, match="Did you mean nDCG"):
        evaluate(JUDGMENTS, RUN, "nDGC@10")
    with pytest.raises(UnknownNameError, match="Did you mean trec_eval"):
        evaluate(JUDGMENTS, RUN, "AP", dialect="treceval")
    with pytest.raises(UnknownNameError, match="Did you mean expected"):
        evaluate(JUDGMENTS, RUN, "AP", ties="expectd")
    with pytest.raises(UnknownNameError, match="option of evaluate"):
        evaluate(JUDGMENTS, RUN, "AP", tie="expected")
    with pytest.raises(ParameterError, match="at least one name"):
        evaluate(JUDGMENTS, RUN, [])


def test_intervals() -> None:
    """The t interval is symmetric about the mean, as far as the measure's bounds allow; the bootstrap's is seeded."""
    result = evaluate(JUDGMENTS, RUN, ["RR", "DCG@10", "NumRel"])
    bounded, free, counted = result.summary.iter_rows(named=True)
    assert free["low"] == pytest.approx(max(0.0, 2 * free["mean"] - free["high"]))
    assert bounded["low"] == 0 < bounded["mean"] < bounded["high"] < 1
    assert np.isnan(counted["low"])  # no interval of a mean belongs to a sum
    again = [result.summarise(interval="bca", seed=1).select("low", "high").row(0) for _ in range(2)]
    assert again[0] == again[1]
    with pytest.raises(UnknownNameError, match="interval"):
        result.summarise(interval="wald")


@pytest.mark.parametrize("suffix", ["txt", "txt.gz", "jsonl", "csv", "parquet"])
@pytest.mark.parametrize("dialect", ["standard", "trec_eval"])
def test_files_and_frames_agree(tmp_path: Path, suffix: str, dialect: str) -> None:
    """The same judgments and run give the same values, whichever way they come in."""
    judgments, run = tmp_path / f"qrels.{suffix}", tmp_path / f"run.{suffix}"
    write_judgments(JUDGMENTS, judgments)
    write_run(RUN, run)
    names = ["nDCG@10", "AP", "RR", "Judged@2", "IPrec@0.5"]
    ours, theirs = evaluate(JUDGMENTS, RUN, names, dialect=dialect), evaluate(judgments, run, names, dialect=dialect)
    assert ours.values.equals(theirs.values)
    assert ours.hits.strangers == theirs.hits.strangers
    assert evaluate(judgments, RUN, names, dialect=dialect).values.equals(theirs.values)


def test_values_by_query() -> None:
    """The values by query and measure are those of the table, without what is left out of a mean."""
    result = evaluate(JUDGMENTS, RUN, ["RR", "P@2"], empty="leave-out")
    found = [(query, name, value) for query, row in result.by_query.items() for name, value in row.items()]
    assert found == result.values.rows()
    assert result.by_query["usual"] == {"RR": 1 / 3, "P@2": 0.0}
    assert "RR" not in result.by_query["empty"]


@pytest.mark.parametrize("dialect", ["standard", "trec_eval"])
def test_a_scan_needs_no_polars(tmp_path: Path, dialect: str) -> None:
    """Means and values of regular files are there without the start of polars, tied or not."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n", encoding="ascii")
    (tmp_path / "run").write_text("1 Q0 b 1 1.0 x\n1 Q0 a 2 1.0 x\n", encoding="ascii")
    code = f"""if True:
        import sys, rankgauge
        result = rankgauge.evaluate("qrels", "run", ["RR", "P@1"], dialect="{dialect}")
        print(result["RR"], result.by_query["1"]["P@1"], "polars" in sys.modules)"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    expected = (1 / 2 + 1) / 2, 1 / 2
    if dialect == "trec_eval":
        expected = 1 / 2, 0.0  # b stands before a
    assert done.stdout.split() == [*map(str, expected), "False"]


def test_large_files_are_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is read in pieces gives the same values; one that is not grouped by query is read whole."""
    monkeypatch.setattr("rankgauge.files.reading.LARGE", 0)
    judgments, run = tmp_path / "qrels.jsonl", tmp_path / "run.jsonl"
    write_judgments(JUDGMENTS, judgments)
    write_run(RUN, run)
    expected = evaluate(JUDGMENTS, RUN, "nDCG").values
    assert evaluate(judgments, run, "nDCG").values.equals(expected)
    lines = run.read_text().splitlines()
    run.write_text("\n".join(lines[::2] + lines[1::2]) + "\n")
    assert evaluate(judgments, run, "nDCG").values.equals(expected)


@settings(max_examples=examples(40), deadline=None)
@given(sizes=st.lists(st.integers(0, 12), min_size=1, max_size=12), seed=st.integers(0, 1000))
def test_blocks_do_not_matter(sizes: list[int], seed: int) -> None:
    """A query's value does not depend on the queries beside it, nor on their order."""
    rng = np.random.default_rng(seed)
    judgments = {f"q{i}": {f"d{j}": int(rng.integers(0, 4)) for j in range(n + 1)} for i, n in enumerate(sizes)}
    run = {f"q{i}": {f"d{j}": float(rng.integers(0, 3)) for j in range(n)} for i, n in enumerate(sizes) if n}
    if not run:
        return
    names = ["nDCG@5", "AP", "ERR(max_grade=3)", "Bpref"]
    together = evaluate(judgments, run, names, missing="skip")
    for row, query in enumerate(together.queries):
        alone = evaluate({query: judgments[query]}, {query: run[query]}, names)
        np.testing.assert_allclose(together.matrix[row], alone.matrix[0], rtol=0, atol=1e-15)


def test_best_and_worst_bound_every_order() -> None:
    """No order of tied documents is better than `best` or worse than `worst`."""
    judgments = {"q": {"a": 2, "b": 0, "c": 1}}
    run = {"q": dict.fromkeys("abcx", 1.0)}
    names = ["nDCG@2", "AP", "ERR", "P@1", "Judged@2"]
    result = evaluate(judgments, run, names)
    orders = [
        evaluate(judgments, {"q": {d: -float(i) for i, d in enumerate(order)}}, names).matrix[0]
        for order in itertools.permutations("abcx")
    ]
    worst, best = result.tie_bounds
    np.testing.assert_allclose(worst[0], np.min(orders, axis=0), atol=1e-12)
    np.testing.assert_allclose(best[0], np.max(orders, axis=0), atol=1e-12)
    values, _ = score(result.hits.ordered(Ties.BEST), result.measures, result.dialect.changed(ties="best"))
    np.testing.assert_allclose(values, best)


def test_a_result_is_pleasant_to_look_at() -> None:
    """A result shows itself as a line and as a table, gives a dict of metrics, and frames of pandas."""
    import pandas as pd

    graded = {"q1": {"a": 2, "b": 0}, "q2": {"<b>": 1, "c": 0}}
    result = evaluate(graded, {"q1": {"a": 1.0, "b": 2.0}, "q2": {"<b>": 2.0, "c": 1.0}}, ["RR", "P@1"])
    assert result.metrics == {"RR": (1 / 2 + 1) / 2, "P@1": (0 + 1) / 2}
    assert repr(result).startswith("<RR 0.7500 [0.0000, 1.0000], P@1 0.5000 ")  # a bound cuts one side
    assert repr(result).endswith("(2 queries, standard)>")
    even = evaluate({f"q{n}": {"a": 1} for n in range(9)}, {f"q{n}": ["a", "b"][:: (-1) ** n] for n in range(9)}, "RR")
    assert re.match(r"<RR 0\.7778 ± 0\.2\d{3} \(9 queries", repr(even))
    assert "<td" in result._repr_html_()
    assert "0.7500" in result._repr_html_()
    values = result.to_pandas()
    assert isinstance(values, pd.DataFrame)
    assert values[values["measure"] == "RR"]["value"].tolist() == [1 / 2, 1.0]
    assert result.to_pandas("summary")["mean"].tolist() == [0.75, 0.5]
    with pytest.raises(UnknownNameError, match="Did you mean"):
        result.to_pandas("value")


def test_integer_queries_come_back_as_integers() -> None:
    """Values merge with the frame that they come from: an integer query is an integer again, a string a string."""
    import pandas as pd
    import pyarrow as pa

    judged = pd.DataFrame({"topic": [1, 1, 20], "docno": [5, 6, 7], "grade": [1, 0, 1]})
    run = pd.DataFrame({"topic": [1, 1, 20], "docno": [6, 5, 7], "score": [0.9, 0.8, 0.7]})
    frames = [(judged, run), (pl.from_pandas(judged), run), (pa.Table.from_pandas(judged), run)]
    frames.append((judged.astype({"topic": "Int64"}), run))
    for judgments, listed in frames:
        result = evaluate(judgments, listed, "RR")
        assert result.to_pandas().merge(judged, left_on="query", right_on="topic")["value"].tolist() == [0.5, 0.5, 1.0]
        assert result.by_query == {1: {"RR": 1 / 2}, 20: {"RR": 1.0}}
    as_text = {"topic": "string"}
    assert evaluate(judged.astype(as_text), run.astype(as_text), "RR").by_query == {
        "1": {"RR": 1 / 2},
        "20": {"RR": 1.0},
    }
    assert evaluate({1: {5: 1}}, {1: {5: 0.5}}, "RR").by_query == {1: {"RR": 1.0}}


@pytest.mark.parametrize("judge", [partial(evaluate, measures="nDCG@10"), audit])
def test_files_of_different_collections(judge: Callable[..., object], tmp_path: Path) -> None:
    """Where no query of the run is judged, there is no value of 0 but one clear error, from files and from tables."""
    judgments, run = {"1": {"a": 1}, "2": {"a": 1}}, {"Q1": {"a": 1.0}, "Q2": {"a": 1.0}}
    write_judgments(judgments, tmp_path / "qrels.txt")
    write_run(run, tmp_path / "run.txt")
    for pair in ((judgments, run), (tmp_path / "qrels.txt", tmp_path / "run.txt")):
        with pytest.raises(InputError, match="no query of the run is judged: the run has Q1, Q2, the judgments 1, 2"):
            judge(*pair)


def test_python_says_that_hardly_anything_is_judged() -> None:
    """In the notes, the line and the table of a notebook, as the command line warns; with the share judged."""
    run = {"q": {f"x{n}": -float(n) for n in range(10)}}
    found = evaluate([("q", "a", 1), ("q", "b", 0)], run, "nDCG@10")
    assert any("hardly anything of the run is judged: none of the 10 documents" in note for note in found.notes)
    assert "warning: only 0 % of the top 10 judged" in repr(found)
    assert "judged: 0 % of the top 10" in found._repr_html_()
    assert "hardly anything of the run is judged" in found._repr_html_()
    whole = evaluate([("q", "x0", 1), ("q", "x1", 0)], run, "nDCG@2")
    assert "warning" not in repr(whole)
    assert "judged: 100 % of the top 2" in whole._repr_html_()


def test_the_top_of_a_scale() -> None:
    """A scale says what ERR's top is, unless the user, the measure or the tool does; a grade above it is an error."""
    data = [("q", "a", 2), ("q", "b", 0)], {"q": ["a", "b"]}
    on_scale = partial(evaluate, *data, scale="trec-dl")
    assert on_scale("ERR")["ERR"] == 3 / 8
    assert compare(data[0], {"one": data[1], "two": data[1]}, "ERR", scale="trec-dl").results["one"]["ERR"] == 3 / 8
    assert "max_grade=3 of the scale trec-dl" in repr(on_scale("ERR"))
    assert on_scale("ERR", rel=1)["ERR"] == 3 / 8
    assert on_scale("ERR", max_grade=2)["ERR"] == on_scale("ERR(max_grade=2)")["ERR(max_grade=2)"] == 3 / 4
    assert on_scale("ERR@20", dialect="gdeval")["ERR@20"] == pytest.approx(3 / 16, abs=1e-5)
    with pytest.raises(InputError, match=r"the grade 2.* is not a level of the scale binary"):
        evaluate(*data, "nDCG", scale="binary")


def test_where_hardly_anything_is_judged() -> None:
    """The warning is of the measures that look at unjudged documents, not of those whose top is judged."""
    run = {"q": {f"x{n}": -float(n) for n in range(100)}}
    rows = [("q", f"{'x' if n < 10 else 'y'}{n}", n % 2) for n in range(100)]
    (told,) = evaluate(rows, run, ["nDCG@10", "AP"]).notes
    assert "hardly anything of the run is judged for AP: 10 of the 100 retrieved documents are (10 %)" in told
    assert "so its values of AP say nothing" in told


def test_a_replaced_choice_is_part_of_the_name() -> None:
    """Values under a dialect that was changed are not called by its name alone."""
    found = evaluate([("q", "a", 1)], {"q": {"a": 1.0}}, "AP", dialect="trec_eval", ties="expected")
    assert "trec_eval, changed: ties=expected" in repr(found)
    assert "trec_eval, changed: ties=expected" in found._repr_html_()


def test_notes_on_frames_stay_with_the_result() -> None:
    """Where a user says how tables spell things, too."""
    judgments = pl.DataFrame({"search": ["q", "q"], "document": ["a", "a"], "grade": [1, 1]})
    run = pl.DataFrame({"search": ["q"], "document": ["a"], "score": [1.0]})
    found = evaluate(judgments, run, "AP", columns={"query": "search"})
    assert any("repeats" in note for note in found.notes)


@pytest.mark.parametrize("files", [True, False], ids=["files", "frames"])
def test_what_a_tool_makes_of_grades_and_scores_is_said(tmp_path: Path, files: bool) -> None:
    """Grades below 0, and ties that single precision alone makes, have a note; what the user chose has none."""
    judgments = pl.DataFrame({"query": ["q"] * 3, "document": ["a", "b", "c"], "grade": [1, -1, 0]})
    run = pl.DataFrame({"query": ["q"] * 3, "document": ["b", "a", "c"], "score": [1.00000002, 1.00000001, 0.5]})
    given: tuple[object, object] = (judgments, run)
    if files:
        given = (tmp_path / "qrels.txt", tmp_path / "run.txt")
        (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b -1\nq 0 c 0\n", encoding="utf-8")
        rows = (f"q Q0 {name} {n} {score:.9f} r" for n, (_, name, score) in enumerate(run.rows(), 1))
        (tmp_path / "run.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    zero, unjudged = "1 of the judgments has a grade below 0: ", "means that the document was not judged"
    assert [zero in words for words in evaluate(*given, "AP").notes] == [True]
    assert evaluate(*given, "AP", negative="unjudged").notes == ()
    told = " ".join(evaluate(*given, "AP", dialect="trec_eval").notes)
    assert zero in told
    assert unjudged in told
    assert "scores of 1 query differ only in digits that single precision does not have" in told
    assert "have the same score" not in told
    assert "single precision" not in " ".join(evaluate(*given, "AP", dialect="trec_eval-10").notes)


def test_judgments_without_a_relevant_document_do_not_list_relevant_ones() -> None:
    """Where nothing is relevant, judgments are not taken for a list of relevant documents."""
    result = evaluate({"q": {"a": 0, "b": -1}}, {"q": ["a", "b", "x"]}, "AP")
    assert not result.judged["AP"].relevant_only
    assert evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "b", "x"]}, "AP").judged["AP"].relevant_only
