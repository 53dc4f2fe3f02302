"""rankgauge judge, as a user types it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Command
from tests.judges.pools import graded, pool
from tests.judges.stand_ins import WatchedStandIn


@pytest.fixture
def files(folder: Path) -> Path:
    """A pool, and the grades from which a stand-in answers."""
    pool().write_csv(folder / "texts.csv")
    graded(pool()).write_csv(folder / "known.csv")
    return folder


@pytest.fixture
def slow() -> Iterator[WatchedStandIn]:
    """A stand-in that takes its time."""
    with WatchedStandIn(graded(pool()), delay=0.1) as started:
        yield started


PANEL = (("requests", "jsonl"), ("llm", "csv"), ("prefs", "txt"))
CALL = ("judge", "texts.csv", "--url", "stand-in:known.csv", "--model", "m")


def test_judging_and_evaluating(command: Command, files: Path) -> None:
    """Grades are written, a second start asks nothing, and `evaluate` reads the file as judgments."""
    printed = command(*CALL, "-o", "llm.csv")
    assert "pairs      20 of 4 queries; 0 answered before" in printed
    assert "graded     20 of 20 pairs (0 from before)" in printed
    assert "requests   20\n" in printed
    assert printed.endswith("written to llm.csv\n")
    assert "requests   0\n" in command(*CALL, "-o", "llm.csv")
    run = pool().select("query", "document", score=pl.lit(1.0))
    run.write_csv(files / "mine.csv")
    assert "nDCG@10" in command("evaluate", "llm.csv", "mine.csv", "-m", "nDCG@10")


def test_a_dry_run_asks_nothing_and_writes_nothing(command: Command, files: Path) -> None:
    """It shows what asking would take, and one prompt."""
    before = set(files.iterdir())
    printed = command(*CALL, "-o", "llm.csv", "--dry-run", "--price-in", "1", "--price-out", "4", "--max-cost", "2")
    assert "to ask     20 pairs, 8 at a time" in printed
    assert "cost       up to about 0.00" in printed
    assert "cap        a cost of 2, earlier sessions included" in printed
    assert " ===\nAbout 0\npassage 0-0." in printed
    assert set(files.iterdir()) == before


def test_a_cap_is_told_by_the_exit_code(command: Command, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What there is so far is written; the code says that something is left."""
    command(*CALL, "-o", "llm.csv", "--max-tokens-total", "3000", code=1)
    assert 0 < len(pl.read_csv(files / "llm.csv")) < 20
    printed = command(*CALL, "-o", "llm.csv", "--max-tokens-total", "30000")
    assert re.search(
        r"^cap        [5-9],\d{3} of 30,000 tokens spent, earlier sessions included$", printed, re.MULTILINE
    )


def test_windows_are_counted_as_such(command: Command, files: Path) -> None:
    """A document in two windows is one document."""
    printed = command(*CALL, "-o", "llm.csv", "--windows", "--max-characters", "25")
    assert "windows    40 of 4 queries; 0 answered before" in printed
    assert "graded     20 documents, from 40 windows (0 from before)" in printed


def test_scales_and_samples(command: Command, files: Path) -> None:
    """Words for the grades are in the prompt; several samples give probabilities."""
    assert "2  exact" in command(*CALL, "--dry-run", "--scale", "exact=2, partly=1, no=0")
    assert "from 0, 1" not in command(*CALL, "--dry-run", "--grades", "0,1")
    printed = command(*CALL, "-o", "llm.parquet", "--samples", "3")
    assert "grades     with probabilities, from 3 answers for each pair" in printed
    assert pl.read_parquet(files / "llm.parquet").columns == [
        "query",
        "document",
        "grade",
        "p_0",
        "p_1",
        "p_2",
        "p_3",
        "samples",
    ]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "no file for the grades is named"),
        (("-o", "none/llm.csv"), 2, "there is no folder none"),
        (("-o", "l.csv", "--grades", "a,b"), 4, "numbers separated by commas"),
        (("-o", "l.csv", "--grades", "0,1", "--scale", "trec-dl"), 4, "leave --grades out"),
        (("-o", "l.csv", "--extra", "[1]"), 4, "a JSON object"),
        (("-o", "l.csv", "--max-cost", "1"), 4, "--price-in"),
        (("-o", "l.csv", "--prompt", "none.txt"), 2, "none.txt: there is neither a prompt nor a file"),
        (("-o", "l.csv", "--url", "http://u:p@localhost/v1"), 2, "a user name or a password"),
        (("-o", "l.csv", "--key-env", "NO_SUCH"), 2, "NO_SUCH is not set"),
    ],
)
def test_wrong_options_are_one_clear_error(
    command: Command, files: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    """Nothing is asked and no output is written."""
    url = CALL.index("--url")
    call = (*CALL[:url], *CALL[url + 2 :]) if "--url" in words else CALL  # an option is given once
    assert message in command(*call, *words, code=code)
    assert not (files / "l.csv").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("-o", "texts.csv"),
        ("-o", "./sub/../known.csv"),
        ("-o", "l.csv", "--cache", "texts.csv"),
        ("-o", "l.csv", "--prompt", "prompt.txt", "--cache", "prompt.txt"),
        ("-o", "l.csv", "--cache", "l.csv"),
    ],
)
def test_no_input_is_overwritten(command: Command, files: Path, words: tuple[str, ...]) -> None:
    """Outputs that are inputs, or each other, are refused before anything is asked."""
    (files / "sub").mkdir()
    (files / "prompt.txt").write_text("{query} {document} {grades}")
    before = {path: path.read_bytes() for path in files.iterdir() if path.is_file()}
    assert "would be overwritten" in command(*CALL, *words, code=2)
    assert {path: path.read_bytes() for path in files.iterdir() if path.is_file()} == before


def test_refused_pairs_are_told_by_the_exit_code(
    program: Callable[..., subprocess.Popen[str]], files: Path, slow: WatchedStandIn
) -> None:
    """A pair that is left without a grade is no success, and the summary says how to ask again."""
    slow.delay = 0.0
    slow.next_faults.extend(["", "chatty", "chatty"])
    call = ("judge", "texts.csv", "--url", slow.url, "--model", "m", "-o", "llm.csv", "--jobs", "1", "--again")
    for words, code, told in (
        ("1", 1, "graded     19 of 20 pairs (0 from before)"),
        ("1", 1, "graded     19 of 20 pairs (19 from before)"),
        ("2", 0, "graded     20 of 20 pairs (19 from before)"),
    ):
        started = program(*call, words)
        out, err = started.communicate(timeout=20)
        assert (started.returncode, err) == (code, "")
        assert told in out
        assert ("unless a higher --again is given" in out) == bool(code)
        assert ("2 times not a grade in the agreed form, the last: I would say that it" in out) == (code == 1)


def test_ctrl_c_keeps_what_was_answered(
    program: Callable[..., subprocess.Popen[str]], files: Path, slow: WatchedStandIn
) -> None:
    """It ends without a traceback, writes what there is, and the next start goes on."""
    call = ("judge", "texts.csv", "--url", slow.url, "--model", "m", "-o", "llm.csv", "--jobs", "2")
    started = program(*call)
    while slow.received.total() < 4:
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=20)
    assert started.returncode == 130
    assert err == ""
    assert "not asked: interrupted" in out
    written = len(pl.read_csv(files / "llm.csv"))
    assert 4 <= written < 20
    slow.delay = 0.0
    out, _ = program(*call).communicate(timeout=20)
    assert f"graded     20 of 20 pairs ({written} from before)" in out
    assert set(slow.received.values()) == {1}


def test_a_batch(command: Command, files: Path, program: Callable[..., subprocess.Popen[str]]) -> None:
    """Requests go to a file; the results of an endpoint come back as grades, with their provenance."""
    assert "requests.jsonl: 20 requests" in command(*CALL, "-o", "llm.csv", "--write-batch", "requests.jsonl")
    assert not (files / "llm.csv").exists()
    other = command(*CALL, "-o", "llm.csv", "--write-batch", "requests.jsonl", "--api", "anthropic", code=4)
    assert "the form of OpenAI's batches" in other
    with WatchedStandIn(graded(pool())) as stand_in:
        results = []
        for line in (files / "requests.jsonl").read_text().splitlines():
            asked = json.loads(line)
            row = stand_in.find_row(asked["body"])
            body = stand_in.completion(asked["body"], row)
            results.append({"custom_id": asked["custom_id"], "response": {"status_code": 200, "body": body}})
    (files / "results.jsonl").write_text("\n".join(map(json.dumps, results)))
    failed = [{"custom_id": one["custom_id"], "error": {"message": "too late"}} for one in results[:3]]
    (files / "failed.jsonl").write_text("\n".join(map(json.dumps, failed + results[3:])))
    printed = program(*CALL, "-o", "llm.csv", "--read-batch", "failed.jsonl").communicate()[0]
    assert (
        "failed     3 of the batch's requests; write another batch for them\nfault      too late (3 times)" in printed
    )
    assert "graded     20 of 20 pairs" in command(*CALL, "-o", "llm.csv", "--read-batch", "results.jsonl")
    assert json.loads((files / "llm.csv.provenance.json").read_text())["graded"] == 20


def test_each_model_of_a_panel_has_its_files(command: Command, files: Path) -> None:
    """Batches and preferences of one model are not overwritten by the next one's."""
    panel = (*CALL, "--model", "o/2", "-o", "llm.csv")
    assert "requests.o-2.jsonl: 20 requests" in command(*panel, "--write-batch", "requests.jsonl")
    command(*panel, "--prompt", "pairwise", "--preferences", "prefs.txt", "--others", "1")
    names = {path.name for path in files.iterdir()}
    assert {f"{name}.{model}.{end}" for name, end in PANEL for model in ("m", "o-2")} <= names


def test_a_panel_shares_its_caps(program: Callable[..., subprocess.Popen[str]], files: Path) -> None:
    """What one model took is no longer there for the next."""
    call = (*CALL, "--model", "n", "-o", "llm.csv", "--max-tokens-total", "9000")
    printed = program(*call).communicate(timeout=20)[0]
    written = [json.loads((files / f"llm.{model}.csv.provenance.json").read_text()) for model in "mn"]
    assert 7000 < sum(told["tokens_in"] + told["tokens_out"] for told in written) <= 9000
    assert "the cap is reached" in printed
    assert "of 9,000 tokens spent" in printed


def test_ctrl_c_ends_a_panel(program: Callable[..., subprocess.Popen[str]], files: Path, slow: WatchedStandIn) -> None:
    """The models after the one that was interrupted are not asked."""
    call = ("judge", "texts.csv", "--url", slow.url, "--model", "m", "--model", "n", "-o", "llm.csv", "--jobs", "2")
    started = program(*call)
    while slow.received.total() < 4:
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    out, _ = started.communicate(timeout=20)
    assert started.returncode == 130
    assert "model      n" not in out
    assert {body["model"] for body in slow.bodies} == {"m"}


def test_another_model_does_not_overwrite(command: Command, files: Path) -> None:
    """Grades stay those of the model that gave them."""
    command(*CALL, "-o", "llm.csv")
    before = (files / "llm.csv").read_bytes()
    assert "would be overwritten" in command(*CALL, "--prompt", "umbrela", "-o", "llm.csv", code=2)
    assert (files / "llm.csv").read_bytes() == before


def test_prompts_by_name(command: Command, files: Path) -> None:
    """A prompt is named, shown, or a file; anything else is an error that lists the names."""
    assert "##final score: the grade" in command(*CALL, "--prompt", "umbrela", "--dry-run")
    assert "UMBRELA (2024)" in command("judge", "prompts", "show", "umbrela")
    assert "umbrela  " in command("judge", "prompts")
    assert "umbrela" in command(*CALL, "--prompt", "umbrella", "--dry-run", code=2)


def test_forms_of_answers(command: Command, files: Path) -> None:
    """A pattern that is none, or a form that is none, is an error before anything is asked."""
    assert 'with one field, "grade"' in command(*CALL, "--form", "json", "--dry-run")
    assert "not a regular expression" in command(*CALL, "--answer", "(", "--dry-run", code=2)
    assert "Known: json, text, tool" in command(*CALL, "--form", "xml", "--dry-run", code=3)
    printed = command(*CALL, "--answer", "([0-3])", "-o", "llm.csv")
    assert "graded     20 of 20 pairs" in printed
