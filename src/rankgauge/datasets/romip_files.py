"""A ROMIP collection as XML files, in the spellings of several years.

Namespaces or none, windows-1251 or UTF-8, `<taskID>` inside of lists, classifications of 2007 and 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from rankgauge.datasets.romip import Judged, Listed, RomipCollection

__all__ = ["write_romip"]


def write_romip(collection: RomipCollection, folder: Path) -> list[Path]:
    """The collection's files, in the folders search, classification, annotation and qa; the paths written."""
    content = {
        **_assessed("search/tables", collection.tables),
        **{f"search/runs/{name}.xml": _run(name, lists) for name, lists in collection.runs.items()},
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


def _run(system: str, lists: Listed) -> bytes:
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
