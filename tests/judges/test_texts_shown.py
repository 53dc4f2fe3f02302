"""What a model is shown besides a pair: examples of people's grades, whole information needs, long texts in parts."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.judgments.llm import ask
from rankgauge.judgments.llm.asking.outcome import shown_examples
from rankgauge.judgments.llm.asking.pairs import TextPairs, choose_examples
from rankgauge.judgments.llm.asking.prompt import Prompt, find_prompt
from tests.judges.pools import GRADES, graded, pool
from tests.judges.stand_ins import WatchedStandIn
from tests.program import rankgauge

SCALE = tuple(map(float, GRADES))


def test_examples_have_all_grades_and_many_queries() -> None:
    """Four examples of a scale of four grades: one of each, each of another query; the same labels, the same choice."""
    labels = graded(pool()).select("query", "document", "grade")
    chosen = choose_examples(labels, TextPairs.from_pool(pool()), SCALE)
    assert {example.grade for example in chosen} == {0, 1, 2, 3}
    assert len({example.query for example in chosen}) == 4
    assert chosen == choose_examples(
        labels.sample(fraction=1.0, shuffle=True, seed=1), TextPairs.from_pool(pool()), SCALE
    )


def test_examples_are_turns_before_the_question() -> None:
    """An example is a question and its answer in the prompt's own form; no pair is an example for itself."""
    pairs = TextPairs.from_pool(pool())
    chosen = choose_examples(graded(pool()), pairs, SCALE, 2)
    prompt = find_prompt("umbrela", Prompt().scale)
    prompt = type(prompt)(**{**vars(prompt), "examples": chosen})
    other = next(texts for texts in pairs.texts() if all(texts != example.texts for example in chosen))
    said = prompt.messages(other)
    assert [message["role"] for message in said] == ["user", "assistant", "user", "assistant", "user"]
    assert said[1]["content"] == f"##final score: {chosen[0].grade:g}"
    assert len(prompt.messages(chosen[0].texts)) == 3


def test_labels_of_other_documents_are_no_examples() -> None:
    """Labels without a text in the pool are an error, not a prompt without examples."""
    with pytest.raises(InputError, match="none of the labels is of a pair of the pool"):
        choose_examples(
            pl.DataFrame({"query": ["x"], "document": ["y"], "grade": [1]}), TextPairs.from_pool(pool()), SCALE
        )


def test_an_audit_leaves_examples_out(tmp_path: Path) -> None:
    """What a model was shown as an example is recorded beside its grades, and is no label of its audit."""
    pool(8, 5).write_csv(tmp_path / "pool.csv")
    graded(pool(8, 5)).write_csv(tmp_path / "model.csv")
    graded(pool(8, 5)).select("query", "document", "grade").write_csv(tmp_path / "people.csv")
    words = "judge pool.csv --url stand-in:model.csv --model m --examples people.csv -o llm.csv"
    assert "examples   4, graded by people" in rankgauge(words.split(), tmp_path).out
    shown = shown_examples(tmp_path / "llm.csv")
    assert len(shown) == 4
    audit = json.loads(rankgauge(["audit", "judge", "people.csv", "llm.csv", "-o", "json"], tmp_path).out)
    assert audit["labels"] == 36
    assert any("4 labels that llm was shown as examples" in note["words"] for note in audit["notes"])


def test_a_need_is_shown_whole(tmp_path: Path) -> None:
    """A table of queries may have a description and a narrative; TREC's topics call the text `title`."""
    queries = pl.DataFrame(
        {"query": ["q0"], "title": ["a thing"], "description": ["What is a thing?"], "narrative": ["Only things."]}
    )
    texts = TextPairs.from_pool(pool(1, 1).drop("query_text"), queries=queries).texts()[0]
    content = Prompt().messages(texts)[-1]["content"]
    assert content.startswith("Query: a thing\nDescription: What is a thing?\nNarrative: Only things.\n")


def test_a_long_text_is_judged_in_windows(tmp_path: Path) -> None:
    """Each window is asked about, and the best grade counts; a text that fits is one window."""
    long = pl.DataFrame(
        {
            "query": ["q", "q"],
            "document": ["long", "short"],
            "query_text": ["things?", "things?"],
            "text": ["a" * 90 + "b" * 90 + "c" * 40, "short"],
        }
    )
    pairs = TextPairs.from_pool(long, max_characters=100, windows=True)
    windows = pairs.frame.filter(pl.col("document") == "long")["text"].to_list()
    assert [len(one) for one in windows] == [100, 100, 40]
    assert windows[0][90:] == windows[1][:10]
    table = pl.DataFrame({"query_text": ["things?"] * 4, "text": [*windows, "short"], "grade": [0, 3, 1, 2]})
    with WatchedStandIn(table) as stand_in:
        asked = ask(long, stand_in.url, model="m", cache=tmp_path / "a.db", max_characters=100, windows=True)
    assert asked.frame.rows() == [("q", "long", 3, 3), ("q", "short", 2, 1)]
