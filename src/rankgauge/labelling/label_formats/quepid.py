"""quepid: a book of Quepid as JSON or CSV, with every judge's ratings, and a case's ratings as JSON.

What a judge marked as unrateable cannot be judged; what was put off (judge later) is not judged yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rankgauge.errors import InputError
from rankgauge.files import Head, Kind
from rankgauge.files.formats.quepid import PAIR, QUEPID, QUEPID_BOOK
from rankgauge.files.json_document import objects_at
from rankgauge.files.source import Source
from rankgauge.files.tabular import records
from rankgauge.labelling.label_format import LabelFormat, read_grade
from rankgauge.labelling.labels import Label


def _recognise(head: Head) -> bool:
    if head.text.lstrip().startswith("{"):
        # An object in one line may as well be a line of JSON lines, which names its query and its document.
        return '"query_doc_pairs"' in head.text or Kind.JUDGMENTS in QUEPID.recognise(head)
    return bool(QUEPID_BOOK.recognise(head))


def _read(source: Source, assessor: str) -> Iterator[list[Label]]:
    if not source.text().lstrip().startswith("{"):
        yield from _columns(source)
        return
    try:
        book = json.loads(source.text())
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}", path=source.name) from None
    for pair in objects_at(book, "query_doc_pairs"):
        yield [label for said in objects_at(pair, "judgements") for label in _judgement(pair, said, assessor)]
    for query in objects_at(book, "queries"):
        text, ratings = query.get("query_text", query.get("query")), query.get("ratings")
        for document, rating in ratings.items() if isinstance(ratings, dict) else ():
            yield _label(text, document, rating, assessor)


def _columns(source: Source) -> Iterator[list[Label]]:
    """Yield a book as CSV: a column for each judge."""
    for line, row in records(source):
        query, document = (row.get(name, "").strip() for name in PAIR)
        if not query or not document:
            raise InputError("there is no query or no document", path=source.name, line=line)
        judges = {name.strip(): cell for name, cell in row.items() if name not in PAIR}
        columns = [
            _label(query, document, cell, name, line=line) for name, cell in judges.items() if (cell or "").strip()
        ]
        yield [label for labels in columns for label in labels]


def _judgement(pair: Mapping[str, Any], said: Mapping[str, Any], otherwise: str) -> list[Label]:
    """Return what one judge says in a book; nothing if it was put off."""
    who = said.get("user_email") or said.get("user_name") or otherwise
    rating = "skip" if said.get("unrateable") else said.get("rating")
    comment = str(said["explanation"]) if said.get("explanation") else None
    return _label(pair.get("query_text"), pair.get("doc_id"), rating, str(who), comment=comment)


def _label(
    query: Any, document: Any, rating: Any, assessor: str, *, line: int | None = None, comment: str | None = None
) -> list[Label]:
    told, grade = read_grade(None if rating is None else str(rating))
    if not told:
        return []
    made = Label(query=str(query), document=str(document), grade=grade, assessor=assessor, comment=comment, line=line)
    return [made]


QUEPID_LABELS = LabelFormat(
    name="quepid",
    title="Quepid's books and cases",
    endings=(),
    place=1,
    recognise=_recognise,
    read=_read,
).register()
