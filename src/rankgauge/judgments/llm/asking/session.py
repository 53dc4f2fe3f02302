"""A session of asking: every pair that has no answer yet, until all have one or a cap is reached."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import polars as pl

from rankgauge.errors import InputError, RankGaugeError
from rankgauge.files.output import writing
from rankgauge.judgments.llm.asking.answers import Answer, has_logprobs, quote
from rankgauge.judgments.llm.asking.endpoint import Endpoint, PairFaultError, PassingFaultError
from rankgauge.judgments.llm.asking.orders import choices_of
from rankgauge.judgments.llm.asking.outcome import INTERRUPTED, Asked, PairAnswers, best_windows, graded_frame
from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.judgments.llm.asking.question import Question
from rankgauge.judgments.llm.asking.requests import (
    AskingForecast,
    CapReachedError,
    Patience,
    Received,
    Requests,
    estimated_tokens,
    spelled,
)
from rankgauge.judgments.llm.asking.spending import Prices, Spending
from rankgauge.judgments.llm.asking.store import AnswerStore, StoredAnswer
from rankgauge.judgments.llm.chat_api import CHAT_APIS
from rankgauge.judgments.pairwise import FittedPreferences

GIVING_UP = 10
"""After that many pairs in a row that failed, with all their tries, the endpoint is taken to be down."""

SUSPICIOUS = 20
"""After that many pairs that failed or answers that were refused, and no grade, there will hardly be any."""

GRACE = 10.0
"""How many seconds Ctrl-C waits for answers that are under way."""

Tell = Callable[[int, int, str], None]
Say = Callable[[str], None]


@dataclass(kw_only=True, eq=False)
class AskingSession:
    """Asks a question about each pair; `forecast` says what that will take, `run` does it, once."""

    pairs: TextPairs
    question: Question
    store: AnswerStore
    prices: Prices = field(default_factory=Prices)
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        self.question.prompt.check(self.pairs.columns)
        texts = self.pairs.texts()
        self._digests = [self.question.digest(one) for one in texts]
        self._texts = dict(zip(self._digests, texts, strict=True))  # pairs with the same texts are asked about once
        stored = self.store.find(list(self._texts))
        self._stored = [one for answers in stored.values() for one in answers]
        self._answers = {
            digest: PairAnswers(answers=[one.answer for one in stored.get(digest, ())]) for digest in self._texts
        }
        self._waiting = deque(digest for digest in self._texts if not self._is_done(digest))
        self._cached = sum(self._is_done(digest) for digest in self._digests)
        self._cached_grades = sum(self._is_done(one) and bool(self._answers[one].graded) for one in self._digests)
        self._before = (sum(one.tokens_in for one in self._stored), sum(one.tokens_out for one in self._stored))
        self.spending = Spending(prices=self.prices, tokens_in=self._before[0], tokens_out=self._before[1])
        self._stop, self._lock = Event(), Lock()
        self._failed: set[bytes] = set()
        self._models: set[str] = set()
        self._working, self._in_a_row, self._refused, self._graded = 0, 0, 0, 0
        self._stopped: str | None = None
        self._error: Exception | None = None

    @property
    def noun(self) -> str:
        """What is asked about: pairs of a query and a document, windows of long texts, or lists of documents."""
        return "list" if self.question.prompt.compares else "window" if self.pairs.windows else "pair"

    def forecast(self) -> AskingForecast:
        """What is to be asked, and what it will take."""
        sizes = {digest: estimated_tokens(self.question, texts) for digest, texts in self._texts.items()}
        return AskingForecast.of(
            pairs=len(self.pairs),
            queries=self.pairs.frame["query"].n_unique(),
            cached=self._cached,
            sizes=[sizes[digest] for digest in self._waiting],
            question=self.question,
            jobs=self.patience.jobs,
            stored=self._stored,
            measured=sum(sizes[digest] for digest, held in self._answers.items() if held.answers),
        )

    def example(self) -> list[dict[str, str]]:
        """Return the messages about the first pair that is to be asked about, or the first of all, as they are sent."""
        digest = self._waiting[0] if self._waiting else self._digests[0]
        return self.question.prompt.messages(self._texts[digest], form=self.question.form)

    def run(self, endpoint: Endpoint, tell: Tell | None = None, say: Say = lambda words: None) -> Asked:
        """Ask until every pair is answered, a cap is reached, or an error makes more asking useless.

        `tell` is called now and then with the progress, `say` with what a user should hear of at once.
        """
        began, retries = time.monotonic(), self.patience.retries
        requests = Requests(endpoint=endpoint, spending=self.spending, retries=retries, stop=self._stop, say=say)
        self._working = min(self.patience.jobs, len(self._waiting))
        total, over = len(self._waiting), Event()
        for _ in range(self._working):
            Thread(target=self._work, args=(requests, over), daemon=True).start()
        try:
            while self._working and not over.wait(0.25):
                if tell is not None:
                    tell(*self._progress(time.monotonic() - began, total, requests.waits))
        except KeyboardInterrupt:
            self._end(INTERRUPTED)
            with suppress(KeyboardInterrupt):
                if tell is not None:
                    tell(total - len(self._waiting), total, "waiting for answers under way; Ctrl-C again ends at once")
                over.wait(GRACE)
        if self._error is not None and not isinstance(self._error, RankGaugeError):
            raise self._error
        return self._outcome(requests, time.monotonic() - began)

    def _progress(self, elapsed: float, total: int, waits: float = 0.0) -> tuple[int, int, str]:
        done, (tokens_in, tokens_out) = max(total - len(self._waiting) - self._working, 0), self._tokens_spent()
        words = [f"{tokens_in + tokens_out:,} tokens"]
        if self.prices.known:
            words.append(f"cost {self.prices.cost(tokens_in, tokens_out):.2f}")
        if waits > 1:
            words.append(f"waiting {spelled(waits)}, as the endpoint asks")
        elif done:
            words.append(f"{spelled(elapsed / done * (total - done))} left")
        return done, total, " · ".join(words)

    def _tokens_spent(self) -> tuple[int, int]:
        """The tokens of this session, in and out."""
        return self.spending.tokens_in - self._before[0], self.spending.tokens_out - self._before[1]

    def _work(self, requests: Requests, over: Event) -> None:
        """What each thread does: one pair after another; the last to end says that all is over."""
        while not self._stop.is_set() and self._waiting:
            with suppress(IndexError):  # another thread may have taken the last one
                self._attend(self._waiting.popleft(), requests)
        with self._lock:
            self._working -= 1
            if not self._working:
                over.set()

    def _attend(self, digest: bytes, requests: Requests) -> None:
        """Asks about a pair, and copes with what goes wrong."""
        try:
            self._ask(digest, requests)
            self._in_a_row = 0
        except (PassingFaultError, PairFaultError) as fault:
            self._fail(digest, fault, requests)
        except CapReachedError:
            self._end("the cap is reached")
        except Exception as error:
            self._end(str(error), error)

    def open_requests(self) -> dict[str, dict[str, Any]]:
        """Return the next request about each pair that is still to be asked about, by its identity."""
        return {self._identity(digest): self._request(digest) for digest in self._texts if not self._is_done(digest)}

    def store_reply(self, identity: str, received: Received, source: str) -> None:
        """Store a reply to one of the open requests, which came another way."""
        digest = self._by_name[identity.partition("-")[0]]
        self._keep(digest, received, self._missing(digest), source)

    def outcome(self) -> Asked:
        """Return what all stored answers come to, without asking."""
        return self._outcome(None, 0.0)

    @cached_property
    def _by_name(self) -> dict[str, bytes]:
        """The digests by their part of an identity."""
        return {digest.hex()[:32]: digest for digest in self._texts}

    def _missing(self, digest: bytes) -> int:
        """Return how many answers about a pair are still wanted."""
        return self.question.samples - len(self._answers[digest].graded)

    def _request(self, digest: bytes) -> dict[str, Any]:
        return self.question.request(self._texts[digest], self._missing(digest))

    def _identity(self, digest: bytes) -> str:
        return f"{digest.hex()[:32]}-{len(self._answers[digest].answers)}-{self._missing(digest)}"

    def _ask(self, digest: bytes, requests: Requests) -> None:
        """Asks about a pair until there are enough answers."""
        while not self._is_done(digest):
            n, identity = self._missing(digest), self._identity(digest)
            received = requests.reply(self._request(digest), identity, most_out=n * self.question.answer_tokens)
            if received is None:
                return
            self._keep(digest, received, n, requests.endpoint.url)

    def _keep(self, digest: bytes, received: Received, n: int, source: str) -> None:
        """Reads the choices and stores them; then they count."""
        choices, question, held = received.choices[:n], self.question, self._answers[digest]
        if question.logprobs and not any(has_logprobs(choice) for choice in choices):
            hint = "Ask without --logprobs; --samples 5 --temperature 1 gives probabilities too."
            raise InputError("the endpoint gives no log-probabilities", path=source, hint=hint)
        answers = [question.read(choice, self._texts[digest]) for choice in choices]
        costs = [(received.tokens_in, received.tokens_out, received.seconds), *[(0, 0, 0.0)] * (len(answers) - 1)]
        stored = [
            StoredAnswer(number=number, answer=answer, tokens_in=cost[0], tokens_out=cost[1], seconds=cost[2])
            for number, (answer, cost) in enumerate(zip(answers, costs, strict=True), start=len(held.answers))
        ]
        self.store.add(digest, stored, question.model)
        if received.model:
            self._models.add(received.model)
        held.answers.extend(answers)
        self._count(answers)

    def _count(self, answers: list[Answer]) -> None:
        """Counts grades and refused answers; an error if there are many of these and none of those."""
        refused = [one for one in answers if one.grade is None]
        with self._lock:
            self._refused += len(refused)
            self._graded += len(answers) - len(refused)
        if refused and not self._graded and self._refused >= SUSPICIOUS:
            raise InputError(
                f"RankGauge could not read a grade in any of the first {self._refused} answers. The last: "
                f"{refused[-1].refused}",
                text=quote(refused[-1].text) or "(no text)",
                hint=_hint(refused[-1].refused or ""),
            )

    def _fail(self, digest: bytes, fault: Exception, requests: Requests) -> None:
        """Counts a pair as failed; after many in a row the session ends."""
        if isinstance(fault, PairFaultError):
            requests.count(str(fault))
        with self._lock:
            self._failed.add(digest)
            self._in_a_row += isinstance(fault, PassingFaultError)
            times = self._in_a_row
            barren = 0 if self._graded else len(self._failed)
        if times >= GIVING_UP or barren >= SUSPICIOUS:
            problem = f"the endpoint failed for {max(times, barren)} pairs in a row, the last time with: {fault}"
            hint = "What was answered is kept: start again later."
            self._end(problem, InputError(problem, path=requests.endpoint.url, hint=hint))

    def _is_done(self, digest: bytes) -> bool:
        held = self._answers[digest]
        return len(held.graded) >= self.question.samples or held.refused > self.patience.again

    def _end(self, why: str, error: Exception | None = None) -> None:
        with self._lock:
            self._error = self._error or error
            self._stopped = self._stopped or why
        self._stop.set()

    def _outcome(self, requests: Requests | None, seconds: float) -> Asked:
        grades, undone = self.question.prompt.grades, [one for one in self._digests if not self._is_done(one)]
        held, (tokens_in, tokens_out) = [self._answers[digest] for digest in self._digests], self._tokens_spent()
        samples, has_chances = self.question.samples, self.question.has_chances
        choices, frame = None, pl.DataFrame()
        if self.question.prompt.compares:
            choices = choices_of(self.pairs, [tally.graded[:samples] for tally in held])
            frame = FittedPreferences.fit(choices).frame if choices.query else frame
        else:
            frame = graded_frame(self.pairs.frame, held, grades, samples=samples, has_chances=has_chances)
            frame = best_windows(frame, self.pairs.frame) if self.pairs.windows else frame
        return Asked(
            frame=frame,
            choices=choices,
            pairs=len(self.pairs),
            cached=self._cached_grades,
            graded=self._graded,
            requests=requests.sent if requests else 0,
            refused=sum(not self._answers[one].graded for one in self._digests if self._is_done(one)),
            refusals=self._refused,
            failed=sum(digest in self._failed for digest in undone),
            left=sum(digest not in self._failed for digest in undone),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=self.prices.cost(tokens_in, tokens_out) if self.prices.known else None,
            seconds=seconds,
            stopped=self._stopped,
            error=self._error if isinstance(self._error, RankGaugeError) else None,
            notes=tuple(requests.endpoint.notes) if requests else (),
            faults=tuple(requests.faults.most_common(3)) if requests else (),
            models=frozenset(self._models),
        )


def _hint(refused: str) -> str:
    """Say what helps where every answer was refused for the same reason."""
    if refused.startswith("cut off"):
        return "A model that thinks before it answers needs more room: --answer-tokens 2000."
    if "filter" in refused or refused.startswith("the model refused"):
        return "The model or its endpoint declines these texts; try another model, or leave such documents to people."
    if "log-probabilities" in refused:
        return "Ask without --logprobs; --samples 5 --temperature 1 gives probabilities too."
    if "scale" in refused:
        return "Does the prompt name the grades of --grades or --scale?"
    return "Name the form of your model's answers, as in --answer 'verdict: ([0-3])'; or ask for JSON: --form json."


def write_batch(session: AskingSession, path: Path) -> int:
    """Write a request for every pair that is still to be asked about; return how many."""
    requests = session.open_requests()
    with writing(path) as file:
        for identity, body in requests.items():
            line = {"custom_id": identity, "method": "POST", "url": "/v1/chat/completions", "body": body}
            file.write((json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
    return len(requests)


def read_batch(session: AskingSession, path: Path) -> int:
    """Store the answers of a file of results; return how many requests failed there, which stay open."""
    failed = 0
    waiting = set(session.open_requests())
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            result = _result(line, path, number)
            identity = str(result.get("custom_id"))
            received = _receive(result)
            if identity not in waiting:
                continue  # answered before, or a line of another batch
            if received is None:
                failed += 1
            else:
                waiting.discard(identity)
                session.store_reply(identity, received, source=str(path))
    return failed


def _result(line: str, path: Path, number: int) -> Mapping[str, Any]:
    """Return a line of results."""
    try:
        result = json.loads(line)
    except (ValueError, RecursionError):
        result = None
    if not isinstance(result, Mapping) or "custom_id" not in result:
        raise InputError(
            "not a line of a batch's results: it needs a custom_id",
            path=path,
            line=number,
            text=line[:200].strip(),
            hint="Download the output file of the batch, not its description.",
        )
    return result


def _receive(result: Mapping[str, Any]) -> Received | None:
    """Return the reply in a line of results; None if the request failed."""
    response = result.get("response")
    held = response.get("body", response) if isinstance(response, Mapping) else None
    status = response.get("status_code", 200) if isinstance(response, Mapping) else 0
    reply = CHAT_APIS["openai"].reply(held) if status == 200 and not result.get("error") else None
    if reply is None:
        return None
    return Received(
        choices=reply.choices,
        tokens_in=reply.tokens_in or 0,
        tokens_out=reply.tokens_out or 0,
        seconds=0.0,
        model=reply.model,
    )
