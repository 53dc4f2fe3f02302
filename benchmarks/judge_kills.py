"""A model asked about many pairs by a program that is killed again and again: what is asked twice, and what is lost.

python -m benchmarks.judge_kills          10,000 pairs, 20 kills (SIGKILL), 8 requests at a time
--pairs 10000 --kills 20 --jobs 8 --seed 0

The endpoint is a stand-in on the loopback, which counts every request. A kill can come at any moment: while a request
is under way, between its answer and the commit, during a commit.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.judgments.llm.asking.question import Question
from tests.judges.stand_ins import WatchedStandIn

MODEL = "stand-in"


@dataclass(frozen=True, kw_only=True)
class Killed:
    """What the endpoint and the files say after the last session."""

    pairs: int
    kills: int
    requests: int
    """How many requests reached the endpoint."""
    distinct: int
    """How many different ones: an endpoint that knows the header Idempotency-Key works out each of them once."""
    stored: int
    """How many answers are in the store."""
    in_flight: int
    """How many requests were sent again because a kill came before their answer was stored."""
    stored_again: int
    """How many requests were about a pair whose answer was stored."""
    lost: int
    """How many pairs lack a grade at the end, have a wrong one, or had an answer that is no longer stored."""
    seconds: float


def generated(pairs: int, *, each: int = 100) -> pl.DataFrame:
    """A pool of texts with grades."""
    rows = [(n // each, n % each) for n in range(pairs)]
    return pl.DataFrame(
        {
            "query": [f"q{q}" for q, _ in rows],
            "document": [f"d{q}-{d}" for q, d in rows],
            "query_text": [f"what is known about subject {q}?" for q, _ in rows],
            "text": [f"document {q}-{d}. " + "It has some words on the subject. " * 10 for q, d in rows],
            "grade": [(7 * q + d) % 4 for q, d in rows],
        }
    )


def killed(folder: Path, *, pairs: int, kills: int, jobs: int, seed: int) -> Killed:
    """Asks about the pairs in the folder, killing the program that many times."""
    pool, rng, began = generated(pairs), random.Random(seed), time.perf_counter()
    pool.drop("grade").write_csv(folder / "pool.csv")
    question = Question(model=MODEL)
    rows = {question.digest(texts): row for row, texts in enumerate(TextPairs.from_pool(pool.drop("grade")).texts())}
    moments = sorted(rng.sample(range(1, pairs), kills))
    kept: dict[int, int] = {}  # a row whose answer is stored → the requests about it until then
    with WatchedStandIn(pool) as stand_in:
        for moment in moments:
            program = _started(folder, stand_in.url, jobs)
            while stand_in.received.total() < moment and program.poll() is None:
                time.sleep(0.001)
            program.kill()
            program.wait()
            time.sleep(0.05)  # until the endpoint has noticed
            for digest in _stored(folder):
                kept.setdefault(rows[digest], stand_in.received[rows[digest]])
        assert _started(folder, stand_in.url, jobs).wait() == 0
        stored = {rows[digest] for digest in _stored(folder)}
        graded = pl.read_csv(folder / "llm.csv").select("query", "document", "grade")
        right = pool.join(graded, on=["query", "document", "grade"], how="semi", maintain_order="left")
        return Killed(
            pairs=pairs,
            kills=kills,
            requests=stand_in.received.total(),
            distinct=len(stand_in.identities),
            stored=len(stored),
            in_flight=stand_in.received.total() - pairs,
            stored_again=sum(stand_in.received[row] - before for row, before in kept.items()),
            lost=pairs - len(right) + len(set(kept) - stored) + len(graded) - len(right),
            seconds=time.perf_counter() - began,
        )


def _started(folder: Path, url: str, jobs: int) -> subprocess.Popen[bytes]:
    words = ["judge", "pool.csv", "--url", url, "--model", MODEL, "-o", "llm.csv", "--requests", str(jobs)]
    return subprocess.Popen([sys.executable, "-m", "rankgauge.cli", *words], cwd=folder, stdout=subprocess.DEVNULL)


def _stored(folder: Path) -> list[bytes]:
    """What the store holds."""
    if not (folder / "llm.answers.db").exists():
        return []
    with closing(sqlite3.connect(folder / "llm.answers.db")) as database:
        if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return []
        return [digest for (digest,) in database.execute("SELECT question FROM answers")]


def main() -> None:
    """The command line of the module."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    for name, default in (("pairs", 10_000), ("kills", 20), ("jobs", 8), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = killed(Path(folder), pairs=given.pairs, kills=given.kills, jobs=given.jobs, seed=given.seed)
    print(f"pairs {found.pairs:,}, killed {found.kills} times, {given.jobs} requests at a time, seed {given.seed}")
    print(f"requests that reached the endpoint     {found.requests:,}")
    print(f"different ones, by Idempotency-Key     {found.distinct:,}")
    print(f"answers in the store                   {found.stored:,}")
    print(f"sent again, under way at a kill        {found.in_flight} (at most {given.jobs} for each kill)")
    print(f"sent again though the answer was kept  {found.stored_again}")
    print(f"pairs lost or wrong                    {found.lost}")
    print(f"seconds                                {found.seconds:.0f}")


if __name__ == "__main__":
    main()
