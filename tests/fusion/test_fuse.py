"""What every fusion keeps: each document once, falling scores, the same from files and from tables, ties shared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankgauge
from rankgauge.errors import InputError, InputWarning, ParameterError, UnknownNameError
from rankgauge.fusion import METHODS, Fusion, fuse, run_pool
from rankgauge.fusion.run_pool import spelled_words
from rankgauge.fusion.stack import _compare_documents, find_slots

pytestmark = pytest.mark.filterwarnings("ignore:the judgments were not used")  # every method gets them

Run = dict[str, dict[str, float]]


def random_runs(rng: np.random.Generator, *, runs: int = 3, queries: int = 30, ties: bool = False) -> dict[str, Run]:
    """Runs over a few documents; each lacks some queries."""
    made: dict[str, Run] = {}
    for number in range(runs):
        made[f"run{number}"] = run = {}
        for query in range(queries):
            listed = rng.choice(15, size=rng.integers(1, 13), replace=False)
            scores = rng.integers(1, 5, len(listed)) / 4 if ties else rng.choice(200, len(listed), replace=False) / 8
            if rng.random() < 0.9:
                run[f"q{query}"] = {f"doc{d}": float(s) for d, s in zip(listed, scores, strict=True)}
    return made


RUNS = random_runs(np.random.default_rng(11))
TIED = random_runs(np.random.default_rng(12), ties=True)
JUDGMENTS = {
    query: {f"doc{d}": int(grade) for d, grade in enumerate(np.random.default_rng(at).integers(0, 3, 15))}
    for at, query in enumerate(RUNS["run0"])
}


def fused(runs: Any, name: str, **settings: Any) -> dict[str, dict[str, float]]:
    """The fused run as a dict."""
    return fuse(runs, name, judgments=JUDGMENTS, **settings).to_dict()


@pytest.mark.parametrize("name", METHODS)
def test_every_document_once(name: str) -> None:
    """Each query of any run has each document of any run, by falling finite scores."""
    found = fused(RUNS, name)
    assert set(found) == {query for run in RUNS.values() for query in run}
    for query, scores in found.items():
        assert set(scores) == {document for run in RUNS.values() for document in run.get(query, {})}
        values = list(scores.values())
        assert np.isfinite(values).all()
        assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("name", METHODS)
def test_blocks_do_not_matter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fused one query at a time, the scores are the same."""
    whole = fused(TIED, name)
    monkeypatch.setattr(run_pool.RunPool.blocks, "__kwdefaults__", {"entries": 1})
    assert fused(TIED, name) == whole


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"condorcet", "weighted-condorcet"}))
def test_ties_are_shared(name: str) -> None:
    """The order in which a run lists tied documents changes nothing, unless that is asked for."""
    turned = {run: {q: dict(reversed(d.items())) for q, d in lists.items()} for run, lists in TIED.items()}
    assert fused(turned, name) == {q: pytest.approx(d, rel=1e-9) for q, d in fused(TIED, name).items()}
    if name in ("rrf", "borda", "posfuse"):
        assert fused(turned, name, ties="input") != fused(TIED, name, ties="input")


@pytest.mark.parametrize("name", METHODS)
def test_the_best_of_all_runs_stays_first(name: str) -> None:
    """A document that all runs have first, with the highest score, is first, and no other is above it."""
    if name in ("combmin", "combanz", "combmed"):
        pytest.skip("a mean, a median or a minimum favours documents that few runs list")
    runs = {run: {q: {"top": 99.0, **d} for q, d in lists.items()} for run, lists in RUNS.items()}
    judgments = {query: {"top": 1} for query in JUDGMENTS}
    for scores in fuse(runs, name, judgments=judgments).to_dict().values():
        assert scores["top"] == max(scores.values())


def written(folder: Path, runs: dict[str, Run], *, ragged: bool = False) -> dict[str, Path]:
    """The runs as TREC files; those that are not regular take the general path."""
    paths = {}
    for name, run in runs.items():
        gap = "  " if ragged else " "
        lines = [f"{q}{gap}Q0 {d} 1 {s!r} {name}" for q, lists in run.items() for d, s in lists.items()]
        paths[name] = folder / f"{name}.txt"
        paths[name].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


@pytest.mark.parametrize("ragged", [False, True], ids=["scanned", "read"])
def test_files_are_as_dicts(tmp_path: Path, ragged: bool) -> None:
    """Files, scanned or read, give the same as dicts, to the last bit, tied documents in the same order."""
    expected = fuse(TIED, "combmnz")
    found = fuse(written(tmp_path, TIED, ragged=ragged), "combmnz")
    assert (found.pool.spelled is spelled_words) is not ragged
    assert [*found.frame.iter_rows()] == [*expected.frame.iter_rows()]


def test_ids_of_any_length(tmp_path: Path) -> None:
    """Ids of more than one word are told apart by all their words."""
    long = {
        name: {q: {f"a-rather-long-{d}-id": s for d, s in lists.items()} for q, lists in run.items()}
        for name, run in RUNS.items()
    }
    expected = {q: {f"a-rather-long-{d}-id": s for d, s in lists.items()} for q, lists in fused(RUNS, "rrf").items()}
    assert fuse(written(tmp_path, long), "rrf").to_dict() == expected


def test_hashes_do_not_decide() -> None:
    """Documents are the same by their words, and the slots by hashes are those of a plain comparison."""
    rng = np.random.default_rng(3)
    documents, lengths = rng.integers(0, 40, (300, 2)).astype(np.uint64), np.array([100, 0, 150, 50])
    slot, place, opens = find_slots(documents, lengths)
    other, begins = _compare_documents(documents, lengths)
    assert opens.sum() == begins.sum()
    query = np.repeat(np.arange(4), lengths)
    same = {(int(q), *map(int, row)): int(number) for q, row, number in zip(query, documents, slot, strict=True)}
    assert len(same) == opens.sum() == len(set(same.values()))
    assert sorted(place[opens].tolist()) == sorted(other[begins].tolist())


def test_the_written_run(tmp_path: Path) -> None:
    """A fused run is written in any format that runs have, and read back as it was."""
    found = fuse(RUNS, "rrf", depth=3)
    assert found.frame.group_by("query").len()["len"].max() == 3
    for name in ("fused.txt", "fused.csv", "fused.jsonl", "fused.txt.gz"):
        found.write(tmp_path / name)
        again = rankgauge.read_run(tmp_path / name)
        assert [*again.select("query", "document", "score").iter_rows()] == [*found.frame.iter_rows()]


def test_names_of_ranx() -> None:
    """ranx's names for methods and normalisations are known too."""
    found = fuse(RUNS, "wsum", norm="zmuv")
    assert isinstance(found, Fusion)
    assert (found.method.name, found.plan.norm.name) == ("weighted-sum", "z-score")


@pytest.mark.parametrize(
    ("runs", "settings", "error", "words"),
    [
        ({"a": RUNS["run0"]}, {}, ParameterError, "at least two"),
        ({"a": {"x": {"d": 1.0}}, "b": {"y": {"d": 1.0}}}, {}, InputError, "has no query in common"),
        (RUNS, {"method": "rff"}, UnknownNameError, "Did you mean rrf"),
        (RUNS, {"method": "rrf", "depth": 0}, ParameterError, "depth"),
        (RUNS, {"method": "rrf", "k": -1}, ParameterError, "0 or more"),
        (RUNS, {"method": "rrf", "sigma": 1}, UnknownNameError, "parameter of rrf"),
        (RUNS, {"method": "rrf", "weights": [1, 2, 3]}, ParameterError, "only mixed, weighted-borda"),
        (RUNS, {"method": "weighted-sum", "weights": [1, 2]}, ParameterError, "one for each of the 3 runs"),
        (RUNS, {"method": "weighted-sum", "weights": [1, 2, -1]}, ParameterError, "0 or more"),
        (RUNS, {"method": "posfuse", "judgments": None}, ParameterError, "learns from judged queries"),
        (RUNS, {"method": "posfuse", "judgments": {"other": {"d": 1}}}, InputError, "no query of the runs is judged"),
        (RUNS, {"method": "combsum", "norm": "minmix"}, UnknownNameError, "Did you mean min-max"),
        ({"a": {"x": {"d": np.inf}}, "b": {"x": {"d": 1.0}}}, {"method": "combsum"}, InputError, "a score of inf"),
        (
            {"a": {"x": {"d": 1.0}, "y": {"d": 1e308, "e": -1e308}}, "b": {"x": {"d": 1.0}}},
            {"method": "combsum", "norm": "z-score"},
            InputError,
            r"a: the list of query y has a score of 1e\+308, which is too large",
        ),
        (RUNS, {"norm": "sum"}, ParameterError, "without --method or --weights, runs are fused by rrf"),
        (RUNS, {"method": "mapfuse", "judgments": JUDGMENTS, "rel": 3}, InputError, "mapfuse has nothing to learn"),
        (RUNS, {"ties": "docid"}, ParameterError, "expected or input"),
        (RUNS, {"method": "segfuse", "norm": "borda", "judgments": JUDGMENTS}, ParameterError, "needs ranks"),
        (
            {"a": {"x": {"d": 1.0}}, "b": {"z": {"d": 2.0}, "x": {"d": -1.0}}},
            {"method": "combsum", "norm": "max"},
            InputError,
            "b: the list of query x has -1 as its highest score",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(runs: Any, settings: dict[str, Any], error: type[Exception], words: str) -> None:
    """A wrong name or value is one clear error."""
    with pytest.raises(error, match=words):
        fuse(runs, **settings)


def test_a_document_listed_twice(tmp_path: Path) -> None:
    """A document that a file lists twice is an error at its line."""
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("q Q0 a 1 2.0 x\nq Q0 b 2 1.0 x\nq Q0 a 3 0.5 x\n", encoding="utf-8")
    two.write_text("q Q0 a 1 2.0 x\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"one.txt:3: the run lists document a more than once for query q"):
        fuse([one, two])


def test_judgments_that_are_not_used_are_named() -> None:
    """A method that does not learn passes over judgments, and says so."""
    with pytest.warns(InputWarning, match="the judgments were not used: combsum does not learn"):
        fuse([{"q": {"a": 1.0}}, {"q": {"b": 1.0}}], "combsum", judgments=JUDGMENTS)
