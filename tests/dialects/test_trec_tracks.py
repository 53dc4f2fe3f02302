"""trec_eval's dialect on tracks of TREC: the values that NIST published."""

from __future__ import annotations

import lzma
from collections import defaultdict
from functools import cache

import polars as pl

from rankgauge.evaluation.topic_lines import lines
from tests.engines import Evaluate
from tests.golden import judgments
from tests.shared import shared

FOLDER = "data/trec_dl19_passage"
NAMES = ["P_10", "P_100", "recall_10", "recall_100", "ndcg_cut_10", "ndcg_cut_100"]


@cache
def runs() -> dict[str, pl.DataFrame]:
    """The runs of TREC 2019's passage task, from a file with a list per row: run, query, documents in order."""
    packed = shared(f"{FOLDER}/runs_order_top100.txt.xz").read_bytes()
    found: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    for name, query, *documents in (row.split("\t") for row in lzma.decompress(packed).decode().splitlines()):
        listed = [document for cell in documents for document in cell.split()]
        found[name] += [(query, document, -float(rank)) for rank, document in enumerate(listed)]
    schema = ["query", "document", "score"]
    return {name: pl.DataFrame(listed, schema=schema, orient="row") for name, listed in found.items()}


def together() -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    """All runs: one job of Spark."""
    qrels = judgments(shared(f"{FOLDER}/qrels.txt"))
    return [(qrels, run) for run in runs().values()]


def test_deep_learning_track(evaluate: Evaluate) -> None:
    """The values that NIST published for the 37 runs of TREC 2019's passage task, from the runs' first 100."""
    published: dict[str, dict[str, str]] = defaultdict(dict)
    table = pl.read_csv(shared(f"{FOLDER}/official_nist.tsv"), separator="\t", infer_schema=False)
    for row in table.iter_rows(named=True):
        if row["measure"] in NAMES:
            published[row["run"]][row["measure"]] = f"{float(row['value']):.4f}"  # the file drops final zeros
    computed, qrels = {}, judgments(shared(f"{FOLDER}/qrels.txt"))
    for name, ranked in runs().items():
        result = evaluate(qrels, ranked, NAMES, dialect="trec_eval")
        computed[name.removesuffix(".run")] = {line.measure: line.value for line in lines(result, per_query=False)}
    assert len(computed) == 37
    assert computed == published
