"""What people type in Python: options of a comparison, fused runs, results by name, misspelt options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl
import pytest

import rankgauge
from rankgauge.errors import InputError, ParameterError, UnknownNameError

RNG = np.random.default_rng(1)
JUDGMENTS = {f"q{q}": {f"d{d}": int(RNG.integers(0, 3)) for d in range(8)} for q in range(12)}
RUNS = {
    name: {query: {f"d{d}": float(s) for d, s in enumerate(RNG.permutation(10))} for query in JUDGMENTS}
    for name in ("one", "two")
}


def test_compare_takes_the_test_and_the_correction() -> None:
    """The test, the correction and the level may be said in the call; a wrong name shows those that there are."""
    found = rankgauge.compare(JUDGMENTS, RUNS, "AP", test="wilcoxon", correction="bonferroni", alpha=0.01)
    settings = found.settings
    assert (settings.test, settings.correction, settings.alpha) == ("wilcoxon", "bonferroni", 0.01)
    with pytest.raises(UnknownNameError, match="Did you mean wilcoxon"):
        rankgauge.compare(JUDGMENTS, RUNS, "AP", test="wilcoxn")


def test_a_measure_that_was_not_computed() -> None:
    """The error names what was computed."""
    result = rankgauge.evaluate(JUDGMENTS, RUNS["one"], ["nDCG@10", "AP"])
    with pytest.raises(UnknownNameError, match=r"measure in this result called 'nDCG@5'. It has nDCG@10, AP;"):
        result["nDCG@5"]


def test_an_index_of_queries_and_documents() -> None:
    """A series or a frame of pandas may have query and document in its index; another series is refused."""
    pandas = pytest.importorskip("pandas", reason="the extra notebooks is not installed")
    flat = {(query, document): grade for query, found in JUDGMENTS.items() for document, grade in found.items()}
    series, expected = pandas.Series(flat), rankgauge.evaluate(JUDGMENTS, RUNS["one"], "AP")["AP"]
    named = series.rename_axis(index=["topic", "docno"]).rename("rating")
    for judgments in (series, named, named.to_frame()):
        assert rankgauge.evaluate(judgments, RUNS["one"], "AP")["AP"] == expected
    with pytest.raises(rankgauge.InputError, match="Series of pandas cannot be read as judgments"):
        rankgauge.evaluate(pandas.Series([1.0]), RUNS["one"], "AP")


GRADES, SCORES = RNG.integers(0, 3, (9, 12)).astype(float), RNG.normal(size=(9, 12))
GRADES[4, 7:] = SCORES[4, 7:] = np.nan


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "RR", "ERR(max_grade=2)"])
def test_arrays_of_grades_and_scores(measure: str) -> None:
    """Arrays with a row for each query have the values that `score_arrays` gives, by the number of the row."""
    found = rankgauge.evaluate(GRADES, SCORES, measure)
    np.testing.assert_allclose(
        found.values["value"].to_numpy(), rankgauge.score_arrays(GRADES, SCORES, measure), atol=1e-15
    )
    assert found.values["query"].to_list() == list(range(9))
    both = rankgauge.evaluate(GRADES, {"up": SCORES, "down": -SCORES}, measure)
    assert both["up"][measure] == found[measure] != both["down"][measure]
    comparison = rankgauge.compare(GRADES, {"up": SCORES, "down": -SCORES}, measure)
    assert comparison.per_query["query"].to_list() == list(range(9))
    assert comparison.pairs["difference"][0] == pytest.approx(both["down"][measure] - found[measure])


def test_arrays_that_do_not_fit() -> None:
    """Shapes that differ, columns of documents, a judged document without a score, and ties by ids are refused."""
    with pytest.raises(rankgauge.InputError, match=r"grades of shape \(9, 12\) and scores of shape \(9, 11\)"):
        rankgauge.evaluate(GRADES, SCORES[:, 1:], "AP")
    column, queries = SCORES.reshape(-1, 1), np.repeat(np.arange(9), 12)
    for judge in (rankgauge.evaluate, rankgauge.score_arrays):  # else each document is a perfect list or a void one
        with pytest.raises(rankgauge.InputError, match="108 lists of one document each"):
            judge(GRADES.reshape(-1, 1), column, "AP")
    with pytest.raises(rankgauge.InputError, match=r"grades of shape \(108,\) and scores of shape \(108, 1\)"):
        rankgauge.score_arrays(GRADES.ravel(), column, "AP", qid=queries)
    holed = SCORES.copy()
    holed[0, 0] = np.nan
    with pytest.raises(rankgauge.InputError, match="1 of 108 scores are NaN"):
        rankgauge.evaluate(GRADES, holed, "AP")
    with pytest.raises(rankgauge.ParameterError, match="documents in arrays have no ids"):
        rankgauge.evaluate(GRADES, SCORES, "AP", dialect="trec_eval")


def test_frames_of_any_type() -> None:
    """Categories, nullable numbers and texts are read; whole queries come back whole; a grade of NaN is told."""
    pandas = pytest.importorskip("pandas", reason="the extra notebooks is not installed")
    run = pandas.DataFrame({"query": [1, 1, 2], "document": [10, 11, 12], "score": [0.1, 0.2, 0.3]})
    plain = run.drop(columns="score").assign(grade=[2, 0, 1])
    kinds = {
        "query": ["category", "Int64", "int32", "object"],
        "document": ["category", "string"],
        "grade": ["Int8", "Float64"],
    }
    for column, dtypes in kinds.items():
        for dtype in dtypes:
            result = rankgauge.evaluate(plain.astype({column: dtype}), run, "nDCG@2")
            values = result.to_pandas().merge(run, on="query")["value"].to_list()
            assert values == pytest.approx([1 / np.log2(3), 1 / np.log2(3), 1.0])
    words = plain.assign(grade=pandas.Categorical(["good", "bad", "fair"]))
    scale = {"good": 2, "fair": 1, "bad": 0}
    told = rankgauge.evaluate(words, run, "DCG@2", scale=scale)
    assert told["DCG@2"] == rankgauge.evaluate(plain, run, "DCG@2")["DCG@2"]
    with pytest.raises(rankgauge.InputError, match="fair"):
        rankgauge.evaluate(words, run, "DCG@2", scale={"good": 2, "bad": 0})
    lacking = rankgauge.evaluate(plain.assign(grade=[2, np.nan, 1]), run, "RR")
    assert lacking.notes == ("1 row has no grade and is left out",)
    with pytest.raises(rankgauge.InputError, match="grade nan is not a finite number"):
        rankgauge.evaluate({"q": {"a": np.nan}}, {"q": {"a": 1.0}}, "RR")


def test_a_comparison_as_text() -> None:
    """A comparison writes what the command writes, and shows its pairs in a line."""
    found = rankgauge.compare(JUDGMENTS, RUNS, ["AP", "RR"])
    latex = found.table("latex", digits=3)
    assert latex == found.table("tex", digits=3)
    assert f"one & {found.means['mean'][0]:.3f}" in latex.replace(r"\textbf{", "").replace("}", "")
    assert found.table("csv", tables=["means"]).splitlines()[0] == "measure,run,mean,low,high,queries"
    assert repr(found).startswith("<Comparison of one, two: AP two − one ")
    with pytest.raises(UnknownNameError, match="Did you mean"):
        found.table("latx")


def test_judgments_of_assessors_may_be_any_frame() -> None:
    """Agreement and rules take what `evaluate` takes: frames of pandas, rows, files."""
    pandas = pytest.importorskip("pandas", reason="the extra notebooks is not installed")
    columns = {"query": ["q"] * 4, "document": ["a", "a", "b", "b"], "assessor": ["x", "y"] * 2, "grade": [1, 1, 0, 2]}
    frames = pandas.DataFrame(columns), pl.DataFrame(columns), columns
    assert {rankgauge.agreement(frame)["alpha-nominal"] for frame in frames} == {1 - 0.5 / (10 / 12)}
    assert [rankgauge.combine(frame, "mean")["grade"].to_list() for frame in frames] == [[1.0, 1.0]] * 3
    assert rankgauge.binarise(pandas.DataFrame(columns), 2)["grade"].to_list() == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("judgments", "options", "error"),
    [
        (
            pl.DataFrame({"query": ["q"], "document": ["a"], "grade": [[1, 2]]}),
            {},
            "the column grade has no plain values",
        ),
        ({"q": {"a": 1}}, {"dialect": True}, "the name of a dialect"),
        ({"q": {"a": 1}}, {"rel": "2"}, "rel.*above 0"),
    ],
)
def test_wrong_types_are_errors(judgments: object, options: dict[str, object], error: str) -> None:
    """A value of the wrong type is an error of ours, which says what to give."""
    with pytest.raises(rankgauge.RankGaugeError, match=error):
        rankgauge.evaluate(judgments, {"q": ["a", "b"]}, "AP", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "ids", [[5.0, np.nan, 3.0], np.array([5.0, np.nan, 3.0]), ["5", np.nan, "3"], ["5", None, "3"]]
)
def test_a_missing_id_is_no_id_called_nan(ids: Any) -> None:
    """NaN among the ids of dicts, lists and rows is an error, as it is in a frame; it made a query or a document."""
    judgments = {"q": {"3": 1}}
    with pytest.raises(rankgauge.InputError, match="there is no document"):
        rankgauge.evaluate(judgments, {"q": ids}, "RR")
    with pytest.raises(rankgauge.InputError, match="there is no query"):
        rankgauge.evaluate({**judgments, ids[1]: {"3": 1}}, {"q": ["5", "3"]}, "RR")
    with pytest.raises(rankgauge.InputError, match="there is no document"):
        rankgauge.evaluate([("q", name, 1) for name in ids], {"q": ["5", "3"]}, "RR")
    assert rankgauge.evaluate({"nan": {"3": 1}}, {"nan": ["nan", "3"]}, "RR")["RR"] == 1 / 2


def test_ids_may_be_objects_and_ranks_are_whole() -> None:
    """Objects such as UUIDs are known by their text; scores in a column of ranks are not taken for ranks."""
    pandas = pytest.importorskip("pandas", reason="the extra notebooks is not installed")
    ids = [UUID(int=1), UUID(int=2)]
    judged = pandas.DataFrame({"query": [ids[0]] * 2, "document": ids, "grade": [0, 1]})
    run = pandas.DataFrame({"query": [ids[0]] * 2, "document": ids, "score": [2.0, 1.0]})
    assert rankgauge.evaluate(judged, run, "RR")["RR"] == 1 / 2
    with pytest.raises(rankgauge.InputError, match=r"the rank 2\.5 is not a whole number"):
        rankgauge.evaluate(judged, run.drop(columns="score").assign(rank=[2.5, 1.0]), "RR")
    assert rankgauge.evaluate(judged, run.drop(columns="score").assign(rank=[2.0, 1.0]), "RR")["RR"] == 1


@pytest.mark.parametrize(
    ("judgments", "run", "error"),
    [
        ({"q": {"a", "b"}}, {"q": ["a"]}, "a dict of judgments is {query: {document: grade}}"),
        (
            {"q": {"a": 1}},
            {"q": {"b": 1.0, "a": float("nan")}},
            r"row 2: the score nan is not a number \(document a of query q",
        ),
        ({"q": {"a": "good"}}, {"q": ["a"]}, "scale='good=2,fair=1,bad=0' in Python"),
        ({"q": {"a": 1}}, ["bm25.txt", "dense.txt"], "Several runs are a dict"),
    ],
)
def test_shapes_that_people_try(judgments: object, run: object, error: str) -> None:
    """Sets, nested dicts with a hole, words, and several files at once: the error says which, and what to give."""
    with pytest.raises(rankgauge.InputError, match=error):
        rankgauge.evaluate(judgments, run, "AP")


def test_dates_are_no_grades() -> None:
    """Dates are not taken for the numbers of their days."""
    with pytest.raises(rankgauge.InputError, match=r"have to be numbers: got datetime64\[D\]"):
        rankgauge.score_arrays(np.array([["2020-01-01", "2020-01-02"]], dtype="M8[D]"), [[1.0, 2.0]], "AP")
    frame = pl.DataFrame({"query": ["q1"], "document": ["d1"], "grade": ["2026-03-01"]}).with_columns(
        pl.col("grade").str.to_date()
    )
    with pytest.raises(InputError, match="the column grade has no plain values: its type is Date"):
        rankgauge.evaluate(frame, RUNS["one"], "AP")


def test_arrays_take_one_measure() -> None:
    """Several measures, and a misspelt option, get errors that are about them."""
    with pytest.raises(rankgauge.ParameterError, match="must be one measure, such as nDCG@10"):
        rankgauge.score_arrays([[1.0]], [[1.0]], ["AP", "RR"])  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match=r"no option of score_arrays called 'groups'. Did you mean group"):
        rankgauge.score_arrays([1.0], [1.0], "AP", groups=[1])


def test_a_fused_run_is_evaluated() -> None:
    """What fuse gives is a run, alone or among others."""
    fused = rankgauge.fuse(RUNS)
    alone = rankgauge.evaluate(JUDGMENTS, fused, "AP")
    assert alone["AP"] == rankgauge.evaluate(JUDGMENTS, fused.frame, "AP")["AP"]
    both = rankgauge.evaluate(JUDGMENTS, {"rrf": fused, "one": RUNS["one"]}, "AP")
    assert both["rrf"]["AP"] == alone["AP"]
    compared = rankgauge.compare(JUDGMENTS, {"rrf": fused, "one": RUNS["one"]}, "AP")
    assert compared.results["rrf"]["AP"] == alone["AP"]


@pytest.mark.parametrize(
    ("option", "meant"), [("dialct", "dialect"), ("tie", "ties"), ("colums", "columns"), ("unjuged", "unjudged")]
)
def test_a_misspelt_option_is_matched_against_options(option: str, meant: str) -> None:
    """An option that is misspelt is looked for among all options of the call, not only those of the dialect."""
    with pytest.raises(UnknownNameError, match=rf"no option of evaluate called '{option}'. Did you mean .*\b{meant}\b"):
        rankgauge.evaluate(JUDGMENTS, RUNS["one"], "AP", **{option: "x"})
    with pytest.raises(UnknownNameError, match=r"no option of compare called 'corection'. Did you mean correction"):
        rankgauge.compare(JUDGMENTS, RUNS, "AP", corection="holm")


def test_results_by_name_are_drawn() -> None:
    """plot takes what evaluate gives for several runs."""
    pytest.importorskip("altair", reason="the extra plots is not installed")
    results = rankgauge.evaluate(JUDGMENTS, RUNS, ["AP"])
    assert "one" in rankgauge.plot(results).to_json()
    assert rankgauge.plot({"one": results["one"]}).to_dict()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda run: rankgauge.compare(JUDGMENTS, run, "AP"), "'runs' parameter of compare .* Got 'one run'"),
        (lambda run: rankgauge.compare(JUDGMENTS, {"q0": ["d1", "d2"]}, "AP"), "Got 'one run'"),
        (lambda run: rankgauge.compare(JUDGMENTS, "run.txt", "AP"), "Got 'one run'"),
        (lambda run: rankgauge.fuse(run), "'runs' parameter of fuse .* Got 'one run'"),
        (lambda run: rankgauge.fuse("run.txt"), "Got 'one run'"),
        (lambda run: rankgauge.fuse(pl.DataFrame({"query": ["q"]})), "Got 'one run'"),
        (lambda run: rankgauge.fuse(run, run), "'method' parameter of fuse .* after the runs in one list or dict"),
        (lambda run: rankgauge.tune_fusion(JUDGMENTS, run), "'runs' parameter of tune_fusion"),
    ],
)
def test_one_run_where_several_are_wanted(call: Callable[[object], object], error: str) -> None:
    """One run, however it is given, is not taken for several by the names of its queries, and no traceback."""
    with pytest.raises(rankgauge.ParameterError, match=error):
        call(RUNS["one"])


def test_runs_in_a_list_are_numbered() -> None:
    """A list of dicts is compared as it is fused: the runs are called by their numbers."""
    assert rankgauge.compare(JUDGMENTS, list(RUNS.values()), "AP").runs == ("run 1", "run 2")


@pytest.mark.parametrize("bounds", [(1, 0), (0, 0), 5, ("a", "b"), (0,), (0.0, np.nan), None])
def test_bounds_of_a_defined_measure(bounds: object) -> None:
    """Bounds are two numbers in their order; anything else is an error when the measure is defined, not later."""
    with pytest.raises(rankgauge.ParameterError, match=r"bounds.*two numbers, the least and the most"):
        rankgauge.define("mine", lambda grades: 0.0, bounds=bounds)  # type: ignore[arg-type]


def test_queries_that_match_in_part() -> None:
    """The notes say which queries only the run has, and how many only the judgments have, as the command does."""
    run = {f"q{n}": {"d1": 1.0} for n in range(8, 16)}
    ignored, lacking = rankgauge.evaluate(JUDGMENTS, run, "AP").notes
    assert ignored == "4 queries of the run that nobody judged, ignored: q12, q13, q14 and 1 more"
    assert lacking.startswith("8 of 12 queries are judged but not in the run; a judged query that the run does not")


def test_ids_that_match_in_part() -> None:
    """Documents of a dict that are judged under another spelling are noted, though others match."""
    judged = {"q": {f"d{n}": 1 for n in range(10)}}
    run = {"q": {f"d{n}" if n < 6 else f"D{n}": -float(n) for n in range(10)}}
    (told,) = rankgauge.evaluate(judged, run, "AP").notes
    assert "4 of its 4 unjudged documents are judged under another spelling, such as 'D6' for 'd6'" in told


NANOSECONDS = {f"d{n}": 1_700_000_000_000_000_000 + n for n in range(8)}
"""Scores that differ in digits that doubles lack."""


@pytest.mark.parametrize("form", ["dict", "pairs", "polars", "pandas", "texts"])
def test_whole_scores_that_doubles_round(form: str) -> None:
    """Scores beyond 2^53 that become ties only as doubles are noted, whatever holds them."""
    columns = {"query": ["q0"] * 8, "document": list(NANOSECONDS), "score": list(NANOSECONDS.values())}
    run: object = {"q0": NANOSECONDS}
    if form == "pairs":
        run = {"q0": list(NANOSECONDS.items())}
    elif form == "polars":
        run = pl.DataFrame(columns)
    elif form == "texts":
        run = columns | {"score": [str(score) for score in columns["score"]]}
    elif form == "pandas":
        run = pytest.importorskip("pandas", reason="the extra notebooks is not installed").DataFrame(columns)
    notes = rankgauge.evaluate({"q0": JUDGMENTS["q0"]}, run, "AP").notes
    assert any("scores of 1 query are whole numbers beyond 2^53" in words for words in notes)
    small = {"q0": {document: score % 1_000 for document, score in NANOSECONDS.items()}}
    assert not rankgauge.evaluate({"q0": JUDGMENTS["q0"]}, small, "AP").notes


def test_whole_scores_of_arrays_keep_their_order() -> None:
    """Arrays of whole numbers are ranked by all of their digits."""
    grades, scores = [[0, 0, 1]], np.array([list(NANOSECONDS.values())[:3]])
    assert rankgauge.score_arrays(grades, scores, "RR")[0] == 1
    assert rankgauge.score_arrays(grades[0], scores[0], "RR", group=[3])[0] == 1


def test_lazy_and_categorical_columns_of_polars() -> None:
    """Lazy frames, and grades that are categories, are read as the same rows in plain columns are."""
    judgments = pl.DataFrame({"query": [1, 1], "document": ["a", "b"], "grade": ["1", "0"]})
    run = pl.DataFrame({"query": [1, 1], "document": ["a", "b"], "score": [1.0, 2.0]})
    level = pl.col("grade").cast(pl.Enum(["0", "1"]))
    for given in (judgments.lazy(), judgments.with_columns(level), judgments.with_columns(level.cast(pl.Categorical))):
        result = rankgauge.evaluate(given, run.lazy(), "RR")
        assert result["RR"] == 1 / 2
        assert list(result.by_query) == [1]


def test_choices_that_change_nothing_are_told() -> None:
    """A threshold or a top grade without effect is noted; a depth of nothing and complex scores are refused."""
    judgments, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}
    assert any(
        "threshold of 2 changes nothing" in note for note in rankgauge.evaluate(judgments, run, "nDCG@10", rel=2).notes
    )
    assert any(
        "top grade of 5 changes nothing" in note
        for note in rankgauge.evaluate(judgments, run, "nDCG", max_grade=5).notes
    )
    assert not rankgauge.evaluate(judgments, run, "AP", rel=2).notes
    for depth in (0, -1, 2.5, "ten"):
        with pytest.raises(ParameterError, match="depth"):
            rankgauge.evaluate(judgments, run, "nDCG@10", depth=depth)
    with pytest.raises(InputError, match="have to be numbers"):
        rankgauge.score_arrays([[1, 0]], [[1j, 2]], "nDCG")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: rankgauge.evaluate(JUDGMENTS, RUNS["one"], "AP", empty="x"),
            "'empty' parameter of evaluate must be a num",
        ),
        (
            lambda: rankgauge.evaluate(JUDGMENTS, RUNS["one"], "AP", empty=None),
            "'empty' parameter of evaluate must be a num",
        ),
        (
            lambda: rankgauge.compare(JUDGMENTS, RUNS, "AP", alpha="x"),
            "'alpha' parameter of compare must be between 0 and 1",
        ),
        (
            lambda: rankgauge.compare(JUDGMENTS, RUNS, "AP", baseline="one", risk="x"),
            "'risk' parameter of compare must be",
        ),
        (
            lambda: rankgauge.compare(JUDGMENTS, RUNS, "AP").table(tables=["pears"]),
            "called 'pears'. Did you mean pairs",
        ),
    ],
)
def test_values_of_another_kind(call: Callable[[], object], words: str) -> None:
    """What is no number where one is expected, or no table, is refused in words."""
    with pytest.raises(rankgauge.RankGaugeError, match=words):
        call()
