"""Every reader of files, with a small sound file for each: what fuzzing begins with."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import polars as pl

from rankgauge import files
from rankgauge.demo import FILES, generate
from rankgauge.demo.collection import generate_pool
from rankgauge.demo.romip import generate_romip, write_romip
from rankgauge.files.format import FORMATS, MAGIC
from rankgauge.files.formats.letor import read_features
from rankgauge.files.formats.romip import read_classification
from rankgauge.files.source import Source
from rankgauge.files.spans import Chunks
from rankgauge.labelling.label_format import read_labels
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import Ranking
from rankgauge.ranking.scan import scan
from rankgauge.romip.relevance_tables import read_tables
from rankgauge.romip.tracks import read_truth
from rankgauge.training import LambdaMART, load

SMALL = 4


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A reader, and a sound file that it reads."""

    read: Callable[[Path], Any]
    sound: bytes
    name: str
    """The file's name: endings matter to some."""


@cache
def _files() -> dict[str, bytes]:
    collection = generate(rng=np.random.default_rng(0), queries=SMALL)
    return {name: content(collection).encode() for name, (_, content) in FILES.items()}


def _written(name: str, write: Callable[[Any, Path], None], table: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(table, path)
        return path.read_bytes()


@cache
def readers() -> dict[str, Reader]:
    """Every reader by a name that says what it reads."""
    # Some formats keep no ids: they count from 1.
    ids = {"query": ["1", "1", "1", "2", "2"], "document": ["1", "2", "3", "1", "2"]}
    judgments, run = (
        pl.DataFrame({**ids, "grade": [2.0, 0, 1, 0, 1]}),
        pl.DataFrame({**ids, "score": [3.0, 2, 1, 9, 8]}),
    )
    found: dict[str, Reader] = {}
    for form in FORMATS.values():
        name = f"file{form.suffixes[0] if form.suffixes else '.txt'}"
        if form.read_judgments and form.write_judgments:
            sound = _written(name, lambda t, p, f=form: files.write_judgments(t, p, f.name), judgments)
            read = lambda path, f=form: files.read_judgments(path, f.name)  # noqa: E731
            found[f"{form.name} judgments"] = Reader(read=read, sound=sound, name=name)
        if form.read_run and form.write_run:
            sound = _written(name, lambda t, p, f=form: files.write_run(t, p, f.name), run)
            read = lambda path, f=form: files.read_run(path, f.name)  # noqa: E731
            found[f"{form.name} run"] = Reader(read=read, sound=sound, name=name)
        for example in form.samples:
            head = files.Head(source=Source(name="file.json", path=None, content=example.text.encode()))
            for kind in form.recognise(head) if form.sureness > MAGIC else (example.kind,):
                reader = files.read_judgments if kind is files.Kind.JUDGMENTS else files.read_run
                read = lambda path, f=form, r=reader: r(path, f.name)  # noqa: E731
                key = f"{form.name} {'judgments' if kind is files.Kind.JUDGMENTS else 'run'}"
                known = [one for one in found if one.startswith(key) and found[one].name == "file.json"]
                key += f": {example.title}" if known else ""
                found[key] = Reader(read=read, sound=example.text.encode(), name="file.json")
    found["xlsx judgments"] = Reader(read=files.read_judgments, sound=_workbook("grade"), name="file.xlsx")
    found["xlsx run"] = Reader(read=files.read_run, sound=_workbook("score"), name="file.xlsx")
    found["prefs judgments"] = Reader(
        read=lambda path: files.read_judgments(path, "prefs", kind=JudgmentKind.PREFERENCES),
        sound=b"1 ann A d1 2\n1 ann A d2 1\n1 ben A d2 1.5\n",
        name="file.prefs",
    )
    rows = {
        "user_input": ["q1", "q2"],
        "retrieved_context_ids": [["d1", "d2"], []],
        "reference_context_ids": [["d1"]] * 2,
    }
    frame = {"user_id": ["q1", "q1"], "item_id": ["d1", "d2"], "target": [1, 0], "prediction": [0.5, 0.25]}
    for name, columns in (("ragas", rows), ("evidently", frame)):
        sound = _written("file.parquet", lambda table, path: table.write_parquet(path), pl.DataFrame(columns))
        for kind, reader in (("judgments", files.read_judgments), ("run", files.read_run)):
            read = lambda path, n=name, r=reader: r(path, n)  # noqa: E731
            found[f"{name} {kind} in Parquet"] = Reader(read=read, sound=sound, name="file.parquet")
    found["any judgments"] = Reader(read=files.read_judgments, sound=_files()["qrels.txt"], name="file")
    found["any run"] = Reader(read=files.read_run, sound=_files()["bm25.txt"], name="file")
    found["any JSON"] = Reader(
        read=files.read_run, sound=FORMATS["elasticsearch"].samples[1].text.encode(), name="file"
    )
    found["streamed run"] = Reader(
        read=lambda path: list(files.stream_run(path, rows=50)), sound=_files()["bm25.txt"], name="file.txt"
    )
    found["features"] = Reader(
        read=lambda path: read_features(Source.of(path)), sound=_files()["test.txt"], name="file.txt"
    )
    found["labels"] = Reader(
        read=lambda path: read_labels(path, assessor="ann"),
        sound=b"query,document,grade,assessor\nq1,d1,2,ann\nq1,d2,0,bob\n",
        name="labels.csv",
    )
    tasks = [{"data": {"query": "q", "document": "d"}, "annotations": [{"result": [{"value": {"choices": ["2"]}}]}]}]
    found["label studio"] = Reader(
        read=lambda path: read_labels(path, assessor="ann"),
        sound=json.dumps(tasks).encode(),
        name="labels.json",
    )
    pool = generate_pool(rng=np.random.default_rng(0), queries=2, documents=3)
    found["pool"] = Reader(read=files.read_table, sound=pool.write_csv().encode(), name="pool.csv")
    found["chunks"] = Reader(read=Chunks.parse, sound=b"chunk,document\nd1-1,d1\nd1-2,d1\nd2-1,d2\n", name="chunks.csv")
    marked = pl.DataFrame({"query": ["q1"], "document": ["k2:100-160"], "grade": [1.0]})
    found["spans"] = Reader(
        read=lambda path: files.read_run(path, spans="share=0.5", judged=marked),
        sound=b"query,document,start,end,score\nq1,k2,0,150,2\nq1,k2,150,300,1\n",
        name="spans.csv",
    )
    found["letor pair"] = Reader(read=_pair, sound=_files()["test.txt"], name="file.txt")
    found["scanned run"] = Reader(read=_scanned, sound=_files()["bm25.txt"], name="file.txt")
    found["ranker"] = Reader(read=load, sound=_ranker(), name="model.json")
    for kind, file, read in ROMIP:
        found[f"romip {kind}"] = Reader(read=read, sound=_romip()[file], name="file.xml")
    return found


ROMIP: tuple[tuple[str, str, Callable[[Path], Any]], ...] = (
    ("tables", "search/tables/assessor-1.xml", read_tables),
    ("truth", "classification/truth.xml", read_truth),
    ("classification", "classification/results/alpha.xml", read_classification),
)
"""What of ROMIP's tracks is no format of judgments and runs: its kind, a file of the example, its reader."""


def _workbook(number: str) -> bytes:
    book = openpyxl.Workbook()
    for row in (("query", "document", number), ("q1", "d1", 2), ("q1", 7, 0)):
        book.active.append(row)
    return _written("file.xlsx", lambda made, path: made.save(path), book)


@cache
def _romip() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        made = generate_romip(rng=np.random.default_rng(0), queries=SMALL)
        return {str(path.relative_to(folder)): path.read_bytes() for path in write_romip(made, Path(folder))}


def _ranker() -> bytes:
    rng = np.random.default_rng(0)
    matrix, grades, queries = rng.random((12, 2)), rng.integers(0, 3, 12), np.repeat([1, 2, 3], 4)
    return _written("model.json", lambda r, p: r.save(p), LambdaMART(trees=2).fit(matrix, grades, qid=queries))


def _pair(path: Path) -> Any:
    """The file as a test set, with as many scores as a sound one has lines."""
    scores = path.with_suffix(".scores")
    scores.write_bytes(_files()["scores.txt"])
    return files.read_pair(path, scores)


def _scanned(path: Path) -> Any:
    """The run through the scanner of bytes where its form allows that, else through the careful reader."""
    qrels = path.with_suffix(".qrels")
    qrels.write_bytes(_files()["qrels.txt"])
    return scan(path, qrels, Ranking()) or files.read_pair(qrels, path)
