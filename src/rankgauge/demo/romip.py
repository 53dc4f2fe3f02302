"""A small collection as ROMIP's seminars had them: four tracks, several assessors, several systems.

On purpose it has what the real ones have: assessors who disagree or cannot judge, queries with nothing relevant,
unjudged documents, systems that miss a query, documents in several categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from rankgauge.numeric import FloatArray

ASSESSORS: Mapping[str, tuple[float, float]] = {"анна": (0.0, 0.3), "борис": (-0.4, 0.5), "вера": (0.4, 0.6)}
"""Each assessor's bias, and the spread of their errors."""

SYSTEMS: Mapping[str, float] = {"alpha": 0.6, "beta": 1.2, "gamma": 2.5}
"""The spread of each system's errors."""

WORDS = ("notrelevant", "relevant-minus", "relevant-plus", "vital")
CANNOT = "cantbejudged"

POOL, OUTSIDE = 24, 6
"""How many documents of a query are judged, and how many more a system can find."""

CATEGORIES, DOCUMENTS = 8, 120
"""How many there are to classify by, and how many to classify."""

Judged = tuple[str, str, str]
"""A query, a document and the assessor's word."""
Listed = Mapping[str, tuple[str, ...]]
"""Documents by query or category, in their order."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RomipCollection:
    """The judgments and the systems' answers, track by track."""

    tables: Mapping[str, tuple[Judged, ...]]
    runs: Mapping[str, Listed]
    truth: Listed
    documents: tuple[str, ...]
    results: Mapping[str, Listed]
    annotations: Mapping[str, Mapping[str, tuple[Judged, ...]]]
    answers: Mapping[str, tuple[Judged, ...]]
    answer_runs: Mapping[str, Listed]


def generate_romip(*, rng: np.random.Generator, queries: int = 20) -> RomipCollection:
    """Make a collection of that many queries; the last has nothing relevant, and `beta` misses the second."""
    names = [f"arw{number}" for number in range(1, queries + 1)]
    worth = _worth(rng, queries, lean=0.2)
    tables = _tables(rng, names, worth)
    # Documents of none, one or several categories; each category has one.
    documents = tuple(f"doc{number}" for number in range(1, DOCUMENTS + 1))
    member = rng.random((CATEGORIES, DOCUMENTS)) < rng.uniform(0.03, 0.3, size=(CATEGORIES, 1))
    member[:, 0] = True
    truth = {f"cat{row}": tuple(np.array(documents)[marks]) for row, marks in enumerate(member, start=1)}
    questions = [f"qa{number}" for number in range(1, queries // 2 + 1)]
    answers = _worth(rng, len(questions), lean=-0.2)
    runs = _runs(rng, names, worth, depth=20)
    results: dict[str, Listed] = {}
    for system, off in SYSTEMS.items():  # the truth with a share of the decisions reversed, and an unjudged document
        chosen = {}
        for category, members in truth.items():
            marks = np.isin(documents, members) ^ (rng.random(DOCUMENTS) < off / 8)
            chosen[category] = (*np.array(documents)[marks], "stranger")
        results[system] = chosen
    annotations = {}
    for system, off in SYSTEMS.items():  # they resemble their documents more or less; two assessors judge them
        shown = worth[:, :POOL] + rng.normal(0.0, off, size=(queries, POOL))
        annotations[system] = {
            assessor: _words(rng, names, shown + rng.normal(0.0, unsteady, size=shown.shape))
            for assessor, (_, unsteady) in list(ASSESSORS.items())[:2]
        }
    return RomipCollection(
        tables=tables,
        runs=runs,
        truth=truth,
        documents=documents,
        results=results,
        annotations=annotations,
        answers=_tables(rng, questions, answers),
        answer_runs=_runs(rng, questions, answers, depth=10),
    )


def _worth(rng: np.random.Generator, queries: int, *, lean: float) -> FloatArray:
    """Return how relevant each document of each query really is."""
    worth = lean + rng.normal(0.0, 1.3, size=(queries, POOL + OUTSIDE)) + rng.normal(0.0, 0.5, size=(queries, 1))
    worth[-1] = -9.0
    return np.asarray(worth)


def _words(rng: np.random.Generator, names: list[str], felt: FloatArray) -> tuple[Judged, ...]:
    """Return an assessor's judgments of the pool; one in fifty says that it cannot be judged."""
    grades = np.clip(np.round(felt), 0, 3).astype(int)
    cannot = rng.random(felt.shape) < 0.02
    return tuple(
        (query, f"{query}-d{place:02d}", CANNOT if cannot[row, place] else WORDS[grades[row, place]])
        for row, query in enumerate(names)
        for place in range(POOL)
    )


def _tables(rng: np.random.Generator, names: list[str], worth: FloatArray) -> dict[str, tuple[Judged, ...]]:
    """Draw each assessor's judgments of the pool."""
    pool = worth[:, :POOL]
    return {
        assessor: _words(rng, names, pool + leaning + rng.normal(0.0, unsteady, size=pool.shape))
        for assessor, (leaning, unsteady) in ASSESSORS.items()
    }


def _runs(rng: np.random.Generator, names: list[str], worth: FloatArray, *, depth: int) -> dict[str, Listed]:
    """Return the best documents of each query by each system's scores."""
    runs: dict[str, Listed] = {}
    for system, off in SYSTEMS.items():
        order = np.argsort(-(worth + rng.normal(0.0, off, size=worth.shape)), axis=-1)[:, :depth]
        lists = {q: tuple(f"{q}-d{place:02d}" for place in row) for q, row in zip(names, order, strict=True)}
        runs[system] = {q: ranked for q, ranked in lists.items() if system != "beta" or q != names[1]}
    return runs


def write_romip(collection: RomipCollection, folder: Path) -> list[Path]:
    """Write the collection as XML into the folders search, classification, annotation and qa; return the paths.

    The files are in the spellings of several years: with a namespace as in runs of 2010 and without, in windows-1251
    and UTF-8, `<taskID>` inside lists, classifications of 2007, with documents that have no topic, and of 2008.
    """
    topics = {
        document: "".join(
            f"<topic>{escape(topic)}</topic>" for topic, held in collection.truth.items() if document in held
        )
        for document in collection.documents
    }
    classified = [f"<document name={quoteattr(name)}>{inside}</document>" for name, inside in topics.items()]
    space = 'xmlns:romip="http://www.romip.ru/data/adhoc" collectionId="BY.web" trackId="adhoc"'
    named = "<romip:run><romip:systemID>{0}</romip:systemID><romip:runID>{0}-1</romip:runID></romip:run>"
    content = {
        **_write_assessments("search/tables", collection.tables),
        **{
            f"search/runs/{name}.xml": _xml(
                "romip:taskresult", [named.format(escape(name)), *_doclists(lists, "taskID")], space
            )
            for name, lists in collection.runs.items()
        },
        "classification/truth.xml": _xml("result", classified),
        **{
            f"classification/results/{name}.xml": _xml("result", _doclists(lists, "topicID"))
            for name, lists in collection.results.items()
        },
        **_write_assessments("annotation/documents", collection.tables),
        **{
            path: text
            for name, tables in collection.annotations.items()
            for path, text in _write_assessments(f"annotation/annotations/{name}", tables).items()
        },
        **_write_assessments("qa/tables", collection.answers),
        **{
            f"qa/runs/{name}.xml": _xml("taskresult", _doclists(lists), encoding="windows-1251")
            for name, lists in collection.answer_runs.items()
        },
    }
    for name, text in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    return [folder / name for name in content]


def _write_assessments(place: str, tables: Mapping[str, tuple[Judged, ...]]) -> dict[str, bytes]:
    """Return a relevance table for each assessor, every other one in windows-1251."""
    content = {}
    for number, (assessor, rows) in enumerate(tables.items(), start=1):
        lines = []
        for query, judged in groupby(rows, key=lambda row: row[0]):
            documents = (f'<document id={quoteattr(document)} relevance="{word}"/>' for _, document, word in judged)
            lines += [f"<task id={quoteattr(query)}>", *documents, "</task>"]
        named, encoding = f"assessor={quoteattr(assessor)}", ("windows-1251", "UTF-8")[number % 2]
        content[f"{place}/assessor-{number}.xml"] = _xml("taskDocumentMatrix", lines, named, encoding=encoding)
    return content


def _doclists(lists: Listed, attribute: str = "") -> list[str]:
    """Write each list with its query or topic: in the attribute, or inside the list, as in runs of earlier years."""
    return [
        (f"<doclist {attribute}={quoteattr(name)}>" if attribute else f"<doclist><taskID>{escape(name)}</taskID>")
        + "".join(f"<docID>{escape(document)}</docID>" for document in documents)
        + "</doclist>"
        for name, documents in lists.items()
    ]


def _xml(root: str, parts: Iterable[str], attributes: str = "", *, encoding: str = "UTF-8") -> bytes:
    opening = f"<{root} {attributes}>" if attributes else f"<{root}>"
    lines = [f'<?xml version="1.0" encoding="{encoding}"?>', opening, *parts, f"</{root}>", ""]
    return "\n".join(lines).encode(encoding)
