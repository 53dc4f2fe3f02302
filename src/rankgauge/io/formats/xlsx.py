"""xlsx: spreadsheets of Excel and LibreOffice (.xlsx, .xlsm, .xlsb, .xls, .ods), read by calamine.

The first sheet that is a table of judgments or a run counts; FILE#SHEET names another. Numbers that are whole, as ids
may be, are written without a point, and blanks around a cell do not count.
"""

from __future__ import annotations

import io
import zipfile
from itertools import islice
from typing import Any

import polars as pl

from rankgauge.errors import InputError, MissingExtraError
from rankgauge.io.compression import RATIO
from rankgauge.io.format import Head, Kind, kinds
from rankgauge.io.source import Source
from rankgauge.io.tabular import tabular
from rankgauge.tables.cells import BLANKS
from rankgauge.tables.columns import TEXT
from rankgauge.tables.validation import Place

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
    """Every column as text: "007" is an id, not the number 7."""
    (header, *rows), _ = _table(source)
    names = _distinct([name or f"column {number}" for number, name in enumerate(header, start=1)])
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pl.LazyFrame(dict(zip(names, columns, strict=True)), schema=dict.fromkeys(names, TEXT))


def _locate(source: Source, row: int) -> Place:
    rows, lines = _table(source)
    cells = next(islice(rows[1:], row, None), [])
    return lines[row + 1] if row + 1 < len(lines) else 1, " ".join(cell for cell in cells if cell)


def _table(source: Source) -> Sheet:
    """The rows of the sheet that counts, from its header on, without blank ones, and their numbers in the sheet."""
    sheets = {name: _from_header(_filled(rows), source) for name, rows in _sheets(source).items()}
    filled = {name: sheet for name, sheet in sheets.items() if sheet[0]}
    if not filled:
        raise InputError("no table found: the sheets are empty", path=source.name)
    if source.part:
        return source.one_of(filled)
    return next((sheet for sheet in filled.values() if kinds(sheet[0][0], source.said)), next(iter(filled.values())))


def _filled(rows: Rows) -> Sheet:
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
    """The rows of all sheets by name, of equal length within a sheet."""
    try:
        import python_calamine as calamine
    except ImportError:
        raise MissingExtraError("python-calamine", "xlsx") from None
    content = source.read()
    _refuse_bombs(content, source)
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        return {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}
    except Exception as error:
        raise _unreadable(error, source) from None
    except BaseException as error:  # the library's panics are no Exceptions
        if type(error).__name__ != "PanicException":
            raise
        raise _unreadable("it is damaged", source) from None


def _unreadable(why: BaseException | str, source: Source) -> InputError:
    hint = "It seems damaged or cut off: save it again in Excel or LibreOffice, or as CSV."
    return InputError(f"cannot be read as a spreadsheet: {why}", path=source.name, hint=hint)


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
    """What a cell says; nothing if it is blank."""
    if isinstance(cell, float) and cell.is_integer():
        return f"{cell:.0f}"
    return str(cell).strip(BLANKS + "\n") or None


def _distinct(names: list[str]) -> list[str]:
    """The names, with a number behind one that was there before."""
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
