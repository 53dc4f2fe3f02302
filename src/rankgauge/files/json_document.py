"""Files that are one JSON document: a format is the shapes that it knows, and the rows that each of them holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, RUN, Table, check
from rankgauge.files.columns import TEXT
from rankgauge.files.format import Format, Head, Kind, SampleFile
from rankgauge.files.json_text import as_text, values
from rankgauge.files.source import Source
from rankgauge.files.validation import Place

Row = tuple[Any, ...]
"""The query, the document, the number, and the assessor where there is one."""

_TABLES: Mapping[Kind, Table] = {Kind.JUDGMENTS: JUDGMENTS, Kind.RUN: RUN}


@dataclass(frozen=True, kw_only=True)
class JsonShape:
    """One shape of a JSON document, and the judgments or the run in it."""

    title: str
    kind: Kind
    fits: Callable[[Any], bool]
    """Whether a document has this shape, by what is known of its beginning."""
    rows: Callable[[list[Any], Source], Iterable[Row]]
    """The rows in the documents of a file; there may be several in a row."""
    example: str = ""


def json_format(*, shapes: tuple[JsonShape, ...], suffixes: tuple[str, ...] = (".json",), **facts: Any) -> Format:
    """Return a format of JSON documents, whose readers follow from its shapes."""
    read = {kind: partial(_read, shapes, kind) for kind in {shape.kind for shape in shapes}}
    return Format(
        suffixes=suffixes,
        sureness=3,
        recognise=lambda head: _kinds(shapes, head),
        read_judgments=read.get(Kind.JUDGMENTS),
        read_run=read.get(Kind.RUN),
        samples=tuple(SampleFile(title=one.title, kind=one.kind, text=one.example) for one in shapes if one.example),
        **facts,
    )


def list_objects(value: Any) -> list[Any]:
    """Return the objects of a list, or of what should be one."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def has(value: Any, *path: str) -> bool:
    """Say whether an object has the key, in that the next one, and so on."""
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True


def objects_at(value: Any, *path: str) -> list[Any]:
    """Return the objects in the list at the end of the path of keys; none if there is no such list."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return list_objects(value)


def _kinds(shapes: tuple[JsonShape, ...], head: Head) -> tuple[Kind, ...]:
    if head.document is None:
        return ()
    return tuple(dict.fromkeys(shape.kind for shape in shapes if shape.fits(head.document)))


def _read(shapes: tuple[JsonShape, ...], kind: Kind, source: Source) -> pl.DataFrame:
    documents = values(source)
    fitting = [shape for shape in shapes if shape.kind is kind and documents and shape.fits(documents[0])]
    if not fitting:
        shapes_ = " or ".join(dict.fromkeys(shape.title for shape in shapes if shape.kind is kind))
        hint = "Leave out --format-judgments or --format-run: the format is recognised by what the file holds."
        raise InputError(f"expected {shapes_}", path=source.name, hint=hint)
    return _table(fitting[0].rows(documents, source), _TABLES[kind], source)


def _table(rows: Iterable[Row], table: Table, source: Source) -> pl.DataFrame:
    """Return the rows as a table; an error names the query and the document, since JSON has no lines to name."""
    cells = [[as_text(cell) for cell in row] for row in rows]
    if not cells:
        hint = "Export it again with the documents of each query."
        raise InputError(f"no {table.name} found: there are no documents in it", path=source.name, hint=hint)
    names = list(table.columns)[: len(cells[0])]
    frame = pl.DataFrame(cells, schema=dict.fromkeys(names, TEXT), orient="row")

    def place(row: int) -> Place:
        query, document = cells[row][:2]
        return 0, f"query {query}, document {document}"

    return check(frame, table, path=source.name, locate=place, spelling=source.spelling)
