"""Pools of texts, and stand-ins that know their grades."""

from __future__ import annotations

import polars as pl

GRADES = (0, 1, 2, 3)


def pool(queries: int = 4, each: int = 5) -> pl.DataFrame:
    """Pairs with texts; the texts of one are no part of another's."""
    rows = [(q, d) for q in range(queries) for d in range(each)]
    return pl.DataFrame(
        {
            "query": [f"q{q}" for q, _ in rows],
            "document": [f"d{q}-{d}" for q, d in rows],
            "query_text": [f"what is thing number {q}?" for q, _ in rows],
            "title": [f"About {d}" for _, d in rows],
            "text": [f"passage {q}-{d}.\nIt says much {{query}} about things." for q, d in rows],
        }
    )


def graded(pairs: pl.DataFrame) -> pl.DataFrame:
    """The pool with a grade for each pair."""
    return pairs.with_columns(grade=pl.int_range(pl.len()) * 7 % 4)


def likely(pairs: pl.DataFrame) -> pl.DataFrame:
    """The pool with probabilities: 0.7 for the grade, 0.1 for each other."""
    chances = [pl.when(pl.col("grade") == grade).then(0.7).otherwise(0.1).alias(f"p_{grade}") for grade in GRADES]
    return graded(pairs).with_columns(chances)
