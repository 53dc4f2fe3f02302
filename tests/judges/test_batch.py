"""Batches: requests go out as a file, answers come back as a file, and the grades are those of asking one by one."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rankgauge.errors import InputError
from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.judgments.llm.asking.question import Question
from rankgauge.judgments.llm.asking.session import AskingSession
from rankgauge.judgments.llm.asking.store import AnswerStore
from tests.judges.stand_ins import WatchedStandIn
from tests.judges.test_apis import PAIRS


def session(store: AnswerStore, **settings: Any) -> AskingSession:
    """A session about 200 pairs."""
    return AskingSession(
        pairs=TextPairs.from_pool(PAIRS.drop("grade")), question=Question(model="m", **settings), store=store
    )


def work_off(requests: Path, results: Path, fails: int = 0) -> None:
    """Answer a batch as its endpoint would: in another order, the first few with an error."""
    with WatchedStandIn(PAIRS) as stand_in:
        lines = []
        for number, line in enumerate(requests.read_text().splitlines()):
            asked = json.loads(line)
            row = stand_in.find_row(asked["body"])
            body = {"status_code": 200, "request_id": "r", "body": stand_in.completion(asked["body"], row)}
            assert asked["body"]["max_completion_tokens"] == 32
            failure: dict[str, Any] = {"response": None, "error": {"code": "batch_expired", "message": "too late"}}
            if number % 2:
                refusal = {"error": {"message": "Unsupported value:\n'temperature'"}}
                failure = {"response": {"status_code": 400, "body": refusal}, "error": None}
            lines.append({"id": "b", "custom_id": asked["custom_id"], "response": body, "error": None})
            if number < fails:
                lines[-1] |= failure
        results.write_text("\n".join(json.dumps(line) for line in reversed(lines)))


def test_a_batch_gives_the_grades_of_its_endpoint(tmp_path: Path) -> None:
    """What failed stays open for the next batch; what was stored is not asked for again."""
    requests, results = tmp_path / "requests.jsonl", tmp_path / "results.jsonl"
    with closing(AnswerStore(tmp_path / "a.db")) as store:
        assert session(store).write_batch(requests) == 200
        work_off(requests, results, fails=7)
        first = session(store)
        assert first.read_batch(results) == {"too late": 4, "Unsupported value: 'temperature'": 3}
        assert len(first.outcome().frame) == 193
        assert session(store).write_batch(requests) == 7
        work_off(requests, results)
        last = session(store)
        assert not last.read_batch(results)
        outcome = last.outcome()
    assert outcome.is_complete
    assert outcome.frame.sort("document")["grade"].to_list() == PAIRS.sort("document")["grade"].to_list()


def test_a_batch_is_the_same_bytes_every_time(tmp_path: Path) -> None:
    """The same pairs and the same question make the same file."""
    with closing(AnswerStore(":memory:")) as store:
        session(store).write_batch(tmp_path / "a.jsonl")
        session(store).write_batch(tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@pytest.mark.parametrize("text", ["{", "[]", '{"id": "batch_1", "status": "completed"}'])
def test_a_file_that_is_no_result_is_refused(tmp_path: Path, text: str) -> None:
    """The error names the line, and what to download."""
    file = tmp_path / "results.jsonl"
    file.write_text(f"\n{text}\n")
    with closing(AnswerStore(":memory:")) as store, pytest.raises(InputError, match=r"results\.jsonl:2: .*custom_id"):
        session(store).read_batch(file)


def test_lines_of_another_batch_are_passed_over(tmp_path: Path) -> None:
    """Answers to other questions change nothing."""
    requests, results = tmp_path / "requests.jsonl", tmp_path / "results.jsonl"
    with closing(AnswerStore(":memory:")) as store:
        session(store, temperature=1.0).write_batch(requests)
        work_off(requests, results)
        mine = session(store)
        assert not mine.read_batch(results)
        assert mine.outcome().frame.is_empty()
