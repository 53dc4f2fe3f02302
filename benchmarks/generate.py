"""Seeded run and judgment files that look like real ones: their ids, their scores, their ties, their holes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["DATA", "MANY", "SIZES", "Size", "generate", "generate_many", "near_the_top"]

DATA = Path(__file__).parent / "data"
RETRIEVED, ANSWERED, TIED = 0.8, 0.99, 0.03
"""Shares: of judged documents that the run finds, of queries that it answers, of documents tied with the one above."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much there is: queries, retrieved documents and judged documents of each."""

    name: str
    queries: int
    depth: int
    judged: int

    @property
    def lines(self) -> int:
        """About how many lines the run has."""
        return self.queries * self.depth


SIZES = {
    size.name: size
    for size in (
        Size(name="S", queries=50, depth=1_000, judged=50),
        Size(name="M", queries=6_980, depth=1_000, judged=1),
        Size(name="M50", queries=6_980, depth=1_000, judged=50),
        Size(name="L", queries=50_000, depth=100, judged=100),
    )
}

MANY = 129
"""How many runs TREC-8's ad hoc task had."""

_NEWS = ("FBIS3", "FBIS4", "FT911", "FT934", "LA0101", "FR940")


def generate_many(runs: int = MANY, *, folder: Path = DATA, seed: int = 8) -> tuple[Path, list[Path]]:
    """Judgments and runs of TREC-8's shape: 50 topics, 86,830 judgments, 1,000 documents with ids like FBIS4-20472."""
    folder = folder / f"trec8x{runs}"
    files = folder / "qrels", [folder / f"run{number:03}" for number in range(1, runs + 1)]
    if not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(seed)
        names = np.array([f"{_NEWS[number % len(_NEWS)]}-{number // len(_NEWS)}" for number in range(528_155)])
        judged = {topic: rng.choice(len(names), 1_736 + (topic <= 430), replace=False) for topic in range(401, 451)}
        with files[0].open("w") as file:
            for topic, pool in judged.items():
                grades = (rng.random(len(pool)) < 0.055).astype(int)
                file.writelines(f"{topic} 0 {names[one]} {grade}\n" for one, grade in zip(pool, grades, strict=True))
        for run in files[1]:
            with run.open("w") as file:
                for topic, pool in judged.items():
                    found = rng.choice(pool, 350, replace=False)
                    others = rng.permutation(np.setdiff1d(rng.choice(len(names), 700), pool))
                    is_judged = np.zeros(1_000, dtype=bool)  # near the top, as pools of the first documents leave them
                    is_judged[rng.choice(1_000, len(found), replace=False, p=near_the_top(1_000))] = True
                    listed = np.empty(1_000, dtype=np.int64)
                    listed[is_judged], listed[~is_judged] = found, others[: 1_000 - len(found)]
                    listed = names[listed]
                    scores = np.sort(rng.gamma(2.0, 4.0, len(listed)))[::-1]
                    ranked = enumerate(zip(listed, scores, strict=True), start=1)
                    file.writelines(f"{topic} Q0 {one} {n} {score:.6f} {run.name}\n" for n, (one, score) in ranked)
        (folder / "done").touch()
    return files


def generate(size: Size, *, folder: Path = DATA, seed: int = 20_240_229) -> tuple[Path, Path]:
    """The judgments' and the run's file of that size, made unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{size.queries}x{size.depth}x{size.judged}"
    qrels, run = folder / f"{stem}.qrels", folder / f"{stem}.run"
    if not (qrels.exists() and run.exists()):
        rng = np.random.default_rng(seed)
        fresh = qrels.with_suffix(".qrels-part"), run.with_suffix(".run-part")
        with fresh[0].open("w") as judgments, fresh[1].open("w") as ranking:
            for query in _queries(size, rng):
                judged, listed = _documents(size, rng)
                judgments.writelines(_judged_lines(query, judged, size, rng))
                if rng.random() < ANSWERED:
                    ranking.writelines(_run_lines(query, listed, rng))
        fresh[0].rename(qrels)
        fresh[1].rename(run)
    return qrels, run


def _queries(size: Size, rng: np.random.Generator) -> Iterator[str]:
    numbers = np.sort(rng.choice(100 * size.queries, size.queries, replace=False))
    return (str(number + 1_000) for number in numbers.tolist())


def _documents(size: Size, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """The judged documents and the list: most of the judged are in it, the nearer to the top the more."""
    numbers = np.unique(rng.integers(1, 8_841_823, 2 * (size.depth + size.judged)))
    rng.shuffle(numbers)
    judged, others = numbers[: size.judged], numbers[size.judged :]
    found = judged[rng.random(len(judged)) < RETRIEVED][: size.depth]
    is_judged = np.zeros(size.depth, dtype=bool)
    is_judged[rng.choice(size.depth, len(found), replace=False, p=near_the_top(size.depth))] = True
    listed = np.empty(size.depth, dtype=numbers.dtype)
    listed[is_judged], listed[~is_judged] = found, others[: size.depth - len(found)]
    return [_id(n) for n in judged.tolist()], [_id(n) for n in listed.tolist()]


def _id(number: int) -> str:
    """An id as collections have them; each number has its own."""
    if number % 2:
        return f"msmarco_doc_{number % 60:02d}_{number}"
    return f"GX{number % 273:03d}-{number % 89:02d}-{number}"


def _judged_lines(query: str, judged: list[str], size: Size, rng: np.random.Generator) -> Iterator[str]:
    grades = [1] if size.judged == 1 else rng.choice(4, len(judged), p=[0.5, 0.3, 0.15, 0.05]).tolist()
    return (f"{query} 0 {document} {grade}\n" for document, grade in zip(judged, grades, strict=True))


def _run_lines(query: str, listed: list[str], rng: np.random.Generator) -> Iterator[str]:
    steps = rng.exponential(20.0 / len(listed), len(listed)) * (rng.random(len(listed)) >= TIED)
    scores = (30.0 - np.cumsum(steps)).tolist()
    return (
        f"{query} Q0 {document} {rank} {score:.6f} bm25\n"
        for rank, (document, score) in enumerate(zip(listed, scores, strict=True), start=1)
    )


def near_the_top(depth: int) -> npt.NDArray[np.float64]:
    """How likely each rank is to be judged: assessors begin at the top."""
    weights = 1 / np.arange(1, depth + 1)
    return np.asarray(weights / weights.sum())
