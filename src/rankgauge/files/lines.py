"""Text files with a record per line, read by a regular expression that polars applies to all lines at once.

On a whole run this is as fast as polars' CSV reader. Any white space, comments and blank lines need no second path, and
every error names its line.
"""

from __future__ import annotations

import io
from codecs import BOM_UTF8
from collections.abc import Iterator

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import Table, check
from rankgauge.files.source import Source, damage
from rankgauge.files.validation import Place, is_clean

BLANK = r"[ \t\v\f\r]"  # white space as C's isspace() knows it; a no-break space is part of an id
WORD = r"[^ \t\v\f\r]"
FIRST = rf"[^ \t\v\f\r#]{WORD}*"  # a first field that begins no comment
PIECE = 1 << 23
"""How many bytes of a large file are in memory at a time."""

START = rf"^{BLANK}*"
CONTENT = ~pl.col("line").str.contains(rf"{START}(?:#|$)")


def scan(source: Source) -> pl.LazyFrame:
    """Return the lines of a text file, in the column `line`."""
    start = source.read(4096)
    if b"\0" in start:
        raise source.no_text()
    if start.startswith(BOM_UTF8):
        return pl.scan_lines(io.BytesIO(source.read().removeprefix(BOM_UTF8)))
    return pl.scan_lines(source.scannable())


def content(source: Source) -> pl.DataFrame:
    """Return the lines that are neither blank nor comments, numbered from 1 in the column `number`."""
    return collect(scan(source).with_row_index("number", offset=1).filter(CONTENT), source)


def locate(source: Source, row: int) -> Place:
    """Return the line of the row with that number (from 0)."""
    numbered = scan(source).with_row_index("number", offset=1).filter(CONTENT)
    return place(collect(numbered.slice(row, 1), source), 0)


def read(source: Source, table: Table, pattern: str, expected: str) -> pl.DataFrame:
    """Return the table whose columns are the pattern's named groups."""
    # Most files have no comments, and looking for them costs as much as reading.
    for rows in (scan(source), scan(source).filter(CONTENT)) if source.spelling is None else ():
        quick = collect(_fields(rows, pattern, table), source)
        if is_clean(quick, table):
            return quick.rechunk()
    return records(content(source), table, pattern, expected, source)


def records(lines: pl.DataFrame, table: Table, pattern: str, expected: str, source: Source) -> pl.DataFrame:
    """Return the table of a pattern's groups from numbered lines; an error names the line that is not as expected."""
    parts = lines.select(pl.col("line").str.extract_groups(pattern)).unnest("line")
    broken = lines.filter(parts.select(pl.all_horizontal(pl.all().is_null())).to_series())
    if len(broken):
        number, text = broken.select("number", "line").row(0)
        raise InputError(f"expected {expected}", path=source.name, line=number, text=text)
    return check(parts, table, path=source.name, locate=lambda row: place(lines, row), spelling=source.spelling)


def place(lines: pl.DataFrame, row: int) -> Place:
    """Return the number and text of a row's line."""
    number, text = lines.select("number", "line").row(row)
    return number, text


def refuse_fractions(lines: pl.DataFrame, source: Source) -> None:
    """Raise an error at the first grade (a text, beside its line) that is not written as a whole number."""
    odd = lines.filter(~pl.col("grade").str.contains(r"^[-+]?[0-9]+$"))
    if len(odd):
        number, text = place(odd, 0)
        raise InputError(
            f"the grade '{odd['grade'][0]}' is not written as a whole number",
            path=source.name,
            line=number,
            text=text,
            hint="This tool's scripts stop at such a grade; write 1 instead of 1.0.",
        )


def batches(source: Source, table: Table, pattern: str, expected: str, rows: int) -> Iterator[pl.DataFrame]:
    """Yield the table in batches of at most `rows` rows; memory holds one piece of the file, packed or not."""
    read = 0
    try:
        for piece in _pieces(source):
            lines = pl.scan_lines(io.BytesIO(piece)).with_row_index("number", offset=read + 1).collect()
            read += len(lines)
            for batch in lines.iter_slices(rows):
                quick = _fields(batch.lazy(), pattern, table).collect()
                if source.spelling is None and is_clean(quick, table):
                    yield quick
                elif len(kept := batch.filter(CONTENT)):
                    yield records(kept, table, pattern, expected, source)
    except damage() as error:
        raise source.unreadable(error) from None


def _pieces(source: Source) -> Iterator[bytes]:
    """Yield the unpacked bytes, whole lines at a time.

    They are read, not mapped: the pages of a mapped file count as memory until the system reclaims them.
    """
    if b"\0" in source.read(4096):
        raise source.no_text()
    with source.open() as stream:
        held = [stream.read(len(BOM_UTF8)).removeprefix(BOM_UTF8)]
        while block := stream.read(PIECE):
            cut = block.rfind(b"\n") + 1
            if cut:
                yield b"".join([*held, block[:cut]])
                held = []
            held.append(block[cut:])
        if last := b"".join(held):
            yield last


def collect(lines: pl.LazyFrame, source: Source) -> pl.DataFrame:
    """Return the frame in memory; bytes that are not text are an error that names the line."""
    try:
        return lines.collect(engine="streaming")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise source.unreadable(error) from None


def _fields(rows: pl.LazyFrame, pattern: str, table: Table) -> pl.LazyFrame:
    """Return the pattern's groups in the table's types, null if the line does not match."""
    parts = rows.select(pl.col("line").str.extract_groups(pattern)).unnest("line")
    wanted = {name: dtype for name, dtype in table.columns.items() if f"(?<{name}>" in pattern}
    return parts.select(pl.col(name).cast(dtype, strict=False) for name, dtype in wanted.items())
