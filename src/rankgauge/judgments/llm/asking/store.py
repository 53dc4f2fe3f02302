"""The answers that came, in an SQLite file: each is on disk before it counts, so that none is asked for twice.

Two processes cannot use one file at the same time: both would ask the same.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from rankgauge.errors import InputError
from rankgauge.judgments.llm.asking.answers import Answer

VERSION = 1

_COLUMNS = "question, number, grade, chances, refused, answer, tokens_in, tokens_out, seconds, model"

_TABLES = """
CREATE TABLE IF NOT EXISTS prompts (sha256 TEXT PRIMARY KEY, words TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (written TEXT NOT NULL, prompt_sha256 TEXT NOT NULL, told TEXT NOT NULL);
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


class AnswerStore:
    """The answers in a file; `question` is the digest of a question with a pair's texts."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.resolve().parent.is_dir():
            raise InputError(f"there is no folder {self.path.parent}", path=path)
        self._lock = Lock()
        with self._use_file():
            self._database = sqlite3.connect(self.path, timeout=1.0, isolation_level=None, check_same_thread=False)
            run = self._database.execute
            try:
                run("PRAGMA locking_mode=EXCLUSIVE")
                run("PRAGMA journal_mode=WAL")
                run("PRAGMA synchronous=NORMAL")  # what was committed outlives the process, however it ends
                run("BEGIN EXCLUSIVE")
                version = run("PRAGMA user_version").fetchone()[0]
                tables = run("SELECT count(*) FROM sqlite_master").fetchone()[0]
                if version not in (0, VERSION) or (version == 0 and tables):
                    raise InputError("is a database of something else, or of another version", path=self.path)
                for table in _TABLES.split(";"):
                    run(table)
                run(f"PRAGMA user_version={VERSION}")
                run("COMMIT")
            except (sqlite3.Error, InputError):
                self._database.close()
                raise

    def close(self) -> None:
        """Leave the file to others; an answer that comes later is lost."""
        with self._lock:
            self._database.close()

    def add(self, question: bytes, answers: Iterable[Answer], first: int) -> None:
        """Store the answers about a pair, by number from the first; when this returns, they are on disk."""
        rows = []
        for number, one in enumerate(answers, first):
            chances = None if one.chances is None else json.dumps(one.chances)
            said = one.grade, chances, one.refused, _plain(one.text), one.tokens_in, one.tokens_out, one.seconds
            rows.append((question, number, *said, _plain(one.model)))
        with self._use_file():
            self._insert(f"INSERT INTO answers ({_COLUMNS}) VALUES ({','.join('?' * 10)})", rows)

    def note_session(self, told: Mapping[str, Any]) -> None:
        """Keep what decided the grades of a session and what they took; the words of a prompt are kept once."""
        digest, words = told["prompt_sha256"], json.dumps(told["prompt"], ensure_ascii=False)
        rest = json.dumps({name: value for name, value in told.items() if name != "prompt"}, ensure_ascii=False)
        with self._use_file():
            self._insert("INSERT OR IGNORE INTO prompts VALUES (?, ?)", [(digest, _plain(words))])
            self._insert("INSERT INTO sessions VALUES (?, ?, ?)", [(told["written"], digest, rest)])

    def find(self, questions: Sequence[bytes]) -> dict[bytes, list[Answer]]:
        """Return what was answered to these questions."""
        answers: dict[bytes, list[Answer]] = {}
        with self._use_file():
            self._database.execute("CREATE TEMP TABLE asked (question BLOB PRIMARY KEY) WITHOUT ROWID")
            self._insert("INSERT OR IGNORE INTO asked VALUES (?)", [(one,) for one in questions])
            rows = self._database.execute(f"SELECT {_COLUMNS} FROM asked JOIN answers USING (question) ORDER BY number")
            for question, _, grade, chances, *rest in rows:
                each = None if chances is None else tuple(json.loads(chances))
                answers.setdefault(question, []).append(Answer(grade, each, *rest))
            self._database.execute("DROP TABLE asked")
        return answers

    def _insert(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        self._database.execute("BEGIN")
        self._database.executemany(statement, rows)
        self._database.execute("COMMIT")

    @contextmanager
    def _use_file(self) -> Iterator[None]:
        """Within the block one thread has the file; what SQLite complains of is said in our words."""
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            problem, hint = f"the store of answers cannot be used: {error}", "Name another file with --cache."
            if "locked" in str(error):
                problem, hint = "is in use by another session", "Wait for it, or name another file with --cache."
            raise InputError(problem, path=self.path, hint=hint) from None


def _plain(text: str) -> str:
    """Return a text without halves of pairs, which SQLite does not take."""
    return text.encode("utf-8", "replace").decode("utf-8")
