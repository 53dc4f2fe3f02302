"""Runs, a judge's grades and documents' texts to make a board of, with what a perfect assessor would say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

QUERIES, DOCUMENTS = 20, 15
RUNS = {"dense": 0.6, "bm25": 1.2, "splade": 2.0, "random": 9.0}
"""Runs by name, and how noisy they are."""


@dataclass(frozen=True, kw_only=True)
class BoardFiles:
    """The files as somebody would upload them: by part, name and bytes."""

    lists: tuple[tuple[str, bytes], ...]
    judge: tuple[str, bytes]
    documents: tuple[str, bytes]
    truth: dict[tuple[str, str], int]

    def sent(self) -> list[tuple[str, tuple[str, bytes]]]:
        """The files of a form."""
        return [*(("lists", run) for run in self.lists), ("judge", self.judge), ("documents", self.documents)]


@cache
def board_files() -> BoardFiles:
    """Four runs that retrieve the same documents, a judge that is often right, and a text for each document."""
    rng = np.random.default_rng(7)
    ids = [(f"q{q:02}", f"q{q:02}-d{d:02}") for q in range(QUERIES) for d in range(DOCUMENTS)]
    grades = rng.choice([0, 0, 0, 1, 1, 2, 3], len(ids))
    lists = []
    for name, noise in RUNS.items():
        scores = grades + rng.normal(0, noise, len(ids))
        lines = [f"{q} Q0 {d} 0 {score:.4f} {name}\n" for (q, d), score in zip(ids, scores, strict=True)]
        lists.append((f"{name}.run", "".join(lines).encode()))
    said = np.clip(grades + rng.choice([-1, 0, 0, 0, 1], len(ids)), 0, 3)
    judge = "query,document,grade\n" + "".join(f"{q},{d},{g}\n" for (q, d), g in zip(ids, said, strict=True))
    rows = [f"{q},{d},how to mend a {q} tyre,About {d},The tyre of {d} is mended with glue\n" for q, d in ids]
    documents = "query,document,query_text,title,text\n" + "".join(rows)
    return BoardFiles(
        lists=tuple(lists),
        judge=("gpt.csv", judge.encode()),
        documents=("documents.csv", documents.encode()),
        truth=dict(zip(ids, grades.tolist(), strict=True)),
    )
