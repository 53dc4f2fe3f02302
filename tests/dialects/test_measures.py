"""Which measures a dialect's tool has, and what is said of those that it lacks."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rankgauge import dialects, evaluate
from rankgauge.cli.main import run
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.measures import MEASURES, Listed, parse

JUDGMENTS = {"q": {"d1": 3, "d2": 1, "d3": 0}}
RUN = {"q": {"d3": 3.0, "d1": 2.0, "d2": 1.0}}
EVERY = ("standard", "papers")
"""The dialects of no tool: they have every measure."""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Judgments and a run in TREC's files."""
    judged, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    judged.write_text("1 0 d1 3\n1 0 d2 1\n1 0 d3 0\n2 0 d1 1\n")
    run.write_text("1 Q0 d3 1 3 tag\n1 Q0 d1 2 2 tag\n1 Q0 d2 3 2 tag\n")
    return [str(judged), str(run)]


Command = Callable[..., str]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command line: arguments in, all that it says out, in one line."""

    def call(*arguments: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["rankgauge", *arguments])
        with pytest.raises(SystemExit) as ended:
            run()
        printed = capsys.readouterr()
        assert (ended.value.code or 0) == code, printed.err
        return " ".join((printed.out + printed.err).split())

    return call


@pytest.mark.parametrize("dialect", dialects.DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_every_dialect_says_what_its_tool_has(dialect: Dialect) -> None:
    """Each name that a dialect states is a measure's, it has what it prints, and only dialects of no tool have all."""
    for one in (dialect, *dialect.providers):
        for name in one.also:
            assert re.match(r"\w+", name)[0] in MEASURES, name
        listed = () if isinstance(one.printed, Listed) else one.printed
        assert all(one.has(printed.measure) for printed in listed)
    assert dialect.has(parse("PFound(p_break=0.3)@7")) is (dialect.name in EVERY)


@pytest.mark.parametrize(
    ("dialect", "has", "lacks"),
    [
        ("trec_eval", "nDCG@7 AP@10 RR GMAP Success@3 IPrec@0.1", "ERR@10 RR@10 nDCG(dcg='exp-log2')@10 gRBP(p=0.9)"),
        ("trec_eval-10", "gRBP(p=0.9) Unjudged@10", "ERR@10"),
        ("gdeval", "ERR@10 nDCG@10", "AP nDCG"),
        ("ranx", "nDCG(dcg='exp-log2')@10 RBP(p=0.8) F@5", "ERR@10"),
        ("mslr", "P@3 AP nDCG@7", "RR ERR@10"),
        ("beir", "nDCG@10", "RR@10 nDCG"),
        ("lightgbm", "nDCG@10", "AP"),
    ],
)
def test_has_and_lacks(dialect: str, has: str, lacks: str) -> None:
    """A tool has a measure at any cutoff if it has it at one, and with its own gains only."""
    tool = dialects.get(dialect)
    assert [name for name in has.split() if not tool.has(parse(name))] == []
    assert [name for name in lacks.split() if tool.has(parse(name))] == []


def test_a_measure_that_the_tool_lacks_is_noted_in_python() -> None:
    """The result says that trec_eval has no ERR."""
    result = evaluate(JUDGMENTS, RUN, ["ERR@10", "nDCG@10"], dialect="trec_eval")
    assert any("trec_eval has no ERR@10: computed by the standard definition" in note for note in result.notes)
    assert not evaluate(JUDGMENTS, RUN, ["nDCG@10"], dialect="trec_eval").notes


def test_a_measure_that_the_tool_lacks_may_have_its_gains() -> None:
    """The note does not call a value the standard one without saying that gains are the dialect's."""
    told = evaluate(JUDGMENTS, RUN, "nDCG", dialect="mslr").notes[0]
    assert told.endswith(
        "has no nDCG: computed by the standard definition, with this dialect's order, grades, gains and queries"
    )
    (told,) = evaluate(JUDGMENTS, RUN, "AP", dialect="gdeval").notes
    assert told.endswith("with this dialect's order, grades and queries")


@pytest.mark.parametrize("dialect", ["lightgbm", "sklearn", "yahoo"])
def test_relevant_documents_that_are_not_retrieved_are_told(dialect: str) -> None:
    """Where a tool knows nothing but what was retrieved, a note counts the relevant documents that the run lacks."""
    judgments = {"q": {"a": 1, "b": 0, "c": 2}}
    (told,) = evaluate(judgments, {"q": ["b", "a"]}, "nDCG@10", dialect=dialect).notes
    assert told.startswith("1 relevant document does not count, being not retrieved: the ideal ranking holds only")
    assert evaluate(judgments, {"q": ["b", "a", "c"]}, "nDCG@10", dialect=dialect).notes == ()
    assert evaluate(judgments, {"q": ["b", "a"]}, "nDCG@10").notes == ()


def test_strict_refuses_it() -> None:
    """With strict=True a measure that the tool lacks is an error, before anything is read."""
    with pytest.raises(InputError, match="trec_eval has no ERR@10"):
        evaluate("nowhere", "nowhere", ["ERR@10", "nDCG@10"], dialect="trec_eval", strict=True)


@pytest.mark.parametrize("output", ["table", "md", "json", "trec", "tsv", "csv", "jsonl"])
def test_no_format_is_silent(output: str, files: list[str], command: Command) -> None:
    """Every format says that the tool lacks the measure, that scores are tied and that a query is missing: in the
    output, or beside it."""
    said = command("evaluate", *files, "-d", "trec_eval", "-m", "ERR@10,ndcg_cut.10", "-o", output)
    assert "trec_eval has no ERR@10" in said
    assert "1 of 2 queries have tied scores" in said
    assert "1 of 2 queries are judged but not in the run" in said


def test_strict_at_the_command_line(files: list[str], command: Command) -> None:
    """--strict ends with an error."""
    assert "trec_eval has no ERR@10" in command(
        "evaluate", *files, "-d", "trec_eval", "-m", "ERR@10", "--strict", code=2
    )


def test_ranx_with_missing_queries_under_ties() -> None:
    """Where make_comparable=True would order tied documents anew, the result says that this is not reproduced."""
    judgments = {"q": {"d1": 1}, "r": {"d1": 1}}
    tied = evaluate(judgments, {"q": {"d1": 1.0, "d2": 1.0, "d3": 0.0}}, "AP", dialect="ranx", missing="zero")
    assert any("make_comparable=True" in note and "not reproduced" in note for note in tied.notes)
    (told,) = evaluate(judgments, {"q": {"d1": 1.0, "d2": 0.5}}, "AP", dialect="ranx", missing="zero").notes
    assert told.startswith("1 of 2 queries are judged but not in the run")
