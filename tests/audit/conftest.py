"""A learned ranker's test set, made with a seed, in which every choice of a tool makes a difference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


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
