"""A stand-in for a language model: an OpenAI-compatible endpoint that answers from a table of grades.

It is at the URL `stand-in:grades.csv`. The table has the columns query_text, text (or title), and grade, or p_0, p_1 …
if answers are to vary. The stand-in looks for the texts in the prompt; it sees no ids. With it a project can be
rehearsed without a model, and `stand-in:grades.csv?faults=429=0.1,cut=0.05` shows how it copes with a bad endpoint.
"""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from threading import Lock, Thread
from typing import Any, Self
from urllib.parse import parse_qsl

import polars as pl

from rankgauge import files
from rankgauge.errors import InputError, ParameterError
from rankgauge.files import find
from rankgauge.files.conversion import as_frame
from rankgauge.judgments.llm.machine_judge import chances


class GradesByText:
    """Grades by the texts of queries and documents."""

    def __init__(self, table: Any) -> None:
        path, frame = (table, files.read_table(table)) if files.is_path(table) else (None, as_frame(table))
        text, grade = next((n for n in ("text", "title") if n in frame.columns), None), find(frame.columns, "grade")
        names = {f"{level:g}": name for level, name in chances(frame).items()}
        if text is None or "query_text" not in frame.columns or not (grade or names):
            raise InputError(
                f"a stand-in needs the columns query_text, text (or title) and grade (or p_0, p_1 …); found "
                f"{', '.join(frame.columns)}",
                path=path,
            )
        told = frame.select(pl.col(list(names.values()) or [str(grade)]).cast(pl.Float64, strict=False)).rows()
        self.rows: list[tuple[str, str, dict[str, float]]] = []
        self._by_line: dict[str, list[int]] = {}
        for number, (said, row) in enumerate(zip(told, frame.select("query_text", text).rows(), strict=True)):
            query, shown = (str(words or "").strip() for words in row)
            known = [one for one in said if one is not None]
            if not query or not shown or len(known) < len(said) or (names and not min(known) >= 0 < sum(known)):
                problem = f"row {number + 1}: expected a query_text, a {text} and a grade or probabilities"
                raise InputError(problem, path=path)
            self.rows.append((query, shown, dict(zip(names, known, strict=True)) if names else {f"{known[0]:g}": 1.0}))
            self._by_line.setdefault(shown.split("\n", 1)[0].strip(), []).append(number)

    def find(self, prompt: str) -> int | None:
        """Return the row whose texts, or a part of them, are in the prompt; of several the one with the longest."""
        lines = {line.strip() for line in prompt.splitlines()}
        near = [number for line in lines for number in self._by_line.get(line, ())]
        fitting = [number for number in near if self._fits(number, prompt)]
        fitting = fitting or [number for number in range(len(self.rows)) if self._fits(number, prompt)]
        if not fitting and (
            shown := [line for part in _BOUNDARY.split(prompt)[1:2] for line in part.split("\n") if line]
        ):
            # A text that was cut, or a window of it, is a part of the row's.
            fitting = [n for n, (query, text, _) in enumerate(self.rows) if query in prompt and shown[-1] in text]
        return max(fitting, key=lambda number: (len(self.rows[number][1]), len(self.rows[number][0])), default=None)

    def find_all(self, prompt: str) -> tuple[int, ...]:
        """Return the rows whose texts are in the prompt, in the order in which they stand there."""
        rows = []
        for line in prompt.splitlines():
            fitting = [number for number in self._by_line.get(line.strip(), ()) if self._fits(number, prompt)]
            rows += [max(fitting, key=lambda number: len(self.rows[number][1]))] if fitting else []
        return tuple(dict.fromkeys(rows))

    def _fits(self, number: int, prompt: str) -> bool:
        query, text, _ = self.rows[number]
        return text in prompt and query in prompt


FAULTS = ("429", "500", "503", "401", "400", "slow", "cut", "garbage", "empty", "chatty", "outside", "late")
"""What can be made to go wrong: a status, an answer that comes too late or breaks off, is not JSON, has no choices, is
prose, or is a grade that no scale has; `late` answers whole, after a pause."""

Row = int | tuple[int, ...] | None
"""What a request is about: a row of the table, or several to compare."""

_BOUNDARY = re.compile(r"^=== [0-9a-f]{16} ===$", re.MULTILINE)

SLOW = 5.0
"""How many seconds a slow answer takes."""


class StandIn:
    """The endpoint on this machine while it is open: `with StandIn("grades.csv") as stand_in: … stand_in.url`."""

    path = "/v1/chat/completions"
    retry_after = "1"
    """What the header Retry-After says with 429 and 503."""

    def __init__(
        self,
        table: Any,
        *,
        faults: Mapping[str, float] | None = None,
        delay: float = 0.0,
        seed: int = 0,
        first: float = 0.0,
    ) -> None:
        """`faults` has the share of requests with each; `first` is the share of comparisons in which documents are
        preferred just as they are shown."""
        self.grades, self.delay, self.seed, self.first = GradesByText(table), delay, seed, first
        self.faults = dict(faults or {})
        if unknown := sorted(set(self.faults) - set(FAULTS)):
            raise ParameterError("a stand-in", "faults", f"among {', '.join(FAULTS)}", unknown[0])
        self._samples: Counter[Row] = Counter()
        self._rng, self.lock = random.Random(seed), Lock()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def respond(self, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> tuple[int, str, str]:
        """Return the status and the text of an answer, and what is to go wrong with it."""
        if path != self.path:
            return 404, error_text(f"There is nothing at {path}."), ""
        fault, row = self.draw_fault(), self.find_row(body)
        status, _, words = fault.partition(":")
        if status.isdigit():
            return int(status), error_text(words or f"made to fail with {status}"), ""
        wrong = {"garbage": "<html>bad gateway</html>", "empty": '{"choices": []}'}
        return 200, wrong.get(fault) or self.write(self.completion(body, row, fault)), fault

    def find_row(self, body: Mapping[str, Any]) -> Row:
        """Find what a request is about: the last message says, as the role and examples come before it."""
        prompt = _text_of((body.get("messages") or [{}])[-1])
        shown = len(_BOUNDARY.findall(prompt)) // 2
        return self.grades.find_all(prompt) if shown > 1 else self.grades.find(prompt)

    def draw_fault(self) -> str:
        """Draw the fault of the next request; a status may have words, as in `400:too long`."""
        with self.lock:
            drawn = self._rng.random()
        for fault, share in self.faults.items():
            drawn -= share
            if drawn < 0:
                return fault
        return ""

    def write(self, completion: dict[str, Any]) -> str:
        """Write a chat completion as it is sent."""
        return json.dumps(completion)

    def completion(self, body: Mapping[str, Any], row: Row, fault: str = "") -> dict[str, Any]:
        """Return a chat completion about the row."""
        n = int(body.get("n") or 1)
        with self.lock:
            first = self._samples[row]
            self._samples[row] += n
        choices = [self._choice(body, row, first + number, fault, number) for number in range(n)]
        size = sum(len(_text_of(one).encode()) for one in body.get("messages") or [])
        counts = {"prompt_tokens": size // 4, "completion_tokens": 2 * n, "total_tokens": size // 4 + 2 * n}
        head = {"id": "chatcmpl-0", "object": "chat.completion", "model": body.get("model"), "created": 0}
        return {**head, "choices": choices, "usage": counts}

    def _choice(self, body: Mapping[str, Any], row: Row, sample: int, fault: str, index: int) -> dict[str, Any]:
        chances = self.grades.rows[row][2] if isinstance(row, int) else {}
        grade = self._draw(body, row, sample, chances) if chances else "I do not know this document."
        if isinstance(row, tuple):
            grade = self._order(body, row, sample)
        said = {"chatty": f"I would say that it deserves {grade}!", "outside": "9999"}.get(fault, grade)
        choice: dict[str, Any] = {"index": index, "finish_reason": "stop"}
        choice["message"] = {"role": "assistant", "content": said}
        if body.get("logprobs"):
            likely = sorted(((p, one) for one, p in chances.items() if p > 0), reverse=True)
            kept = likely[: int(body.get("top_logprobs") or 0)]
            top = [{"token": one, "logprob": math.log(p)} for p, one in kept]
            own = math.log(chances[grade]) if chances.get(grade) else 0.0
            choice["logprobs"] = {"content": [{"token": said, "logprob": own, "top_logprobs": top}]}
        return choice

    def _order(self, body: Mapping[str, Any], rows: tuple[int, ...], sample: int) -> str:
        """Return the order of the documents by their grades, or in some cases as they are shown."""
        grades = [float(self._draw(body, row, sample, self.grades.rows[row][2])) for row in rows]
        if random.Random(f"{self.seed} {rows} {sample}").random() < self.first:
            grades = [-float(number) for number in range(len(rows))]
        order = sorted(range(len(rows)), key=lambda number: -grades[number])
        signs = [" = " if grades[a] == grades[b] else " > " for a, b in pairwise(order)]
        return "".join(f"[{number + 1}]{sign}" for number, sign in zip(order, [*signs, ""], strict=True))

    def _draw(self, body: Mapping[str, Any], row: Row, sample: int, chances: Mapping[str, float]) -> str:
        """The likeliest grade, or with a temperature a random one; the draws about a row depend on nothing else."""
        if not body.get("temperature", 1):
            return max(chances, key=lambda one: chances[one])
        rng = random.Random(f"{self.seed} {row} {sample}")
        return rng.choices(list(chances), list(chances.values()))[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, stand_in: StandIn) -> None:
        self.stand_in = stand_in
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that leave are part of the exercise."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        sent, stand_in = self.rfile.read(int(self.headers.get("Content-Length") or 0)), self.server.stand_in
        headers = {name.title(): value for name, value in self.headers.items()}
        status, text, fault = 400, error_text("the body is not JSON"), ""
        with suppress(json.JSONDecodeError, UnicodeDecodeError):
            status, text, fault = stand_in.respond(self.path, headers, json.loads(sent))
        time.sleep(stand_in.delay + {"slow": SLOW, "late": 0.2}.get(fault, 0.0))
        content = text.encode()
        head = [f"HTTP/1.1 {status} -", "Content-Type: application/json", f"Content-Length: {len(content)}"]
        if status in (429, 503):
            head.append(f"Retry-After: {stand_in.retry_after}")
        self.close_connection = fault == "cut"
        kept = content[: len(content) // 2] if fault == "cut" else content
        self.wfile.write("\r\n".join([*head, "", ""]).encode() + kept)  # at once: no wait for acknowledgements

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""


def _text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a message, which may have pictures beside it."""
    content = message.get("content")
    return "\n".join(part.get("text", "") for part in content) if isinstance(content, list) else str(content)


def error_text(message: str, code: str | None = None) -> str:
    """Write an error as endpoints do."""
    return json.dumps({"error": {"message": message, "type": "invalid_request_error", "code": code}})


def parsed_faults(text: str) -> dict[str, float]:
    """Return the shares of faults, written as 429=0.1,cut=0.05."""
    try:
        pairs = [part.split("=") for part in text.split(",") if part.strip()]
        return {name.strip(): float(share) for name, share in pairs}
    except ValueError:
        raise ParameterError("a stand-in", "faults", "written as 429=0.1,cut=0.05", text) from None


@contextmanager
def open_endpoint(url: str) -> Iterator[str]:
    """The URL; if it is `stand-in:FILE`, a stand-in answers from that table while the block runs.

    With `?first=0.2` at its end it prefers documents as they are shown in a fifth of its comparisons; `?faults=` has
    the shares of requests that go wrong.
    """
    scheme, _, table = url.partition(":")
    if scheme != "stand-in":
        yield url
        return
    table, _, query = table.partition("?")
    said = dict(parse_qsl(query))
    with StandIn(table, first=float(said.get("first", 0.0)), faults=parsed_faults(said.get("faults", ""))) as stand_in:
        yield stand_in.url
