"""xlsx: spreadsheets of Excel and LibreOffice (.xlsx, .xlsm, .xlsb, .xls, .ods), read by calamine.

The sheet that is a table of judgments or a run counts; FILE#SHEET names one of several. Several sheets of judgments
with the same columns are those of several assessors, who are called as the sheets are. A merged cell holds its value in
every row; blank cells below a query are filled down if nothing else can be meant. Numbers that are whole, as ids may
be, are written without a point, and blanks around a cell do not count.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from itertools import accumulate, islice
from typing import Any

import polars as pl

from rankgauge.errors import InputError, MissingExtraError
from rankgauge.files import find, raters
from rankgauge.files.columns import BLANKS, TEXT
from rankgauge.files.compression import RATIO
from rankgauge.files.format import Head, Kind, kinds
from rankgauge.files.source import Source
from rankgauge.files.tabular import refuse_twins, tabular
from rankgauge.files.validation import Place
from rankgauge.input_notes import note
from rankgauge.registry import plain

ZIPPED, OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How files of today's Excel and of LibreOffice begin, and how those of Excel before 2007 do."""

_MARKS = ("xl/workbook.", "content.xml")
"""What a packed spreadsheet holds."""

TITLES = 10
"""Among how many of the first rows the header is looked for."""

Rows = list[list[Any]]
Sheet = tuple[Rows, list[int]]
"""The rows of a sheet, and their numbers in it."""


def _recognise(head: Head) -> tuple[Kind, ...]:
    if not (head.raw.startswith(OLD) or (head.raw.startswith(ZIPPED) and _is_spreadsheet(head.source))):
        return ()
    try:
        return kinds(_table(head.source)[0][0], head.source.said) or (Kind.JUDGMENTS, Kind.RUN)
    except (InputError, MissingExtraError):
        return (Kind.JUDGMENTS, Kind.RUN)


def _is_spreadsheet(source: Source) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(source.read())) as packed:
            return any(name.startswith(_MARKS) for name in packed.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def _scan(source: Source) -> pl.LazyFrame:
    """Return every column as text: "007" is an id, not the number 7."""
    (header, *rows), _ = _table(source)
    refuse_twins(header, source)
    names = _distinct([name or f"column {number}" for number, name in enumerate(header, start=1)])
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pl.LazyFrame(dict(zip(names, columns, strict=True)), schema=dict.fromkeys(names, TEXT))


def _locate(source: Source, row: int) -> Place:
    rows, lines = _table(source)
    cells = next(islice(rows[1:], row, None), [])
    return lines[row + 1] if row + 1 < len(lines) else 1, " ".join(cell for cell in cells if cell)


def _table(source: Source) -> Sheet:
    """The rows of the sheet that counts, from its header on, without blank ones, and their numbers in the sheet."""
    sheets = {name: _from_header(_fill(rows), source) for name, rows in _sheets(source).items()}
    filled = {name: sheet for name, sheet in sheets.items() if sheet[0]}
    if not filled:
        raise InputError("no table found: the sheets are empty", path=source.name)
    if source.part:
        return _filled_down(source.one_of(filled, "sheets"), source)
    tables = {name: _filled_down(sheet, source) for name, sheet in filled.items() if _is_table(sheet[0][0], source)}
    if len(tables) > 1:
        return _stack(tables, source)
    return next(iter(tables.values()), next(iter(filled.values())))


def _is_table(names: list[Any], source: Source) -> bool:
    """Say whether these are the columns of judgments or a run, even if none is known to be the grade."""
    ids = [find(names, name, source.said) for name in ("query", "document")]
    return bool(kinds(names, source.said)) or None not in ids


def _stack(tables: dict[str, Sheet], source: Source) -> Sheet:
    """Return the sheets of several assessors below each other; an error unless all of them are such sheets."""
    headers = [sheet[0][0] for sheet in tables.values()]
    same = len({tuple(map(plain, header)) for header in headers}) == 1
    judged = same and kinds(headers[0], source.said) == (Kind.JUDGMENTS,)
    if not judged or find(headers[0], "assessor", source.said) or raters(headers[0]):
        raise InputError(
            f"holds {len(tables)} sheets that could be meant: {', '.join(tables)}",
            path=source.name,
            hint=f"Name one of them: {source.name}#{next(iter(tables))}",
        )
    note(
        f"its sheets are read as the grades of {len(tables)} assessors: {', '.join(tables)}; "
        f"{source.name}#{next(iter(tables))} reads one alone",
        source.name,
    )
    rows = [[*row, name] for name, sheet in tables.items() for row in sheet[0][1:]]
    return [[*headers[0], "assessor"], *rows], [1, *(line for sheet in tables.values() for line in sheet[1][1:])]


def _filled_down(sheet: Sheet, source: Source) -> Sheet:
    """Return the sheet with the query in every row, if it stands only in the first row of each query's documents."""
    (header, *rows), lines = sheet
    query, document = (find(header, name, source.said) for name in ("query", "document"))
    if query is None or document is None:
        return sheet
    at, other = header.index(query), header.index(document)
    stated = [row[at] for row in rows if row[at]]
    blank = [row for row in rows if not row[at]]
    begun = bool(rows) and rows[0][at] and all(row[other] for row in rows)
    if not blank or not begun or len(set(stated)) < len(stated) or len(blank) < len(stated):
        return sheet
    note(f"{len(blank)} rows have no query; the one above them is theirs", source.name)
    queries: Iterator[str] = accumulate((row[at] for row in rows), lambda above, own: own or above)
    return [header, *([*row[:at], own, *row[at + 1 :]] for row, own in zip(rows, queries, strict=True))], lines


def _fill(rows: Rows) -> Sheet:
    texts = [[_text(cell) for cell in row] for row in rows]
    kept = [number for number, row in enumerate(texts) if any(row)]
    return [texts[number] for number in kept], [number + 1 for number in kept]


def _from_header(sheet: Sheet, source: Source) -> Sheet:
    """The sheet without a title above its header; columns without a name, such as that of row numbers, have none."""
    rows, lines = sheet
    named = [[cell or "" for cell in row] for row in rows[:TITLES]]
    first = next((at for at, row in enumerate(named) if kinds(row, source.said)), 0)
    return [*named[first : first + 1], *rows[first + 1 :]], lines[first:]


def _sheets(source: Source) -> dict[str, Rows]:
    """Return the rows of all sheets by name, of equal length within a sheet."""
    try:
        import python_calamine as calamine
    except ImportError:
        raise MissingExtraError("python-calamine", "xlsx") from None
    content = source.read()
    _refuse_bombs(content, source)
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        return {name: _unmerge(book.get_sheet_by_name(name)) for name in book.sheet_names}
    except Exception as error:
        raise _unreadable(error, source) from None
    except BaseException as error:  # the library's panics are no Exceptions
        if type(error).__name__ != "PanicException":
            raise
        raise _unreadable("it is damaged", source) from None


def _unreadable(why: BaseException | str, source: Source) -> InputError:
    hint = "It seems damaged or cut off: save it again in Excel or LibreOffice, or as CSV."
    return InputError(f"cannot be read as a spreadsheet: {why}", path=source.name, hint=hint)


def _unmerge(sheet: Any) -> Rows:
    """Return the rows of a sheet, with the value of cells that are merged down in each of them."""
    rows: Rows = sheet.to_python(skip_empty_area=False)
    for (top, left), (bottom, right) in getattr(sheet, "merged_cell_ranges", None) or ():
        for row in rows[top + 1 : bottom + 1]:
            row[left : right + 1] = rows[top][left : right + 1]
    return rows


def _refuse_bombs(content: bytes, source: Source) -> None:
    if not content.startswith(ZIPPED):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise _unreadable(error, source) from None
    if size > RATIO * len(content):
        raise InputError(f"unpacks to more than {RATIO} times its size; no real spreadsheet does", path=source.name)


def _text(cell: Any) -> str | None:
    """Return what a cell says; nothing if it is blank."""
    if isinstance(cell, float) and cell.is_integer():
        return f"{cell:.0f}"
    return str(cell).strip(BLANKS + "\n") or None


def _distinct(names: list[str]) -> list[str]:
    """Return the names, with a number behind one that was there before."""
    return [name if name not in names[:at] else f"{name} ({at + 1})" for at, name in enumerate(names)]


XLSX = tabular(
    scan=_scan,
    locate=_locate,
    comma=lambda source: False,
    name="xlsx",
    title="spreadsheets of Excel and LibreOffice",
    suffixes=(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    recognise=_recognise,
    sureness=3,
    binary=True,
    holds_several=True,
).register()
