"""Packed files (gzip, bzip2, xz, zstd): known by their first bytes, written by their suffix, bombs refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from rankgauge.errors import InputError, MissingExtraError
from rankgauge.lazy_polars import pl
from rankgauge.records import record

RATIO = 500
"""How many times its size a file may unpack to. A run of the most regular kind packs to a hundredth by xz."""

LOOKED_AT = 16 << 20
"""How many unpacked bytes are looked at. A file that unpacks to fewer is no danger."""

PIECE = 1 << 12
"""How many bytes of zstd are unpacked at a time. At worst they unpack to 128 MB: four bytes may encode 128 KB."""

Where = Path | io.BytesIO


@record
class Packing:
    """A way to pack bytes: its file suffix, its first bytes, and streams that unpack and pack."""

    suffix: str
    magic: bytes
    unpack: Callable[[Where, int], BinaryIO]
    """The unpacked bytes as a stream, at least the first `size` of them (all if it is negative)."""
    pack: Callable[[BinaryIO], Any]
    polars: bool = False
    """Whether polars unpacks it by itself."""


def packing_of(start: bytes) -> Packing | None:
    """Return how a file that begins with these bytes is packed, if it is."""
    return next((packing for packing in PACKINGS if start.startswith(packing.magic)), None)


def is_bomb(start: bytes) -> bool:
    """Say whether a packed file unpacks to more than `RATIO` times its size, so that no memory may hold it.

    Only its beginning is unpacked: the first `RATIO`-th part of what is looked at must not give all of it.
    """
    packing = packing_of(start)
    if packing is None or (packing.unpack is _unpack_zstd and _zstd_library() is None):
        return False
    try:
        with packing.unpack(io.BytesIO(start[: LOOKED_AT // RATIO]), LOOKED_AT) as stream:
            return len(stream.read(LOOKED_AT)) >= LOOKED_AT
    except (EOFError, OSError, lzma.LZMAError, zlib.error):
        return False  # the reader will say what is wrong with it


def _unpacker(unpack: Callable[..., Any]) -> Callable[[Where, int], BinaryIO]:
    return lambda where, size: cast("BinaryIO", unpack(where))


def _unpack_zstd(where: Where, size: int) -> BinaryIO:
    """Unpack by Python itself from 3.14 on, before that by the package zstandard, or else by polars."""
    library = _zstd_library()
    if library is None:
        # A line has at least one byte, so `size` lines hold `size` bytes.
        lines = pl.scan_lines(where) if size < 0 else pl.scan_lines(where).head(size)
        return io.BytesIO("\n".join(lines.collect(engine="streaming").to_series()).encode() + b"\n")
    raw = where.open("rb") if isinstance(where, Path) else where
    return cast("BinaryIO", io.BufferedReader(_ZstdFrames(raw, *library), 1 << 17))


def _zstd_library() -> tuple[Any, type[Exception]] | None:
    """Return what makes an object that unpacks one frame, and the error that it raises."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]

        return zstd.ZstdDecompressor, zstd.ZstdError
    except ImportError:
        pass
    try:
        import zstandard  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    return lambda: zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError


class _ZstdFrames(io.RawIOBase):
    """The unpacked bytes of zstd frames one after another; a frame that ends too early is an error, as with gzip."""

    def __init__(self, raw: BinaryIO, decompressor: Any, error: type[Exception]) -> None:
        self._raw, self._decompressor, self._error = raw, decompressor, error
        self._frame: Any = None
        self._packed, self._left = b"", memoryview(b"")

    def readable(self) -> bool:
        """It is read only."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill some of the buffer; 0 at the end."""
        while not self._left:
            self._packed = self._packed or self._raw.read(PIECE)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("a zstd frame ends before its end is marked")
                return 0
            self._left = memoryview(self._unpack())  # a memoryview is cut without a copy
        taken = min(len(buffer), len(self._left))
        buffer[:taken], self._left = self._left[:taken], self._left[taken:]
        return taken

    def _unpack(self) -> bytes:
        self._frame = self._frame or self._decompressor()
        try:
            unpacked = self._frame.decompress(self._packed)
        except self._error as error:
            raise OSError(str(error)) from None
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None
        return cast("bytes", unpacked)

    def close(self) -> None:
        """Close the packed file too."""
        self._raw.close()
        super().close()


def _pack_zstd(raw: BinaryIO) -> BinaryIO:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]

        return cast("BinaryIO", zstd.open(raw, "wb"))
    except ImportError:
        pass
    try:
        import zstandard  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtraError("zstandard", "zstd") from None
    return cast("BinaryIO", zstandard.ZstdCompressor().stream_writer(raw, closefd=False))


PACKINGS = (
    Packing(
        suffix=".gz",
        magic=b"\x1f\x8b",
        unpack=_unpacker(gzip.open),
        # No time and no name inside: the same table gives the same bytes.
        pack=lambda raw: cast("BinaryIO", gzip.GzipFile("", "wb", fileobj=raw, mtime=0)),
        polars=True,
    ),
    Packing(suffix=".bz2", magic=b"BZh", unpack=_unpacker(bz2.open), pack=partial(bz2.open, mode="wb")),
    Packing(suffix=".xz", magic=b"\xfd7zXZ\x00", unpack=_unpacker(lzma.open), pack=partial(lzma.open, mode="wb")),
    Packing(suffix=".zst", magic=b"(\xb5/\xfd", unpack=_unpack_zstd, pack=_pack_zstd, polars=True),
)
PACKED_SUFFIXES = tuple(packing.suffix for packing in PACKINGS)


def unpacked_name(name: str) -> str:
    """Return the name of a file without the ending that says how it is packed: run.txt.gz is run.txt."""
    packed = next((suffix for suffix in PACKED_SUFFIXES if name.lower().endswith(suffix)), "")
    return name[: -len(packed)] or name if packed else name


TABLE_RATIO = 100
"""How many times its size a table may unpack to: names that are repeated in every row take a tenth at most."""

HARMLESS = 64 << 20
"""What unpacks to fewer bytes is no danger, and neither is a file that is larger than that itself."""


def refuse_bomb(frame: pl.LazyFrame, size: int, name: str | None = None) -> pl.LazyFrame:
    """Return the table of a file of that size; an error if it unpacks to far more. Its cells are counted, not held."""
    if size >= HARMLESS:
        return frame
    schema, most = frame.collect_schema(), max(HARMLESS, TABLE_RATIO * size)
    cells = 8 * frame.select(pl.len()).collect().item() * max(len(schema), 1)
    texts = [pl.col(column).str.len_bytes() for column, kind in schema.items() if kind == pl.String]
    texts += [pl.col(column).bin.size() for column, kind in schema.items() if kind == pl.Binary]
    texts += [8 * pl.col(column).list.len() for column, kind in schema.items() if isinstance(kind, pl.List)]
    if cells <= most and texts:
        sums = frame.select(text.cast(pl.UInt64).sum().alias(str(n)) for n, text in enumerate(texts))
        cells += sum(sums.collect(engine="streaming").row(0))
    if cells > most:
        raise InputError(
            f"unpacks to more than {TABLE_RATIO} times its size; no real table packs that well",
            path=name,
            hint="Write it without the repetition, or as CSV.",
        )
    return frame
