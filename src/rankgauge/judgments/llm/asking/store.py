"""The answers that came, in an SQLite file: each is on disk before it counts, so that none is asked for twice.

Two processes cannot use one file at the same time: both would ask the same.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from rankgauge.errors import InputError
from rankgauge.judgments.llm.asking.answers import Answer

VERSION = 1

_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    question BLOB NOT NULL,
    number INTEGER NOT NULL,
    grade REAL,
    chances TEXT,
    refused TEXT,
    answer TEXT NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    seconds REAL NOT NULL,
    model TEXT NOT NULL,
    received TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (question, number)
) WITHOUT ROWID
"""


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    """An answer as it was received: its number among the answers about its pair, and what it cost."""

    number: int
    answer: Answer
    tokens_in: int
    tokens_out: int
    seconds: float


class AnswerStore:
    """The answers in a file; `question` is the digest of a question with a pair's texts."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.resolve().parent.is_dir():
            raise InputError(f"there is no folder {self.path.parent}", path=path)
        self._lock = Lock()
        try:
            self._database = sqlite3.connect(self.path, timeout=1.0, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise self._failure(error) from None
        try:
            self._prepare()
        except sqlite3.Error as error:
            self._database.close()
            raise self._failure(error) from None

    def _prepare(self) -> None:
        run = self._database.execute
        run("PRAGMA locking_mode=EXCLUSIVE")
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=NORMAL")  # what was committed outlives the process, however it ends
        run("BEGIN EXCLUSIVE")
        version = run("PRAGMA user_version").fetchone()[0]
        tables = run("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version not in (0, VERSION) or (version == 0 and tables):
            self._database.close()
            raise InputError("is a database of something else, or of another version", path=self.path)
        run(_TABLE)
        run(f"PRAGMA user_version={VERSION}")
        run("COMMIT")

    def close(self) -> None:
        """Leaves the file to others; an answer that comes later is lost."""
        with self._lock:
            self._database.close()

    def add(self, question: bytes, answers: Iterable[StoredAnswer], model: str) -> None:
        """Stores the answers about a pair; when this returns, they are on disk."""
        rows = [(question, *_row(one), model) for one in answers]
        names = "question, number, grade, chances, refused, answer, tokens_in, tokens_out, seconds, model"
        try:
            with self._lock:
                self._database.execute("BEGIN")
                self._database.executemany(f"INSERT INTO answers ({names}) VALUES ({','.join('?' * 10)})", rows)
                self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def find(self, questions: Sequence[bytes]) -> dict[bytes, list[StoredAnswer]]:
        """What was answered to these questions."""
        found: dict[bytes, list[StoredAnswer]] = {}
        try:
            with self._lock:
                self._database.execute("CREATE TEMP TABLE asked (question BLOB PRIMARY KEY) WITHOUT ROWID")
                self._database.execute("BEGIN")
                self._database.executemany("INSERT OR IGNORE INTO asked VALUES (?)", [(one,) for one in questions])
                self._database.execute("COMMIT")
                names = "question, number, grade, chances, refused, answer, tokens_in, tokens_out, seconds"
                rows = self._database.execute(
                    f"SELECT {names} FROM asked JOIN answers USING (question) ORDER BY number"
                )
                for question, *row in rows:
                    found.setdefault(question, []).append(_answer(row))
                self._database.execute("DROP TABLE asked")
        except sqlite3.Error as error:
            raise self._failure(error) from None
        return found

    def _failure(self, error: sqlite3.Error) -> InputError:
        if "locked" in str(error):
            problem, hint = "is in use by another session", "Wait for it, or name another file with --cache."
        else:
            problem, hint = f"the store of answers cannot be used: {error}", "Name another file with --cache."
        return InputError(problem, path=self.path, hint=hint)


def _row(one: StoredAnswer) -> tuple[Any, ...]:
    answer = one.answer
    chances = None if answer.chances is None else json.dumps(answer.chances)
    text = answer.text.encode("utf-8", "replace").decode("utf-8")
    return one.number, answer.grade, chances, answer.refused, text, one.tokens_in, one.tokens_out, one.seconds


def _answer(row: Sequence[Any]) -> StoredAnswer:
    number, grade, chances, refused, text, tokens_in, tokens_out, seconds = row
    held = None if chances is None else tuple(json.loads(chances))
    answer = Answer(grade=grade, chances=held, refused=refused, text=text)
    return StoredAnswer(number=number, answer=answer, tokens_in=tokens_in, tokens_out=tokens_out, seconds=seconds)
