"""Runs over many collections: means, two kinds of interval, ranks, holes, and bad input."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankgauge import InputError, ParameterError, UnknownNameError, compare, evaluate
from rankgauge.comparison import gate_report
from rankgauge.comparison.collections import Collection, CollectionsComparison
from rankgauge.comparison.collections.board import LEAST
from rankgauge.comparison.collections.report import CollectionsReport, forests
from rankgauge.comparison.collections.sources import read_board, read_weights
from rankgauge.comparison.gate import GateVerdict
from rankgauge.comparison.judging import JudgedRule
from rankgauge.render.format import FORMATS
from rankgauge.statistics import collection_means as levels
from rankgauge.statistics.collection_means import collection_resamples, group_letters, rank_ends
from tests.program import rankgauge


def world(collections: int, runs: int = 3, queries: int = 20, seed: int = 0, **settings: Any) -> CollectionsComparison:
    """A comparison of generated values."""
    rng = np.random.default_rng(seed)
    given = []
    for place in range(collections):
        values = np.clip(rng.normal(0.4, 0.2, (1, queries, 1)) + rng.normal(0, 0.1, (1, queries, runs)), 0, 1)
        values[:, :, -1] = np.clip(values[:, :, -1] + 0.2, 0, 1)
        names = tuple(f"r{n}" for n in range(runs))
        given.append(
            Collection(
                name=f"c{place}",
                runs=names,
                scores=values.mean(axis=1),
                values=values,
                queries=tuple(map(str, range(queries))),
                weight=float(place + 1),
                group="ab"[place % 2],
            )
        )
    return CollectionsComparison(given=tuple(given), measures=("AP",), **settings)


def scored(collections: int, runs: int = 3) -> CollectionsComparison:
    """The same with scores alone."""
    given = [Collection(name=one.name, runs=one.runs, scores=one.scores) for one in world(collections, runs).given]
    return CollectionsComparison(given=tuple(given), measures=("AP",))


def written(report: CollectionsReport, name: str) -> str:
    """The report in a format."""
    stream = io.StringIO()
    FORMATS[name].write(report, stream)
    return stream.getvalue()


def test_a_mean_over_collections_is_the_mean_of_their_means() -> None:
    """Each collection has one vote, whatever its queries; other weights are what they say."""
    judgments = {"a": {"q1": {"x": 1}}, "b": {"q1": {"x": 1}, "q2": {"y": 1}, "q3": {"z": 1}}}
    good = {"q1": {"x": 1.0}, "q2": {"y": 1.0}, "q3": {"z": 1.0}}
    late = {"q1": {"o": 2.0, "x": 1.0}, "q2": {"y": 1.0}, "q3": {"z": 1.0}}
    boards = {name: (judged, {"good": good, "late": late}) for name, judged in judgments.items()}
    expected = {"each": (1 / 2 + (1 / 2 + 1 + 1) / 3) / 2, "queries": (1 / 2 + 1 / 2 + 1 + 1) / 4}
    for weights, mean in expected.items():
        found = compare(boards, "RR", weights=weights)
        assert found.mean_table["mean"] == pytest.approx([1.0, mean])
    found = compare(boards, "RR", weights={"a": 3, "b": 1})
    assert found.mean_table["mean"][1] == pytest.approx((3 * (1 / 2) + (1 / 2 + 1 + 1) / 3) / 4)
    assert evaluate(judgments["b"], late, "RR")["RR"] == found.of_measure("RR").by_collection[1, 1]


def test_groups_are_a_mean_of_means() -> None:
    """Each group has one vote, and in a group each collection."""
    found = world(5, weights="groups")
    scores = found.of_measure("AP").by_collection
    assert found.of_measure("AP").mean == pytest.approx(
        (scores[[0, 2, 4]].mean(axis=0) + scores[[1, 3]].mean(axis=0)) / 2
    )


def test_the_second_question_is_a_t_test_over_collections() -> None:
    """With equal weights and scores alone it is Student's t of the collections' differences."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        scores = rng.random((rng.integers(LEAST, 30), 2))
        given = [Collection.from_scores(f"c{n}", {"a": [x], "b": [y]}) for n, (x, y) in enumerate(scores)]
        row = next(CollectionsComparison(given=tuple(given), measures=("s",)).pair_table.named())
        expected = stats.ttest_rel(scores[:, 1], scores[:, 0])
        assert row["p_beyond"] == pytest.approx(expected.pvalue)
        assert (row["low_beyond"], row["high_beyond"]) == pytest.approx(tuple(expected.confidence_interval()))
        assert row["verdict"] == "not yet"


def test_the_first_question_is_welch_over_collections() -> None:
    """With two collections the mean difference has the interval of Welch's t test of their sum."""
    rng = np.random.default_rng(2)
    one, other = rng.normal(0.1, 1, (12, 1)), rng.normal(0.2, 3, (30, 1))
    errors = levels.query_errors([one, other], np.array([0.5, 0.5]))
    welch = stats.ttest_ind(one[:, 0], -other[:, 0], equal_var=False)
    assert errors.freedom[0, 0] == pytest.approx(welch.df)
    half = np.diff(welch.confidence_interval())[0] / 2
    assert errors.half_widths(0.95)[0] == pytest.approx(half / 2)


def test_few_collections_say_not_yet() -> None:
    """Below the least number nothing is said of other collections; weights that lean on a few count as few."""
    few, enough = world(LEAST - 1), world(LEAST)
    assert set(few.pair_table["verdict_beyond"]) == {"not yet"}
    assert np.isnan(few.mean_table["low_beyond"]).all()
    assert "better" in few.pair_table["verdict"]
    assert "not yet" not in enough.pair_table["verdict_beyond"]
    assert not world(LEAST, weights="given").answers_beyond


def test_what_is_said_beyond_is_said_here() -> None:
    """An interval for other collections holds the one for these, and no pair is told apart beyond alone."""
    for seed in range(10):
        found = world(8, runs=5, seed=seed)
        for row in found.mean_table.named():
            assert row["low_beyond"] <= row["low"] <= row["mean"] <= row["high"] <= row["high_beyond"]
            assert (
                row["rank_low_beyond"] <= row["rank_low"] <= row["rank"] <= row["rank_high"] <= row["rank_high_beyond"]
            )


@pytest.mark.parametrize("seed", range(5))
def test_letters_say_who_is_apart(seed: int) -> None:
    """Two runs share a letter exactly if they are not apart."""
    rng = np.random.default_rng(seed)
    apart = np.triu(rng.random((8, 8)) < 0.3, 1)
    apart |= apart.T
    letters = group_letters(apart, rng.permutation(8))
    for one in range(8):
        for other in range(one):
            assert bool(set(letters[one]) & set(letters[other])) is not bool(apart[one, other])


def test_ranks_count_who_is_above() -> None:
    """A run's rank is 1 plus those above it at least, and the number of runs less those below it at most."""
    above = np.array([[False, True, True], [False, False, False], [False, False, False]])
    low, high = rank_ends(above)
    assert low.tolist() == [1, 2, 2]
    assert high.tolist() == [1, 3, 3]


def test_unequal_weights_have_the_same_resamples_as_their_general_form() -> None:
    """The short form for equal weights and the general one agree."""
    rng = np.random.default_rng(0)
    means, pairs = rng.random((9, 4)), (np.array([1]), np.array([0]))
    even = np.full(9, 1 / 9)
    uneven = even * (1 + 1e-9 * np.arange(9))
    short, general = (
        collection_resamples(means, w / w.sum(), pairs, rng=np.random.default_rng(1), draws=50) for w in (even, uneven)
    )
    assert np.allclose(short.largest, general.largest, rtol=1e-3)


def test_holes_are_named_and_left_out_or_bounded() -> None:
    """A run that lacks a collection is compared on the common part, or bounded by what it may have there."""
    scores = [{"a": [0.5], "b": [0.4], "c": [0.9]}, {"a": [0.7], "b": [0.2]}]
    given = tuple(Collection.from_scores(f"c{n}", one) for n, one in enumerate(scores))
    common = CollectionsComparison(given=given, measures=("s",))
    assert [one.name for one in common.collections] == ["c0"]
    assert common.missing == {"c": ("c1",)}
    bounded = CollectionsComparison(given=given, measures=("s",), holes="bounds")
    row = next(row for row in bounded.mean_table.named() if row["run"] == "c")
    assert (row["low"], row["high"]) == pytest.approx((0.9 / 2, (0.9 + 1) / 2))
    assert (row["rank_low"], row["rank_high"], row["missing"]) == (1, 2, 1)
    assert "| c | [0.4500, 0.9500] |" in written(CollectionsReport(comparison=bounded), "md")
    assert "| lacks |" in written(CollectionsReport(comparison=bounded), "md")
    assert "| lacks |" not in written(CollectionsReport(comparison=common), "md")
    holey = (Collection.from_scores("x", {"a": [1.0]}), Collection.from_scores("y", {"b": [1.0]}))
    with pytest.raises(InputError, match="no common part"):
        CollectionsComparison(given=holey, measures=("s",))


@pytest.mark.parametrize("make", [world, scored])
def test_a_run_with_holes_has_bounds_of_its_rank_among_intervals(make: Callable[..., CollectionsComparison]) -> None:
    """Its rank counts the runs whose intervals are apart from its bounds, for each question that has an answer."""
    whole = make(8, runs=4).given
    cut = (whole[0].of_runs(["r0", "r1", "r3"]), *whole[1:])
    found = CollectionsComparison(given=cut, measures=("AP",), holes="bounds")
    rows = {row["run"]: row for row in found.mean_table.named()}
    row = rows.pop("r2")
    for end in ("", "_beyond") if found.answers_here else ("_beyond",):
        above = sum(one[f"low{end}"] > row["high"] for one in rows.values())
        below = sum(one[f"high{end}"] < row["low"] for one in rows.values())
        assert (row[f"rank_low{end}"], row[f"rank_high{end}"]) == (1 + above, 4 - below)
    text = written(CollectionsReport(comparison=found), "md")
    assert f"| r2 | [{row['low']:.4f}, {row['high']:.4f}] | – |" in text
    assert f"{row[f'rank_low{end}']:.0f}–{row[f'rank_high{end}']:.0f}" in text


def test_means_of_scores_alone_need_no_pairs() -> None:
    """A leaderboard of hundreds of models has 50,000 pairs, which nobody pays for who asks for means."""
    board = scored(8)
    assert "Means over collections" in written(CollectionsReport(comparison=board, chosen=("means",)), "md")
    assert "pair_table" not in vars(board)


def test_a_forest_puts_the_better_run_first() -> None:
    """Unless there is a baseline, which is what the others are held against."""
    better, held = world(6).of_measure("AP"), world(6, bases=("r2",)).of_measure("AP")
    assert [name.split(": ")[1][:2] for name in forests(better)][:2] == ["r2", "r2"]
    assert [name[-2:] for name in forests(held)] == ["r2", "r2"]
    assert "+0.2" in "".join(next(iter(forests(better).values())).parts)


def test_several_baselines_are_corrected_together() -> None:
    """Every other run is held against each baseline, and nothing else."""
    found = world(6, runs=4, bases=("r0", "r1"))
    assert [*found.pair_table.rows("run", "other")] == [("r2", "r0"), ("r3", "r0"), ("r2", "r1"), ("r3", "r1")]
    judgments = {f"q{n}": {"a": 1} for n in range(6)}
    runs = {name: {q: {"a": 1.0, "b": float(n % 3)} for n, q in enumerate(judgments)} for name in "xyz"}
    assert [*compare(judgments, runs, "RR", baseline=["x", "z"]).pair_table.rows("run", "other")] == [
        ("y", "x"),
        ("y", "z"),
    ]
    with pytest.raises(ParameterError, match="fewer than all runs"):
        compare(judgments, runs, "RR", baseline=["x", "y", "z"])
    twice = compare({"one": (judgments, runs), "two": (judgments, runs)}, "RR", baseline=["x", "x"])
    assert [*twice.pair_table.rows("run", "other")] == [("y", "x"), ("z", "x")]


def mteb_folder(folder: Path, scores: dict[str, dict[str, list[float]]]) -> Path:
    """Write results as MTEB does: a file for each model and task, with subsets."""
    for model, tasks in scores.items():
        (folder / model / "rev").mkdir(parents=True)
        (folder / model / "rev" / "model_meta.json").write_text('{"name": "x"}')
        for task, subsets in tasks.items():
            entries = [{"main_score": one, "ndcg_at_10": one / 2, "hf_subset": "s"} for one in subsets]
            said = {"task_name": task, "scores": {"test": entries}}
            (folder / model / "rev" / f"{task}.json").write_text(json.dumps(said))
    return folder


def test_results_of_mteb_are_scores_alone(tmp_path: Path) -> None:
    """A task is a collection, a model a run; subsets are averaged; measures have MTEB's names or ours."""
    sources = read_board(mteb_folder(tmp_path, {"a__b": {"T": [0.2, 0.4]}, "c": {"T": [0.1]}}))
    assert [one.name for one in sources] == ["T"]
    found = sources[0].by_scores(["main_score", "nDCG@10"])
    assert found.runs == ("a/b", "c")
    assert found.scores == pytest.approx(np.array([[0.3, 0.1], [0.15, 0.05]]))
    with pytest.raises(UnknownNameError, match="map_at_5"):
        sources[0].by_scores(["AP@5"])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("x = 1", "the key 'x' is not known"),
        ("", "needs folder"),
        ("[collections.a]\nruns = 3\njudgments = 'q'", "runs must be a table"),
        ("[collections.a]\njudgments = 'q'", "needs judgments and runs"),
        ("[collections.a]\nweights = 1", "knows no key 'weights'"),
        ("[collections.a]\nweight = 'x'\njudgments = 'q'\nruns = ['r']", "weight must be a number"),
        ("[collections.a]\nweight = -1\njudgments = 'q'\nruns = ['r']", "0 or more; it is '-1'"),
        ("[collections.a]\ngroup = ['x']\njudgments = 'q'\nruns = ['r']", "group must be a text"),
        ("[collections", "valid TOML"),
        ("folder = 'nowhere'", "is no folder"),
    ],
)
def test_a_wrong_board_says_what_is_wrong(tmp_path: Path, text: str, wrong: str) -> None:
    """An error names the file and what was expected."""
    path = tmp_path / "board.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=wrong):
        read_board(path)


def test_a_folder_of_collections(tmp_path: Path) -> None:
    """BEIR's splits, plain files, compressed runs; two files of one run are an error."""
    for name in ("a", "b"):
        (tmp_path / name / "runs").mkdir(parents=True)
        (tmp_path / name / "runs" / "e5-v1.5.run.gz").touch()
    (tmp_path / "a" / "qrels").mkdir()
    for split in ("dev.tsv", "test.tsv"):
        (tmp_path / "a" / "qrels" / split).touch()
    (tmp_path / "b" / "qrels.txt").touch()
    sources = read_board(tmp_path)
    assert [(one.name, one.judgments and one.judgments.name, list(one.runs)) for one in sources] == [
        ("a", "test.tsv", ["e5-v1.5"]),
        ("b", "qrels.txt", ["e5-v1.5"]),
    ]
    (tmp_path / "board.toml").write_text("[collections.a]\njudgments = 'a/qrels'\nruns = ['a/runs/e5-v1.5.run.gz']")
    assert [one.judgments for one in read_board(tmp_path / "board.toml")] == [sources[0].judgments]
    (tmp_path / "b" / "runs" / "e5-v1.5.txt").touch()
    with pytest.raises(InputError, match="two files are the run"):
        read_board(tmp_path)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("collection,weight\na,heavy\n", "a: weight must be a number, 0 or more; it is 'heavy'"),
        ("collection,weight\na,1\nb,-3\n", "b: weight must be a number, 0 or more; it is '-3'"),
        ("collection,weight\na,\nb,1\n", "a: weight must be a number, 0 or more; it is missing"),
        ("collection,weight\na,1\na,2\n", "has the collection a twice"),
    ],
)
def test_a_wrong_table_of_weights_says_what_is_wrong(tmp_path: Path, text: str, wrong: str) -> None:
    """An error names the file and the collection."""
    path = tmp_path / "weights.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=wrong) as caught:
        read_weights(path)
    assert str(caught.value).startswith(str(path))


def test_bad_choices_are_errors() -> None:
    """Unknown weights, holes and baselines, weights without queries or groups, a test that nobody would make."""
    for wrong in ({"weights": "x"}, {"holes": "x"}, {"bases": ("nobody",)}):
        with pytest.raises(UnknownNameError):
            world(2, **wrong)
    bare = (Collection.from_scores("c", {"a": [0.1], "b": [0.2]}),)
    with pytest.raises(InputError, match="how many queries"):
        _ = CollectionsComparison(given=bare, measures=("s",), weights="queries").weight
    grouped = Collection.from_scores("d", {"a": [0.1], "b": [0.2]}, group="g")
    for given in (bare, (*bare, grouped)):
        with pytest.raises(InputError, match="the collection c has no group"):
            _ = CollectionsComparison(given=given, measures=("s",), weights="groups").weight
    runs = {"a": {"q": {"d": 1.0}}, "b": {"q": {"d": 1.0}}}
    for name, value in (("test", "sign"), ("correction", "bonferroni")):
        with pytest.raises(ParameterError, match=f"'{name}' parameter"):
            compare({"one": ({"q": {"d": 1}}, runs)}, "RR", **{name: value})
    with pytest.raises(ParameterError, match="measures"):
        compare({"q": {"d": 1}}, {"a": {}, "b": {}})
    with pytest.raises(ParameterError, match="at least two"):
        compare({"one": ({"q": {"d": 1}}, {})}, "RR")


@pytest.mark.parametrize(
    ("board", "shown", "hidden"),
    [
        (world(4), ["on these", "not yet", "4 collections cannot say"], ["one more"]),
        (world(8), ["on these", "on ones like these", "one more"], ["not yet"]),
        (scored(8), ["on ones like these", "no values by query"], ["| on these |", "not yet"]),
    ],
    ids=["few", "enough", "scores"],
)
def test_a_question_without_an_answer_has_no_column(
    board: CollectionsComparison, shown: list[str], hidden: list[str]
) -> None:
    """In every medium: too few collections say so, scores alone have no column for queries; charts have bars."""
    report = CollectionsReport(comparison=board)
    text, page, tex = (written(report, name) for name in ("md", "html", "tex"))
    assert all(words in text for words in shown)
    assert not [words for words in hidden if words in text]
    assert page.count("<svg") >= 5
    assert 'class="bar"' in page
    assert tex.count(r"\textbf") > len(board.collections)
    assert r"\textsuperscript" in tex
    assert "$" not in tex


def test_a_mean_does_not_depend_on_other_measures() -> None:
    """AUC is undefined where every document is relevant: such queries leave its mean, and nobody else's."""
    rng, boards = np.random.default_rng(0), {}
    for name in ("a", "b", "c"):
        judged = {f"q{q}": {f"d{d}": 1 if q < 6 else int(d % 2) for d in range(8)} for q in range(12)}
        runs = {run: {q: {d: float(rng.normal()) for d in found} for q, found in judged.items()} for run in ("x", "y")}
        boards[name] = judged, runs
    alone, both = compare(boards, "P@3"), compare(boards, ["AUC", "P@3"])
    assert list(both.mean_table.where("measure", "P@3")["mean"]) == pytest.approx(list(alone.mean_table["mean"]))
    expected = [np.mean([evaluate(*(one[0], one[1][run]), "AUC")["AUC"] for one in boards.values()]) for run in "xy"]
    assert list(both.mean_table.where("measure", "AUC")["mean"]) == pytest.approx(expected)
    assert list(both.influence_table["queries"]) == [6, 6, 6, 12, 12, 12]


def test_a_measure_without_a_mean_is_refused() -> None:
    """A geometric mean is no mean of values by query, over one collection or over many."""
    judged = {f"q{n}": {"a": 1} for n in range(4)}
    runs = {"x": {q: {"a": 1.0} for q in judged}, "y": {q: {"b": 1.0} for q in judged}}
    with pytest.raises(ParameterError, match="measures with a mean over queries"):
        compare({"one": (judged, runs), "two": (judged, runs)}, "GMAP")


def test_what_nobody_would_hear_is_refused() -> None:
    """Options of many collections over a single one, and weights of collections that are not there."""
    judged = {f"q{n}": {"a": 1} for n in range(4)}
    runs = {"x": {q: {"a": 1.0} for q in judged}, "y": {q: {"b": 1.0} for q in judged}}
    said: dict[str, Any]
    for said in ({"weights": "queries"}, {"groups": {"a": "b"}}, {"holes": "bounds"}):
        with pytest.raises(ParameterError, match="left out unless there are many collections"):
            compare(judged, runs, "RR", **said)
    boards = {"one": (judged, runs), "two": (judged, runs)}
    for said in ({"weights": {"one": 1, "two": 1, "twoo": 1}}, {"groups": {"twoo": "t"}}):
        with pytest.raises(UnknownNameError, match="no collection called 'twoo'"):
            compare(boards, "RR", **said)


def test_notes_say_how_values_were_made() -> None:
    """The dialect, a measure that its tool lacks, thresholds, and queries by collection, as under a single one."""
    judged = {f"q{n}": {"a": 2, "b": 0} for n in range(4)}
    full = {q: {"a": 2.0, "b": 1.0} for q in judged}
    runs = {"x": full, "y": {q: full[q] for q in ("q0", "q1", "q2")}}
    tied = {"x": full, "y": {q: {"a": 1.0, "b": 1.0} for q in judged}}
    boards = {"one": (judged, runs), "two": (judged, tied), "three": (judged, {"x": full, "y": full})}
    found = compare(boards, ["AP", "ERR@5"], dialect="trec_eval", rel=2)
    report = CollectionsReport(comparison=found)
    notes = dict(report.notes())
    assert notes["dialect"] == "trec_eval, changed: rel=2"
    assert notes["relevant"] == "a grade of 2 or more counts as relevant (AP)"
    assert notes["no tool"].startswith("the dialect trec_eval has no ERR@5")
    assert notes["queries"] == "those without a value in one of the runs do not count: 1 on one"
    assert notes["missing"].startswith("queries are judged but not in the run (one 1 of 4 (y)); ")
    assert notes["tied"].startswith("queries have tied scores (two 4 of 4 (y)); ")
    told = dict(report.warnings())
    assert told.keys() >= {"dialect", "no tool", "relevant", "queries", "missing", "tied"}
    assert "Dialect: trec\\_eval; a grade of 2 or more counts as relevant (AP)." in written(report, "tex")


def test_runs_that_never_differ_share_the_chance_to_be_best() -> None:
    """The same run twice: neither is the better one, whichever was given first."""
    rng = np.random.default_rng(3)
    given = []
    for place in range(7):
        values = rng.random((1, 20, 2))
        values = np.concatenate([values, values[:, :, :1]], axis=2)
        said = {"name": f"c{place}", "runs": ("a", "b", "again"), "scores": values.mean(axis=1), "values": values}
        given.append(Collection(**said, queries=tuple(map(str, range(20)))))
    table = CollectionsComparison(given=tuple(given), measures=("AP",)).mean_table
    for name in ("best", "best_beyond"):
        first, other, again = table[name]
        assert first == again > 0
        assert first + other + again == pytest.approx(1)


def test_a_single_query_is_named() -> None:
    """A collection with one query says nothing of others; the notes and the gate say which collection it is."""
    judged = {name: {f"q{n}": {"a": 1} for n in range(count)} for name, count in (("many", 8), ("lone", 1))}
    runs = {"x": {f"q{n}": {"a": 1.0} for n in range(8)}, "y": {f"q{n}": {"b": 2.0, "a": 1.0} for n in range(8)}}
    found = compare({name: (one, runs) for name, one in judged.items()}, "RR", baseline="x")
    notes = dict(CollectionsReport(comparison=found).notes())
    assert notes["here"].startswith("lone has a single query that counts, so that nothing is said of other queries")
    assert notes["spread"].endswith("with the luck of their queries")
    with pytest.raises(InputError, match="needs values of several queries on each collection, and lone has a single"):
        found.gate("RR")


def test_what_python_shows() -> None:
    """A line and a table of a notebook instead of all values, frames of pandas, and the text that -o writes."""
    board = world(8)
    assert repr(board).startswith("<CollectionsComparison of r0, r1, r2 on 8 collections: AP r1 − r0 ")
    assert len(repr(board)) < 250
    assert "on these collections; each collection has one vote" in board._repr_html_()
    assert "on collections like these" in scored(8)._repr_html_()
    assert "–" in scored(3)._repr_html_()
    assert len(board.to_pandas("scores")) == 8 * 3
    assert board.table("latex") == written(CollectionsReport(comparison=board), "tex")
    assert board.table("md", tables=["influence"]).count("## ") == 2
    with pytest.raises(UnknownNameError, match="table of a comparison"):
        board.table(tables=["segments"])


def test_a_format_that_lacks_a_table_is_refused(tmp_path: Path) -> None:
    """CSV holds one table, and JUnit's XML the verdicts of a gate, over many collections as over one."""
    scores = {run: {f"T{n}": [0.1 * n + place / 50] for n in range(7)} for place, run in enumerate("abc")}
    folder = str(mteb_folder(tmp_path, scores))
    for words, told in (
        (["--tables", "means,pairs", "-o", "csv"], "csv holds a single table"),
        (["-o", "junit"], "junit shows the verdicts of a gate, and there is none"),
    ):
        done = rankgauge(["compare", "--collections", folder, *words], tmp_path)
        assert (done.code > 0, done.out) == (True, "")
        assert told in done.err
    averages = rankgauge(["compare", "--collections", folder, "--tables", "averages", "-o", "csv"], tmp_path)
    assert averages.out.startswith("measure,run,mean")


def test_weights_that_have_no_effect_are_told() -> None:
    """A board may give weights that nobody asked for: a note names the option that uses them."""
    for weights, told in (("each", True), ("given", False)):
        notes = dict(CollectionsReport(comparison=world(7, weights=weights)).notes())
        assert ("the weights that collections were given count with --weights given" in notes["weights"]) is told
    assert "--weights given" not in dict(CollectionsReport(comparison=scored(7)).notes())["weights"]


def test_a_gate_looks_at_every_run() -> None:
    """With bounds a run that lacks a collection has no test, and a gate that passed without it would be a false one."""
    board = world(7, bases=("r0",))
    given = (board.given[0].of_runs(("r0", "r1")), *board.given[1:])
    assert replace(board, given=given).gate("AP").rows["run"] == ("r1", "r2")
    with pytest.raises(InputError, match="the gate would not look at r2, which lacks c0"):
        replace(board, given=given, holes="bounds").gate("AP")


@pytest.mark.parametrize("answered", [10, 100])
def test_a_gate_needs_no_queries_that_neither_run_answers(answered: int) -> None:
    """Judged queries that nobody searched for differ by 0; they make no loss small, on one collection or on all."""
    queries = [f"q{n}" for n in range(100)]
    judgments = {query: {"a": 1, "b": 0, "c": 0} for query in queries}
    old = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in queries[:answered]}
    new = {query: {"a": 2.0 - n % 2, "b": 3.0, "c": 1.5} for n, query in enumerate(queries[:answered])}
    board = compare({name: (judgments, {"old": old, "new": new}) for name in ("at", "de", "fr")}, "RR", baseline="old")
    gate = board.gate("RR:0.1")
    lacking = answered < len(queries)
    assert gate.verdict is (GateVerdict.UNDECIDED if lacking else GateVerdict.WORSE)
    assert set(gate.rows["reason"]) == set(gate.part_rows["reason"]) == {"not answered" if lacking else ""}
    assert ("neither run answers many of the judged queries" in gate_report.headline(gate)) is lacking
    trusting = replace(board, judged_rule=JudgedRule(least=0))
    assert set(trusting.gate("RR:0.1").rows["reason"]) == {""}
