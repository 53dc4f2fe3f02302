"""quepid: what Quepid exports as JSON, and a book of judgments as CSV.

    case, ratings   {"case_name": …, "queries": [{"query_text": "red dress", "ratings": {"d1": 3, …}, …}, …], …}
    book            {"name": …, "query_doc_pairs": [{"query_text": …, "doc_id": …, "judgements": [{"rating": 3}]}]}
    snapshot        {"name": …, "docs": {"12": [{"id": "d7", …}, …]}, "queries": [{"query_id": 12, "query_text": …}]}
    book as CSV     query,docid,Anna,Ben                one column for each judge, named for them

Its other CSV files are tables like any. A query is called by its text, as in those.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files.columns import is_number
from rankgauge.files.format import Head, Kind, SampleFile, kinds
from rankgauge.files.grade_columns import is_count
from rankgauge.files.json_document import JsonShape, Row, json_format, list_objects, objects_at
from rankgauge.files.source import Source
from rankgauge.files.tabular import header, scan_delimited, tabular
from rankgauge.input_notes import note

CASE = """{
  "case_name": "Shop", "options": null, "scorer": {"name": "nDCG@10", "scale": [0, 1, 2, 3]},
  "queries": [
    {"arranged_next": null, "query_text": "red dress", "notes": null, "ratings": {"d1": 3.0, "d7": 0.0}},
    {"arranged_next": null, "query_text": "blue jeans", "notes": null, "ratings": {"d3": 2.0}}
  ],
  "try": {"name": "Try 1", "query_params": "q=#$query##"}
}
"""
BOOK = """{
  "name": "Shop", "show_rank": false,
  "query_doc_pairs": [
    {"query_text": "red dress", "doc_id": "d1", "position": 2, "judgements": [
      {"rating": 3.0, "unrateable": false, "judge_later": false, "user_email": "anna@example.org"},
      {"rating": 2.0, "unrateable": false, "judge_later": false, "user_email": "ben@example.org"}]}
  ]
}
"""
SNAPSHOT = """{
  "id": 5, "name": "before the release", "time": "2026-03-01T09:00:00.000Z",
  "docs": {"12": [{"id": "d7", "explain": null, "rated_only": false}, {"id": "d1", "rated_only": false}]},
  "queries": [{"query_id": 12, "query_text": "red dress", "ratings": {"d1": 3.0}}],
  "scores": [{"query_id": 12, "score": 0.6, "all_rated": false, "number_of_results": 2}]
}
"""
RATERS = "query,docid,Anna,Ben\nred dress,d1,3,2\nred dress,d7,0,\n"
PAIR = ("query", "docid")
LEVELS = range(11)
"""The grades of Quepid's scales."""


def _is_case(document: Any) -> bool:
    return any("ratings" in query and _text(query) is not None for query in objects_at(document, "queries"))


def _is_book(document: Any) -> bool:
    return any("judgements" in pair for pair in objects_at(document, "query_doc_pairs"))


def _is_snapshot(document: Any) -> bool:
    docs = document.get("docs") if isinstance(document, dict) else None
    return isinstance(docs, dict) and "name" in document and all(isinstance(listed, list) for listed in docs.values())


def _text(query: dict[str, Any]) -> Any:
    return query.get("query_text", query.get("query"))


def _ratings(documents: list[Any], source: Source) -> Iterator[Row]:
    for query in (one for document in documents for one in objects_at(document, "queries")):
        ratings = query.get("ratings")
        pairs = ratings.items() if isinstance(ratings, dict) else _list_ratings(ratings)
        yield from ((_text(query), document, rating) for document, rating in pairs if rating is not None)


def _list_ratings(ratings: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the ratings as older versions of Quepid wrote them."""
    yield from ((rated.get("doc_id"), rated.get("rating")) for rated in list_objects(ratings))


def _judgements(documents: list[Any], source: Source) -> Iterator[Row]:
    for pair in (one for document in documents for one in objects_at(document, "query_doc_pairs")):
        for judged in objects_at(pair, "judgements"):
            if judged.get("rating") is not None:
                judge = judged.get("user_email") or "unknown"
                yield pair.get("query_text"), pair.get("doc_id"), judged["rating"], judge


def _snapshot(documents: list[Any], source: Source) -> Iterator[Row]:
    """Yield the lists without documents that are shown only because they are rated."""
    for document in documents:
        texts = {str(query.get("query_id")): _text(query) for query in objects_at(document, "queries")}
        for number, docs in document["docs"].items():
            ranked = [doc for doc in list_objects(docs) if not doc.get("rated_only")]
            name = texts.get(number) or number
            yield from ((name, doc.get("id"), -place) for place, doc in enumerate(ranked, start=1))


QUEPID = json_format(
    name="quepid",
    title="cases, books and snapshots of Quepid (JSON)",
    shapes=(
        JsonShape(title="a snapshot of Quepid", kind=Kind.RUN, fits=_is_snapshot, rows=_snapshot, example=SNAPSHOT),
        JsonShape(title="a case of Quepid", kind=Kind.JUDGMENTS, fits=_is_case, rows=_ratings, example=CASE),
        JsonShape(title="a book of Quepid", kind=Kind.JUDGMENTS, fits=_is_book, rows=_judgements, example=BOOK),
    ),
).register()


def _recognise_book(head: Head) -> tuple[Kind, ...]:
    """Return a pair of ids, and two columns or more under unknown names whose cells are all grades on a scale."""
    names, separator = header(head)
    if tuple(names[:2]) != PAIR or len(names) < 4 or kinds(names) or separator != "," or any(map(is_count, names[2:])):
        return ()
    try:
        rows = [cells for cells in csv.reader(head.lines[1:]) if len(cells) == len(names)]
    except csv.Error:  # the reader of tables says what is wrong, and where
        return ()
    columns = [[cell for cell in column if cell.strip()] for column in list(zip(*rows, strict=True))[2:]]
    return (Kind.JUDGMENTS,) if columns and all(map(_is_graded, columns)) else ()


def _is_graded(cells: Sequence[object]) -> bool:
    """Say whether all the cells are grades on a scale of Quepid: whole numbers from 0 to 10."""
    return all(is_number(str(cell)) and float(str(cell)) in LEVELS for cell in cells)


def _scan_book(source: Source) -> pl.LazyFrame:
    """Return the table with its judges' columns named so that they are known as such."""
    rows = scan_delimited(source)
    names = rows.collect_schema().names()
    judges = [name for name in names if name not in PAIR]
    cells = rows.select(pl.col(name).drop_nulls().unique().implode() for name in judges).collect()
    if odd := [name for name in judges if not _is_graded(cells[name][0].filter(cells[name][0] != ""))]:
        raise InputError(
            f"the column {odd[0]} is no judge's: its values are not whole numbers from 0 to {LEVELS[-1]}",
            path=source.name,
            hint="Call columns of grades NAME_rating, or say which column is the grade: --columns grade=NAME",
        )
    note(
        f"the columns {', '.join(judges)} are taken for the grades of {len(judges)} judges, as in a book of Quepid",
        source.name,
    )
    return rows.rename({name: f"{name.strip()}_rating" for name in judges})


QUEPID_BOOK = tabular(
    scan=_scan_book,
    name="quepid-book",
    title="books of Quepid (CSV with a column for each judge)",
    suffixes=(),
    recognise=_recognise_book,
    sureness=2,
    samples=(SampleFile(title="a book of Quepid as CSV", kind=Kind.JUDGMENTS, text=RATERS),),
).register()
