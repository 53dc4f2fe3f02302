"""Whatever is written is read back the same, in every format and packing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rankgauge import files
from rankgauge.errors import InputError
from tests.examples import examples

anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
printable = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp", "Cn"]), min_size=1, max_size=6)
words = st.one_of(printable, st.sampled_from(['"', "a,b", "'", "#x", "é😀", "007", "1e5", "NA", "null", "nan", "<&>"]))
SUFFIXES = [".run", ".csv", ".tsv", ".jsonl", ".parquet", ".arrow"]
WIDE_SUFFIXES = [".csv", ".tsv", ".jsonl", ".parquet", ".arrow"]
quick = settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def tables(
    ids: st.SearchStrategy[str], numbers: st.SearchStrategy[float]
) -> st.SearchStrategy[dict[tuple[str, str], float]]:
    """Some documents of some queries, each with a number."""
    return st.dictionaries(st.tuples(ids, ids), numbers, min_size=1, max_size=8)


def frame(table: dict[tuple[str, str], float], number: str) -> pl.DataFrame:
    """The same as a frame."""
    rows = [(query, document, value) for (query, document), value in table.items()]
    schema = {"query": pl.String, "document": pl.String, number: pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def there_and_back(table: pl.DataFrame, suffix: str) -> pl.DataFrame:
    """The table after it was written and read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        if "grade" in table.columns:
            files.write_judgments(table, path)
            return files.read_judgments(path)
        files.write_run(table, path)
        return files.read_run(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
@quick
@given(table=tables(words, st.floats(allow_nan=False, allow_infinity=False)))
def test_runs_keep_ids_and_every_digit(suffix: str, table: dict[tuple[str, str], float]) -> None:
    """Scores come back to the last bit, ids with quotes, hashes and emoji as they were."""
    assume(suffix != ".run" or not any(query.startswith("#") or "\ufeff" in query + d for query, d in table))
    run = frame(table, "score")
    assert there_and_back(run, suffix).equals(run)


@pytest.mark.parametrize("suffix", [".qrels", ".letor", *WIDE_SUFFIXES])
@quick
@given(table=tables(words, st.one_of(st.integers(-3, 5).map(float), st.floats(-1e6, 1e6))))
def test_judgments_keep_ids_and_grades(suffix: str, table: dict[tuple[str, str], float]) -> None:
    """Whole grades are written without a point and others with every digit; both come back the same."""
    assume(suffix in WIDE_SUFFIXES or not any(q.startswith("#") or "\ufeff" in q + d for q, d in table))
    judgments = frame(table, "grade")
    assert there_and_back(judgments, suffix).equals(judgments)


@pytest.mark.parametrize("suffix", WIDE_SUFFIXES)
@quick
@given(table=tables(anything, st.floats(-10, 10)))
def test_formats_that_quote_hold_any_id(suffix: str, table: dict[tuple[str, str], float]) -> None:
    """White space, line ends and control characters survive, or the writer refuses them."""
    assume(not any("\0" in query + document for query, document in table))
    run = frame(table, "score")
    assert there_and_back(run, suffix).equals(run)


@pytest.mark.parametrize("suffix", [".xml"])
@quick
@given(table=tables(words, st.sampled_from([0.0, 1.0, 2.0, 3.0])))
def test_romip_keeps_ids_and_grades(suffix: str, table: dict[tuple[str, str], float]) -> None:
    """XML's own signs are escaped; the rows come back query by query."""
    judgments = frame(dict(sorted(table.items())), "grade")
    assert there_and_back(judgments, suffix).equals(judgments)


@quick
@given(lists=st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), min_size=1, max_size=5))
def test_yahoo_keeps_labels(lists: list[list[int]]) -> None:
    """Labels come back line by line."""
    rows = [(str(q), str(d), float(g)) for q, grades in enumerate(lists, 1) for d, g in enumerate(grades, 1)]
    judgments = pl.DataFrame(rows, schema=["query", "document", "grade"], orient="row")
    with tempfile.TemporaryDirectory() as folder:
        files.write_judgments(judgments, Path(folder) / "file.labels")
        assert files.read_judgments(Path(folder) / "file.labels", "yahoo").equals(judgments)


@pytest.mark.parametrize("suffix", [*WIDE_SUFFIXES, ""])
def test_assessors_are_kept_or_refused(tmp_path: Path, suffix: str) -> None:
    """A format that cannot name assessors refuses them; `trec-assessors` names them in the second field."""
    rows = [("q", "d", 1.0, "anna"), ("q", "d", 2.0, "ben")]
    judgments = pl.DataFrame(rows, schema=["query", "document", "grade", "assessor"], orient="row")
    path = tmp_path / f"j{suffix}"
    files.write_judgments(judgments, path, None if suffix else "trec-assessors")
    assert files.read_judgments(path, None if suffix else "trec-assessors").equals(judgments)
    with pytest.raises(InputError, match="cannot name the assessors"):
        files.write_judgments(judgments, tmp_path / "j.qrels")


@pytest.mark.parametrize("suffix", [".run", ".csv", ".parquet"])
def test_infinite_scores_are_kept(suffix: str) -> None:
    """A score of minus infinity, the logarithm of nothing, is a score."""
    run = frame({("q", "a"): float("inf"), ("q", "b"): float("-inf"), ("q", "c"): -0.0}, "score")
    assert there_and_back(run, suffix).equals(run)


def test_json_has_no_infinity(tmp_path: Path) -> None:
    """Instead of a null that would not read back, the writer refuses."""
    with pytest.raises(InputError, match="no infinite numbers"):
        files.write_run({"q": {"d": float("inf")}}, tmp_path / "r.jsonl")
