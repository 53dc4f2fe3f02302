"""Provenance: a file of grades says where they come from, and no other model overwrites it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rankgauge
from rankgauge.errors import InputError
from rankgauge.judgments.llm import Prices, ask
from rankgauge.judgments.llm.asking.outcome import Provenance, beside
from rankgauge.judgments.llm.asking.prompt import PROMPTS, Prompt, PromptWords
from rankgauge.judgments.llm.asking.question import Question
from tests.judges.pools import graded, pool
from tests.judges.stand_ins import WatchedStandIn


def provenance(**settings: Any) -> Provenance:
    """The provenance of a question."""
    return Provenance.from_question(Question(model="m", **settings), "http://h/v1?api-version=1")


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    """A file of grades with its provenance."""
    with WatchedStandIn(graded(pool())) as stand_in:
        asked = ask(pool(), stand_in.url, model="m", cache=tmp_path / "a.db")
    replace(asked, provenance=provenance()).write(tmp_path / "llm.csv")
    return tmp_path / "llm.csv"


def test_it_says_where_grades_come_from(grades: Path) -> None:
    """Model, prompt with its text and hash, parameters, date, tokens and version are beside the grades."""
    told = json.loads(beside(grades).read_text())
    assert told["model"] == "m"
    assert told["model_as_reported"] == ["m"]
    assert told["url"] == "http://h/v1"
    assert told["rankgauge"] == rankgauge.__version__
    assert told["prompt"]["template"] == Prompt().words.template
    assert len(told["prompt_sha256"]) == 64
    assert told["parameters"]["temperature"] == 0
    assert (told["pairs"], told["graded"]) == (20, 20)
    assert told["tokens_in"] > 0


def test_it_counts_earlier_sessions(tmp_path: Path) -> None:
    """The file says what all of its grades took and who gave them, though the last session asked for none."""
    prices, told = Prices(tokens_in=1.0, tokens_out=2.0), []
    with WatchedStandIn(graded(pool())) as stand_in:
        for rows in (12, 20, 20):
            asked = ask(pool().head(rows), stand_in.url, model="m", cache=tmp_path / "a.db", prices=prices)
            asked.write(tmp_path / "llm.csv")
            told.append(json.loads(beside(tmp_path / "llm.csv").read_text()))
    assert told[0]["tokens_in"] < told[1]["tokens_in"] == told[2]["tokens_in"]
    assert told[1]["tokens_out"] == told[2]["tokens_out"] == 40
    assert told[2]["cost"] == pytest.approx(prices.cost(told[2]["tokens_in"], 40))
    assert told[2]["model_as_reported"] == ["m"]


def test_the_same_question_may_go_on(grades: Path) -> None:
    """A session that was stopped writes the same file again."""
    provenance().check(grades)


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (Question(model="n"), "the model m"),
        (Question(model="m", temperature=1.0), "another prompt or other parameters"),
        (
            Question(model="m", prompt=Prompt(words=PromptWords(name="mine", template="{query} {document}"))),
            "another prompt",
        ),
    ],
)
def test_another_question_does_not_overwrite(grades: Path, other: Question, what: str) -> None:
    """Grades of another model, prompt or temperature need a file of their own."""
    with pytest.raises(InputError, match=what):
        Provenance.from_question(other, "http://h/v1").check(grades)


def test_a_damaged_provenance_is_no_permission(grades: Path) -> None:
    """A file whose origin cannot be read is not overwritten."""
    beside(grades).write_text("{")
    with pytest.raises(InputError, match="would be overwritten"):
        provenance().check(grades)


@pytest.mark.parametrize("name", PROMPTS)
def test_every_named_prompt_can_be_asked(name: str) -> None:
    """It shows query, document and grades, names its source, and its answers fit the limit of tokens."""
    named = PROMPTS[name]
    prompt = Prompt(words=named)
    texts = {"query_text": "how far is the moon", "title": "Moon", "text": "384,400 km"}
    texts |= {"text_1": "384,400 km", "text_2": "It is made of cheese."} if named.compares else {}
    prompt.check(texts)
    said = prompt.messages(texts)[-1]["content"]
    wanted = ("It is made of cheese.",) if named.compares else ("0, 1, 2 or 3",)
    assert all(part in said for part in ("how far is the moon", "384,400 km", *wanted))
    assert named.source
    assert named.title
    assert "{" not in said.replace('{"', "")


def test_the_database_knows_it_too(grades: Path) -> None:
    """Each session is in the file of answers, and the words of its prompt once."""
    with WatchedStandIn(graded(pool())) as stand_in:
        ask(pool(), stand_in.url, model="m", cache=grades.with_name("a.db")).write(grades)
    with closing(sqlite3.connect(grades.with_name("a.db"))) as database:
        told = [json.loads(row[0]) for row in database.execute("SELECT told FROM sessions")]
        ((digest, words),) = database.execute("SELECT * FROM prompts").fetchall()
    assert [(one["model"], one["model_as_reported"], one["cached"]) for one in told] == [("m", ["m"], 0), ("m", [], 20)]
    assert {one["prompt_sha256"] for one in told} == {digest, json.loads(beside(grades).read_text())["prompt_sha256"]}
    assert json.loads(words)["template"] == Prompt().words.template
