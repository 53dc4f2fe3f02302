"""A session of asking: every pair that has no answer yet, until all have one or a cap is reached."""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import polars as pl

from rankgauge.errors import InputError, RankGaugeError
from rankgauge.files.output import writing
from rankgauge.judgments import Scale
from rankgauge.judgments.llm.asking.answers import Answer, logprobs_of, quote
from rankgauge.judgments.llm.asking.endpoint import (
    BYTES,
    CapReachedError,
    Endpoint,
    PairFaultError,
    PassingFaultError,
    Patience,
    Prices,
    Requests,
    Spending,
    endpoint,
    said_problem,
)
from rankgauge.judgments.llm.asking.outcome import (
    INTERRUPTED,
    Asked,
    Provenance,
    graded_frame,
)
from rankgauge.judgments.llm.asking.pairs import SHOTS, TextPairs, choose_examples
from rankgauge.judgments.llm.asking.prompt import FIXED_BOUNDARY, IMAGE, find_prompt, scale_of
from rankgauge.judgments.llm.asking.question import (
    IMAGE_BYTES,
    OTHERS,
    Question,
    choices_of,
    compared_lists,
    text_bytes,
)
from rankgauge.judgments.llm.asking.store import AnswerStore
from rankgauge.judgments.llm.chat_api import CHAT_APIS, Reply
from rankgauge.judgments.pairwise import FittedPreferences
from rankgauge.render.numbers import count

GIVING_UP = 10
"""After that many pairs in a row that failed, with all their tries, the endpoint is taken to be down."""

SUSPICIOUS = 20
"""After that many pairs that failed or answers that were refused, and no grade, there will hardly be any."""

GRACE = 10.0
"""How many seconds Ctrl-C waits for answers that are under way."""

Tell = Callable[[int, int, str], None]
Say = Callable[[str], None]

Lines = Iterator[tuple[str, str]]
"""A subject, or nothing if it is that of the line above, and words."""


def ask(
    pool: Any,
    url: str,
    *,
    cache: str | Path,
    patience: Patience | None = None,
    key_env: str | None = None,
    api: str | None = None,
    seconds: float = 120.0,
    tell: Callable[[int, int, str], None] | None = None,
    **asking: Any,
) -> Asked:
    """The grades that a model gives to the pairs of a pool; answers that are in the cache are not asked for again.

    `asking` is what `open_session` takes: the model, the tables of texts, the prompt, the grades, prices, and the
    settings of a `Question`. `tell` is called now and then with how many pairs are done, of how many, and words about
    it.

        from rankgauge.judgments.llm import ask

        asked = ask("pool.csv", "http://localhost:8000/v1", model="llama3.1", cache="llm.answers.db", logprobs=True)
        asked.frame  # query, document, grade, p_0, p_1, p_2, p_3, samples
        asked.write("llm.csv")
    """
    patience = patience or Patience()
    with (
        endpoint(url, key_env=key_env, api=api, seconds=seconds, jobs=patience.jobs) as opened,
        closing(AnswerStore(cache)) as store,
    ):
        asked = open_session(pool, store, url=url, patience=patience, **asking).run(opened, tell)
    if asked.error is not None:
        raise asked.error
    if asked.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    return asked


def open_session(
    pool: Any,
    store: AnswerStore,
    *,
    model: str,
    url: str = "",
    documents: Any = None,
    queries: Any = None,
    depth: int | None = None,
    max_characters: int | None = None,
    windows: bool = False,
    images: bool = False,
    prompt: str | Path | None = None,
    grades: str | Scale | None = None,
    examples: Any = None,
    shots: int = SHOTS,
    others: int = OTHERS,
    prices: Prices | None = None,
    spending: Spending | None = None,
    patience: Patience | None = None,
    **settings: Any,
) -> AskingSession:
    """Prepare to ask a model about the pairs of a pool.

    `prompt` is a name or a file; one that compares documents shows each beside `others` others. `examples` are people's
    labels, of which `shots` are shown. Models of a panel share their `spending`, and so its caps, in place of `prices`.
    `settings` are those of a `Question`; the temperature is 0 for one sample and 1
    for several, and answers have the room that the prompt needs, unless these are given.
    """
    pairs = TextPairs.from_pool(
        pool,
        documents=documents,
        queries=queries,
        depth=depth,
        max_characters=max_characters,
        windows=windows,
        images=images,
    )
    asked = find_prompt(prompt, scale_of(grades))
    if examples is not None:
        if asked.words.compares or windows:
            raise InputError(
                "examples show how one whole document is graded",
                hint="Leave out --examples, or --windows and prompts that compare documents.",
            )
        asked = replace(asked, examples=choose_examples(examples, pairs, asked.grades, shots))
    if settings.get("temperature") is None:
        settings["temperature"] = 1.0 if settings.get("samples", 1) > 1 else 0.0
    if settings.get("answer_tokens") is None:
        settings["answer_tokens"] = asked.words.answer_tokens
    question = Question(model=model, prompt=asked, images=images, **settings)
    if size := asked.words.compares:
        pairs = compared_lists(pairs, size=size, others=others)
    spent, tries = spending or Spending(prices=prices or Prices()), patience or Patience()
    return AskingSession(pairs=pairs, question=question, store=store, url=url, spending=spent, patience=tries)


@dataclass(kw_only=True, eq=False)
class AskingSession:
    """Asks a question about each pair; `forecast` says what that will take, `run` does it, once."""

    pairs: TextPairs
    question: Question
    store: AnswerStore
    url: str = ""
    """Where the model is, as the user says it."""
    spending: Spending = field(default_factory=lambda: Spending(prices=Prices()))
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        self.question.prompt.check(self.pairs.columns)
        texts = self.pairs.texts()
        self._digests = [self.question.digest(text) for text in texts]
        self._texts = dict(zip(self._digests, texts, strict=True))  # pairs with the same texts are asked about once
        stored = self.store.find(list(self._texts))
        self._stored = [answer for answers in stored.values() for answer in answers]
        self._answers = {digest: list(stored.get(digest, ())) for digest in self._texts}
        self._waiting = deque(digest for digest in self._texts if not self._is_done(digest))
        done = [digest for digest in self._digests if self._is_done(digest)]
        self._cached, self._cached_grades = len(done), sum(bool(self._keep_grades(digest)) for digest in done)
        self._before = (sum(one.tokens_in for one in self._stored), sum(one.tokens_out for one in self._stored))
        self.spending.tokens_in += self._before[0]
        self.spending.tokens_out += self._before[1]
        self._at_start = self.spending.tokens_in, self.spending.tokens_out
        self.provenance = Provenance.from_question(self.question, self.url)
        self._stop, self._lock = Event(), Lock()
        self._failed: set[bytes] = set()
        self._models: set[str] = set()
        self._refusals: list[str] = []
        self._working, self._in_a_row, self._grades = 0, 0, 0
        self._stopped: str | None = None
        self._error: Exception | None = None

    @property
    def noun(self) -> str:
        """What is asked about: pairs of a query and a document, windows of long texts, or lists of documents."""
        return "list" if self.question.prompt.words.compares else "window" if self.pairs.windows else "pair"

    def forecast(self) -> Lines:
        """Yield what is to be asked, and what it will take; counts of earlier answers correct the estimate."""
        question, prices, noun, to_ask = self.question, self.spending.prices, self.noun, len(self.pairs) - self._cached
        queries = self.pairs.frame["query"].n_unique()
        yield noun + "s", f"{len(self.pairs):,} of {queries:,} queries; {self._cached:,} answered before"
        if cut := self.pairs.cut:
            be = "is" if cut == 1 else "are"
            how = "judged in windows, whose best grade counts" if self.pairs.windows else "cut"
            yield "long", f"{count(cut, 'text')} of documents {be} {how}"
        if examples := question.prompt.examples:
            yield "examples", f"{len(examples)}, graded by people; an audit leaves them out"
        if not to_ask:
            return
        each = f", {question.samples} answers each" if question.samples > 1 else ""
        yield "to ask", f"{count(to_ask, noun)}, {self.patience.jobs} at a time{each}"
        prompts = {digest: question.prompt.messages(texts, FIXED_BOUNDARY) for digest, texts in self._texts.items()}
        pictures = {digest for digest, texts in self._texts.items() if question.images and texts.get(IMAGE)}
        sizes = {one: (text_bytes(said) + IMAGE_BYTES * (one in pictures)) // BYTES for one, said in prompts.items()}
        measured = sum(sizes[digest] for digest, held in self._answers.items() if held)
        tokens_in, answers = sum(sizes[digest] for digest in self._waiting), len(self._waiting) * question.samples
        tokens_out, requests = answers * question.answer_tokens, sum(one.seconds > 0 for one in self._stored)
        if is_counted := bool(requests and measured and self._before[0]):
            tokens_in = round(tokens_in * self._before[0] / measured)
            tokens_out = round(answers * self._before[1] / len(self._stored))
        yield "tokens", f"about {tokens_in:,} in, {'about' if is_counted else 'at most'} {tokens_out:,} out"
        if question.samples > 1:
            yield "", "an endpoint that gives one answer at a time charges the prompt again for each"
        if prices.known:
            before = f"; {spell_cost(spent)} was spent before" if (spent := self.spending.cost) else ""
            cost = spell_cost(prices.cost(tokens_in, tokens_out))
            yield "cost", f"{'about' if is_counted else 'up to about'} {cost}{before}"
        caps = [f"{prices.max_tokens:,} tokens"] if prices.max_tokens is not None else []
        caps += [f"a cost of {prices.max_cost:g}"] if prices.max_cost is not None else []
        if caps:
            yield "cap", f"{' and '.join(caps)}, earlier sessions included"
        if is_counted:
            pace = sum(one.seconds for one in self._stored) / requests / self.patience.jobs
            yield "time", f"about {spell_duration(len(self._waiting) * pace)} at the pace so far"
        if question.has_chances:
            source = "log-probabilities" if question.logprobs else f"{question.samples} answers for each pair"
            yield "grades", f"with probabilities, from {source}"

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
        return self.outcome(requests, time.monotonic() - began)

    def _progress(self, elapsed: float, total: int, waits: float = 0.0) -> tuple[int, int, str]:
        done, (tokens_in, tokens_out) = max(total - len(self._waiting) - self._working, 0), self._tokens_spent()
        words = [f"{tokens_in + tokens_out:,} tokens"]
        if self.spending.prices.known:
            words.append(f"cost {self.spending.prices.cost(tokens_in, tokens_out):.2f}")
        if waits > 1:
            words.append(f"waiting {spell_duration(waits)}, as the endpoint asks")
        elif done:
            words.append(f"{spell_duration(elapsed / done * (total - done))} left")
        return done, total, " · ".join(words)

    def _tokens_spent(self) -> tuple[int, int]:
        """Return the tokens of this session, in and out."""
        return self.spending.tokens_in - self._at_start[0], self.spending.tokens_out - self._at_start[1]

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
        """Ask about a pair until there are enough answers, and cope with what goes wrong."""
        try:
            while not self._is_done(digest):
                identity, body, n = self._next_request(digest)
                received = requests.reply(body, identity, most_out=n * self.question.answer_tokens)
                if received is None:
                    break
                self._keep(digest, received, n, requests.endpoint.url)
            self._in_a_row = 0
        except (PassingFaultError, PairFaultError) as fault:
            self._fail(digest, fault, requests)
        except CapReachedError:
            self._end("the cap is reached")
        except Exception as error:
            self._end(str(error), error)

    def write_batch(self, path: Path) -> int:
        """Write a request for every pair that is still to be asked about; return how many."""
        digests = [digest for digest in self._texts if not self._is_done(digest)]
        with writing(path) as file:
            for identity, body, _ in map(self._next_request, digests):
                body["max_completion_tokens"] = body.pop("max_tokens")  # a batch cannot try again under the other name
                line = {"custom_id": identity, "method": "POST", "url": "/v1/chat/completions", "body": body}
                file.write((json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
        return len(digests)

    def read_batch(self, path: Path) -> Counter[str]:
        """Store the answers of a file of results; return how many requests failed there and why, which stay open."""
        waiting = {self._next_request(digest)[0]: digest for digest in self._texts if not self._is_done(digest)}
        failed = Counter[str]()
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, start=1):
                identity, reply = _read_result(line, path, number) if line.strip() else ("", "")
                if identity not in waiting:
                    continue  # answered before, or a line of another batch
                if isinstance(reply, Reply):
                    digest = waiting.pop(identity)
                    self._keep(digest, reply, self._next_request(digest)[2], source=str(path))
                else:
                    failed[reply] += 1
        return failed

    def _next_request(self, digest: bytes) -> tuple[str, dict[str, Any], int]:
        """Return the identity of the next request about a pair, its body, and how many answers it asks for."""
        n = self.question.samples - len(self._keep_grades(digest))
        identity = f"{digest.hex()[:32]}-{len(self._answers[digest])}-{n}"
        return identity, self.question.request(self._texts[digest], n), n

    def _keep(self, digest: bytes, received: Reply, n: int, source: str) -> None:
        """Read the choices and stores them; then they count. An error if many are refused and none is a grade."""
        choices, question, held = received.choices[:n], self.question, self._answers[digest]
        if question.logprobs and not any(logprobs_of(choice) for choice in choices):
            raise InputError("the endpoint gives no log-probabilities", path=source, hint=HINTS["log-probabilities"])
        model = received.model or ""
        answers = [replace(question.read(choice, self._texts[digest]), model=model) for choice in choices]
        tokens_in, tokens_out = received.tokens_in or 0, received.tokens_out or 0
        answers[0] = replace(answers[0], tokens_in=tokens_in, tokens_out=tokens_out, seconds=received.seconds)
        self.store.add(digest, answers, len(held))
        held.extend(answers)
        refused = [answer for answer in answers if answer.grade is None]
        with self._lock:
            self._models |= {model} - {""}
            self._refusals += [one.refused or "" for one in refused]
            self._grades += len(answers) - len(refused)
        if refused and not self._grades and len(self._refusals) >= SUSPICIOUS:
            reason = refused[-1].refused or ""
            raise InputError(
                f"none of the first {len(self._refusals)} answers has a grade that can be read. The last: {reason}",
                text=quote(refused[-1].text) or "(no text)",
                hint=next(hint for words, hint in HINTS.items() if words in reason),
            )

    def _fail(self, digest: bytes, fault: Exception, requests: Requests) -> None:
        """Count a pair as failed; after many in a row the session ends."""
        if isinstance(fault, PairFaultError):
            requests.count(str(fault))
        with self._lock:
            self._failed.add(digest)
            self._in_a_row += isinstance(fault, PassingFaultError)
            times = self._in_a_row
            barren = 0 if self._grades else len(self._failed)
        if times >= GIVING_UP or barren >= SUSPICIOUS:
            problem = f"the endpoint failed for {max(times, barren)} pairs in a row, the last time with: {fault}"
            hint = "What was answered is kept: start again later."
            self._end(problem, InputError(problem, path=requests.endpoint.url, hint=hint))

    def _is_done(self, digest: bytes) -> bool:
        graded = len(self._keep_grades(digest))
        return graded >= self.question.samples or len(self._answers[digest]) - graded > self.patience.again

    def _keep_grades(self, digest: bytes) -> list[Answer]:
        """Return the answers about a pair that are grades."""
        return [answer for answer in self._answers[digest] if answer.grade is not None]

    def _end(self, why: str, error: Exception | None = None) -> None:
        with self._lock:
            self._error = self._error or error
            self._stopped = self._stopped or why
        self._stop.set()

    def outcome(self, requests: Requests | None = None, seconds: float = 0.0) -> Asked:
        """Return what all stored answers come to, and what the requests of this session took, if there were any."""
        question, undone = self.question, [one for one in self._digests if not self._is_done(one)]
        graded = [self._keep_grades(digest)[: question.samples] for digest in self._digests]
        refused = [digest for digest in self._digests if self._is_done(digest) and not self._keep_grades(digest)]
        tokens_in, tokens_out = self._tokens_spent()
        models = {one.model for answers in self._answers.values() for one in answers} - {""}
        taken, prices = (self._before[0] + tokens_in, self._before[1] + tokens_out), self.spending.prices
        whole = {"tokens_in": taken[0], "tokens_out": taken[1], "model_as_reported": sorted(models)}
        choices, frame = None, pl.DataFrame()
        if question.prompt.words.compares:
            choices = choices_of(self.pairs, graded)
            frame = FittedPreferences.fit(choices).frame if choices.query else frame
        else:
            frame = graded_frame(self.pairs, graded, question)
        asked = Asked(
            frame=frame,
            choices=choices,
            noun=self.noun,
            pairs=len(self.pairs),
            cached=self._cached_grades,
            graded=self._grades,
            requests=requests.sent if requests else 0,
            refused=len(refused),
            refusals=self._refusals or [one.refused or "" for digest in refused for one in self._answers[digest]],
            failed=sum(digest in self._failed for digest in undone),
            left=sum(digest not in self._failed for digest in undone),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=prices.cost(tokens_in, tokens_out) if prices.known else None,
            whole=whole | {"cost": prices.cost(*taken) if prices.known else None},
            seconds=seconds,
            stopped=self._stopped,
            caps=self.spending.told_caps(),
            error=self._error if isinstance(self._error, RankGaugeError) else None,
            notes=tuple(requests.endpoint.notes) if requests else (),
            faults=tuple(requests.faults.most_common(3)) if requests else (),
            models=frozenset(self._models),
            provenance=self.provenance,
        )
        self.store.note_session(self.provenance.describe(asked))
        return asked


ROOM = "A model that thinks before it answers needs more room: --answer-tokens 2000."
DECLINED = "The model or its endpoint declines these texts; try another model, or leave such documents to people."
HINTS = {
    "by the pattern": "Does --answer match once in an answer such as this?",
    "cut off": ROOM,
    "a thought": ROOM,
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


def spell_cost(cost: float) -> str:
    """Return a cost with the decimals that it bears."""
    return f"{cost:,.2f}" if cost >= 10 else f"{cost:.4f}"


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
