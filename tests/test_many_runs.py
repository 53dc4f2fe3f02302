"""Several runs on the same judgments, in one call."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge import InputError, compare, evaluate, read_run
from rankgauge.demo import generate, write
from rankgauge.ranking.hits import Ranking
from rankgauge.ranking.scan import run as judged
from rankgauge.ranking.scan import scan, scan_judgments, scan_run

MEASURES = ["nDCG@10", "AP", "ERR@10"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The judgments, and six runs: a plain one, a packed one, one with ties, and others of several formats."""
    folder = tmp_path_factory.mktemp("many")
    write(generate(rng=np.random.default_rng(1)), folder)
    run = read_run(folder / "bm25.txt")
    for seed in range(3):
        noise = np.random.default_rng(seed).normal(size=len(run))
        rows = run.with_columns(score=pl.Series(noise)).sort("query", "score", descending=[False, True])
        lines = (
            f"{q} Q0 {d} {n} {s} t\n" for n, (q, d, s) in enumerate(rows.select("query", "document", "score").rows())
        )
        (folder / f"noise{seed}.txt").write_text("".join(lines))
    names = ("bm25.txt", "dense.txt.gz", "dense.jsonl", "noise0.txt", "noise1.txt", "noise2.txt")
    return {"qrels": folder / "qrels.txt", **{name: folder / name for name in names}}


def runs_of(files: dict[str, Path], *names: str) -> dict[str, Path]:
    """The runs by name."""
    return {name: files[name] for name in names or list(files)[1:]}


def test_one_result_per_run(files: dict[str, Path]) -> None:
    """Each run has the result that it has alone, in the order given, whatever its format."""
    runs = runs_of(files)
    results = evaluate(files["qrels"], dict(reversed(runs.items())), MEASURES)
    assert list(results) == list(reversed(runs))
    for name, run in runs.items():
        alone = evaluate(files["qrels"], run, MEASURES)
        assert results[name].by_query == alone.by_query
        assert results[name].summary.equals(alone.summary)


@pytest.mark.parametrize("dialect", ["standard", "trec_eval", "ranklib-2.8", "papers"])
def test_runs_that_are_scored_together(files: dict[str, Path], dialect: str) -> None:
    """More runs than are scored at once have the values that each has alone, under any rule for ties and ideals."""
    runs = {f"{name} {copy}": files[name] for copy in range(4) for name in ("noise0.txt", "bm25.txt", "noise1.txt")}
    for name, result in evaluate(files["qrels"], runs, MEASURES, dialect=dialect).items():
        assert result.by_query == evaluate(files["qrels"], runs[name], MEASURES, dialect=dialect).by_query


def test_runs_in_memory(files: dict[str, Path]) -> None:
    """Frames and dicts of dicts are runs too; a run {query: {document: score}} stays one run."""
    frame = read_run(files["bm25.txt"])
    nested: dict[str, dict[str, float]] = {}
    for query, document, score in frame.select("query", "document", "score").iter_rows():
        nested.setdefault(query, {})[document] = score
    one = evaluate(files["qrels"], nested, MEASURES)
    for runs in ({"a": frame, "b": frame}, {"a": nested, "b": nested}):
        results = evaluate(files["qrels"], runs, MEASURES)
        assert [results[name].metrics for name in ("a", "b")] == [one.metrics] * 2


def test_judgments_that_can_be_read_once(files: dict[str, Path]) -> None:
    """Rows that an iterator gives serve every run."""
    rows = [tuple(line.split()) for line in files["qrels"].read_text().splitlines()]
    given = iter([(query, document, float(grade)) for query, _, document, grade in rows])
    results = evaluate(given, runs_of(files, "bm25.txt", "noise0.txt"), MEASURES)
    expected = evaluate(files["qrels"], runs_of(files, "bm25.txt", "noise0.txt"), MEASURES)
    assert {name: result.metrics for name, result in results.items()} == {
        name: result.metrics for name, result in expected.items()
    }


@pytest.mark.parametrize(
    ("lines", "words"),
    [("x9 Q0 d1 1 2.0 t\n", "no query of the run is judged"), ("q01 Q0 d1 1 high t\n", "high")],
)
def test_an_error_names_its_file(files: dict[str, Path], tmp_path: Path, lines: str, words: str) -> None:
    """The one error is that of the first run in the order given that has one, and it names the file."""
    bad = tmp_path / "bad.txt"
    bad.write_text(lines)
    runs = {**runs_of(files, "bm25.txt", "noise0.txt"), "bad": bad, "worse": tmp_path / "bad.txt"}
    with pytest.raises(InputError, match=words) as caught:
        evaluate(files["qrels"], runs, MEASURES)
    assert str(bad) in str(caught.value)


def test_a_comparison_is_of_the_same_results(files: dict[str, Path]) -> None:
    """`compare` takes the same runs."""
    runs = runs_of(files, "bm25.txt", "dense.txt.gz")
    means = compare(files["qrels"], runs, MEASURES).means
    results = evaluate(files["qrels"], runs, MEASURES)
    expected = [results[name][measure] for measure in MEASURES for name in runs]
    assert means["mean"].to_list() == pytest.approx(expected, rel=1e-12)


def test_lookups_of_all_and_of_a_chunk(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgments that are too many for one lookup have one for each chunk, with the same hits."""
    how = Ranking()
    pool = scan_judgments(files["qrels"], how)
    assert pool is not None
    assert pool.whole is not None
    one = scan_run(files["noise0.txt"], pool, how)
    monkeypatch.setattr(judged, "SMALL", 0)
    other = scan(files["noise0.txt"], files["qrels"], how, chunk=2_000)
    assert one is not None
    assert other is not None
    for name in ("query", "rank", "grade", "first", "size", "retrieved"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("small", [0, 1 << 18])
def test_a_document_judged_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    """The scan leaves it to the general path, also for a query that the run does not answer."""
    monkeypatch.setattr(judged, "SMALL", small)
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n2 0 c 0\n2 0 b 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1.0 t\n1 Q0 x 2 0.5 t\n")
    assert scan(tmp_path / "run", tmp_path / "qrels", Ranking()) is None


@pytest.mark.parametrize("times", [2, 3])
def test_a_document_listed_twice(tmp_path: Path, times: int) -> None:
    """Neither judged nor unjudged documents may be listed twice for a query; for two queries they may."""
    rng = np.random.default_rng(times)
    (tmp_path / "qrels").write_text("1 0 d5 1\n2 0 d5 1\n")
    listed = [(query, f"d{n}") for query in "12" for n in rng.permutation(400)]
    for extra in ([], [("2", "d399")] * (times - 1), [("2", "d5")] * (times - 1)):
        lines = [f"{q} Q0 {d} 1 {-n} t\n" for n, (q, d) in enumerate([*listed, *extra])]
        (tmp_path / "run").write_text("".join(lines))
        assert (scan(tmp_path / "run", tmp_path / "qrels", Ranking()) is None) == bool(extra)
