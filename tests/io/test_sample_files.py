"""The sample files of formats: each is recognised whatever it is called, read, and evaluated without a flag."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from rankgauge import evaluate, files
from rankgauge.cli.main import run
from rankgauge.files.detection import detections
from rankgauge.files.format import FORMATS, Format, SampleFile
from rankgauge.files.source import Source
from rankgauge.input_notes import collecting_notes

EXAMPLES = [
    pytest.param(form, example, id=f"{form.name}: {example.title}")
    for form in FORMATS.values()
    for example in form.samples
]


def test_formats_without_a_writer_have_an_example() -> None:
    """What cannot be written here is shown as its program writes it; workbooks are no text, preferences not read."""
    lacking = [name for name, form in FORMATS.items() if not form.samples and not form.write_judgments]
    assert lacking == ["xlsx", "prefs"]


@pytest.mark.parametrize(("form", "example"), EXAMPLES)
@pytest.mark.parametrize("ending", [".txt", ".json", ".gz"])
def test_an_example_is_recognised(tmp_path: Path, form: Format, example: SampleFile, ending: str) -> None:
    """By what it holds, whatever its name, packed or not."""
    path = tmp_path / f"file{ending}"
    path.write_bytes(gzip.compress(example.text.encode()) if ending == ".gz" else example.text.encode())
    found = detections(Source.of(path))
    assert found[0].format.name == form.name or form.name == "tsv"  # which is read as csv under another name
    assert example.kind in {one.kind for one in found}


@pytest.mark.parametrize(("form", "example"), EXAMPLES)
@pytest.mark.filterwarnings("ignore:.*do not name their queries")
def test_an_example_is_evaluated(
    tmp_path: Path,
    form: Format,
    example: SampleFile,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On the command line and in Python, beside a file of ours with the same queries and documents."""
    path, other = tmp_path / "file.txt", tmp_path / "other.jsonl"
    path.write_text(example.text)
    if example.kind is files.Kind.RUN:
        frame = files.read_run(path)
        files.write_judgments([(*ids, 1) for ids in frame.select("query", "document").rows()], other)
        pair = (other, path)
    else:
        with collecting_notes():
            frame = files.read_judgments(path)
        files.write_run([(*ids, 1.0) for ids in frame.select("query", "document").unique().rows()], other)
        pair = (path, other)
    options = {"assessors": "mean"} if "assessor" in frame.columns else {}
    value = evaluate(*pair, "R@10", **options)["R@10"]
    assert value > 0
    flags = [f"--{name}={choice}" for name, choice in options.items()]
    monkeypatch.setattr(sys, "argv", ["rankgauge", "evaluate", *map(str, pair), "-m", "R@10", *flags])
    with pytest.raises(SystemExit) as ended:
        run()
    printed = capsys.readouterr()
    assert not ended.value.code, printed.err
    assert f"{value:.4f}" in printed.out
