"""Files with a row for each query, whose cells are lists: how frameworks for RAG keep what they retrieved and expected.

The rows may be JSON lines, a JSON list, a frame that pandas wrote as JSON, CSV with lists in its cells, or Parquet. One
file may hold both judgments and a run; name it twice to evaluate it.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, RUN, check
from rankgauge.files.columns import TEXT
from rankgauge.files.compression import refuse_bomb
from rankgauge.files.format import Format, Head, Kind, SampleFile
from rankgauge.files.json_text import as_text, elements
from rankgauge.files.responses import WITHOUT_HITS, tell_empty
from rankgauge.files.source import Source, damage
from rankgauge.files.tabular import header, records
from rankgauge.files.validation import Place

SURENESS = 4
"""These formats are known by names of columns that no other program uses."""

PARQUET = b"PAR1"
NOTHING = "-"
"""What stands for the documents of a query of which a file says that none is relevant: a document of grade 0."""

SHOWN, SHORT = 40, 60
"""A text that is longer than SHORT is called by its first SHOWN letters and a digest."""

Cells = Mapping[str, Any]
Graded = tuple[Any, Any]


@dataclass(frozen=True, kw_only=True)
class QueryRow:
    """A row: its cells by name, and its place in the file."""

    source: Source
    cells: Cells
    line: int
    number: int

    def items(self, name: str) -> list[Any]:
        """Return the list in a cell, which CSV has as JSON or as Python prints it; an empty cell is an empty list."""
        value = self.cells.get(name)
        if isinstance(value, str):
            value = _parse(value) if value.strip() else []
        if value is None:
            return []
        if not isinstance(value, list | tuple | set):
            raise self.fault(
                f"the cell {name} is no list: {str(self.cells[name])[:SHORT]!r}",
                'Write the list as JSON, ["d1", "d2"], or keep the rows as JSON lines.',
            )
        return list(value)

    def fault(self, problem: str, hint: str) -> InputError:
        """Make the error for this row."""
        where = problem if self.line else f"row {self.number}: {problem}"
        return InputError(where, path=self.source.name, line=self.line or None, hint=hint)


@dataclass(frozen=True, kw_only=True)
class QueryRows:
    """How the rows of a framework look."""

    holds: Callable[[Cells], tuple[Kind, ...]]
    """What a file with this first row holds; nothing if the file is another framework's."""
    query: Callable[[QueryRow], Any]
    judged: Callable[[QueryRow], Iterable[Graded]] | None = None
    """The documents that are expected, with their grades."""
    ranked: Callable[[QueryRow], Iterable[Any]] | None = None
    """The documents that were retrieved, the best first."""
    counts: Callable[[QueryRow], bool] = lambda row: True
    """Whether a row is about retrieval at all."""
    parts: Callable[[Any], list[Any] | None] = lambda value: frame_rows(value)
    """The rows of a JSON value that holds them all; None where the value is a row itself."""

    def register(self, *samples: SampleFile, **facts: Any) -> Format:
        """Register the format of files with such rows."""
        return Format(
            samples=samples,
            suffixes=(".jsonl", ".json", ".csv", ".parquet", ".pq"),
            sureness=SURENESS,
            recognise=self._recognise,
            read_judgments=None if self.judged is None else partial(self._read, Kind.JUDGMENTS),
            read_run=None if self.ranked is None else partial(self._read, Kind.RUN),
            locate=self._locate,
            **facts,
        ).register()

    def _recognise(self, head: Head) -> tuple[Kind, ...]:
        with suppress(InputError, csv.Error, *damage()):
            return self.holds(self._first_cells(head))
        return ()

    def _read(self, kind: Kind, source: Source) -> pl.DataFrame:
        documents = list(self._documents(kind, source))
        table = JUDGMENTS if kind is Kind.JUDGMENTS else RUN
        if not documents:
            raise InputError(
                f"no {table.name} found: no row names a document",
                path=source.name,
                hint="Each row needs the documents of one query, by their ids or texts.",
            )
        cells = [[as_text(cell) for cell in cells] for _, *cells in documents]
        frame = pl.DataFrame(cells, schema=dict.fromkeys(list(table.required), TEXT), orient="row")
        places = [_place(row) for row, *_ in documents]
        return check(frame, table, path=source.name, locate=places.__getitem__, spelling=source.spelling)

    def _locate(self, source: Source, number: int) -> Place:
        return _place([row for row, *_ in self._documents(Kind.RUN, source)][number])

    def _documents(self, kind: Kind, source: Source) -> Iterator[tuple[QueryRow, Any, Any, Any]]:
        """Yield the row, the query, the document and the grade or score of each document in the file."""
        rows, empty = self._rows_by_query(source), []
        listed: Any = self.judged if kind is Kind.JUDGMENTS else self.ranked
        for query, row in rows.items():
            named = list(listed(row))
            graded = named if kind is Kind.JUDGMENTS else [(one, -place) for place, one in enumerate(named, start=1)]
            if not named and (kind is Kind.RUN or self._expects_nothing(row)):
                empty.append(query)
                graded = [(NOTHING, 0)] if kind is Kind.JUDGMENTS else []
            for document, number in graded:
                if isinstance(document, dict | list):
                    problem = f"a document is neither an id nor a text: {str(document)[:SHORT]}"
                    raise row.fault(problem, "Write each document as its id or its text.")
                yield row, query, document, number
        what = (
            WITHOUT_HITS if kind is Kind.RUN else "with nothing to find, judged as a query without a relevant document"
        )
        tell_empty(empty, len(rows), source, noun="row", what=what)

    def _expects_nothing(self, row: QueryRow) -> bool:
        """Say whether an empty list is what the row expects; a cell that is blank says nothing."""
        return Kind.JUDGMENTS in self.holds({name: cell for name, cell in row.cells.items() if cell not in (None, "")})

    def _rows_by_query(self, source: Source) -> dict[str, QueryRow]:
        """Return the rows by their queries; a user may say which column names them."""
        rows: dict[str, QueryRow] = {}
        said = source.said.get("query", "")
        for row in self._rows(source):
            if not self.counts(row):
                continue
            name = as_text(row.cells.get(said) if said in row.cells else self.query(row))
            if not name:
                raise row.fault("there is no query", "Fill in the cell, or name its column: --columns query=NAME.")
            if name in rows:
                first = rows[name].line or rows[name].number
                hint = "Keep one row for each query, or name a column that tells them apart: --columns query=NAME."
                raise row.fault(f"the query {name[:SHORT]!r} is there twice; first on line {first}", hint)
            rows[name] = row
        return rows

    def _rows(self, source: Source) -> Iterator[QueryRow]:
        """Yield the rows of a file in whatever form it has them."""
        head, read_rows = Head(source=source), list[tuple[int, Any]]()
        if head.raw.startswith(PARQUET):
            read_rows += ((0, row) for row in _parquet(source).iter_rows(named=True))
        elif _is_json(head):
            for line, value in elements(source):
                inner = self.parts(value)
                read_rows += [(line, value)] if inner is None else ((0, row) for row in inner)
        else:
            read_rows += records(source)
        rows = ((line, cells) for line, cells in read_rows if isinstance(cells, dict))
        for number, (line, cells) in enumerate(rows, start=1):
            yield QueryRow(source=source, cells=cells, line=line, number=number)

    def _first_cells(self, head: Head) -> Cells:
        """Return the cells of the first row; nothing for a file that has none."""
        if head.raw.startswith(PARQUET):
            return next(_parquet(head.source, 1).iter_rows(named=True), {})
        if _is_json(head):
            document = head.document
            rows = document if isinstance(document, list) else self.parts(document)
            row = document if rows is None else next(iter(rows), None)
            return row if isinstance(row, dict) else {}
        names, separator = header(head)
        cells = next(csv.reader(head.lines[1:], delimiter=separator), []) if len(names) > 1 else []
        return dict.fromkeys(names) | {name: _parse(cell) for name, cell in zip(names, cells, strict=False)}


def _is_json(head: Head) -> bool:
    return head.text.lstrip().startswith(("{", "[")) or head.document is not None


def kinds_in(cells: Cells, expected: Iterable[str], retrieved: Iterable[str]) -> tuple[Kind, ...]:
    """Return what a file holds whose first row has cells of these names: what is expected, what was retrieved."""
    names = {Kind.JUDGMENTS: expected, Kind.RUN: retrieved}
    return tuple(kind for kind, known in names.items() if any(cells.get(name) is not None for name in known))


def as_relevant(documents: Iterable[Any]) -> list[Graded]:
    """Grade documents that a framework merely calls relevant."""
    return [(document, 1) for document in documents]


def name_text(value: Any) -> Any:
    """Name a document by its text where it has no id: a long text by its beginning and a digest."""
    if not isinstance(value, str):
        return value
    text = " ".join(value.split())
    if len(text) <= SHORT:
        return text
    return f"{text[:SHOWN].rstrip()}… {hashlib.blake2b(text.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


def unpacked_json(value: Any) -> Any:
    """Return an object or list that a cell may hold as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def frame_rows(value: Any) -> list[Any] | None:
    """Return the rows of a frame that pandas wrote as one JSON object, or of a response with `runs`; None for a row."""
    if not isinstance(value, dict):
        return None
    data, columns = value.get("data"), value.get("columns")
    if isinstance(data, list) and isinstance(columns, list):
        return [dict(zip(map(str, columns), row, strict=False)) for row in data if isinstance(row, list)]
    for rows in (data, value.get("runs")):
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            return rows
    if value and all(isinstance(cells, dict) and "0" in cells for cells in value.values()):
        return [{name: cells.get(at) for name, cells in value.items()} for at in next(iter(value.values()))]
    return None


def _parquet(source: Source, rows: int | None = None) -> pl.DataFrame:
    content = BytesIO(source.read())
    try:
        frame = refuse_bomb(pl.scan_parquet(content), content.getbuffer().nbytes, source.name)
        return (frame if rows is None else frame.head(rows)).collect()
    except damage() as error:
        raise source.unreadable(error) from None


def _parse(cell: str) -> Any:
    """Return what a cell of CSV holds: a list or an object as JSON or as Python prints it, else its text."""
    if not cell.lstrip().startswith(("[", "{", "(")):
        return cell
    with suppress(ValueError, RecursionError):
        return json.loads(cell)
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        return ast.literal_eval(cell.strip())
    return cell


def _place(row: QueryRow) -> Place:
    return row.line, ", ".join(f"{name}: {str(value)[:SHORT]}" for name, value in list(row.cells.items())[:3])
