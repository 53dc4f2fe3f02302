"""Where bytes go: a file that appears whole or not at all, packed as its name says, or standard output (`-`)."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rankgauge.errors import InputError
from rankgauge.files.compression import PACKINGS
from rankgauge.files.source import STANDARD_STREAM
from rankgauge.lazy_polars import pl


@contextmanager
def writing(path: str | Path) -> Iterator[BinaryIO]:
    """A stream into the file. An existing file stays as it was until everything is written."""
    if str(path) == STANDARD_STREAM:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    given, target = Path(path), Path(path).resolve()
    refuse_no_file(given)
    # A pipe or a device cannot be replaced; /dev/stdout and >(…) of a shell lead to names that are no files.
    if given.exists() and not given.is_file():
        with given.open("wb") as raw:
            yield raw
        return
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as raw, _pack(raw, target.suffix.lower()) as stream:
            yield stream
        os.replace(beside, target)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=path) from None
    finally:
        beside.unlink(missing_ok=True)


def refuse_no_file(path: Path) -> None:
    """Raise an error for a path that is a folder, or in a folder that does not exist."""
    if path.is_dir():
        raise InputError("is a directory, not a file", path=path, hint=f"Name a file in it, as in {path / 'NAME'}")
    # /dev/stdout and >(…) of a shell lead to names that are no files, in folders that are none.
    if not path.exists() and not path.resolve().parent.is_dir():
        raise InputError(
            f"there is no folder {path.parent}",
            path=path,
            hint=f"Make it first: mkdir -p {shlex.quote(str(path.parent))}",
        )


@contextmanager
def _pack(raw: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    packing = next((one for one in PACKINGS if one.suffix == suffix), None)
    if packing is None:
        yield raw
        return
    with packing.pack(raw) as stream:
        yield stream


SIGNS = "=+-@\t\r\n＝＋－＠"
"""What makes a cell a formula if it comes first; the wide signs do in East Asian settings."""

BREAKS = ";\t\r\n"
"""Where a spreadsheet may begin another cell inside ours: many settings separate cells by semicolons, and then quotes
around a cell of commas do not hold it together."""

_BEGIN, _SIGN = f"(?:^|(?<=[{re.escape(BREAKS)}]))", f"(?=[\"']*[{re.escape(SIGNS)}])"
_FORMULA, _KEPT = re.compile(_BEGIN + _SIGN), re.compile(f"{_BEGIN}'{_SIGN}")


def as_text(cell: str) -> str:
    """Put an apostrophe before all that a spreadsheet would compute, or take for such an apostrophe."""
    return _FORMULA.sub("'", cell)


def as_written(cell: str) -> str:
    """Remove the apostrophes that `as_text` put into a cell."""
    return _KEPT.sub("", cell)


def text_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with every cell of text as `as_text` gives it."""
    names = [name for name, kind in frame.schema.items() if kind == pl.String]
    cells = {name: [cell if cell is None else as_text(cell) for cell in frame[name]] for name in names}
    return frame.with_columns(pl.Series(name, column, dtype=pl.String) for name, column in cells.items())
