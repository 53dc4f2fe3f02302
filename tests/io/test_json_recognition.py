"""What JSON is recognised as does not depend on where the bytes that are looked at end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankgauge import files
from rankgauge.files import format as format_module
from rankgauge.files.detection import recognise
from rankgauge.files.format import FORMATS, Format, Head, SampleFile
from rankgauge.files.source import Source

pytestmark = pytest.mark.process  # computes for long


PADDINGS = 1000

SEEN = 20
"""Every so many paddings all formats look at the file; at the others only what they would look at is compared."""


def samples() -> Iterator[tuple[Format, SampleFile]]:
    return ((one, file) for one in FORMATS.values() for file in one.samples if file.text.lstrip()[:1] in ("{", "["))


def found(text: str, suffix: str = ".json") -> list[tuple[str, str]]:
    source = Source(name=f"file{suffix}", path=None, content=text.encode())
    return [(one.format.name, one.kind.value) for one in recognise(source)]


def padded(text: str, blanks: int) -> str:
    """The text with blanks behind its first bracket, which move all that follows."""
    text = text.lstrip()
    return text[0] + " " * blanks + text[1:]


@pytest.mark.parametrize(("kind", "file"), [pytest.param(*one, id=one[1].title) for one in samples()])
def test_recognition_does_not_depend_on_the_buffer(
    kind: Format, file: SampleFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is cut by the end of the buffer, the file is what it is if the buffer holds all of it."""
    suffix = kind.suffixes[0]
    whole = found(file.text, suffix)
    assert (kind.name, file.kind.value) in whole
    monkeypatch.setattr(format_module, "HEAD", PADDINGS)
    # With whitespace of every length up to the buffer's, each byte of the sample is the last one that is looked at.
    document = json.JSONDecoder().raw_decode(file.text.lstrip())[0]
    for blanks in range(PADDINGS):
        source = Source(name=f"file{suffix}", path=None, content=padded(file.text, blanks).encode())
        assert Head(source=source).document == document
        if blanks % SEEN == 0:
            assert found(padded(file.text, blanks), suffix) == whole


@pytest.mark.parametrize(("kind", "file"), [pytest.param(*one, id=one[1].title) for one in samples()])
def test_recognition_around_the_real_buffer(kind: Format, file: SampleFile) -> None:
    """Files that are a little shorter or longer than what is looked at are recognised alike, and after blank lines."""
    suffix, size = kind.suffixes[0], format_module.HEAD
    whole = found(file.text, suffix)
    for blanks in range(size - len(file.text) - 3, size + 4, 67):
        assert found(padded(file.text, blanks), suffix) == whole
    for blanks in (size - 1, size, size + 1):
        assert found("\n" * blanks + file.text, suffix) == whole


def response(hits: int, width: int) -> str:
    """A search response whose hits have their ids last, behind a text of that width."""
    found = [{"_index": "shop", "_source": {"title": "x" * width}, "_id": f"d{n}"} for n in range(hits)]
    return json.dumps({"took": 1, "hits": {"hits": found}})


def test_a_long_search_response_is_read(tmp_path: Path) -> None:
    """Above the buffer, wherever it cuts a hit, and even if the first hit alone is longer."""
    path = tmp_path / "q1.json"
    for hits, width in [(100, 700 + more) for more in range(0, 60, 7)] + [(2, 70_000)]:
        path.write_text(response(hits, width))
        assert files.read_run(path).height == hits


def test_a_table_by_columns_may_have_long_columns(tmp_path: Path) -> None:
    """The names of all columns count, also of those that come after the buffer."""
    rows = 9000
    columns = {"qid": ["q"] * rows, "docno": [f"document {n}" for n in range(rows)], "score": list(range(rows))}
    path = tmp_path / "run.json"
    path.write_text(json.dumps({name: dict(enumerate(cells)) for name, cells in columns.items()}))
    assert files.read_run(path).height == rows


def test_whole_numbers_before_fractions_are_scores(tmp_path: Path) -> None:
    """A run whose first scores are whole is a run, however far behind its first fraction is."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"q1": {f"d{n}": n for n in range(9000)} | {"last": 0.5}}))
    assert files.detect(path).kind is format_module.Kind.RUN


def test_json_lines_may_be_longer_than_the_buffer(tmp_path: Path) -> None:
    """A row whose text comes before its grade is a judgment."""
    path = tmp_path / "judged.jsonl"
    rows = [{"query": "q1", "document": f"d{n}", "text": "x" * 70_000, "grade": n} for n in range(3)]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert files.detect(path).kind is format_module.Kind.JUDGMENTS
    assert files.read_judgments(path)["grade"].to_list() == [0, 1, 2]
