"""A learned ranker's test set, made with a seed, in which every choice of a tool makes a difference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.policies import LEAVE_OUT, IdealPool, MissingQuery, NegativeGrade, ShortList, Ties, Unjudged

STANDARD = dialects.get("standard")
LETOR = replace(STANDARD, name="like letor", gain="letor", discount="letor", short=ShortList.ZERO, ties=Ties.INPUT)
RANKLIB = replace(STANDARD, name="like ranklib", gain="exp", ties=Ties.INPUT, negative=NegativeGrade.KEEP)
YAHOO = replace(RANKLIB, name="like yahoo", discount="ln", empty=1.0)
GDEVAL = replace(STANDARD, name="like gdeval", gain="exp", ties=Ties.DOCID, empty=LEAVE_OUT, missing=MissingQuery.SKIP)
POOLED = replace(STANDARD, name="pooled", ideal=IdealPool.RETRIEVED, unjudged=Unjudged.SKIP, ties=Ties.WORST, depth=12)
HOUSE = (STANDARD, LETOR, RANKLIB, YAHOO, GDEVAL, POOLED)
"""Dialects that together differ in every field that can move a mean of nDCG."""


def every() -> tuple[Dialect, ...]:
    """All dialects that there are, and those of this file."""
    return (*HOUSE, *(dialect for dialect in dialects.registry().values() if dialect != STANDARD))


@pytest.fixture(scope="session")
def letor(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A LETOR file and its scores: 60 queries of 2 to 25 documents, a third of them empty, scores with ties."""
    rng = np.random.default_rng(7)
    folder = tmp_path_factory.mktemp("letor")
    lines, scores = [], []
    for query in range(60):
        empty = query % 3 == 0
        for place in range(int(rng.integers(2, 26))):
            grade = 0 if empty else int(rng.choice(3, p=(0.6, 0.3, 0.1)))
            lines.append(f"{grade} qid:{query} 1:{rng.random():.3f} 2:1 #docid = D{rng.integers(10**6)}-{place}\n")
            scores.append(f"{np.round(grade + rng.normal(0, 1.5), 1):g}\n")
    (folder / "test.txt").write_text("".join(lines))
    (folder / "scores.txt").write_text("".join(scores))
    return folder / "test.txt", folder / "scores.txt"


@pytest.fixture(scope="session")
def search() -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Judgments of a pool and a run: unjudged documents, missing queries, negative grades, ties, close scores."""
    rng = np.random.default_rng(11)
    judgments: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for query in range(40):
        grades = rng.choice([-1, 0, 1, 2, 3], size=15, p=(0.1, 0.4, 0.3, 0.1, 0.1))
        judgments[f"q{query}"] = {f"d{place}": float(max(grade, -2)) for place, grade in enumerate(grades)}
        if query % 9 != 4:
            listed = rng.permutation(25)[: int(rng.integers(3, 20))]
            run[f"q{query}"] = {
                f"d{document}": float(np.round(rng.normal(), 1)) + 1e-9 * document for document in listed
            }
    return judgments, run
