"""Whole ranked lists with the ids of their documents, for people who want to look at them: hits carry no ids."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankgauge.lazy_polars import pl
from rankgauge.policies import Unjudged
from rankgauge.ranking.frames import name_copies, rank
from rankgauge.ranking.rules import Ranking


def ranked_documents(run: pl.DataFrame, judgments: pl.DataFrame, how: Ranking) -> pl.DataFrame:
    """A row per retrieved document: query, rank, document, score, grade (null: not judged), size of its tie group.

    The run is ranked with a number for each document in place of its grade; the numbers rise with the grades and
    begin with the unjudged, as `best` and `worst` orders look at the grades.
    """
    judged = judgments.unique(["query", "document"], keep="first", maintain_order=True)
    graded = run.join(judged, on=["query", "document"], how="left", maintain_order="left")
    graded = name_copies(graded, how.duplicates)
    if how.unjudged is Unjudged.SKIP:
        graded = graded.filter(pl.col("grade").is_not_null())
    place = graded["grade"].fill_null(-np.inf).rank("ordinal").cast(pl.Float64)
    marked = graded.select("query", "document", pl.lit(place).alias("grade"))
    shown = replace(how, unjudged=Unjudged.NOT_RELEVANT)
    hits = rank(graded.select("query", "document", "score"), marked, shown)
    found = pl.DataFrame({"place": hits.grade, "rank": hits.rank.astype(np.int64), "tied": hits.size.astype(np.int64)})
    ranked = found.join(graded.with_columns(place=place), on="place", how="left", maintain_order="left")
    return ranked.select("query", "rank", "document", "score", "grade", "tied")
