"""rankgauge audit: tools side by side, a query explained, data looked over."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from rankgauge import dialects, evaluate
from rankgauge.audit.tools.scores import CAMPAIGNS, FRAMEWORKS, NO_TOOL, SEARCH_ONLY, WRAPPERS

Command = Callable[..., str]
PAIR = ("qrels.txt", "bm25.txt")


def test_the_command_s_name_may_be_left_away(command: Command) -> None:
    """`rankgauge audit FILES` is `rankgauge audit run FILES`, also with an option first."""
    assert command("audit", *PAIR) == command("audit", "run", *PAIR)
    assert command("audit", "-m", "P@5", *PAIR) == command("audit", "run", *PAIR, "-m", "P@5")


def test_every_fitting_tool_is_shown(command: Command) -> None:
    """A LETOR file and its scores are shown under every tool of the field, with what evaluate gives for it."""
    shown = {line.split()[0]: line for line in command("audit", "test.txt", "scores.txt").splitlines() if line.strip()}
    for name in set(dialects.DIALECTS) - {*NO_TOOL, *CAMPAIGNS, *WRAPPERS, *SEARCH_ONLY, *FRAMEWORKS}:
        assert f"{evaluate('test.txt', 'scores.txt', 'nDCG@10', dialect=name)['nDCG@10']:.4f}" in shown[name]


def test_tools_can_be_chosen(command: Command) -> None:
    """-d names the tools, --against the one to compare with."""
    shown = command("audit", "test.txt", "scores.txt", "-d", "ranklib,yahoo", "--against", "ranklib")
    assert "− ranklib" in shown
    assert "letor4" not in shown
    assert "standard" not in shown


def test_output(command: Command, folder: Path) -> None:
    """-o is a format, or a file whose ending says it."""
    assert command("audit", *PAIR, "-o", "audit.html") == ""
    assert (folder / "audit.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads(command("audit", *PAIR, "-o", "json"))["measure"] == "nDCG@10"
    assert command("audit", *PAIR, "dense.txt.gz", "-o", "md").startswith("# nDCG@10 by tool")


def test_explain_goes_on_where_a_tool_refuses(command: Command, folder: Path) -> None:
    """Tools that do not take the data are named with their reasons, after those that do; alone they are an error."""
    (folder / "below.txt").write_text("q 0 a 1\nq 0 b -2\n")
    (folder / "run.txt").write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    shown = command("audit", "explain", "below.txt", "run.txt", "--query", "q", "-d", "sklearn,standard,trec_eval")
    assert "\nRefused  by tools that do not take this input\nsklearn  negative grade -2" in shown
    assert "'rankgauge evaluate' has --negative" in " ".join(shown.split())
    assert "standard    1.0000  1.0000  as computed" in shown
    said = command("audit", "explain", "below.txt", "run.txt", "--query", "q", "-d", "sklearn", code=2)
    assert said.startswith("rankgauge: negative grade -2")


def test_explain(command: Command) -> None:
    """A query is explained rank by rank, tool by tool, with the value that evaluate has for it."""
    shown = command("audit", "explain", *PAIR, "--query", "q01", "-d", "standard,trec_eval")
    values = evaluate("qrels.txt", "bm25.txt", "nDCG@10").values
    assert f"{values.filter(query='q01')['value'][0]:.4f}" in shown
    assert "rank  document" in shown
    assert "trec_eval" in shown


def test_lint(command: Command) -> None:
    """A file alone is looked over in words; with a run, each tool's mean with and without the queries is shown."""
    alone, both = command("audit", "lint", "test.txt"), command("audit", "lint", "test.txt", "scores.txt")
    assert "Queries without a relevant document: 3 of 24" in " ".join(alone.split())
    assert "without them" not in alone
    assert "without them" in " ".join(both.split())


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("audit", "nothing.txt", "bm25.txt"), 2, "there is no such file"),
        (("audit", *PAIR, "-d", "rankleb"), 3, "Did you mean"),
        (("audit", *PAIR, "-m", "nDCGG"), 3, "Did you mean"),
        (("audit", *PAIR, "-o", "audit.xyz"), 2, "no output format belongs to the ending"),
        (("audit", "explain", *PAIR, "--query", "q99"), 3, "no judged query called 'q99'"),
    ],
)
def test_errors(command: Command, arguments: tuple[str, ...], code: int, words: str) -> None:
    """A user's error is one message and its exit code."""
    assert words in command(*arguments, code=code)


def test_narrow_notes(command: Command) -> None:
    """What is written in sentences fits 80 columns."""
    for line in command("audit", *PAIR, "dense.txt.gz").splitlines():
        assert len(line) <= 80 or line.split()[0] in {"tool", *dialects.DIALECTS}


def test_a_number_from_nowhere(command: Command) -> None:
    """--value says which tools and choices give the number, in every format of a table; it takes one run."""
    mean = f"{evaluate('qrels.txt', 'bm25.txt', 'nDCG@10')['nDCG@10']:.4f}"
    assert "rankgauge evaluate JUDGMENTS RUN -d standard" in command("audit", *PAIR, "--value", mean)
    told = json.loads(command("audit", *PAIR, "--value", mean, "-o", "json"))
    assert told["found"]
    assert told["origins"][0]["tool"] == "standard"
    assert command("audit", *PAIR, "--value", mean, "-o", "csv").startswith("tool,also,measure,changes,mean")
    assert "--value needs one run" in command("audit", *PAIR, "dense.txt.gz", "--value", mean, code=4, stderr=True)


@pytest.mark.filterwarnings("always::rankgauge.errors.InputWarning")
def test_an_audit_of_responses_takes_a_list_of_queries(command: Command, tmp_path: Path) -> None:
    """Responses of a search engine are named by --queries, or by queries.txt beside them; else the error says so."""
    judged, run, listed = tmp_path / "ratings.csv", tmp_path / "msearch.json", tmp_path / "list.txt"
    judged.write_text("query,docid,rating\nred dress,d1,2\nred dress,d2,0\nhat,d3,1\nhat,d4,0\n")
    answers = [{"hits": {"hits": [{"_id": one} for one in ids]}} for ids in (["d2", "d1"], ["d3", "d4"])]
    run.write_text(json.dumps({"responses": answers}))
    listed.write_text("red dress\nhat\n")
    files = (str(judged), str(run))
    assert "list these in queries.txt beside the file" in command("audit", *files, code=2)
    expected = f"{(1 / math.log2(3) + 1) / 2:.4f}"
    assert expected in command("audit", *files, "--queries", str(listed))
    listed.rename(tmp_path / "queries.txt")
    told = "names the queries of its responses"
    assert told in command("audit", *files, stderr=True)
    assert told in command("audit", "explain", *files, "--query", "red dress", stderr=True)
