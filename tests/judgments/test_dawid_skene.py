"""Dawid and Skene's model: the example of their paper, and a second implementation that loops."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.judgments import dawid_skene
from rankgauge.judgments.agreement import Panel
from rankgauge.judgments.combination import fit_panel

# Table 1 of the paper: how fit 45 patients are for an anaesthetic, by five observers; the first one looked three times.
# The same numbers are in Dallas Card's dawid_skene.py. crowd-kit 1.4.2 stops after four rounds, in which its chances
# are those of `looped` to ten decimals.
PATIENTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 1211111
1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121
1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
"""
OBSERVERS = (0, 0, 0, 1, 2, 3, 4)


def looped(panel: Panel, rounds: int) -> np.ndarray:
    """The chances of the true grades, by the equations of the paper one by one."""
    levels, judged = range(len(panel.grades)), list(zip(panel.item, panel.assessor, panel.level, strict=True))
    chances = np.zeros((panel.items, len(levels)))
    for item, _, level in judged:
        chances[item, level] += 1
    chances /= chances.sum(axis=1, keepdims=True)
    for _ in range(rounds):
        prior = chances.sum(axis=0) / panel.items
        counts = np.zeros((len(panel.assessors), len(levels), len(levels)))
        for item, assessor, level in judged:
            for true in levels:
                counts[assessor, true, level] += chances[item, true]
        found = np.tile(prior, (panel.items, 1))
        for item, assessor, level in judged:
            for true in levels:
                whole = counts[assessor, true].sum()
                found[item, true] *= counts[assessor, true, level] / whole if whole else 0.0
        chances = found / found.sum(axis=1, keepdims=True)
    return chances


def test_the_anaesthetists() -> None:
    """The paper's estimates: the shares of the four classes, and what the first observer says of class 1."""
    flat = [(i, k, int(c) - 1) for i, row in enumerate(PATIENTS.split()) for k, c in zip(OBSERVERS, row, strict=True)]
    item, assessor, level = (np.array(column) for column in zip(*flat, strict=True))
    names = pl.Series(["1", "2", "3", "4", "5"])
    panel = Panel(items=45, assessors=names, grades=np.arange(1.0, 5.0), item=item, assessor=assessor, level=level)
    found = fit_panel(panel)
    np.testing.assert_allclose(found.prior, [0.40, 0.42, 0.11, 0.07], atol=0.005)
    np.testing.assert_allclose(found.confusion[0, 0], [0.89, 0.11, 0, 0], atol=0.005)
    assert found.grades[[0, 10, 44]].tolist() == [1, 4, 2]


@pytest.mark.parametrize("seed", range(5))
def test_against_loops(seed: int) -> None:
    """Crowds in which each judges some items: the same chances as the equations give, one after another."""
    rng = np.random.default_rng(seed)
    rows = [(f"q{n % 3}", f"d{n}", float(rng.integers(3)), f"w{w}") for n in range(30) for w in rng.permutation(8)[:4]]
    model = dawid_skene(pl.DataFrame(rows, schema=["query", "document", "grade", "assessor"], orient="row"))
    np.testing.assert_allclose(model.chances, looped(model.panel, model.rounds), atol=1e-9)
    shares = model.confusions.group_by("assessor", "true_grade").agg(pl.col("share").sum())["share"]
    assert all(share == pytest.approx(1) or share == 0 for share in shares)


def test_a_crowd_needs_names() -> None:
    """Who judged has to be known."""
    with pytest.raises(InputError, match="it is not known who judged"):
        dawid_skene(pl.DataFrame({"query": ["q"], "document": ["d"], "grade": [1.0]}))
