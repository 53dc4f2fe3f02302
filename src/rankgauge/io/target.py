"""Where bytes go: a file that appears whole or not at all, packed as its name says, or standard output (`-`)."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from rankgauge.errors import InputError, MissingExtraError
from rankgauge.io.source import STANDARD_STREAM

__all__ = ["writing"]


def _pack_gzip(raw: BinaryIO) -> BinaryIO:
    # No time and no name inside: the same table gives the same bytes.
    return cast(BinaryIO, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))


def _pack_bzip2(raw: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, bz2.open(raw, "wb"))


def _pack_xz(raw: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, lzma.open(raw, "wb"))


def _pack_zstd(raw: BinaryIO) -> BinaryIO:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]

        return cast(BinaryIO, zstd.open(raw, "wb"))
    except ImportError:
        pass
    try:
        import zstandard  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtraError("zstandard", "zstd") from None
    return cast(BinaryIO, zstandard.ZstdCompressor().stream_writer(raw, closefd=False))


_PACKINGS: Mapping[str, Callable[[BinaryIO], BinaryIO]] = {
    ".gz": _pack_gzip,
    ".bz2": _pack_bzip2,
    ".xz": _pack_xz,
    ".zst": _pack_zstd,
}


@contextmanager
def writing(path: str | Path) -> Iterator[BinaryIO]:
    """A stream into the file. Until all is written, the file of that name stays as it was."""
    if str(path) == STANDARD_STREAM:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path).resolve()
    if target.is_dir():
        raise InputError("is a directory, a file was expected", path=path)
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {Path(path).parent}", path=path)
    if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced
        with target.open("wb") as raw:
            yield raw
        return
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as raw, _packed(raw, target.suffix.lower()) as stream:
            yield stream
        os.replace(beside, target)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=path) from None
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _packed(raw: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    if suffix not in _PACKINGS:
        yield raw
        return
    with _PACKINGS[suffix](raw) as stream:
        yield stream
