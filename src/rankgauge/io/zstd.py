"""zstd unpacked piece by piece: by Python itself from 3.14 on, before that by the package zstandard."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, BinaryIO, cast

import polars as pl

__all__ = ["decompressor", "opened"]

PIECE = 1 << 12
"""So many packed bytes are taken at a time. They unpack to 128 MB at the worst: four bytes may stand for 128 KB."""


def opened(where: Path | io.BytesIO, size: int) -> BinaryIO:
    """The unpacked bytes as a stream, at least the first `size` of them; where nothing else is there, by polars."""
    found = decompressor()
    if found is None:
        # A line has at least one byte, so `size` lines hold `size` bytes.
        lines = pl.scan_lines(where) if size < 0 else pl.scan_lines(where).head(size)
        return io.BytesIO("\n".join(lines.collect(engine="streaming").to_series()).encode() + b"\n")
    raw = where.open("rb") if isinstance(where, Path) else where
    return cast(BinaryIO, io.BufferedReader(_Frames(raw, *found), 1 << 17))


def decompressor() -> tuple[Any, type[Exception]] | None:
    """What makes an object that unpacks one frame, and the error that it raises."""
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


class _Frames(io.RawIOBase):
    """Frames one after another, as a file of bytes; one that ends too early is an error, as with gzip."""

    def __init__(self, raw: BinaryIO, decompressor: Any, error: type[Exception]) -> None:
        self._raw, self._decompressor, self._error = raw, decompressor, error
        self._frame: Any = None
        self._packed, self._left = b"", memoryview(b"")

    def readable(self) -> bool:
        """It is read only."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills some of the buffer; 0 at the end."""
        while not self._left:
            self._packed = self._packed or self._raw.read(PIECE)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("a zstd frame ends before its end is marked")
                return 0
            self._left = memoryview(self._unpacked())  # which is cut without a copy
        taken = min(len(buffer), len(self._left))
        buffer[:taken], self._left = self._left[:taken], self._left[taken:]
        return taken

    def _unpacked(self) -> bytes:
        self._frame = self._frame or self._decompressor()
        try:
            unpacked = self._frame.decompress(self._packed)
        except self._error as error:
            raise OSError(str(error)) from None
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None
        return cast(bytes, unpacked)

    def close(self) -> None:
        """Closes the packed file too."""
        self._raw.close()
        super().close()
