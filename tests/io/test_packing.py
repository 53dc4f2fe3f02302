"""Packed files, pipes, standard streams, and files that appear whole or not at all."""

from __future__ import annotations

import bz2
import gzip
import io as streams
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from rankgauge import files
from rankgauge.errors import InputError, MissingExtraError
from rankgauge.files import output as target
from rankgauge.files.source import Source

RUN = "".join(f"q{n // 10} Q0 d{n % 10} {n % 10 + 1} {10 - n % 10} tag\n" for n in range(1000)).encode()


def zstd(content: bytes) -> bytes:
    """The bytes packed by Arrow's zstd."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return bytes(sink.getvalue().to_pybytes())


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
}


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("named", [True, False])
def test_packed_files_are_read_whatever_their_names(tmp_path: Path, packing: str, named: bool) -> None:
    """The first bytes tell the packing, so that a gzip file called `run.txt` is read as well."""
    plain, packed = tmp_path / "plain.run", tmp_path / (f"run.txt.{packing}" if named else "run.txt")
    plain.write_bytes(RUN)
    packed.write_bytes(PACKERS[packing](RUN))
    assert files.read_run(packed).equals(files.read_run(plain))


@pytest.mark.parametrize("packing", PACKERS)
def test_files_packed_in_pieces_are_read_to_the_end(tmp_path: Path, packing: str) -> None:
    """Two packed files put together are the two texts put together."""
    half = RUN.index(b"q50 ")
    path = tmp_path / f"run.{packing}"
    path.write_bytes(PACKERS[packing](RUN[:half]) + PACKERS[packing](RUN[half:]))
    assert len(files.read_run(path)) == 1000


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "xml", "labels"])
def test_every_text_format_may_be_packed(tmp_path: Path, packing: str, suffix: str) -> None:
    """Packing is no matter of the format."""
    judged = {"1": {"1": 1.0, "2": 0.0, "3": 2.0}, "2": {"1": 1.0, "2": 3.0}}
    plain = tmp_path / f"j.{suffix}"
    files.write_judgments(judged, plain)
    packed = tmp_path / f"j.{suffix}.{packing}"
    packed.write_bytes(PACKERS[packing](plain.read_bytes()))
    assert files.read_judgments(packed).equals(files.read_judgments(plain))
    assert len(files.read_judgments(packed)) == 5


@pytest.mark.parametrize("packing", PACKERS)
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, packing: str) -> None:
    """Half a packed file is an error, not half a run."""
    path = tmp_path / f"run.txt.{packing}"
    packed = PACKERS[packing](os.urandom(50_000).hex().encode() + b"\n" + RUN)
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match="cut off or damaged"):
        files.read_run(path, "trec")


@pytest.mark.parametrize("packing", PACKERS)
def test_packed_files_are_unpacked_in_pieces(tmp_path: Path, packing: str) -> None:
    """The beginning of a packed file is had without the rest of it, even where the rest is damaged."""
    path = tmp_path / f"run.{packing}"
    packed = PACKERS[packing](os.urandom({"bz2": 2_000_000}.get(packing, 200_000)).hex().encode())
    path.write_bytes(packed[: len(packed) // 2])
    with Source.of(path).open() as stream:
        assert len(stream.read(1000)) == 1000


def test_zstd_without_a_package_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python has no zstd and no package does it either, polars unpacks the file as a whole."""
    monkeypatch.setitem(sys.modules, "compression", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    (tmp_path / "run.zst").write_bytes(zstd(RUN))
    assert len(files.read_run(tmp_path / "run.zst")) == 1000


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz"])
def test_files_are_packed_as_their_names_say(tmp_path: Path, packing: str) -> None:
    """What `.gz` promises is gzip, and the same table gives the same bytes."""
    run = {"q": {"a": 2.0, "b": 1.0}}
    for name in (f"one.run.{packing}", f"two.run.{packing}"):
        files.write_run(run, tmp_path / name)
    one, two = ((tmp_path / f"{name}.run.{packing}").read_bytes() for name in ("one", "two"))
    unpack = {"gz": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress}[packing]
    assert one == two
    assert unpack(one) == b"q Q0 a 1 2 rankgauge\nq Q0 b 2 1 rankgauge\n"


def test_writing_zstd_names_the_extra_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a zstd module the error holds the pip command, and no file is left behind."""
    monkeypatch.setitem(sys.modules, "compression", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"rankgauge\[zstd\]"):
        files.write_run({"q": {"d": 1}}, tmp_path / "r.run.zst")
    assert list(tmp_path.iterdir()) == []


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` is standard input, plain or packed."""
    for content in (RUN, gzip.compress(RUN), zstd(RUN)):
        monkeypatch.setattr("sys.stdin", streams.TextIOWrapper(streams.BytesIO(content)))
        assert len(files.read_run("-")) == 1000


def test_standard_output_is_written(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """`-` is standard output."""
    files.write_judgments({"q": {"d": 1}}, "-")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == b"q 0 d 1\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """A pipe, as the shell's <(…) makes it, gives its bytes only once; that is enough."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(RUN,))
    writer.start()
    assert len(files.read_run(path)) == 1000
    writer.join()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    """Until everything is written the file of that name stays, and nothing else is left beside it."""
    path = tmp_path / "file.txt"
    path.write_text("old")

    def fail() -> None:
        with target.writing(path) as stream:
            stream.write(b"half")
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        fail()
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["file.txt"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """Writing through a symbolic link replaces the file that it points to."""
    (tmp_path / "real.qrels").write_text("old")
    (tmp_path / "link.qrels").symlink_to(tmp_path / "real.qrels")
    files.write_judgments({"q": {"d": 1}}, tmp_path / "link.qrels")
    assert (tmp_path / "link.qrels").is_symlink()
    assert (tmp_path / "real.qrels").read_text() == "q 0 d 1\n"
