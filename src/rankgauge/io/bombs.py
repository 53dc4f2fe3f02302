"""Packed files that unpack to so much more than they take that no memory holds them: refused by their beginning."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Mapping

from rankgauge.io import zstd

__all__ = ["RATIO", "is_bomb"]

RATIO = 500
"""How many times its size a file may unpack to. A run of the most regular kind packs to a hundredth by xz."""

LOOKED_AT = 16 << 20
"""So many unpacked bytes are looked at: what unpacks to fewer is no danger."""


def is_bomb(start: bytes) -> bool:
    """Whether the first `RATIO`-th part of what is looked at unpacks to all of it."""
    unpack = next((found for magic, found in _UNPACKERS.items() if start.startswith(magic)), None)
    if unpack is None:
        return False
    try:
        return unpack(start[: LOOKED_AT // RATIO]) >= LOOKED_AT
    except (EOFError, OSError, lzma.LZMAError, zlib.error):
        return False  # the reader will say what is wrong with it


def _gzip(start: bytes) -> int:
    return len(zlib.decompressobj(wbits=31).decompress(start, LOOKED_AT))


def _bzip2(start: bytes) -> int:
    return len(bz2.BZ2Decompressor().decompress(start, LOOKED_AT))


def _xz(start: bytes) -> int:
    return len(lzma.LZMADecompressor().decompress(start, LOOKED_AT))


def _zstd(start: bytes) -> int:
    return 0 if zstd.decompressor() is None else len(zstd.opened(io.BytesIO(start), LOOKED_AT).read(LOOKED_AT))


_UNPACKERS: Mapping[bytes, Callable[[bytes], int]] = {
    b"\x1f\x8b": _gzip,
    b"BZh": _bzip2,
    b"\xfd7zXZ\x00": _xz,
    b"(\xb5/\xfd": _zstd,
}
