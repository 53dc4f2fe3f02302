"""The features of LETOR files straight from their bytes, beside the careful way."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankgauge.errors import InputError
from rankgauge.files.formats.letor import FeatureTable, read_carefully, read_features
from rankgauge.files.letor_features import scan
from rankgauge.files.source import Source
from tests.examples import examples
from tests.shared import SHARED

NUMBERS = ("0", "1", "-1.5", "+2", ".5", "1.", "1e5", "-1E-7", "0.1000000000000000055", "00", "-0", "123456789.125")
ODD = ("nan", "NaN", "inf", "-inf", "Infinity", "1e400", "x", "", "1:2", "0x1", "1_0", "٣", "1#2", "\x1f")
BLANKS = (" ", "  ", "\t", " \v", "\f")
NAMES = ("1", "2", "10", "1", "3", "01", "+4", "0", "a", "", "-1")
COMMENTS = ("", "#docid = A", "# B", "#C inc = 1:2", "#docid = GX-1 qid:7 3:9", "#", "# é")
HEADS = ("0 qid:1", "2 qid:1", "1 qid:22", " 1 qid:3", "1\tqid:1", "1.5 qid:q#1", "nan qid:1", "qid:1", "1 q:1", "# x")


def features(numbers: tuple[str, ...], values: tuple[str, ...]) -> st.SearchStrategy[str]:
    """A feature and the blank before it."""
    pair = st.tuples(st.sampled_from(BLANKS), st.sampled_from(numbers), st.sampled_from(values))
    return pair.map(lambda parts: f"{parts[0]}{parts[1]}:{parts[2]}")


def files(heads: tuple[str, ...], numbers: tuple[str, ...], values: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Files of such lines, some of them blank, with one kind of line end."""
    pairs = st.lists(features(numbers, values), max_size=5).map("".join)
    parts = st.tuples(st.sampled_from(heads), pairs, st.sampled_from(("", " ")), st.sampled_from(COMMENTS))
    lines = st.lists(parts.map("".join) | st.sampled_from(("", "# note")), min_size=1, max_size=8)
    return st.tuples(lines, st.sampled_from(("\n", "\r\n"))).map(lambda file: file[1].join(file[0]) + file[1])


def written(folder: Path, text: str) -> Source:
    """A file with that text."""
    path = folder / "file.txt"
    path.write_bytes(text.encode())
    return Source.of(path)


def outcome(read: object, source: Source) -> FeatureTable | str:
    """What was read, or what the error says."""
    try:
        return read(source)  # type: ignore[operator]
    except InputError as error:
        return str(error)


def same(one: FeatureTable | str, other: FeatureTable | str) -> bool:
    """Whether both read the same, bit by bit, or stop with the same error."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    alike = all(a.tolist() == b.tolist() for a, b in zip(one[:3], other[:3], strict=True))
    return alike and one.matrix.shape == other.matrix.shape and one.matrix.tobytes() == other.matrix.tobytes()


any_file = settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@any_file
@given(text=files(HEADS, NAMES, NUMBERS + ODD))
def test_both_ways_read_the_same(tmp_path: Path, text: str) -> None:
    """Whatever the file holds, the result or the error is that of the careful way."""
    source = written(tmp_path, text)
    assert same(outcome(read_features, source), outcome(read_carefully, source))


@any_file
@given(text=files(("0 qid:1", "2 qid:22", "1 qid:q#1"), ("1", "2", "10", "3"), NUMBERS), block=st.integers(1, 200))
def test_blocks_make_no_difference(tmp_path: Path, text: str, block: int) -> None:
    """Where a file is regular, the matrix is that of the careful way, in blocks of any size."""
    source = written(tmp_path, text)
    scanned, expected = scan(source, block=block), outcome(read_carefully, source)
    if scanned is not None and not isinstance(expected, str):
        assert scanned.matrix.tobytes() == expected.matrix.tobytes()
        assert scanned.matrix.shape == expected.matrix.shape


def test_regular_files_take_the_fast_way(tmp_path: Path) -> None:
    """Dense and sparse lines, comments, blank lines, features in any order and line ends of both kinds are regular."""
    text = "2 qid:1 1:0.5 2:1e3 #docid = A\r\n# note\r\n\r\n0 qid:1 7:-1 3:2 \r\n1 qid:2\r\n"
    scanned = scan(written(tmp_path, text))
    assert scanned is not None
    expected = np.zeros((3, 7))
    expected[0, [0, 1]], expected[1, [6, 2]] = [0.5, 1000.0], [-1.0, 2.0]
    assert scanned.matrix.tolist() == expected.tolist()


def test_no_number_and_infinity_are_read(tmp_path: Path) -> None:
    """NaN and infinities are values like others."""
    found = read_features(written(tmp_path, "1 qid:1 1:NaN 2:inf 3:-inf\n"))
    np.testing.assert_array_equal(found.matrix, [[np.nan, np.inf, -np.inf]])


def test_packed_files_are_scanned(tmp_path: Path) -> None:
    """A gzip file reads as the plain one."""
    text = "1 qid:1 1:2 2:4 # A\n0 qid:1 2:8 # B\n"
    (tmp_path / "file.txt.gz").write_bytes(gzip.compress(text.encode()))
    packed = Source.of(tmp_path / "file.txt.gz")
    assert scan(packed) is not None
    assert same(read_features(packed), read_carefully(written(tmp_path, text)))


def test_single_precision_is_the_nearest(tmp_path: Path) -> None:
    """With float32 each value is the float nearest to the double."""
    source = written(tmp_path, "1 qid:1 1:0.1 2:16777217 3:-3\n")
    found = read_features(source, dtype=np.float32)
    assert found.matrix.dtype == np.float32
    assert found.matrix.tolist() == [[float(np.float32(0.1)), 16777216.0, -3.0]]


def test_an_error_far_into_a_file_names_its_line(tmp_path: Path) -> None:
    """A fault in a late block stops with path, line and text, as the careful way has it."""
    lines = [f"{n % 3} qid:{n // 10} 1:{n} 2:0.5" for n in range(2000)]
    lines[1500] = "1 qid:150 1:0.5 2=3"
    with pytest.raises(InputError, match="expected features as number:value") as stopped:
        read_features(written(tmp_path, "\n".join(lines)))
    assert (stopped.value.line, stopped.value.text) == (1501, "1 qid:150 1:0.5 2=3")


@pytest.mark.parametrize("name", ["mq2008/S1.txt", "ohsumed/Feature-min/S1.txt", "mslr_sample/msn1.fold1.test.5k.txt"])
def test_published_files_are_regular(name: str) -> None:
    """MQ2008, OHSUMED and MSLR take the fast way, and read as the careful way reads them."""
    path = SHARED / "data" / name
    if not path.exists():
        pytest.skip(f"{name} is not there")
    source = Source.of(path)
    assert scan(source) is not None
    assert same(read_features(source), read_carefully(source))
