"""The board on a TREC collection that is judged throughout."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rankgauge.labelling.board import Board
from rankgauge.papers.trec import dl19
from tests.shared import shared


def test_all_judged_is_what_nist_published() -> None:
    """With all of TREC DL19's pool judged, nDCG@10 of its 37 runs is NIST's, to the digits that were published."""
    folder = shared("data/trec_dl19_passage")
    published = pl.read_csv(folder / "official_nist.tsv", separator="\t")
    known = dict(published.filter(pl.col("measure") == "ndcg_cut_10").select("run", "value").iter_rows())
    pool, grades = dl19(folder)
    board = Board.of(pool, ["nDCG@10"], grades=(0, 1, 2, 3), dialect="standard")
    every = np.arange(len(grades))
    (estimate,) = board.estimate(board.read(board.stream(0), every, grades, budget=len(every)))
    wanted = [float(known[run.removesuffix(".run")]) for run in pool.runs]
    assert len(wanted) == 37
    assert estimate.values == pytest.approx(wanted, abs=5.1e-5)
