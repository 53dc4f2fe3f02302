"""Where bytes come from: a file, plain or packed (gzip, bzip2, xz, zstd), a pipe, or standard input (`-`).

Packed files are known by their first bytes, not by their names.
"""

from __future__ import annotations

import io
import json
import lzma
import sys
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from rankgauge.errors import InputError
from rankgauge.files.compression import PACKED_SUFFIXES, RATIO, Packing, Where, is_bomb, packing_of, unpacked_name
from rankgauge.lazy_polars import pl
from rankgauge.policies import FailedResponse

if TYPE_CHECKING:
    from rankgauge.files import Spelling

STANDARD_STREAM = "-"

CUT = "The file seems cut off or damaged."

Thing = TypeVar("Thing")


def damage() -> tuple[type[BaseException], ...]:
    """Return what libraries raise at damaged bytes; polars can do so only once it is loaded."""
    plain = (OSError, EOFError, lzma.LZMAError, zlib.error)
    if "polars" not in sys.modules:
        return plain
    # Its readers of binary files may panic.
    return (*plain, pl.exceptions.PolarsError, pl.exceptions.PanicException)


@dataclass(frozen=True, kw_only=True)
class SpelledFile(PathLike[str]):
    """A path with what a user says of the file: it is taken wherever a path is."""

    path: str
    spelling: Spelling | None
    queries: tuple[str, ...] = ()
    on_failure: FailedResponse = FailedResponse.LEAVE_OUT

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file to read, or the bytes that came from a pipe."""

    name: str
    path: Path | None
    content: bytes = b""
    queries: tuple[str, ...] = ()
    """The queries that the responses in the file answer, in their order, if they were listed."""
    on_failure: FailedResponse = FailedResponse.LEAVE_OUT
    """What becomes of the queries whose search failed."""
    part: str = ""
    """The name of the run that was asked for, of several in the file."""
    spelling: Spelling | None = None
    """What a user says of the file."""

    @classmethod
    def of(cls, path: str | PathLike[str]) -> Source:
        """The source of that name; an error if there is nothing to read. FILE#NAME is one run of several in a file."""
        if isinstance(path, SpelledFile):
            source = cls.of(path.path)
            return replace(source, spelling=path.spelling, queries=path.queries, on_failure=path.on_failure)
        path = fspath(path)
        if str(path) == STANDARD_STREAM:
            return cls(name="standard input", path=None, content=sys.stdin.buffer.read())._fill()
        file = Path(path)
        whole, _, part = str(path).rpartition("#")
        if whole and not file.exists() and Path(whole).is_file():
            return replace(cls.of(whole), part=part)
        if file.is_dir():
            return cls(name=str(path), path=None, content=gather_files(file))._fill()
        if not file.exists():
            raise InputError("there is no such file", path=path, hint=_neighbours(file))
        try:
            # A pipe can be read only once, so its bytes are kept.
            if not file.is_file():
                return cls(name=str(path), path=None, content=file.read_bytes())._fill()
            return cls(name=str(path), path=file)._fill()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=path) from None

    def _fill(self) -> Source:
        magic = self._magic()
        if not magic:
            raise self.empty()
        if magic.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            return self._recode()
        if self.packed:
            with self._raw() as raw:
                if is_bomb(raw.read(1 << 16)):
                    raise InputError(
                        f"unpacks to more than {RATIO} times its size; no real ranking file compresses that well",
                        path=self.name,
                        hint="Unpack it yourself if it is one.",
                    )
        return self

    def empty(self) -> InputError:
        """Return the error for a file that holds nothing."""
        return InputError(
            "is empty", path=self.name, hint="Check that the program that wrote it finished, and that this is its file."
        )

    def _recode(self) -> Source:
        """Return the same text in UTF-8: Excel's "Unicode text" is UTF-16."""
        try:
            with self._raw() as raw:
                return Source(name=self.name, path=None, content=raw.read().decode("utf-16").encode())
        except UnicodeError:
            hint = "Save the file as UTF-8."
            raise InputError("begins as UTF-16 text and is none", path=self.name, hint=hint) from None

    @cached_property
    def said(self) -> Mapping[str, str]:
        """Our columns by the names that a user says they have."""
        return {} if self.spelling is None else self.spelling.columns

    @property
    def suffix(self) -> str:
        """The suffix of the file's name in lower case, without that of the packing."""
        return suffix_of(self.name)

    @property
    def stem(self) -> str:
        """The file's name without its endings, by which a response that is alone is called; empty for a pipe."""
        if self.path is None:
            return ""
        return stem_of(self.path)

    def one_of(self, runs: Mapping[str, Thing], called: str = "runs") -> Thing:
        """Return the run that was asked for, by its name or the beginning of it; any if the file holds but one.

        `called` is what an error calls them, such as the sheets of a spreadsheet.
        """
        names = [name for name in runs if name.startswith(self.part)]
        chosen = self.part if self.part in runs else names[0] if len(names) == 1 else None
        if chosen is None:
            named = f", and none is called {self.part}" if self.part and not names else ""
            raise InputError(
                f"holds {len(runs)} {called}{named}: {', '.join(runs)}",
                path=self.name,
                hint=f"Name one of them: {self.name}#{next(iter(runs), 'NAME')}",
            )
        return runs[chosen]

    def open(self, size: int = -1) -> BinaryIO:
        """Return the unpacked bytes as a stream, at least the first `size` of them."""
        return self._raw() if self._packing is None else self._packing.unpack(self._where, size)

    def read(self, size: int = -1) -> bytes:
        """Return the unpacked bytes, or the first `size` of them."""
        try:
            with self.open(size) as stream:
                return stream.read(size)
        except damage() as error:
            raise self.damage_error(error) from None

    def text(self) -> str:
        """Return the unpacked text, without a byte order mark."""
        try:
            return self.read().decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError:
            raise self.unreadable("is not text") from None

    def unreadable(self, error: BaseException | str) -> InputError:
        """Return the error for bytes that could not be read: it names the line if one is not UTF-8 text."""
        if self.packed and not isinstance(error, str | pl.exceptions.PolarsError | pl.exceptions.PanicException):
            return self.damage_error(error)
        if b"\0" not in self.read(4096):
            with self.open() as stream:
                for number, line in enumerate(stream, start=1):
                    try:
                        line.decode("utf-8")
                    except UnicodeDecodeError:
                        text = line.decode("utf-8", "backslashreplace")
                        hint = "Save it as UTF-8; Excel calls that 'CSV UTF-8'."
                        return InputError("is not UTF-8 text", path=self.name, line=number, text=text, hint=hint)
        elif isinstance(error, str):
            return self.no_text()
        return InputError(f"cannot be read: {str(error).partition(chr(10))[0]}", path=self.name, hint=CUT)

    def no_text(self) -> InputError:
        """Return the error for bytes that should be text."""
        packed = self._magic().startswith(b"PK\x03\x04")
        hint = "Save a sheet as CSV (Excel: 'CSV UTF-8'), or unpack the archive." if packed else CUT
        what = "is a spreadsheet or an archive, not a text file" if packed else "is not a text file"
        return InputError(what, path=self.name, hint=hint)

    def scannable(self) -> Path | io.BytesIO:
        """Return what polars can read: the path if possible, else the unpacked bytes."""
        packing = self._packing
        return self._where if packing is None or packing.polars else io.BytesIO(self.read())

    def damage_error(self, error: BaseException) -> InputError:
        """Return the error for bytes that cannot be unpacked."""
        return InputError(f"cannot be unpacked: {error}", path=self.name, hint=CUT)

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
    """Return the suffix of a file's name in lower case, without that of the packing."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in PACKED_SUFFIXES), "")


def stem_of(path: str | Path) -> str:
    """Return a file's name without its ending and that of the packing."""
    return Path(unpacked_name(Path(path).name)).stem


def gather_files(folder: Path) -> bytes:
    """Return the JSON files of a folder as one: {name of the file: what it holds}."""
    files = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
    if not files or any(suffix_of(file) != ".json" or not file.is_file() for file in files):
        raise InputError(
            "is a directory, not a file",
            path=folder,
            hint="A folder is read if it holds nothing but search responses, each named for its query: QUERY.json.",
        )
    parts = []
    for file in files:
        try:
            document = json.loads(Source.of(file).text())
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not valid JSON: {error}", path=file) from None
        parts.append(f"{json.dumps(stem_of(file))}: {json.dumps(document)}")
    return ("{" + ",\n".join(parts) + "}").encode()


def _neighbours(file: Path) -> str | None:
    import difflib

    names = [other.name for other in file.parent.iterdir()] if file.parent.is_dir() else []
    near = difflib.get_close_matches(file.name, names, n=3)
    return f"Did you mean {' or '.join(str(file.parent / name) for name in near)}?" if near else None
