"""A session of asking: every pair that has no answer yet, until all have one or a cap is reached."""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import polars as pl

from rankgauge.errors import InputError, RankGaugeError
from rankgauge.files.output import writing
from rankgauge.judgments.llm.asking.answers import logprobs_of, quote
from rankgauge.judgments.llm.asking.endpoint import Endpoint, PairFaultError, PassingFaultError, said_problem
from rankgauge.judgments.llm.asking.outcome import (
    INTERRUPTED,
    Asked,
    PairAnswers,
    Provenance,
    best_windows,
    graded_frame,
)
from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.judgments.llm.asking.question import Question, choices_of
from rankgauge.judgments.llm.asking.requests import BYTES, CapReachedError, Patience, Prices, Requests, Spending
from rankgauge.judgments.llm.asking.store import AnswerStore
from rankgauge.judgments.llm.chat_api import CHAT_APIS, Reply
from rankgauge.judgments.pairwise import FittedPreferences

GIVING_UP = 10
"""After that many pairs in a row that failed, with all their tries, the endpoint is taken to be down."""

SUSPICIOUS = 20
"""After that many pairs that failed or answers that were refused, and no grade, there will hardly be any."""

GRACE = 10.0
"""How many seconds Ctrl-C waits for answers that are under way."""

Tell = Callable[[int, int, str], None]
Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class AskingForecast:
    """What is to be asked, and what it will take."""

    pairs: int
    queries: int
    cached: int
    """How many pairs have all their answers already."""
    tokens_in: int
    """About how many tokens the prompts have that are still to be sent."""
    tokens_out: int
    """How many tokens the answers may have: about, if some were counted, else at most."""
    is_counted: bool
    """Whether the endpoint's own counts of earlier answers were used."""
    seconds: float | None
    """About how long it takes; None before the first answer."""


@dataclass(kw_only=True, eq=False)
class AskingSession:
    """Asks a question about each pair; `forecast` says what that will take, `run` does it, once."""

    pairs: TextPairs
    question: Question
    store: AnswerStore
    url: str = ""
    """Where the model is, as the user says it."""
    prices: Prices = field(default_factory=Prices)
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        self.question.prompt.check(self.pairs.columns)
        texts = self.pairs.texts()
        self._digests = [self.question.digest(one) for one in texts]
        self._texts = dict(zip(self._digests, texts, strict=True))  # pairs with the same texts are asked about once
        self._names = {digest.hex()[:32]: digest for digest in self._texts}
        stored = self.store.find(list(self._texts))
        self._stored = [one for answers in stored.values() for one in answers]
        self._answers = {digest: PairAnswers(answers=[*stored.get(digest, ())]) for digest in self._texts}
        self._waiting = deque(digest for digest in self._texts if not self._is_done(digest))
        done = [digest for digest in self._digests if self._is_done(digest)]
        self._cached, self._cached_grades = len(done), sum(bool(self._answers[digest].graded) for digest in done)
        self._before = (sum(one.tokens_in for one in self._stored), sum(one.tokens_out for one in self._stored))
        self.spending = Spending(prices=self.prices, tokens_in=self._before[0], tokens_out=self._before[1])
        self.provenance = Provenance.from_question(self.question, self.url)
        self._stop, self._lock = Event(), Lock()
        self._failed: set[bytes] = set()
        self._models: set[str] = set()
        self._working, self._in_a_row, self._refused, self._graded = 0, 0, 0, 0
        self._stopped: str | None = None
        self._error: Exception | None = None

    @property
    def noun(self) -> str:
        """What is asked about: pairs of a query and a document, windows of long texts, or lists of documents."""
        return "list" if self.question.prompt.words.compares else "window" if self.pairs.windows else "pair"

    def forecast(self) -> AskingForecast:
        """What is to be asked, and what it will take; the endpoint's counts of earlier answers correct the estimate."""
        sizes = {digest: self.question.estimated_bytes(texts) // BYTES for digest, texts in self._texts.items()}
        measured = sum(sizes[digest] for digest, held in self._answers.items() if held.answers)
        tokens_in = sum(sizes[digest] for digest in self._waiting)
        answers = len(self._waiting) * self.question.samples
        tokens_out, pace = answers * self.question.answer_tokens, None
        requests, counted = sum(one.seconds > 0 for one in self._stored), self._before
        if is_counted := bool(requests and measured and counted[0]):
            tokens_in = round(tokens_in * counted[0] / measured)
            tokens_out = round(answers * counted[1] / len(self._stored))
            pace = sum(one.seconds for one in self._stored) / requests / self.patience.jobs
        return AskingForecast(
            pairs=len(self.pairs),
            queries=self.pairs.frame["query"].n_unique(),
            cached=self._cached,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            is_counted=is_counted,
            seconds=None if pace is None else len(self._waiting) * pace,
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
            words.append(f"waiting {spell_duration(waits)}, as the endpoint asks")
        elif done:
            words.append(f"{spell_duration(elapsed / done * (total - done))} left")
        return done, total, " · ".join(words)

    def _tokens_spent(self) -> tuple[int, int]:
        """Return the tokens of this session, in and out."""
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
        return dict(self._next_request(digest)[:2] for digest in self._texts if not self._is_done(digest))

    def store_reply(self, identity: str, received: Reply, source: str) -> None:
        """Store a reply to one of the open requests, which came another way."""
        digest = self._names[identity.partition("-")[0]]
        self._keep(digest, received, self._next_request(digest)[2], source)

    def outcome(self) -> Asked:
        """Return what all stored answers come to, without asking."""
        return self._outcome(None, 0.0)

    def _next_request(self, digest: bytes) -> tuple[str, dict[str, Any], int]:
        """Return the identity of the next request about a pair, its body, and how many answers it asks for."""
        held = self._answers[digest]
        n = self.question.samples - len(held.graded)
        return f"{digest.hex()[:32]}-{len(held.answers)}-{n}", self.question.request(self._texts[digest], n), n

    def _ask(self, digest: bytes, requests: Requests) -> None:
        """Asks about a pair until there are enough answers."""
        while not self._is_done(digest):
            identity, body, n = self._next_request(digest)
            received = requests.reply(body, identity, most_out=n * self.question.answer_tokens)
            if received is None:
                return
            self._keep(digest, received, n, requests.endpoint.url)

    def _keep(self, digest: bytes, received: Reply, n: int, source: str) -> None:
        """Reads the choices and stores them; then they count. An error if many are refused and none is a grade."""
        choices, question, held = received.choices[:n], self.question, self._answers[digest]
        if question.logprobs and not any(logprobs_of(choice) for choice in choices):
            raise InputError("the endpoint gives no log-probabilities", path=source, hint=HINTS["log-probabilities"])
        answers = [question.read(choice, self._texts[digest]) for choice in choices]
        tokens_in, tokens_out = received.tokens_in or 0, received.tokens_out or 0
        answers[0] = replace(answers[0], tokens_in=tokens_in, tokens_out=tokens_out, seconds=received.seconds)
        self.store.add(digest, answers, len(held.answers), question.model)
        held.answers.extend(answers)
        refused = [one for one in answers if one.grade is None]
        with self._lock:
            self._models |= {received.model} if received.model else set()
            self._refused += len(refused)
            self._graded += len(answers) - len(refused)
        if refused and not self._graded and self._refused >= SUSPICIOUS:
            reason = refused[-1].refused or ""
            raise InputError(
                f"RankGauge could not read a grade in any of the first {self._refused} answers. The last: {reason}",
                text=quote(refused[-1].text) or "(no text)",
                hint=next(hint for words, hint in HINTS.items() if words in reason),
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
        question, undone = self.question, [one for one in self._digests if not self._is_done(one)]
        held, (tokens_in, tokens_out) = [self._answers[digest] for digest in self._digests], self._tokens_spent()
        choices, frame = None, pl.DataFrame()
        if question.prompt.words.compares:
            choices = choices_of(self.pairs, [tally.graded[: question.samples] for tally in held])
            frame = FittedPreferences.fit(choices).frame if choices.query else frame
        else:
            frame = graded_frame(self.pairs.frame, held, question)
            frame = best_windows(frame, self.pairs.frame) if self.pairs.windows else frame
        asked = Asked(
            frame=frame,
            choices=choices,
            noun=self.noun,
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
            caps=self.spending.told_caps(),
            error=self._error if isinstance(self._error, RankGaugeError) else None,
            notes=tuple(requests.endpoint.notes) if requests else (),
            faults=tuple(requests.faults.most_common(3)) if requests else (),
            models=frozenset(self._models),
            provenance=self.provenance,
        )
        self.store.note_session(self.provenance.told(asked))
        return asked


DECLINED = "The model or its endpoint declines these texts; try another model, or leave such documents to people."
HINTS = {
    "by the pattern": "Does --answer match once in an answer such as this?",
    "cut off": "A model that thinks before it answers needs more room: --answer-tokens 2000.",
    "the model refused": DECLINED,
    "filter": DECLINED,
    "log-probabilities": "Ask without --logprobs; --samples 5 --temperature 1 gives probabilities too.",
    "scale": "Does the prompt name the grades of --grades or --scale?",
    "": "Name the form of your model's answers, as in --answer 'verdict: ([0-3])'; or ask for JSON: --form json.",
}
"""What helps where every answer was refused for the same reason, by words of the reason."""


def spell_duration(seconds: float) -> str:
    """Return a duration in words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def write_batch(session: AskingSession, path: Path) -> int:
    """Write a request for every pair that is still to be asked about; return how many."""
    requests = session.open_requests()
    with writing(path) as file:
        for identity, body in requests.items():
            body["max_completion_tokens"] = body.pop("max_tokens")  # a batch cannot try again under the other name
            line = {"custom_id": identity, "method": "POST", "url": "/v1/chat/completions", "body": body}
            file.write((json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
    return len(requests)


def read_batch(session: AskingSession, path: Path) -> Counter[str]:
    """Store the answers of a file of results; return how many requests failed there and why, which stay open."""
    failed, waiting = Counter[str](), set(session.open_requests())
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            identity, reply = _read_result(line, path, number)
            if identity not in waiting:
                continue  # answered before, or a line of another batch
            if isinstance(reply, Reply):
                waiting.discard(identity)
                session.store_reply(identity, reply, source=str(path))
            else:
                failed[reply] += 1
    return failed


def _read_result(line: str, path: Path, number: int) -> tuple[str, Reply | str]:
    """Return the identity in a line of results, and the reply, or why the request failed."""
    try:
        result = json.loads(line)
        identity, response = str(result["custom_id"]), result.get("response")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise InputError(
            "not a line of a batch's results: it needs a custom_id",
            path=path,
            line=number,
            text=line[:200].strip(),
            hint="Download the output file of the batch, not its description.",
        ) from None
    if not isinstance(response, Mapping) or response.get("status_code", 200) != 200 or result.get("error"):
        body = response.get("body") if isinstance(response, Mapping) else None
        failure = {"error": result.get("error") or "no reason given"}
        return identity, quote(said_problem(json.dumps(body or failure)), 300)
    return identity, CHAT_APIS["openai"].reply(response.get("body", response)) or "an answer without choices"
