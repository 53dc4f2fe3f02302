"""Sessions against a real HTTP server that speaks the protocol, well or badly."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankgauge import read_judgments
from rankgauge.errors import InputError, ParameterError
from rankgauge.judgments.llm import Asked, Patience, Prices, ask
from rankgauge.judgments.llm.asking import endpoint as http
from rankgauge.judgments.llm.asking import session
from rankgauge.judgments.llm.asking.endpoint import KEY, endpoint, key_for
from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.judgments.llm.asking.question import Question
from rankgauge.judgments.llm.asking.store import AnswerStore
from rankgauge.judgments.llm.stand_in import error_text
from tests.judges.pools import graded, likely, pool
from tests.judges.stand_ins import WatchedStandIn

Asking = Callable[..., Asked]


@pytest.fixture
def stand_in() -> Iterator[WatchedStandIn]:
    """A stand-in that knows the grades of the pool."""
    with WatchedStandIn(likely(pool())) as started:
        started.retry_after = "0.01"
        yield started


@pytest.fixture
def asking(stand_in: WatchedStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asking:
    """Asks the stand-in about its pool, without long waits."""
    monkeypatch.setattr(http, "LONGEST_WAIT", 0.02)
    monkeypatch.delenv(KEY, raising=False)

    def call(pairs: Any = None, **settings: Any) -> Asked:
        settings = {"url": stand_in.url, "model": "m", "cache": tmp_path / "answers.db", "seconds": 5.0} | settings
        return ask(pool() if pairs is None else pairs, settings.pop("url"), **settings)

    return call


def grades(asked: Asked) -> dict[str, int]:
    """The grade of each document."""
    return dict(asked.frame.select("document", "grade").iter_rows())


EXPECTED = dict(graded(pool()).select("document", "grade").iter_rows())


def test_grades_come_in_the_order_of_the_pool(asking: Asking, stand_in: WatchedStandIn) -> None:
    """One answer without log-probabilities is a grade and nothing more."""
    asked = asking()
    assert asked.frame.columns == ["query", "document", "grade", "samples"]
    assert asked.frame["document"].to_list() == pool()["document"].to_list()
    assert grades(asked) == EXPECTED
    assert (asked.pairs, asked.requests, asked.cached, asked.failed, asked.left) == (20, 20, 0, 0, 0)
    assert asked.tokens_out == 2 * 20
    body = stand_in.bodies[0]
    assert body["temperature"] == 0
    assert body["max_tokens"] == 32
    assert "n" not in body


def test_what_was_answered_is_not_asked_again(asking: Asking, stand_in: WatchedStandIn) -> None:
    """A second session asks only about what is new; another model is asked anew."""
    asking(pool().head(12))
    second = asking()
    assert (second.cached, second.requests) == (12, 8)
    assert grades(second) == EXPECTED
    assert set(stand_in.received.values()) == {1}
    assert asking(model="other").requests == 20


def test_pairs_with_the_same_texts_are_asked_about_once(asking: Asking) -> None:
    """A document under two ids has one answer."""
    twins = pl.concat([pool(), pool().with_columns(pl.col("document") + "-copy")])
    asked = asking(twins)
    assert asked.requests == 20
    assert len(asked.frame) == 40


def test_samples_give_shares(asking: Asking, stand_in: WatchedStandIn) -> None:
    """The probability of a grade is its share of the answers; more samples ask only for what is missing."""
    asked = asking(samples=10, temperature=1.0)
    chances = asked.frame.select("p_0", "p_1", "p_2", "p_3").to_numpy()
    assert chances.sum(axis=1) == pytest.approx(1)
    assert (chances * 10 == (chances * 10).round()).all()
    assert asked.requests == 20  # n = 10 in one request
    assert (chances.argmax(axis=1) == graded(pool())["grade"].to_numpy()).mean() > 0.8
    assert asking(samples=12, temperature=1.0).requests == 20
    assert stand_in.bodies[-1]["n"] == 2


def test_an_endpoint_without_n(asking: Asking, stand_in: WatchedStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint that ignores n, as Ollama does, is asked once for each answer."""
    whole = stand_in.completion
    monkeypatch.setattr(stand_in, "completion", lambda body, row, fault: whole({**body, "n": 1}, row, fault))
    asked = asking(pool(1, 2), samples=3, temperature=1.0)
    assert asked.requests == 6
    assert asked.frame["samples"].to_list() == [3, 3]


def test_log_probabilities(asking: Asking) -> None:
    """They are the model's own probabilities of the grades."""
    asked = asking(logprobs=True)
    best = asked.frame.select(pl.max_horizontal("p_0", "p_1", "p_2", "p_3")).to_series().to_list()
    assert best == pytest.approx([0.7] * 20)
    assert grades(asked) == EXPECTED


def test_an_endpoint_without_log_probabilities(
    asking: Asking, stand_in: WatchedStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an error at once: no probabilities are made up."""
    whole = stand_in.completion
    monkeypatch.setattr(stand_in, "completion", lambda body, row, fault: whole({**body, "logprobs": False}, row, fault))
    with pytest.raises(InputError, match="no log-probabilities"):
        asking(logprobs=True)


@pytest.mark.parametrize("fault", ["429", "500", "503", "cut", "garbage", "empty"])
def test_passing_faults_pass(asking: Asking, stand_in: WatchedStandIn, fault: str) -> None:
    """What fails once is asked again, and every pair gets its grade."""
    stand_in.next_faults.extend([fault] * 6)
    asked = asking()
    assert asked.requests == 26
    assert sum(times for _, times in asked.faults) == 6
    assert grades(asked) == EXPECTED


def test_a_slow_answer_times_out(asking: Asking, stand_in: WatchedStandIn) -> None:
    """A request that takes too long is given up and tried again."""
    stand_in.next_faults.extend(["slow"] * 2)
    began = time.monotonic()
    asked = asking(seconds=0.3)
    assert time.monotonic() - began < 4
    assert asked.faults == (("no answer within 0.3 s", 2),)
    assert grades(asked) == EXPECTED


def test_faults_of_every_kind_at_once(asking: Asking, stand_in: WatchedStandIn) -> None:
    """A bad endpoint is slower, not wrong."""
    stand_in.faults = {"429": 0.1, "500": 0.1, "cut": 0.1, "garbage": 0.1, "chatty": 0.1, "outside": 0.05}
    asked = asking(patience=Patience(retries=12, again=12))
    assert grades(asked) == EXPECTED
    assert asked.refusals


def test_a_long_wait_is_announced(stand_in: WatchedStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait that the endpoint asks for is told at once, with its length and its reason, and shown while it lasts."""
    monkeypatch.setattr(http, "LONG_WAIT", 1.0)
    stand_in.retry_after = "1.6"
    stand_in.next_faults.append("429:slow down")
    told: list[str] = []
    shown: list[str] = []
    with (
        endpoint(stand_in.url) as opened,
        closing(AnswerStore(tmp_path / "a.db")) as store,
    ):
        asking = session.AskingSession(
            pairs=TextPairs.from_pool(pool(1, 2)), question=Question(model="m"), store=store, patience=Patience(jobs=1)
        )
        asked = asking.run(opened, lambda done, total, words: shown.append(words), told.append)
    assert asked.is_complete
    assert told == ["the endpoint asks to wait 2 s (429: slow down); Ctrl-C keeps what there is"]
    assert any("waiting" in words for words in shown)


def test_retry_after_is_honoured(asking: Asking, stand_in: WatchedStandIn) -> None:
    """While the endpoint wants a pause, nobody asks."""
    stand_in.retry_after = "0.4"
    stand_in.next_faults.append("429")
    began = time.monotonic()
    asking(pool().head(1))
    assert time.monotonic() - began >= 0.4
    assert http.ordered_wait("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert http.ordered_wait("99999999") == http.LONGEST_ORDER
    assert http.ordered_wait("soon") == http.ordered_wait(None) == http.ordered_wait("nan") == 0


def test_failed_pairs_are_counted_and_asked_again(asking: Asking, stand_in: WatchedStandIn) -> None:
    """A pair whose tries are used up has no grade; the next start asks again."""
    stand_in.next_faults.extend(["500"] * 4)
    first = asking(patience=Patience(retries=1, jobs=1))
    assert (first.failed, len(first.frame), first.is_complete) == (2, 18, False)
    second = asking()
    assert (second.requests, second.failed) == (2, 0)
    assert grades(second) == EXPECTED


def test_an_endpoint_that_is_down_ends_the_session(asking: Asking, stand_in: WatchedStandIn) -> None:
    """After many failures in a row there is one error, not thousands of tries."""
    stand_in.faults = {"500": 1.0}
    with pytest.raises(InputError, match=f"failed for {session.GIVING_UP} pairs in a row.*500"):
        asking(patience=Patience(retries=0, jobs=1))
    assert stand_in.received.total() == session.GIVING_UP


def test_refused_answers_are_asked_again_then_left(asking: Asking, stand_in: WatchedStandIn) -> None:
    """Prose and grades beyond the scale are no grades; after three answers the pair is left, and stays so."""
    stand_in.next_faults.extend(["chatty", "outside", "", "chatty", "outside", "chatty"])
    asked = asking(patience=Patience(jobs=1))
    assert (len(asked.refusals), asked.refused, len(asked.frame)) == (5, 1, 19)
    assert {reason.partition(":")[0] for reason in asked.refusals} == {
        "not a grade in the agreed form",
        "a grade that is not on the scale",
    }
    assert not asked.is_complete
    again = asking()
    assert (again.requests, again.refused) == (0, 1)


def test_a_model_that_cannot_answer_ends_the_session(asking: Asking, stand_in: WatchedStandIn) -> None:
    """Before much is spent: the error shows an answer."""
    stand_in.faults = {"chatty": 1.0}
    with pytest.raises(InputError, match="I would say that it deserves"):
        asking()
    assert session.SUSPICIOUS <= stand_in.received.total() < session.SUSPICIOUS + 8


def test_nobody_answers(asking: Asking) -> None:
    """A server that does not run is one clear error at once."""
    began = time.monotonic()
    with pytest.raises(InputError, match="nobody answers"):
        asking(url="http://127.0.0.1:9/v1")
    assert time.monotonic() - began < 3


def test_wrong_key_and_wrong_model_end_at_once(asking: Asking, stand_in: WatchedStandIn) -> None:
    """401 and 404 are not tried again."""
    stand_in.model = "other"
    with pytest.raises(InputError, match="404: The model `m` does not exist"):
        asking()
    stand_in.model, stand_in.key = None, "sk-right"
    with pytest.raises(InputError, match="401: Incorrect API key"):
        asking()
    assert stand_in.received.total() == 0


def test_the_key_is_sent_and_kept_nowhere(
    asking: Asking, stand_in: WatchedStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes into the header, and into no error, cache or output, even if the endpoint repeats it."""
    stand_in.key = key = "sk-very-secret-1234"
    monkeypatch.setenv("MY_KEY", key)
    asking(key_env="MY_KEY").write(tmp_path / "llm.csv")
    assert stand_in.headers[0]["Authorization"] == f"Bearer {key}"
    written = [path.read_bytes() for path in tmp_path.iterdir()]
    assert len(written) >= 2
    assert not any(key.encode() in content for content in written)
    stand_in.key, stand_in.model = None, f"not {key}"
    with pytest.raises(InputError) as error:
        asking(key_env="MY_KEY", model=key)  # 404: the endpoint's message names the model
    assert key not in str(error.value)
    with pytest.raises(InputError, match="NO_SUCH_KEY is not set"):
        asking(key_env="NO_SUCH_KEY")


def test_openais_key_goes_to_no_stranger_in_the_clear() -> None:
    """Unless it is named, the key stays encrypted or on this machine."""
    held = {KEY: "sk-1", "MINE": "sk-2"}
    assert key_for("https://api.example.org/v1", None, held) == "sk-1"
    assert key_for("http://127.0.0.1:8000/v1", None, held) == "sk-1"
    assert key_for("http://gpu.example.org/v1", None, held) is None
    assert key_for("http://gpu.example.org/v1", "MINE", held) == "sk-2"
    assert key_for("https://api.example.org/v1", None, {}) is None


@pytest.mark.parametrize("url", ["http://me:secret@localhost/v1", "ftp://x/v1", "localhost:8000", "http://x/v1?key=1"])
def test_odd_urls_are_refused(asking: Asking, url: str) -> None:
    """A password in the URL is refused and not repeated."""
    with pytest.raises(InputError) as error:
        asking(url=url)
    assert "secret" not in str(error.value)
    assert "key=1" not in str(error.value)


def test_redirects_are_not_followed(asking: Asking, stand_in: WatchedStandIn) -> None:
    """So a key never reaches another host."""
    stand_in.next_faults.append("307")
    with pytest.raises(InputError, match="redirects"):
        asking(patience=Patience(jobs=1))
    assert stand_in.received.total() == 1


def test_caps_are_never_exceeded(asking: Asking) -> None:
    """The session stops before the cap and says what is left; the next one counts what was spent before."""
    asked = asking(prices=Prices(max_tokens=3000))
    assert asked.tokens_in + asked.tokens_out <= 3000
    assert asked.stopped == "the cap is reached"
    assert asked.left == 20 - len(asked.frame) > 0
    assert asking(prices=Prices(max_tokens=3000)).requests == 0
    prices = Prices(tokens_in=10.0, tokens_out=20.0, max_cost=0.05)
    more = asking(prices=prices)
    assert more.cost is not None
    assert more.requests > 0
    spent = prices.cost(asked.tokens_in + more.tokens_in, asked.tokens_out + more.tokens_out)
    assert 0.03 < spent <= 0.05
    with pytest.raises(ParameterError, match="prices"):
        Prices(max_cost=1.0)


@pytest.mark.parametrize("jobs", [1, 8])
def test_caps_are_used(tmp_path: Path, jobs: int) -> None:
    """Tokens are set aside by what prompts really took: a cap is used up to 95 % and more, and never exceeded."""
    many = pool(40, 10)
    with WatchedStandIn(graded(many)) as stand_in:
        asked = ask(
            many,
            stand_in.url,
            model="m",
            cache=tmp_path / "a.db",
            patience=Patience(jobs=jobs),
            prices=Prices(max_tokens=20_000),
        )
    assert asked.stopped == "the cap is reached"
    assert 0.95 * 20_000 <= asked.tokens_in + asked.tokens_out <= 20_000


def test_tokens_without_counts_are_estimated(asking: Asking, stand_in: WatchedStandIn) -> None:
    """An endpoint that counts no tokens is charged by the length of the texts."""
    counted = asking(pool().head(3)).tokens_in
    stand_in.says_usage = False
    assert asking(pool().head(3), model="n").tokens_in == pytest.approx(counted, rel=0.1)


def test_a_store_has_one_user(tmp_path: Path) -> None:
    """While a session has the store, no other can open it; afterwards any can."""
    with closing(AnswerStore(tmp_path / "a.db")), pytest.raises(InputError, match="in use by another session"):
        AnswerStore(tmp_path / "a.db")
    AnswerStore(tmp_path / "a.db").close()


def test_a_cache_that_is_none(asking: Asking, tmp_path: Path) -> None:
    """A file of something else is refused, and stays as it was."""
    (tmp_path / "answers.db").write_text("query,document,grade\n" * 100)
    with pytest.raises(InputError, match="cannot be used"):
        asking()
    assert (tmp_path / "answers.db").read_text().startswith("query")
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(InputError, match="something else"):
        asking(cache=tmp_path / "other.db")


@pytest.mark.parametrize("name", ["llm.csv", "llm.tsv", "llm.jsonl", "llm.parquet", "llm.qrels", "llm.csv.gz"])
def test_the_output_is_judgments(asking: Asking, tmp_path: Path, name: str) -> None:
    """Every format is read back as judgments."""
    asking(logprobs=True).write(tmp_path / name)
    assert dict(read_judgments(tmp_path / name).select("document", "grade").iter_rows()) == EXPECTED
    written = [name, f"{name}.provenance.json", "answers.db"]
    assert sorted(os.listdir(tmp_path)) == sorted(written)  # no temporary file is left


COMPLAINTS = {
    "max_tokens": (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "max_tokens",
    ),
    "temperature": ("Unsupported value: 'temperature' does not support 0.0 with this model.", "temperature"),
    "n": ("n must be 1", None),
    "top_logprobs": ("Requested sample logprobs of 20, which is greater than max allowed: 5", None),
}


@pytest.mark.parametrize("field", COMPLAINTS)
def test_fields_that_an_endpoint_does_not_take(
    asking: Asking, stand_in: WatchedStandIn, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    """A field that is refused by name goes another way, once for the session, and a note says so."""
    respond = stand_in.respond

    def refuse(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> tuple[int, str, str]:
        if field in body and body.get(field) != 5:
            return 400, error_text(COMPLAINTS[field][0]), ""
        return respond(path, headers, body)

    monkeypatch.setattr(stand_in, "respond", refuse)
    asked = asking(samples=2, temperature=1.0, logprobs=True, patience=Patience(jobs=1))
    assert len(asked.frame) == 20
    assert len(asked.notes) == (field != "max_tokens")


def test_an_unknown_complaint_ends_the_session(asking: Asking, stand_in: WatchedStandIn) -> None:
    """If the first request is refused for another reason, the endpoint's words are the error."""
    stand_in.next_faults.append("400:no such field")
    with pytest.raises(InputError, match="400: no such field"):
        asking(patience=Patience(jobs=1))


def test_a_document_that_is_too_long_fails_alone(asking: Asking, stand_in: WatchedStandIn) -> None:
    """The other pairs are judged."""
    stand_in.next_faults.append("400:This model's maximum context length is 1024 tokens.")
    asked = asking(patience=Patience(jobs=1))
    assert (asked.failed, len(asked.frame)) == (1, 19)


def test_documents_that_are_all_too_long_end_the_session(asking: Asking, stand_in: WatchedStandIn) -> None:
    """It does not go on for thousands of pairs."""
    stand_in.next_faults.extend(["400:This model's maximum context length is 10 tokens."] * 40)
    with pytest.raises(InputError, match=f"failed for {session.SUSPICIOUS} pairs.*maximum context length"):
        asking(pl.concat([pool(), pool().with_columns(pl.col("query", "query_text") + "b")]), patience=Patience(jobs=1))


def test_requests_have_an_identity(asking: Asking, stand_in: WatchedStandIn) -> None:
    """A request that is repeated, in this session or after a crash, has the same key; no two others share one."""
    stand_in.next_faults.append("500")
    asking()
    keys = [headers["Idempotency-Key"] for headers in stand_in.headers]
    assert len(keys) == 21
    assert len(set(keys)) == 20


def test_words_of_a_document_end_nothing(
    asking: Asking, stand_in: WatchedStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that quotes an error, because the document does, is an answer that is refused, and no error."""
    whole = stand_in.completion

    def quoting(body: Any, row: int | None, fault: str | None) -> dict[str, Any]:
        answer = whole(body, row, fault)
        if row == 3:
            answer["choices"][0]["message"]["content"] = '{"error": {"code": "insufficient_quota"}} temperature 401'
        return answer

    monkeypatch.setattr(stand_in, "completion", quoting)
    asked = asking()
    assert (len(asked.frame), asked.refused, asked.notes) == (19, 1, ())


def test_long_texts_are_cut(asking: Asking, stand_in: WatchedStandIn) -> None:
    """As many characters as wanted are sent."""
    asked = asking(pool().head(1).with_columns(text=pl.lit("passage 0-0.\n" + "word " * 1000)), max_characters=20)
    assert asked.pairs == 1
    assert "word wo\n" in stand_in.bodies[0]["messages"][-1]["content"]
    assert "word wor" not in stand_in.bodies[0]["messages"][-1]["content"]


def test_a_pair_that_the_endpoint_will_not_read(asking: Asking, stand_in: WatchedStandIn) -> None:
    """A filter of contents refuses one pair, even the first, and the summary says why."""
    stand_in.next_faults.append("400:The prompt triggered the content_filter")
    asked = asking(patience=Patience(jobs=1))
    assert asked.failed == 1
    assert asked.faults == (("400: The prompt triggered the content_filter", 1),)
