"""Readers that cannot be broken: any bytes end in a result or in one clear error."""

from __future__ import annotations

import bz2
import contextlib
import copy
import gzip
import json
import lzma
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankgauge import evaluate, files
from rankgauge.errors import InputError, RankGaugeError
from rankgauge.input_notes import collecting_notes
from tests.examples import examples
from tests.fuzz.readers import Reader, readers
from tests.io.test_packing import zstd

NAMES = sorted(readers())
ODD = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\t", b" ", b"\x0b", b"\x85", "\u2028".encode(), b'"', b"'",
    b"#", b":", b"qid:", b"nan", b"inf", b"-inf", b"1e999", b"-0", b"0x10", b"9" * 400, "٣".encode(), "🦆".encode(),
    b"<!DOCTYPE a>", b"&amp;", b"]]>", b"{", b"}", b"[", b"null", b"\\u0000", b"\xc3", b",", b"\n\n",
)  # fmt: skip
"""What has broken readers before."""

quickly = settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def damage(draw: st.DrawFn) -> list[tuple[str, float, bytes]]:
    """Some changes to a file, each at a share of its length."""
    kinds = st.sampled_from(["cut", "insert", "replace", "drop", "double"])
    piece = st.one_of(st.sampled_from(ODD), st.binary(max_size=8))
    return draw(st.lists(st.tuples(kinds, st.floats(0, 1), piece), min_size=1, max_size=4))


def damaged(content: bytes, changes: list[tuple[str, float, bytes]]) -> bytes:
    """The content with the changes made."""
    for kind, share, piece in changes:
        at = int(share * len(content))
        after = content[at : at + max(len(piece), 1)]
        match kind:
            case "cut":
                content = content[:at]
            case "insert":
                content = content[:at] + piece + content[at:]
            case "replace":
                content = content[:at] + piece + content[at + len(piece) :]
            case "drop":
                content = content[:at] + content[at + len(after) :]
            case "double":
                content = content[:at] + content[max(at - 40, 0) : at] + content[at:]
    return content


def read(reader: Reader, content: bytes, folder: Path) -> None:
    """Reads the content, or ends with an error that names the file and fits on a screen."""
    path = folder / reader.name
    path.write_bytes(content)
    said = "read"
    try:
        with collecting_notes() as notes:
            reader.read(path)
        said += "".join(notes)
    except RankGaugeError as error:
        said = str(error)
    assert 0 < len(said) < 2000, "an error has words, and is no copy of the file"


@pytest.mark.parametrize("name", NAMES)
@given(changes=damage())
@quickly
def test_a_damaged_file(name: str, changes: list[tuple[str, float, bytes]], tmp_path: Path) -> None:
    """A sound file that was cut, doubled or spoilt is read, or is one clear error."""
    reader = readers()[name]
    read(reader, damaged(reader.sound, changes), tmp_path)


FRAMEWORKS = (
    *("ragas", "llama_index", "haystack", "mlflow", "trulens", "openinference", "langsmith", "evidently"),
    *("search_relevance", "sentence_transformers"),
)


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith(FRAMEWORKS)])
@given(changes=damage())
@quickly
def test_damaged_rows_of_frameworks_have_a_remedy(
    name: str, changes: list[tuple[str, float, bytes]], tmp_path: Path
) -> None:
    """An error names the file and says what to do about it."""
    reader = readers()[name]
    path = tmp_path / reader.name
    path.write_bytes(damaged(reader.sound, changes))
    fault = None
    with collecting_notes():
        try:
            reader.read(path)
        except InputError as error:
            fault = error
    assert fault is None or (fault.hint and path.name in str(fault))


@pytest.mark.parametrize("name", NAMES)
@given(content=st.binary(max_size=200))
@quickly
def test_any_bytes(name: str, content: bytes, tmp_path: Path) -> None:
    """Bytes that mean nothing are one clear error."""
    read(readers()[name], content, tmp_path)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_cut_packed_files(name: str, pack: object, tmp_path: Path) -> None:
    """A packed file that ends too early, or has a byte wrong, is read or is one clear error."""
    assert callable(pack)
    packed = pack(readers()[name].sound)
    for content in (packed[: len(packed) // 2], packed[:-1], packed[:20] + b"\x00" + packed[21:], packed + b"rest"):
        read(readers()[name], content, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_every_reader_reads_its_sound_file(name: str, tmp_path: Path) -> None:
    """What fuzzing begins with is right."""
    reader = readers()[name]
    path = tmp_path / reader.name
    path.write_bytes(reader.sound)
    with collecting_notes():  # a sample is read with a note
        reader.read(path)


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
def test_marks_and_line_ends_change_nothing(end: bytes, mark: bytes, tmp_path: Path) -> None:
    """A byte order mark and the line ends of other systems are no part of the data."""
    path = tmp_path / "qrels.txt"
    path.write_bytes(mark + end.join([b"q1 0 d1 2", b"q1 0 d2 0", b""]))
    assert files.read_judgments(path).rows() == [("q1", "d1", 2.0), ("q1", "d2", 0.0)]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_bombs_are_refused(pack: object, tmp_path: Path) -> None:
    """A file that unpacks to thousands of times its size is refused before it is unpacked."""
    assert callable(pack)
    path = tmp_path / "run.txt"
    path.write_bytes(pack(b"q1 Q0 d 1 1 t\n" * (4 << 20 >> 4)) * 16)  # sixteen packed streams in one file
    with pytest.raises(InputError, match="unpacks to more than"):
        files.read_run(path)


@pytest.mark.parametrize(
    "content",
    [
        b"<?xml version='1.0'?><!DOCTYPE l [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><l>&b;</l>",
        b"<?xml version='1.0'?><!DOCTYPE l SYSTEM 'file:///etc/passwd'><l/>",
        b"<taskDocumentMatrix>" + b"<task id='1'>" * 20_000,
        b"<taskDocumentMatrix>" + b"<a>" * 20_000 + b"</a>" * 20_000 + b"</taskDocumentMatrix>",
    ],
)
def test_hostile_markup(content: bytes, tmp_path: Path) -> None:
    """Entities, documents from elsewhere and deep nesting end in one clear error."""
    path = tmp_path / "table.xml"
    path.write_bytes(content)
    with pytest.raises(InputError):
        files.read_judgments(path, "romip")


def test_odd_ids(tmp_path: Path) -> None:
    """Ids are anything but white space: quotes, commas, emoji and marks of other scripts come through unchanged."""
    names = ['"q"', "a,b", "it's", "🦆", "ñ", "x" * 1000, "#1", "<b>", "\\n", "0", "-1e5"]
    path = tmp_path / "qrels.txt"
    path.write_text("".join(f"q{n} 0 {name} 1\n" for n, name in enumerate(names)), encoding="utf-8")
    assert files.read_judgments(path)["document"].to_list() == names
    rows = files.read_judgments(path)
    for ending in (".csv", ".jsonl", ".parquet"):
        files.write_judgments(rows, tmp_path / f"copy{ending}")
        assert files.read_judgments(tmp_path / f"copy{ending}").rows() == rows.rows()


def test_a_line_of_ten_megabytes(tmp_path: Path) -> None:
    """A line without an end is read or refused, with a message that fits on a screen."""
    for content in (b"q1 0 " + b"d" * 10_000_000 + b" 1\n", b"x" * 10_000_000, b"q1 0 d 1 " + b"9" * 10_000_000):
        read(readers()["trec judgments"], content, tmp_path)
        read(readers()["trec run"], content, tmp_path)


@pytest.mark.study
def test_a_million_queries(tmp_path: Path) -> None:
    """A million queries of one document are evaluated, each by itself."""
    numbers = range(1_000_000)
    (tmp_path / "qrels.txt").write_text("".join(f"{n} 0 d 1\n" for n in numbers))
    (tmp_path / "run.txt").write_text("".join(f"{n} Q0 d 1 1.0 t\n" for n in numbers))
    result = evaluate(tmp_path / "qrels.txt", tmp_path / "run.txt", "RR")
    assert result["RR"] == 1.0
    assert len(result.queries) == 1_000_000


@pytest.mark.parametrize("score", ["nan", "NaN", "-nan", "1..0", "٣", "1e"])
def test_scores_that_are_no_numbers(score: str, tmp_path: Path) -> None:
    """A score that cannot be put in order is refused with its line."""
    path = tmp_path / "run.txt"
    path.write_text(f"q Q0 a 1 1.0 t\nq Q0 b 2 {score} t\n")
    with pytest.raises(InputError, match=r"run\.txt:2"):
        files.read_run(path)


def test_memory_stays_bounded(tmp_path: Path) -> None:
    """A damaged file of 30 MB is refused without taking a gigabyte."""
    path = tmp_path / "run.txt"
    path.write_bytes(b"q Q0 a 1 1.0 t\n" * 2_000_000 + b"broken\n")
    program = f"""
        import resource
        from rankgauge import files
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        try:
            files.read_run({str(path)!r})
        except Exception as error:
            print(type(error).__name__)
        # Not ru_maxrss: it remembers what the parent held when it forked.
        print(int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    name, megabytes = done.stdout.split()
    assert name == "InputError"
    assert int(megabytes) < 1000


JSON_FILES = [
    json.JSONDecoder().raw_decode(sample.text)[0]  # of JSON lines the first
    for form in files.FORMATS.values()
    for sample in form.samples
    if form.name != "jsonl" and sample.text.startswith(("{", "["))
]
PIECES = st.sampled_from([None, True, 0, -1.5, "", "a", [], {}, [[]], [None], {"hits": None}, ["x"], {"id": 1}])


@given(content=st.sampled_from(JSON_FILES), data=st.data())
@settings(quickly, max_examples=examples(100))
def test_json_of_another_shape(content: object, data: st.DataObject, tmp_path: Path) -> None:
    """A value of a response or an export that is of another kind is read around, or is one clear error."""
    changed = copy.deepcopy(content)
    for _ in range(data.draw(st.integers(1, 3))):
        place: object = changed
        while isinstance(place, dict | list) and place:
            key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
            if data.draw(st.booleans()) or not isinstance(place[key], dict | list):
                place[key] = copy.deepcopy(data.draw(PIECES))
                break
            place = place[key]
    path = tmp_path / "file.json"
    path.write_text(json.dumps(changed))
    for reader in (files.read_judgments, files.read_run):
        with contextlib.suppress(RankGaugeError), collecting_notes():
            reader(path)
