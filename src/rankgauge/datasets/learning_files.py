"""A set to learn ranking from as LETOR files."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from rankgauge.datasets.learning import learning_parts, learning_rows
from rankgauge.io.formats.letor import Features
from rankgauge.io.texts import numbers

__all__ = ["write_learning", "write_parts"]

BLOCK = 1 << 14


def write_learning(data: Features, path: Path) -> Path:
    """The set as one file: grade, qid, every feature; documents are called by their place, so they need no comment."""
    with path.open("wb") as file:
        for low in range(0, len(data.grades), BLOCK):
            _lines(learning_rows(data, slice(low, low + BLOCK))).write_csv(
                file, include_header=False, quote_style="never"
            )
    return path


def write_parts(data: Features, folder: Path, parts: int = 5) -> list[Path]:
    """The set as S1.txt, S2.txt, … in the folder, as LETOR's are."""
    folder.mkdir(parents=True, exist_ok=True)
    found = enumerate(learning_parts(data, parts), start=1)
    return [write_learning(part, folder / f"S{number}.txt") for number, part in found]


def _lines(data: Features) -> pl.DataFrame:
    features = [str(number) for number in range(1, data.matrix.shape[1] + 1)]
    frame = pl.DataFrame(data.matrix, schema=features).with_columns(
        pl.Series("grade", data.grades), pl.Series("query", data.queries.astype(str))
    )
    told = [pl.format(f"{name}:{{}}", numbers(name)) for name in features]
    return frame.select(pl.concat_str([numbers("grade"), pl.format("qid:{}", "query"), *told], separator=" "))
