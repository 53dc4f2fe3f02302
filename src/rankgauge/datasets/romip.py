"""A small collection as ROMIP's seminars had them: four tracks, several assessors, several systems.

It has on purpose what the real ones have: assessors who disagree or cannot judge, queries with nothing relevant,
documents that nobody judged, systems that miss a query, documents of several categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from rankgauge.numeric import FloatArray

__all__ = ["Judged", "Listed", "RomipCollection", "generate_romip", "write_romip"]

ASSESSORS: Mapping[str, tuple[float, float]] = {"анна": (0.0, 0.3), "борис": (-0.4, 0.5), "вера": (0.4, 0.6)}
"""Each assessor's leaning and how unsteady the hand is."""

SYSTEMS: Mapping[str, float] = {"alpha": 0.6, "beta": 1.2, "gamma": 2.5}
"""How far each system's scores are off."""

WORDS = ("notrelevant", "relevant-minus", "relevant-plus", "vital")
CANNOT = "cantbejudged"

POOL, OUTSIDE = 24, 6
"""How many documents of a query were judged, and how many more a system can find."""

Judged = tuple[str, str, str]
"""A query, a document and the assessor's word."""
Listed = Mapping[str, tuple[str, ...]]
"""Documents by query or category, in their order."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RomipCollection:
    """What assessors said and systems answered, track by track."""

    tables: Mapping[str, tuple[Judged, ...]]
    runs: Mapping[str, Listed]
    truth: Listed
    documents: tuple[str, ...]
    results: Mapping[str, Listed]
    annotations: Mapping[str, Mapping[str, tuple[Judged, ...]]]
    answers: Mapping[str, tuple[Judged, ...]]
    answer_runs: Mapping[str, Listed]


def generate_romip(*, rng: np.random.Generator, queries: int = 20) -> RomipCollection:
    """A collection of that many queries; the last has nothing relevant, and `beta` misses the second."""
    names = [f"arw{number}" for number in range(1, queries + 1)]
    worth = _worth(rng, queries, lean=0.2)
    tables = _tables(rng, names, worth)
    truth, documents = _truth(rng)
    questions = [f"qa{number}" for number in range(1, queries // 2 + 1)]
    answers = _worth(rng, len(questions), lean=-0.2)
    return RomipCollection(
        tables=tables,
        runs=_runs(rng, names, worth, depth=20),
        truth=truth,
        documents=documents,
        results={system: _result(rng, truth, documents, off / 8) for system, off in SYSTEMS.items()},
        annotations={system: _annotations(rng, names, worth, off) for system, off in SYSTEMS.items()},
        answers=_tables(rng, questions, answers),
        answer_runs=_runs(rng, questions, answers, depth=10),
    )


def _worth(rng: np.random.Generator, queries: int, *, lean: float) -> FloatArray:
    """What each document of each query is worth to somebody who asks."""
    worth = lean + rng.normal(0.0, 1.3, size=(queries, POOL + OUTSIDE)) + rng.normal(0.0, 0.5, size=(queries, 1))
    worth[-1] = -9.0
    return np.asarray(worth)


def _document(query: str, place: int) -> str:
    return f"{query}-d{place:02d}"


def _words(rng: np.random.Generator, names: list[str], felt: FloatArray) -> tuple[Judged, ...]:
    """An assessor's words for the pool; one in fifty cannot be judged."""
    grades = np.clip(np.round(felt), 0, 3).astype(int)
    cannot = rng.random(felt.shape) < 0.02
    return tuple(
        (query, _document(query, place), CANNOT if cannot[row, place] else WORDS[grades[row, place]])
        for row, query in enumerate(names)
        for place in range(POOL)
    )


def _tables(rng: np.random.Generator, names: list[str], worth: FloatArray) -> dict[str, tuple[Judged, ...]]:
    pool = worth[:, :POOL]
    return {
        assessor: _words(rng, names, pool + leaning + rng.normal(0.0, unsteady, size=pool.shape))
        for assessor, (leaning, unsteady) in ASSESSORS.items()
    }


def _runs(rng: np.random.Generator, names: list[str], worth: FloatArray, *, depth: int) -> dict[str, Listed]:
    """The best documents of each query as each system sees them."""
    runs: dict[str, Listed] = {}
    for system, off in SYSTEMS.items():
        order = np.argsort(-(worth + rng.normal(0.0, off, size=worth.shape)), axis=-1)[:, :depth]
        lists = {q: tuple(_document(q, place) for place in row) for q, row in zip(names, order, strict=True)}
        runs[system] = {q: found for q, found in lists.items() if system != "beta" or q != names[1]}
    return runs


def _truth(rng: np.random.Generator, categories: int = 8, documents: int = 120) -> tuple[Listed, tuple[str, ...]]:
    """Documents of none, one or several categories."""
    names = tuple(f"doc{number}" for number in range(1, documents + 1))
    member = rng.random((categories, documents)) < rng.uniform(0.03, 0.3, size=(categories, 1))
    member[:, 0] = True  # each category has a document
    return {f"cat{row}": tuple(np.array(names)[marks]) for row, marks in enumerate(member, start=1)}, names


def _result(rng: np.random.Generator, truth: Listed, documents: tuple[str, ...], wrong: float) -> Listed:
    """The truth with so many decisions turned round, and a document that nobody judged."""
    found = {}
    for category, members in truth.items():
        marks = np.isin(documents, members) ^ (rng.random(len(documents)) < wrong)
        found[category] = (*np.array(documents)[marks], "stranger")
    return found


def _annotations(
    rng: np.random.Generator, names: list[str], worth: FloatArray, off: float
) -> dict[str, tuple[Judged, ...]]:
    """What assessors said of a system's annotations: they look more or less like their documents."""
    shown = worth[:, :POOL] + rng.normal(0.0, off, size=(len(names), POOL))
    return {
        assessor: _words(rng, names, shown + rng.normal(0.0, unsteady, size=shown.shape))
        for assessor, (_, unsteady) in list(ASSESSORS.items())[:2]
    }


def write_romip(collection: RomipCollection, folder: Path) -> list[Path]:
    """Writes the collection as XML into the folders search, classification, annotation and qa; gives the paths.

    The files are in the spellings of several years: with and without namespaces, in windows-1251 and UTF-8, `<taskID>`
    inside of lists, classifications of 2007 and 2008.
    """
    content = {
        **_assessed("search/tables", collection.tables),
        **{f"search/runs/{name}.xml": _xml_run(name, lists) for name, lists in collection.runs.items()},
        "classification/truth.xml": _by_document(collection.truth, collection.documents),
        **{f"classification/results/{name}.xml": _by_topic(lists) for name, lists in collection.results.items()},
        **_assessed("annotation/documents", collection.tables),
        **{
            path: text
            for name, tables in collection.annotations.items()
            for path, text in _assessed(f"annotation/annotations/{name}", tables).items()
        },
        **_assessed("qa/tables", collection.answers),
        **{f"qa/runs/{name}.xml": _older_run(lists) for name, lists in collection.answer_runs.items()},
    }
    for name, text in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    return [folder / name for name in content]


def _assessed(place: str, tables: Mapping[str, tuple[Judged, ...]]) -> dict[str, bytes]:
    """A relevance table for each assessor, every other one in windows-1251."""
    encodings = ("windows-1251", "UTF-8")
    return {
        f"{place}/assessor-{number}.xml": _matrix(rows, assessor, encodings[number % 2])
        for number, (assessor, rows) in enumerate(tables.items(), start=1)
    }


def _matrix(rows: Iterable[Judged], assessor: str, encoding: str) -> bytes:
    parts = [_head(encoding), f"<taskDocumentMatrix assessor={quoteattr(assessor)}>"]
    for query, judged in groupby(rows, key=lambda row: row[0]):
        parts.append(f"<task id={quoteattr(query)}>")
        parts += [f'<document id={quoteattr(document)} relevance="{word}"/>' for _, document, word in judged]
        parts.append("</task>")
    return _encoded([*parts, "</taskDocumentMatrix>"], encoding)


def _xml_run(system: str, lists: Listed) -> bytes:
    """A run as of 2010, with a namespace."""
    space = 'xmlns:romip="http://www.romip.ru/data/adhoc"'
    parts = [_head("UTF-8"), f'<romip:taskresult {space} collectionId="BY.web" trackId="adhoc">']
    named = f"<romip:systemID>{escape(system)}</romip:systemID><romip:runID>{escape(system)}-1</romip:runID>"
    parts.append(f"<romip:run>{named}</romip:run>")
    for query, documents in lists.items():
        parts.append(f"<doclist taskID={quoteattr(query)}>{_ids(documents)}</doclist>")
    return _encoded([*parts, "</romip:taskresult>"], "UTF-8")


def _older_run(lists: Listed) -> bytes:
    """A run of earlier years: the query inside of the list, and no namespace."""
    parts = [_head("windows-1251"), "<taskresult>"]
    for query, documents in lists.items():
        parts.append(f"<doclist><taskID>{escape(query)}</taskID>{_ids(documents)}</doclist>")
    return _encoded([*parts, "</taskresult>"], "windows-1251")


def _by_document(lists: Listed, documents: Iterable[str]) -> bytes:
    """A classification as of 2007: each document and its topics, also one that belongs nowhere."""
    parts = [_head("UTF-8"), "<result>"]
    for document in documents:
        topics = "".join(f"<topic>{escape(topic)}</topic>" for topic, found in lists.items() if document in found)
        parts.append(f"<document name={quoteattr(document)}>{topics}</document>")
    return _encoded([*parts, "</result>"], "UTF-8")


def _by_topic(lists: Listed) -> bytes:
    """A classification as of 2008: each topic and its documents."""
    found = [f"<doclist topicID={quoteattr(topic)}>{_ids(documents)}</doclist>" for topic, documents in lists.items()]
    return _encoded([_head("UTF-8"), "<result>", *found, "</result>"], "UTF-8")


def _ids(documents: Iterable[str]) -> str:
    return "".join(f"<docID>{escape(document)}</docID>" for document in documents)


def _head(encoding: str) -> str:
    return f'<?xml version="1.0" encoding="{encoding}"?>'


def _encoded(parts: Iterable[str], encoding: str) -> bytes:
    return ("\n".join(parts) + "\n").encode(encoding)
