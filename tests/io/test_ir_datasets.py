"""Judgments and runs from ir_datasets: the library itself, over files that are laid in place."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import ir_datasets
import pytest
from ir_datasets.formats import TrecQrels, TrecScoredDocs
from ir_datasets.util import LocalDownload

from rankgauge import compare, evaluate, read_judgments, read_run
from rankgauge.audit.tools import audit
from rankgauge.errors import InputError, MissingExtraError, UnknownNameError

QRELS = "1 0 a 2\n1 0 b 0\n2 0 a 1\n"
SCORED = "1 Q0 b 1 2.0 bm25\n1 Q0 a 2 1.0 bm25\n2 Q0 a 1 1.0 bm25\n"
RECIPROCAL = (1 / 2 + 1) / 2
"""The relevant document of query 1 is at rank 2, that of query 2 at rank 1."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Files with judgments and a run, which are data sets of the library's registry: small and small/judged."""
    found = tmp_path_factory.mktemp("small")
    (found / "qrels.txt").write_text(QRELS, encoding="utf-8")
    (found / "run.txt").write_text(SCORED, encoding="utf-8")
    qrels, scored = LocalDownload(found / "qrels.txt"), LocalDownload(found / "run.txt")
    known = ir_datasets.registry._registered
    ir_datasets.registry.register("small", ir_datasets.Dataset(TrecScoredDocs(scored)))
    ir_datasets.registry.register("small/judged", ir_datasets.Dataset(TrecQrels(qrels, {}), TrecScoredDocs(scored)))
    ir_datasets.registry.register("small/lost", ir_datasets.Dataset(TrecQrels(LocalDownload(found / "no.txt"), {})))
    yield found
    for name in ("small", "small/judged", "small/lost"):
        del known[name]


def test_ids(folder: Path) -> None:
    """irds: and an id are the judgments of that data set, its scoreddocs a run; files may be given beside them."""
    assert read_judgments("irds:small/judged").rows() == [("1", "a", 2.0), ("1", "b", 0.0), ("2", "a", 1.0)]
    assert read_run("irds:small").select("query", "document", "score").rows() == [
        ("1", "b", 2.0),
        ("1", "a", 1.0),
        ("2", "a", 1.0),
    ]
    assert evaluate("irds:small/judged", "irds:small", "RR")["RR"] == RECIPROCAL
    assert evaluate(Path("irds:small/judged"), folder / "run.txt", "RR")["RR"] == RECIPROCAL
    assert evaluate(folder / "qrels.txt", "irds:small", "RR")["RR"] == RECIPROCAL


def test_ids_may_be_spelled_differently(folder: Path) -> None:
    """What is said of ids holds for data sets too."""
    for judgments in ("irds:small/judged", ir_datasets.load("small/judged")):
        assert evaluate(judgments, {"01": {"A": 1}}, "RR", ids="number,casefold")["RR"] == 1 / 2
    assert evaluate({"01": {"A": 1}}, "irds:small", "RR", ids="number,casefold")["RR"] == 1 / 2


def test_objects(folder: Path) -> None:
    """The library's objects, and the iterators that they give, are judgments and runs, as often as they are needed."""
    dataset = ir_datasets.load("small/judged")
    made = ir_datasets.create_dataset(qrels_trec=str(folder / "qrels.txt"))
    assert evaluate(dataset, dataset, "RR")["RR"] == RECIPROCAL
    assert evaluate(made, folder / "run.txt", "RR")["RR"] == RECIPROCAL
    assert evaluate(made.qrels_iter(), dataset.scoreddocs_iter(), "RR")["RR"] == RECIPROCAL
    twice = compare(made.qrels_iter(), {"one": dataset, "other": dataset.scoreddocs_iter()}, "RR")
    assert [result["RR"] for result in twice.results.values()] == [RECIPROCAL, RECIPROCAL]
    assert audit(made.qrels_iter(), dataset.scoreddocs_iter(), "RR", dialects=["trec_eval"]).scores["run"].run.height


def test_runs_are_named_for_their_ids(folder: Path) -> None:
    """A run of the catalogue is shown under its id, a file under its name."""
    assert compare("irds:small/judged", ["irds:small/judged", folder / "run.txt"], "RR").runs == (
        "irds:small/judged",
        "run.txt",
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("irds:small", r"irds:small: has no judgments \(qrels\)\n  These have: irds:small/judged, irds:small/lost$"),
        ("irds:msmarco-passage", "has no judgments .*\n  These have: irds:msmarco-passage/.* …$"),
        ("irds:small/lost", "irds:small/lost: ir_datasets cannot give its judgments: .*no.txt"),
    ],
)
def test_what_cannot_be_had(source: str, problem: str) -> None:
    """A data set without judgments names those that have some; files that cannot be had are an error of the input."""
    with pytest.raises(InputError, match=problem):
        read_judgments(source)


def test_a_part_that_repeats_itself(tmp_path: Path) -> None:
    """What is wrong with the rows is said of the data set."""
    (tmp_path / "qrels.txt").write_text(QRELS + "1 0 a 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="data set of ir_datasets: row 4: document a of query 1 is judged twice"):
        evaluate(ir_datasets.create_dataset(qrels_trec=str(tmp_path / "qrels.txt")), {"1": {"a": 1}}, "RR")


def test_unknown_ids() -> None:
    """A wrong id suggests near ones, and one that is near none lists the collections."""
    with pytest.raises(UnknownNameError, match="Did you mean msmarco-passage/trec-dl-2019"):
        read_judgments("irds:msmarco-passage/trec-dl2019")
    with pytest.raises(UnknownNameError, match=r"Known: antique, .*, wikir"):
        read_judgments("irds:8")


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the library is not installed, the error names the command that installs it."""
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rankgauge\[irds\]'"):
        evaluate("irds:vaswani", {"1": {"a": 1}}, "RR")


VASWANI = "1\n  a   b\n   /\n2\n  c\n   /\n"
"""The judgments of the Vaswani collection as the library keeps them once they were downloaded."""


def program(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line with that home of the library, and no network: a proxy that refuses."""
    refusing = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    variables = {**os.environ, **refusing, "IR_DATASETS_HOME": str(home), "IR_DATASETS_DL_TRIES": "1"}
    command = [sys.executable, "-m", "rankgauge.cli", *arguments]
    return subprocess.run(command, env=variables, cwd=home, capture_output=True, text=True, encoding="utf-8")


def test_a_data_set_of_the_catalogue(tmp_path: Path) -> None:
    """On the command line an id may replace a file of judgments: here one that was downloaded before."""
    (tmp_path / "vaswani").mkdir()
    (tmp_path / "vaswani" / "qrels.txt").write_text(VASWANI, encoding="utf-8")
    (tmp_path / "run.txt").write_text("1 Q0 x 1 3 t\n1 Q0 b 2 2 t\n2 Q0 c 1 1 t\n", encoding="utf-8")
    done = program(tmp_path, "evaluate", "irds:vaswani", "run.txt", "-m", "RR,R@10", "-d", "trec_eval", "-o", "trec")
    assert done.returncode == 0, done.stderr
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["RR", "all", f"{(1 / 2 + 1) / 2:.4f}"],
        ["R@10", "all", f"{(1 / 2 + 1) / 2:.4f}"],
    ]


def test_a_failed_download(tmp_path: Path) -> None:
    """Without a network, a data set that was never downloaded is one error with the exit code of missing input."""
    (tmp_path / "run.txt").write_text(SCORED, encoding="utf-8")
    done = program(tmp_path, "evaluate", "irds:vaswani", "run.txt")
    assert done.returncode == InputError.exit_code
    assert "Traceback" not in done.stderr
    *_, problem, hint = done.stderr.splitlines()
    assert problem == "rankgauge: irds:vaswani: ir_datasets cannot give its judgments: All download sources failed"
    assert hint == f"  What it has downloaded is in {tmp_path} (IR_DATASETS_HOME)."
