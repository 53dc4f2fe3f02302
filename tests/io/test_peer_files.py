"""Files of other evaluation tools: ranx, pandas, BEIR, MTEB, MS MARCO, sample_eval, trec_eval.

pandas writes its files here. ranx wrote the same as below, but takes a minute to compile itself. BEIR's qrels and
results are those of its documentation (`query-id corpus-id score`; {query: {document: score}}), MTEB's predictions
those of mteb/abstasks/abstask.py (`_save_task_predictions`), sampled qrels those of NIST's sample_eval.pl, prels those
of the Million Query track, preferences those of trec_eval's get_prefs.c.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from rankgauge import evaluate, files
from rankgauge.errors import InputError
from rankgauge.files.reading import SAMPLED
from rankgauge.input_notes import collecting_notes

QRELS = {"q1": {"d1": 2, "d7": 0}, "q2": {"d3": 1}}
RUN = {"q1": {"d7": 1.5, "d1": 0.5}, "q2": {"d3": 0.25}}
JUDGED = [("q1", "d1", 2.0), ("q1", "d7", 0.0), ("q2", "d3", 1.0)]
RANKED = [("q1", "d7", 1.5), ("q1", "d1", 0.5), ("q2", "d3", 0.25)]


def written(folder: Path, text: str, name: str) -> Path:
    """A file with that text."""
    path = folder / name
    path.write_text(text)
    return path


def test_ranx_files(tmp_path: Path) -> None:
    """As `Qrels.save` and `Run.save` of ranx 0.3 write them: JSON, and Parquet under the ending .parq."""
    columns = ["q_id", "doc_id", "score"]
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS, indent=2))
    (tmp_path / "run.json").write_text(json.dumps(RUN, separators=(",", ":")))
    pd.DataFrame(JUDGED, columns=columns).to_parquet(tmp_path / "qrels.parq", index=False)
    pd.DataFrame(RANKED, columns=columns).to_parquet(tmp_path / "run.parq", index=False)
    for ending in ("json", "parq"):
        judged, run = tmp_path / f"qrels.{ending}", tmp_path / f"run.{ending}"
        assert files.read_judgments(judged).rows() == JUDGED
        assert files.read_run(run).rows() == RANKED
        assert evaluate(judged, run, "RR")["RR"] == (1 / 2 + 1) / 2


@pytest.mark.parametrize("orient", ["columns", "records", "index", "split", "table"])
@pytest.mark.parametrize("indent", [None, 2])
def test_frames_that_pandas_writes_as_json(tmp_path: Path, orient: str, indent: int | None) -> None:
    """In every shape that keeps the names of columns; PyTerrier's frames among them."""
    judged = pd.DataFrame(JUDGED, columns=["qid", "docno", "label"])
    run = pd.DataFrame(RANKED, columns=["qid", "docno", "score"]).assign(rank=[0, 1, 0], query="text")
    for name, frame in (("qrels", judged), ("run", run)):
        frame.to_json(tmp_path / f"{name}.json", orient=orient, indent=indent)
    assert files.read_judgments(tmp_path / "qrels.json").rows() == JUDGED
    assert files.read_run(tmp_path / "run.json").select("query", "document", "score").rows() == RANKED
    found = evaluate(tmp_path / "qrels.json", tmp_path / "run.json", "RR")["RR"]
    assert found == evaluate(judged, run, "RR")["RR"] == (1 / 2 + 1) / 2


def test_pandas_writes_json_lines_too(tmp_path: Path) -> None:
    """Into a file whose name does not say so."""
    pd.DataFrame(JUDGED, columns=["qid", "docno", "label"]).to_json(tmp_path / "q.json", orient="records", lines=True)
    assert files.read_judgments(tmp_path / "q.json").rows() == JUDGED
    assert files.read_table(tmp_path / "q.json").columns == ["qid", "docno", "label"]


def test_a_table_may_be_an_array(tmp_path: Path) -> None:
    """Where a table is asked for, as of a pool, both kinds of JSON are read."""
    path = written(tmp_path, json.dumps([{"query": "q", "document": "d", "title": "…"}], indent=1), "pool.json")
    assert files.read_table(path).rows() == [("q", "d", "…")]


def test_beir_files(tmp_path: Path) -> None:
    """Qrels as TSV and JSON lines, results as JSON."""
    rows = "".join(f"{query}\t{document}\t{grade:g}\n" for query, document, grade in JUDGED)
    table = written(tmp_path, f"query-id\tcorpus-id\tscore\n{rows}", "test.tsv")
    objects = [{"query-id": query, "corpus-id": document, "score": grade} for query, document, grade in JUDGED]
    lines = written(tmp_path, "\n".join(map(json.dumps, objects)), "test.jsonl")
    results = written(tmp_path, json.dumps(RUN), "results.json")
    for judged in (table, lines):
        assert files.read_judgments(judged).rows() == JUDGED
        assert evaluate(judged, results, "RR")["RR"] == (1 / 2 + 1) / 2


def test_mteb_predictions(tmp_path: Path) -> None:
    """The run of the only subset and split, or of the one that is asked for."""
    meta = {"mteb_model_meta": {"model_name": "m", "revision": "1"}}
    path = written(tmp_path, json.dumps({**meta, "default": {"test": RUN}}), "NFCorpus_predictions.json")
    assert files.read_run(path).rows() == RANKED
    path = written(tmp_path, json.dumps({**meta, "en": {"test": RUN}, "de": {"test": {"q1": {"d1": 1.0}}}}), "x.json")
    assert files.read_run(f"{path}#en/test").rows() == RANKED
    assert files.read_run(f"{path}#de").rows() == [("q1", "d1", 1.0)]
    with pytest.raises(InputError, match=r"holds 2 runs: en/test, de/test\n.*#en/test"):
        files.read_run(path)
    with pytest.raises(InputError, match="none is called fr"):
        files.read_run(f"{path}#fr")


def test_ms_marco_runs_have_no_header(tmp_path: Path) -> None:
    """Query, document and rank between tabs; every rank at most once for a query."""
    path = written(tmp_path, "3\t10\t1\n3\t11\t2\n4\t10\t1\n", "run.tsv")
    assert files.read_run(path).rows() == [("3", "10", -1.0), ("3", "11", -2.0), ("4", "10", -1.0)]
    assert [len(batch) for batch in files.stream_run(path, rows=1)] == [2, 1]
    for other in ("3\t10\t0\n3\t11\t2\n", "3\t10\t1\n3\t11\t1\n", "3 10 1\n3 11 2\n"):
        assert files.detect(written(tmp_path, other, "x.txt")).format.name != "msmarco"


def test_sampled_judgments(tmp_path: Path) -> None:
    """The grade is the last of sample_eval's five fields, and the third of the prels'; what was not drawn is none."""
    sampled = written(tmp_path, "1 0 d1 1 2\n1 0 d2 1 0\n1 0 d3 2 -1\n", "sampled.qrels")
    prels = written(tmp_path, "1 d1 2 1 0.5\n1 d2 0 2 1.0\n1 d3 -1 0 0.0\n", "prels.20001-60000")
    for path in (sampled, prels):
        assert files.detect(path).format.name == "prels"
        with collecting_notes() as notes:
            assert files.read_judgments(path).rows() == [("1", "d1", 2.0), ("1", "d2", 0.0)]
        assert notes == ([SAMPLED] if path == sampled else [])


@pytest.mark.parametrize("text", ["1 0 d1 s1 12\n1 0 d2 s1 0\n", "1 0 d1 1 0.5\n1 0 d2 1 -1\n1 0 d3 2 1.5\n"])
def test_strata_and_grades_of_any_kind(tmp_path: Path, text: str) -> None:
    """Strata may have names, and grades fractions."""
    assert files.detect(written(tmp_path, text, "sampled.txt")).format.name == "prels"


@pytest.mark.parametrize("line", ["1 d3 1 4 0.25", "1 d3 -999 1 0.25", "1 d3 1 1 NA"])
def test_prels_of_every_track(tmp_path: Path, line: str) -> None:
    """With a fourth method, without a grade, without a chance."""
    path = written(tmp_path, f"1 d1 2 1 0.5\n1 d2 0 2 1.0\n{line}\n", "prels.txt")
    assert files.detect(path).format.name == "prels"


def test_a_chance_above_one_is_told(tmp_path: Path) -> None:
    """Such a line makes the file no other: the document is named."""
    path = written(tmp_path, "1 d1 2 1 1.5\n1 d2 0 1 0.5\n1 d3 0 1 0.5\n", "prels.txt")
    with pytest.raises(InputError, match=r"prels\.txt: document d1 of query 1 has a probability of 1\.5"):
        evaluate(path, {"1": ["d1"]}, ["statAP"])


@pytest.mark.parametrize(
    "text", ["1 Q0 d1 1 2\n1 Q0 d2 1 0\n", "1 0 d1 1 2.5\n1 0 d2 2 1\n", "1 1 d1 1 2\n1 1 d2 2 1\n"]
)
def test_a_run_without_a_tag_stays_a_run(tmp_path: Path, text: str) -> None:
    """Q0, ranks that do not repeat, or scores with a point."""
    assert files.detect(written(tmp_path, text, "run.txt")).kind is files.Kind.RUN


@pytest.mark.parametrize("name", ["prefs.txt", "prefs.qrels"])
@pytest.mark.parametrize("text", ["1 1 A d1 2.0\n1 1 A d2 1.0\n", "1 1 1 101 2\n1 1 1 102 1\n1 1 2 101 1\n"])
def test_preferences_are_not_misread(tmp_path: Path, text: str, name: str) -> None:
    """Neither as a run nor as qrels."""
    path = written(tmp_path, text, name)
    with pytest.raises(InputError, match="which only measures of preferences use"):
        files.read_judgments(path)
    with pytest.raises(InputError, match="contains judgments"):
        files.read_run(path)


def test_preferences_in_a_circle_are_named(tmp_path: Path) -> None:
    """The error has the file, the query, the group and the documents; other groups and queries may say otherwise."""
    ann = "1 ann A a 2\n1 ann A b 1\n1 ann A c 1\n1 ann B b 3\n1 ann B d 1\n"
    fine = ann + "1 bob A b 2\n1 bob A a 1\n2 ann B d 2\n2 ann B a 1\n"
    assert len(evaluate(written(tmp_path, fine, "fine.txt"), {"1": ["a"]}, ["Prefs"]).matrix)
    path = written(tmp_path, fine + "1 ann C d 2\n1 ann C a 1\n", "prefs.txt")
    words = r"prefs\.txt: the preferences of group ann for query 1 contradict each other: (a|b|d) over .* over \1$"
    with pytest.raises(InputError, match=f"(?m){words}"):
        evaluate(path, {"1": ["a"]}, ["Prefs"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": {"b": [1]}}', r"unknown JSON layout\n.*\n.*Known layouts:\n.*elasticsearch: responses"),
        ('[{"title": "x"}]', "unknown JSON layout(.|\\n)*--format-run NAME or --format-judgments NAME"),
        ('{"q1": {"d1": 2}, "q2": {"d', r"is not valid JSON: Unterminated string(.|\n)*cut off"),
        ('{"q1": {"d1": 2, }}', r"file\.json:1: is not valid JSON"),
        ('{"q1": {"d1": 2}, "q2": {"d1": "x"}}', "unknown JSON layout"),
        ("[" * 100_000, "is JSON that is nested too deeply"),
    ],
)
def test_json_that_is_none_of_these(tmp_path: Path, text: str, problem: str) -> None:
    """One error: what is wrong with it, or what is known."""
    path = written(tmp_path, text, "file.json")
    for read in (files.read_run, files.read_judgments):
        with pytest.raises(InputError, match=problem):
            read(path)


def test_a_bad_number_in_json_is_named(tmp_path: Path) -> None:
    """By its query and document, as JSON has no lines."""
    rated = {"queries": [{"query": "q", "ratings": {"d1": "good"}}]}
    with pytest.raises(InputError, match=r"the grade 'good' is not a finite number\n  query q, document d1"):
        files.read_judgments(written(tmp_path, json.dumps(rated), "r.json"))


def test_named_runs_in_files_with_a_hash(tmp_path: Path) -> None:
    """A file whose name has a # is that file."""
    path = written(tmp_path, json.dumps(RUN), "run#1.json")
    assert files.read_run(path).rows() == RANKED


@pytest.mark.parametrize("second", ["Infinity", '{"q3": 4}', '{"q3": {"d1": "x"}}'])
def test_a_second_value_of_another_shape(tmp_path: Path, second: str) -> None:
    """Every JSON value of a ranx file is looked at, not only the first: the error names the one that does not fit."""
    path = tmp_path / "qrels.json"
    path.write_text('{"q1": {"d1": 2}}\n' + second + "\n")
    with pytest.raises(InputError, match="JSON value 2 is something else"):
        files.read_judgments(path, "ranx")
