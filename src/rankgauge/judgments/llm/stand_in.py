"""A stand-in for a language model: an OpenAI-compatible endpoint that answers from a table of grades.

    python -m rankgauge.judgments.llm.stand_in grades.csv --port 8000

The table has the columns query_text, text (or title), and grade or p_0, p_1 … if answers are to vary. The stand-in
looks for the texts in the prompt; it sees no ids. With it a project can be rehearsed without a model, and
`--faults 429=0.1,cut=0.05` shows how it copes with a bad endpoint.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from threading import Lock, Thread
from typing import Any

from rankgauge import files
from rankgauge.errors import InputError, ParameterError, RankGaugeError
from rankgauge.files import find
from rankgauge.files.conversion import as_frame

_CHANCE = re.compile(r"p_-?[0-9]+(?:\.[0-9]+)?")


class GradesByText:
    """Grades by the texts of queries and documents."""

    def __init__(self, table: Any) -> None:
        frame = files.read_table(table) if files.is_path(table) else as_frame(table)
        grade, text = find(frame.columns, "grade"), next((n for n in ("text", "title") if n in frame.columns), None)
        names = sorted((n for n in frame.columns if _CHANCE.fullmatch(n)), key=lambda name: float(name[2:]))
        if text is None or "query_text" not in frame.columns or not (grade or names):
            raise InputError(
                f"a stand-in needs the columns query_text, text (or title) and grade (or p_0, p_1 …); found "
                f"{', '.join(frame.columns)}",
                path=table if files.is_path(table) else None,
            )
        self._names = [f"{float(name[2:]):g}" for name in names]
        self.rows: list[tuple[str, str, dict[str, float]]] = []
        for number, row in enumerate(frame.iter_rows(named=True), start=1):
            words = [str(row[name] or "").strip() for name in ("query_text", text)]
            chances = self._chances(row, grade, names)
            if not all(words) or chances is None:
                problem = f"row {number}: expected a query_text, a {text} and a grade or probabilities"
                raise InputError(problem, path=table if files.is_path(table) else None)
            self.rows.append((words[0], words[1], chances))
        self._by_line: dict[str, list[int]] = {}
        for number, (_, shown, _) in enumerate(self.rows):
            self._by_line.setdefault(shown.split("\n", 1)[0].strip(), []).append(number)

    def find(self, prompt: str) -> int | None:
        """The row whose texts are in the prompt; of several the one with the longest texts."""
        lines = {line.strip() for line in prompt.splitlines()}
        near = [number for line in lines for number in self._by_line.get(line, ())]
        fitting = [number for number in near if self._fits(number, prompt)]
        fitting = fitting or [number for number in range(len(self.rows)) if self._fits(number, prompt)]
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

    def _chances(self, row: Mapping[str, Any], grade: str | None, names: list[str]) -> dict[str, float] | None:
        """The probabilities of the grades in a row, if they are numbers."""
        try:
            if grade is not None and not names:
                return {f"{float(row[grade]):g}": 1.0}
            found = [float(row[name]) for name in names]
        except (TypeError, ValueError):
            return None
        return dict(zip(self._names, found, strict=True)) if min(found) >= 0 < sum(found) else None


FAULTS = ("429", "500", "503", "401", "400", "slow", "cut", "garbage", "empty", "chatty", "outside", "late")
"""What can be made to go wrong: a status, an answer that comes too late or breaks off, is not JSON, has no choices, is
prose, or is a grade that no scale has; `late` answers whole, after a pause."""

Row = int | tuple[int, ...] | None
"""What a request is about: a row of the table, or several to compare."""

_BOUNDARY = re.compile(r"^=== [0-9a-f]{16} ===$", re.MULTILINE)

SLOW = 5.0
"""How many seconds a slow answer takes."""


class StandInShape:
    """The form in which a stand-in is asked and answers; another API overrides what is different there."""

    path = "/v1/chat/completions"
    key_header = "Authorization"

    def request(self, body: dict[str, Any]) -> dict[str, Any]:
        """Translate a request into OpenAI's form."""
        return body

    def reply(self, completion: dict[str, Any]) -> str:
        """Translate a chat completion into the text that is sent."""
        return json.dumps(completion)


class StandIn:
    """The endpoint on this machine while it is open: `with StandIn("grades.csv") as stand_in: … stand_in.url`."""

    def __init__(
        self,
        table: Any,
        *,
        port: int = 0,
        model: str | None = None,
        key: str | None = None,
        faults: Mapping[str, float] | None = None,
        delay: float = 0.0,
        seed: int = 0,
        first: float = 0.0,
    ) -> None:
        """`model` and `key` are the only ones it takes, if given; `faults` has the share of requests with each.

        `first` is the share of its comparisons in which it prefers documents just as they are shown.
        """
        self.first = first
        self.grades = GradesByText(table)
        self.model, self.key, self.delay, self.seed = model, key, delay, seed
        self.faults = dict(faults or {})
        if unknown := sorted(set(self.faults) - set(FAULTS)):
            raise ParameterError("a stand-in", "faults", f"among {', '.join(FAULTS)}", unknown[0])
        self.next_faults: deque[str] = deque()
        """Faults of the next requests, before those that are drawn; a status may have words, as in `400:too long`."""
        self.retry_after = "1"
        """What the header Retry-After says with 429 and 503."""
        self.says_usage = True
        """Whether answers count their tokens."""
        self.shape = StandInShape()
        """The form of requests and answers: OpenAI's, unless it is replaced."""
        self.bodies: deque[dict[str, Any]] = deque(maxlen=1000)
        """The last requests."""
        self.headers: deque[dict[str, str]] = deque(maxlen=1000)
        self.identities: set[str] = set()
        """The idempotency keys of all requests."""
        self.received: Counter[Row] = Counter()
        """How often each row of the table was asked about."""
        self.answered: Counter[Row] = Counter()
        """How often an answer about each row was sent whole."""
        self._samples: Counter[Row] = Counter()
        self._rng, self._lock = random.Random(seed), Lock()
        try:
            self._server = _Server(("127.0.0.1", port), _handler(self))
        except OSError as error:
            raise InputError(f"the port {port} cannot be used: {error.strerror}", hint="Try --port 0.") from None
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> StandIn:
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def serve(self) -> None:
        """Answers until the process ends."""
        self._server.serve_forever()

    def note(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[Row, str | None]:
        """Counts a request: the row that it is about, and the fault that it gets."""
        messages = body.get("messages") or []
        prompt = str(messages[-1].get("content")) if messages else ""  # what comes before are the role and examples
        shown = len(_BOUNDARY.findall(prompt)) // 2
        row = self.grades.find_all(prompt) if shown > 1 else self.grades.find(prompt)
        with self._lock:
            self.bodies.append(body)
            self.headers.append(headers)
            self.identities.add(headers.get("Idempotency-Key", ""))
            self.received[row] += 1
            if self.next_faults:
                return row, self.next_faults.popleft() or None
            drawn = self._rng.random()
            for fault, share in self.faults.items():
                drawn -= share
                if drawn < 0:
                    return row, fault
            return row, None

    def completion(self, body: Mapping[str, Any], row: Row, fault: str | None) -> dict[str, Any]:
        """A chat completion about the row."""
        n = int(body.get("n") or 1)
        with self._lock:
            first = self._samples[row]
            self._samples[row] += n
        choices = [self._choice(body, row, first + number, fault, number) for number in range(n)]
        answer: dict[str, Any] = {"id": "chatcmpl-0", "object": "chat.completion", "choices": choices}
        if self.says_usage:
            size = sum(len(str(one.get("content")).encode()) for one in body.get("messages") or [])
            answer["usage"] = {
                "prompt_tokens": size // 4,
                "completion_tokens": 2 * n,
                "total_tokens": size // 4 + 2 * n,
            }
        return answer | {"model": body.get("model"), "created": 0}

    def _choice(self, body: Mapping[str, Any], row: Row, sample: int, fault: str | None, index: int) -> dict[str, Any]:
        chances = self.grades.rows[row][2] if isinstance(row, int) else {}
        grade = self._draw(body, row, sample, chances) if chances else "I do not know this document."
        if isinstance(row, tuple):
            grade = self._order(body, row, sample)
        said = {"chatty": f"I would say that it deserves {grade}!", "outside": "9999"}.get(fault or "", grade)
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
        signs = ["=" if grades[a] == grades[b] else ">" for a, b in pairwise(order)]
        return " ".join(
            part for number, sign in zip(order, [*signs, ""], strict=True) for part in (f"[{number + 1}]", sign)
        ).strip()

    def _draw(self, body: Mapping[str, Any], row: Row, sample: int, chances: Mapping[str, float]) -> str:
        """The likeliest grade, or with a temperature a random one; the draws about a row depend on nothing else."""
        if not body.get("temperature", 1):
            return max(chances, key=lambda one: chances[one])
        rng = random.Random(f"{self.seed} {row} {sample}")
        return rng.choices(list(chances), list(chances.values()))[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: clients that leave are part of the exercise."""


def _handler(stand_in: StandIn) -> type[BaseHTTPRequestHandler]:
    """The handler of the stand-in's requests."""

    class StandInHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            read = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                body = json.loads(read)
            except ValueError:
                self._send(400, _error("the body is not JSON"))
                return
            body = stand_in.shape.request(body)
            if stand_in.key and stand_in.key not in self.headers.get(stand_in.shape.key_header, ""):
                self._send(401, _error("Incorrect API key provided", code="invalid_api_key"))
            elif self.path != stand_in.shape.path or (stand_in.model and body.get("model") != stand_in.model):
                self._send(404, _error(f"The model `{body.get('model')}` does not exist.", code="model_not_found"))
            else:
                self._answer(body, {name.title(): value for name, value in self.headers.items()})

        def _answer(self, body: dict[str, Any], headers: dict[str, str]) -> None:
            row, fault = stand_in.note(body, headers)
            time.sleep(stand_in.delay + (SLOW if fault == "slow" else 0.2 if fault == "late" else 0.0))
            status, _, words = (fault or "").partition(":")
            if status.isdigit():
                self._send(int(status), _error(words or f"made to fail with {status}"))
            elif fault == "garbage":
                self._send(200, b"<html>bad gateway</html>")
            elif fault == "empty":
                self._send(200, json.dumps({"choices": []}).encode())
            else:
                whole = stand_in.shape.reply(stand_in.completion(body, row, fault)).encode()
                self._send(200, whole, cut=fault == "cut")
                if fault not in ("cut", "slow"):
                    with stand_in._lock:
                        stand_in.answered[row] += 1

        def _send(self, status: int, content: bytes, *, cut: bool = False) -> None:
            head = [f"HTTP/1.1 {status} -", "Content-Type: application/json", f"Content-Length: {len(content)}"]
            if status in (429, 503):
                head.append(f"Retry-After: {stand_in.retry_after}")
            sent = content[: len(content) // 2] if cut else content
            self.wfile.write("\r\n".join([*head, "", ""]).encode() + sent)  # at once: no wait for acknowledgements
            self.close_connection = cut

        def log_message(self, format: str, *args: Any) -> None:
            """Writes no log."""

    return StandInHandler


def _error(message: str, code: str | None = None) -> bytes:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error", "code": code}}).encode()


def parsed_faults(text: str) -> dict[str, float]:
    """The shares of faults, written as 429=0.1,cut=0.05."""
    try:
        pairs = [part.split("=") for part in text.split(",") if part.strip()]
        return {name.strip(): float(share) for name, share in pairs}
    except ValueError:
        raise ParameterError("a stand-in", "faults", "written as 429=0.1,cut=0.05", text) from None


@contextmanager
def opened(url: str) -> Iterator[str]:
    """The URL; if it is `stand-in:FILE`, a stand-in answers from that table while the block runs.

    With `?first=0.2` at its end it prefers documents as they are shown in a fifth of its comparisons.
    """
    scheme, _, table = url.partition(":")
    if scheme != "stand-in":
        yield url
        return
    table, _, first = table.partition("?first=")
    with StandIn(table, first=float(first or 0.0)) as stand_in:
        yield stand_in.url


def main() -> None:
    """The command line of the module."""
    parser = argparse.ArgumentParser(description="An OpenAI-compatible endpoint that answers from a table of grades.")
    parser.add_argument("table", help="A table with the columns query_text, text, and grade or p_0, p_1 …")
    parser.add_argument("--port", type=int, default=8000, help="0 takes any that is free.")
    parser.add_argument("--faults", default="", help=f"Shares of faults, as 429=0.1: {', '.join(FAULTS)}.")
    parser.add_argument("--delay", type=float, default=0.0, help="Seconds before each answer.")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    try:
        faults = parsed_faults(given.faults)
        stand_in = StandIn(given.table, port=given.port, faults=faults, delay=given.delay, seed=given.seed)
    except RankGaugeError as error:
        print(f"stand_in: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    print(f"a stand-in answers at {stand_in.url}; Ctrl-C ends it", flush=True)
    try:
        stand_in.serve()
    except KeyboardInterrupt:
        print("ended")


if __name__ == "__main__":
    main()
