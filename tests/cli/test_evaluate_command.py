"""rankgauge evaluate: every output holds the numbers that the library gives, and options mean what they say."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rankgauge import evaluate
from rankgauge.cli.options import names
from tests import golden
from tests.cli.conftest import below_judged

Command = Callable[..., str]
PAIR = ("evaluate", "qrels.txt", "bm25.txt")


@pytest.mark.parametrize(
    ("listed", "parts"),
    [
        (["nDCG@10,AP"], ["nDCG@10", "AP"]),
        (["nDCG(gain='exp', discount='log2')@10, AP(rel=2)"], ["nDCG(gain='exp', discount='log2')@10", "AP(rel=2)"]),
        (["P.5,10", "map,11pt_avg"], ["P.5,10", "map", "11pt_avg"]),
        (["ndcg.1=3,2=7,map"], ["ndcg.1=3,2=7", "map"]),
        (["AP,", "RR"], ["AP", "RR"]),
    ],
)
def test_lists_of_measures(listed: list[str], parts: list[str]) -> None:
    """Commas part names, but not parameters, be they in brackets or after trec_eval's dot."""
    assert names(listed) == parts


def test_table(command: Command, folder: Path) -> None:
    """The table has a row per measure: mean, interval, queries; each line fits 80 columns and has no colours."""
    shown = command(*PAIR, "-m", "nDCG@10,AP")
    row = evaluate(folder / "qrels.txt", folder / "bm25.txt", ["nDCG@10"]).summary.row(0, named=True)
    assert f"nDCG@10  {row['mean']:.4f}  [{row['low']:.4f}, {row['high']:.4f}]       24" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "\x1b" not in shown
    assert not any(line.endswith(" ") for line in shown.splitlines())


def test_notes_say_what_happened(command: Command) -> None:
    """The notes count empty, missing, short, tied and unjudged queries, and name the range that ties allow."""
    shown = " ".join(command(*PAIR, "-m", "nDCG@20").split())
    result = evaluate("qrels.txt", "bm25.txt", ["nDCG@20"]).summary.row(0, named=True)
    for words in (
        "dialect standard",
        f"{result['empty']} of 24 queries have nothing relevant",
        "1 of 24 queries are judged but not in the run",
        f"{result['tied']} of 24 queries have tied scores",
        f"nDCG@20 {result['worst']:.4f} to {result['best']:.4f}",
        "23 of 24 queries have a list shorter than a cutoff",
        "1 query of the run that nobody judged: q25",
    ):
        assert words in shown


def test_notes_name_what_was_changed(command: Command) -> None:
    """A dialect that was changed says so."""
    shown = command(*PAIR, "-m", "AP", "-d", "trec_eval", "--ties", "best", "-M", "5")
    assert "trec_eval, changed: ties=best, depth=5" in shown


def test_several_runs(command: Command) -> None:
    """With several runs there is a row for each, and the best is marked."""
    lines = below_judged(command(*PAIR, "dense.txt.gz", "-m", "AP")).splitlines()
    assert lines[1].split()[:2] == ["AP", "bm25.txt"]
    assert "*" not in lines[1]
    assert lines[2].split()[0] == "dense.txt"
    assert lines[2].split()[2] == "*"


def test_tsv(command: Command) -> None:
    """TSV is measure, query, value: each query, then all; the values are those of the library, to the last digit."""
    result = evaluate("qrels.txt", "bm25.txt", ["nDCG@10", "AP"])
    rows = [line.split("\t") for line in command(*PAIR, "-m", "nDCG@10,AP", "-q", "-o", "tsv").splitlines()]
    values = [[m, q, str(v)] for q, m, v in result.values.iter_rows()]
    assert [[m, q, float(v)] for m, q, v in rows[:-2]] == [[m, q, float(v)] for m, q, v in values]
    assert [[m, q, float(v)] for m, q, v in rows[-2:]] == [[m, "all", result[m]] for m in ("nDCG@10", "AP")]


def test_tsv_of_several_runs(command: Command) -> None:
    """Several runs have a run column first."""
    rows = [line.split("\t") for line in command(*PAIR, "dense.txt.gz", "-m", "AP", "-o", "tsv").splitlines()]
    assert [row[:3] for row in rows] == [["bm25.txt", "AP", "all"], ["dense.txt", "AP", "all"]]


def test_tsv_of_all_that_a_tool_prints(command: Command) -> None:
    """With a tool's own list of measures the names, the order and the digits are the tool's."""
    case = golden.HERE / "empty_queries"
    files = str(case / "input.txt"), str(case / "scores.txt")
    told = command("evaluate", *files, "-d", "letor4", "-m", "all", "-q", "-o", "tsv").splitlines()
    printed = golden.printed(case / "expected.tsv")["letor4"][""]
    assert told == [f"{measure}\t{query}\t{value}" for (query, measure), value in printed.items()]


def test_without_summary(command: Command) -> None:
    """-n leaves away what stands for all queries."""
    assert "\tall\t" not in command(*PAIR, "-m", "AP", "-q", "-n", "-o", "tsv")


def test_csv(command: Command) -> None:
    """CSV has a header; the summary's rows, or with -q the values'."""
    summary = list(csv.DictReader(io.StringIO(command(*PAIR, "-m", "AP", "-o", "csv"))))
    values = list(csv.DictReader(io.StringIO(command(*PAIR, "-m", "AP", "-q", "-o", "csv"))))
    assert float(summary[0]["mean"]) == evaluate("qrels.txt", "bm25.txt", "AP")["AP"]
    assert list(values[0]) == ["run", "query", "measure", "value", "dialect"]
    assert len(values) == 24


def test_json(command: Command) -> None:
    """JSON holds the settings, each run's summary and values, and the notes."""
    told = json.loads(command(*PAIR, "-m", "AP", "-q", "-o", "json"))
    assert told["dialect"]["ties"] == "expected"
    assert told["runs"][0]["summary"][0]["mean"] == evaluate("qrels.txt", "bm25.txt", "AP")["AP"]
    assert len(told["runs"][0]["values"]) == 24
    assert told["runs"][0]["unjudged_queries"] == ["q25"]
    assert {"subject", "words"} == set(told["notes"][0])


def test_jsonl(command: Command) -> None:
    """JSON lines have an object per line; what is not defined is null."""
    lines = command("evaluate", "one.txt", "bm25.txt", "-m", "AP", "-o", "jsonl", code=2)
    assert "there is no such file" in lines
    rows = [json.loads(line) for line in command(*PAIR, "-m", "AP,RR", "-o", "jsonl").splitlines()]
    assert [row["measure"] for row in rows] == ["AP", "RR"]


def test_markdown(command: Command) -> None:
    """Markdown is a table and a list."""
    lines = below_judged(command(*PAIR, "-m", "AP", "-o", "md")).splitlines()
    assert lines[1] == "| --- | --- | ---: | --- | ---: |"
    assert lines[2].startswith("| bm25.txt | AP | ")
    assert "- **dialect**: standard" in lines


def test_trec(command: Command) -> None:
    """-o trec has trec_eval's lines: padded names, its own run's name with a set of measures, four decimals."""
    lines = command(*PAIR, "-d", "trec_eval", "-m", "official", "-o", "trec").splitlines()
    assert lines[0] == f"{'runid':<22}\tall\tbm25"
    assert lines[1] == f"{'num_q':<22}\tall\t23"
    value = evaluate("qrels.txt", "bm25.txt", "AP", dialect="trec_eval")["AP"]
    assert f"{'map':<22}\tall\t{value:.4f}" in lines
    assert command(*PAIR, "-d", "trec_eval", "-m", "map", "-o", "trec").splitlines() == [
        f"{'map':<22}\tall\t{value:.4f}"
    ]


def test_trec_eval_flags(command: Command) -> None:
    """-c, -J, -l and -M are the policies that trec_eval's flags of these names choose."""
    asked = ("-m", "AP", "-d", "trec_eval", "-o", "tsv")
    chosen = {"missing": "zero", "unjudged": "skip", "rel": 2.0, "depth": 5}
    wanted = evaluate("qrels.txt", "bm25.txt", "AP", dialect="trec_eval", **chosen)["AP"]
    shown = command(*PAIR, *asked, "-c", "-J", "-l", "2", "-M", "5", notes=["relevant"])
    assert float(shown.split("\t")[2]) == wanted
    assert wanted != evaluate("qrels.txt", "bm25.txt", "AP", dialect="trec_eval")["AP"]


@pytest.mark.parametrize(
    ("option", "setting"),
    [
        (("--ties", "worst"), {"ties": "worst"}),
        (("--empty", "leave-out"), {"empty": "leave-out"}),
        (("--empty", "0.5"), {"empty": 0.5}),
        (("--missing", "skip"), {"missing": "skip"}),
        (("--unjudged", "skip"), {"unjudged": "skip"}),
        (("--rel", "2"), {"rel": 2.0}),
    ],
)
def test_options_are_settings(command: Command, option: tuple[str, str], setting: dict[str, object]) -> None:
    """An option changes the value as the library's keyword of that name does."""
    notes = ["relevant"] if "rel" in setting else []
    value = float(command(*PAIR, "-m", "AP", "-o", "tsv", *option, notes=notes).split("\t")[2])
    assert value == evaluate("qrels.txt", "bm25.txt", "AP", **setting)["AP"]
    assert value != evaluate("qrels.txt", "bm25.txt", "AP")["AP"]


def test_assessors(command: Command) -> None:
    """Several assessors need a rule; --at makes their grades binary first."""
    pair = ("evaluate", "ratings.csv", "dense.jsonl", "-m", "AP", "-o", "tsv")
    assert "--assessors" in command(*pair, code=2)
    strict = float(command(*pair, "--assessors", "and", "--at", "2", notes=["input"]).split("\t")[2])
    assert strict == evaluate("ratings.csv", "dense.jsonl", "AP", assessors="and@2")["AP"]
    assert "--assessors" in command(*pair, "--at", "2", code=4)


def test_letor(command: Command) -> None:
    """A LETOR file and its scores are recognised, or named."""
    asked = ("evaluate", "test.txt", "scores.txt", "-m", "nDCG@10", "-o", "tsv")
    assert command(*asked).startswith("nDCG@10\tall\t0.")


def test_formats_can_be_named(command: Command, folder: Path) -> None:
    """--format-judgments and --format-run overrule what the first lines say."""
    asked = (*PAIR, "-m", "AP", "-o", "tsv")
    assert command(*asked, "--format-judgments", "trec", "--format-run", "trec") == command(*asked)
    assert "format" in command(*asked, "--format-run", "trek", code=3)


def test_file(command: Command, folder: Path) -> None:
    """A file's ending says the format; the file holds what the screen would show, and nothing else is left behind."""
    assert command(*PAIR, "-m", "AP", "-o", "values.tsv") == ""
    assert (folder / "values.tsv").read_text() == command(*PAIR, "-m", "AP", "-o", "tsv")
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    assert "no output format belongs to the ending .doc" in command(*PAIR, "-o", "values.doc", code=2)
    assert "Did you mean tsv?" in command(*PAIR, "-o", "tsvv", code=3)


def test_intervals(command: Command) -> None:
    """--interval bca is a bootstrap whose seed is shown and decides the numbers."""
    one, same, other = (command(*PAIR, "-m", "AP", "--interval", "bca", "--seed", s) for s in ("1", "1", "2"))
    assert "BCa bootstrap, seed 1" in one
    assert one == same != other
    assert "interval" in command(*PAIR, "--interval", "exact", code=3)


def test_verbose(command: Command) -> None:
    """-v says on stderr what was read and how long it took."""
    told = command(*PAIR, "-m", "AP", "-v", stderr=True)
    assert "24 judged queries, 345 documents retrieved for them, 265 of these judged" in told
    assert "evaluated bm25.txt in" in told


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("-m", "nDCGG@10"), 3, "Did you mean nDCG"),
        (("-d", "trec_evil"), 3, "Did you mean trec_eval"),
        (("--ties", "random"), 3, "policy for ties"),
        (("--empty", "nothing"), 4, "--empty takes a number or leave-out; got 'nothing'."),
        (("-M", "0"), 2, "Invalid value"),
    ],
)
def test_errors(command: Command, arguments: tuple[str, ...], code: int, message: str) -> None:
    """An error that a user can cause is a message and its exit code, without a traceback."""
    told = command(*PAIR, *arguments, code=code)
    assert message in told
    assert "Traceback" not in told


def test_trec_of_several_runs(command: Command) -> None:
    """Each run's lines begin with its name, in the three fields that trec_eval gives it."""
    lines = command(
        "evaluate", "qrels.txt", "A=bm25.txt", "B=dense.txt.gz", "-m", "AP", "-o", "trec", "-q"
    ).splitlines()
    starts = [place for place, line in enumerate(lines) if line.startswith("runid")]
    assert [lines[place].split() for place in starts] == [["runid", "all", "A"], ["runid", "all", "B"]]
    assert starts[0] == 0
    assert all(len(line.split("\t")) == 3 for line in lines)
    assert "runid" not in command("evaluate", "qrels.txt", "bm25.txt", "-m", "AP", "-o", "trec")
