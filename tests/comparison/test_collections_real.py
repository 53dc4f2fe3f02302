"""The page's real board is what the data beside the project gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.collections_real import main
from tests.program import rankgauge
from tests.shared import shared

PAGE = Path(__file__).parents[2] / "docs" / "collections.md"


@pytest.mark.study
def test_the_page_shows_the_real_board(tmp_path: Path) -> None:
    """Every line of the tables on the page is printed, from the files to the table."""
    data = shared("data")
    main(data, tmp_path / "board")
    words = ["compare", "--collections", "board", "-m", "nDCG@10", "--baseline", "rrf", "--tables", SHOWN]
    printed = rankgauge(words, tmp_path, {"COLUMNS": "80"}).out.splitlines()
    text = PAGE.read_text(encoding="utf-8").split(f"--tables {SHOWN}\n")[1].split("\n\nWith five")[0]
    shown = [line.removeprefix("    ") for line in text.splitlines()]
    assert len(shown) > 20
    assert shown == printed[: len(shown)]


SHOWN = "means,pairs,collections,influence"
