"""Examples for a prompt: pairs that people graded, of all grades, and of as many queries as there are."""

from __future__ import annotations

import zlib
from typing import Any

import polars as pl

from rankgauge import files
from rankgauge.errors import InputError
from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.judgments.llm.asking.prompt import ShownExample

SHOTS = 4
"""How many examples are shown, unless it is said."""


def choose_examples(
    labels: Any, pairs: TextPairs, grades: tuple[float, ...], shots: int = SHOTS
) -> tuple[ShownExample, ...]:
    """Choose examples among people's labels: the grades in turn, each from a query that has none yet if there is one.

    Their texts are those of the pool. The choice depends on ids alone, so that the same labels give the same prompt.
    """
    known = files.judgments_from(labels).select(pl.col("query", "document").cast(pl.String), "grade")
    shown = pairs.frame.drop("grade", strict=False).unique(["query", "document"], keep="first", maintain_order=True)
    rows = shown.join(known.filter(pl.col("grade").is_in(grades)), on=["query", "document"], how="inner").to_dicts()
    if not rows:
        raise InputError(
            "none of the labels is of a pair of the pool, with a grade of the scale",
            path=labels if files.is_path(labels) else None,
            hint="Examples take their texts from the pool: label some of its documents.",
        )
    rows.sort(key=lambda row: zlib.crc32(f"{row['query']} {row['document']}".encode()))
    chosen: list[dict[str, Any]] = []
    order = [grade for grade in sorted(grades, reverse=True) if any(row["grade"] == grade for row in rows)]
    for number in range(min(shots, len(rows))):
        seen = {row["query"] for row in chosen}
        left = [row for row in rows if row not in chosen]
        wanted = order[number % len(order)]
        chosen.append(min(left, key=lambda row: (row["grade"] != wanted, row["query"] in seen)))
    texts = [name for name in pairs.columns if name != "grade"]
    return tuple(
        ShownExample(
            query=row["query"],
            document=row["document"],
            texts={name: row[name] or "" for name in texts},
            grade=float(row["grade"]),
        )
        for row in chosen
    )
