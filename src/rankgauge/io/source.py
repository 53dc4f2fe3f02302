"""Where bytes come from: a file, plain or packed (gzip, bzip2, xz, zstd), a pipe, or standard input (`-`).

Packed files are known by their first bytes, not by their names.
"""

from __future__ import annotations

import difflib
import io
import lzma
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from rankgauge.errors import InputError
from rankgauge.io.compression import PACKED_SUFFIXES, RATIO, Packing, Where, is_bomb, packing_of
from rankgauge.lazy_polars import pl

STANDARD_STREAM = "-"


def damage() -> tuple[type[BaseException], ...]:
    """What libraries raise at damaged bytes; polars can do so only once it is loaded."""
    plain = (OSError, EOFError, lzma.LZMAError, zlib.error)
    if "polars" not in sys.modules:
        return plain
    # Its readers of binary files may panic.
    return (*plain, pl.exceptions.PolarsError, pl.exceptions.PanicException)


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file to read, or the bytes that came from a pipe."""

    name: str
    path: Path | None
    content: bytes = b""

    @classmethod
    def of(cls, path: str | Path) -> Source:
        """The source of that name; an error if there is nothing to read."""
        if str(path) == STANDARD_STREAM:
            return cls(name="standard input", path=None, content=sys.stdin.buffer.read())._filled()
        file = Path(path)
        if file.is_dir():
            raise InputError("is a directory, not a file", path=path)
        if not file.exists():
            raise InputError("there is no such file", path=path, hint=_neighbours(file))
        try:
            # A pipe can be read only once, so its bytes are kept.
            if not file.is_file():
                return cls(name=str(path), path=None, content=file.read_bytes())._filled()
            return cls(name=str(path), path=file)._filled()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=path) from None

    def _filled(self) -> Source:
        if not self._magic():
            raise InputError("is empty", path=self.name)
        if self.packed:
            with self._raw() as raw:
                if is_bomb(raw.read(1 << 16)):
                    raise InputError(
                        f"unpacks to more than {RATIO} times its size; no real ranking file compresses that well",
                        path=self.name,
                        hint="Unpack it yourself if it is one.",
                    )
        return self

    @property
    def suffix(self) -> str:
        """The suffix of the file's name in lower case, without that of the packing."""
        return suffix_of(self.name)

    def open(self, size: int = -1) -> BinaryIO:
        """The unpacked bytes as a stream, at least the first `size` of them."""
        return self._raw() if self._packing is None else self._packing.unpack(self._where, size)

    def read(self, size: int = -1) -> bytes:
        """The unpacked bytes, or the first `size` of them."""
        try:
            with self.open(size) as stream:
                return stream.read(size)
        except damage() as error:
            raise self.damaged(error) from None

    def text(self) -> str:
        """The unpacked text, without a byte order mark."""
        try:
            return self.read().decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError:
            raise self.unreadable("is not text") from None

    def unreadable(self, error: BaseException | str) -> InputError:
        """The error for bytes that could not be read: it names the line if one is not UTF-8 text."""
        if self.packed and not isinstance(error, str | pl.exceptions.PolarsError | pl.exceptions.PanicException):
            return self.damaged(error)
        if b"\0" not in self.read(4096):
            with self.open() as stream:
                for number, line in enumerate(stream, start=1):
                    try:
                        line.decode("utf-8")
                    except UnicodeDecodeError:
                        text = line.decode("utf-8", "backslashreplace")
                        return InputError("is not UTF-8 text", path=self.name, line=number, text=text)
        return InputError(f"cannot be read: {error}", path=self.name)

    def scannable(self) -> Path | io.BytesIO:
        """What polars can read: the path if possible, else the unpacked bytes."""
        packing = self._packing
        return self._where if packing is None or packing.polars else io.BytesIO(self.read())

    def damaged(self, error: BaseException) -> InputError:
        """The error for bytes that cannot be unpacked."""
        return InputError(f"cannot be unpacked: {error}", path=self.name, hint="The file seems cut off or damaged.")

    @property
    def packed(self) -> bool:
        """Whether the bytes are compressed."""
        return self._packing is not None

    @property
    def _where(self) -> Where:
        return io.BytesIO(self.content) if self.path is None else self.path

    def _raw(self) -> BinaryIO:
        return io.BytesIO(self.content) if self.path is None else self.path.open("rb")

    def _magic(self) -> bytes:
        with self._raw() as raw:
            return raw.read(6)

    @property
    def _packing(self) -> Packing | None:
        return packing_of(self._magic())


def suffix_of(path: str | Path) -> str:
    """The suffix of a file's name in lower case, without that of the packing."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in PACKED_SUFFIXES), "")


def _neighbours(file: Path) -> str | None:
    names = [other.name for other in file.parent.iterdir()] if file.parent.is_dir() else []
    near = difflib.get_close_matches(file.name, names, n=3)
    return f"Did you mean {' or '.join(str(file.parent / name) for name in near)}?" if near else None
