"""RAG and ML frameworks: every value that a package printed on the golden cases, under its dialect.

`tests/golden/frameworks/` has the inputs (case, kind, query, document, grade or score) and what the packages printed
(case, framework, version, metric, query, value; `all` is the package's own mean). [graded]: grades were given as
scores; [judged]: documents of grade 0 were given as golden too; [+unretrieved]: Evidently was given rows for relevant
documents that were not retrieved.
"""

from __future__ import annotations

import lzma
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge.dialects import get

FOLDER = Path(__file__).parents[1] / "golden" / "frameworks"

DIALECTS = {
    ("mlflow", "3.17.2"): "mlflow",
    ("mlflow", "2.9.2"): "mlflow-2.9",
    ("llamaindex", "0.14.25"): "llamaindex",
    ("haystack", "3.4.0"): "haystack",
    ("haystack", "2.10.0"): "haystack-2",
    ("ragas", "0.4.3"): "ragas",
    ("trulens", "2.16.0"): "trulens",
    ("trulens", "1.2.0"): "trulens-before-2747",
    ("deepeval", "4.3.1"): "deepeval",
    ("opensearch_srw", "3.1.0"): "opensearch-srw",
    ("evidently", "0.7.23"): "evidently",
    ("pyvespa", "1.2.9"): "pyvespa",
    ("sentence_transformers", "6.2.0"): "sentence-transformers",
    ("lenskit", "2025.8.1"): "lenskit",
    ("recommenders", "1.2.1"): "recommenders",
    ("implicit", "0.7.3"): "implicit",
    ("recbole", "1.2.1"): "recbole",
}

NAMES = {
    "ndcg": "nDCG",
    "dcg": "DCG",
    "precision": "P",
    "precisiontopk": "P",
    "recall": "R",
    "recalltopk": "R",
    "map": "AP",
    "mapk": "AP",
    "averageprecision": "AP",
    "mrr": "RR",
    "reciprank": "RR",
    "accuracy": "Success",
    "hit": "Success",
    "hitrate": "Success",
    "irhitrate": "Success",
    "coverage": "Judged",
    "rbp": "RBP(p=0.85)",
}
WHOLE = {
    "hit_rate": "Success",
    "precision": "SetP",
    "recall": "SetR",
    "ap": "AP",
    "ndcg": "nDCG",
    "ndcg[exponential]": "nDCG",
    "map": "AP",
    "mrr": "RR",
    "recall_multi_hit": "SetR",
    "recall_single_hit": "Success",
    "id_based_context_precision": "SetP",
    "id_based_context_recall": "SetR",
    "llm_context_precision_with_reference": "AP",
    "non_llm_context_precision_with_reference": "AP",
    "contextual_precision": "AP",
}
"""What frameworks without cutoffs call their measures."""
NO_CUTOFF = ("llamaindex", "haystack", "ragas", "deepeval")


class Asked(NamedTuple):
    """What a golden metric asks for: a measure, how judgments are given, and choices of the call."""

    measure: str
    given: str
    options: tuple[tuple[str, str], ...] = ()


def asked(framework: str, metric: str) -> Asked | None:
    """What a metric of a framework is here; None for those that no dialect has."""
    tags = re.findall(r"\[(.*?)\]", metric)
    given = next((tag for tag in tags if tag in ("graded", "graded/max", "judged", "+unretrieved")), "binary")
    if framework in NO_CUTOFF:
        name = WHOLE.get(metric.removesuffix("[graded]"))
        return None if name is None else Asked(name, given)
    plain = re.sub(r"\[.*?\]|/mean", "", metric)
    found = re.fullmatch(r"([A-Za-z_]*?)(?:_at)?(?:_k|[@_](?:rank)?(\d+|None))?", plain)
    assert found is not None, metric
    name, cutoff = found[1].lower().replace("_", ""), found[2]
    options: dict[str, str] = {}
    for tag in tags:
        cutoff = found_k[1] if (found_k := re.match(r"[kK]=(\d+)", tag)) else cutoff
        for gain in ("raw", "exp", "gain"):
            if gain in tag.split(","):
                options["gain"] = "exp" if gain == "exp" else "linear"
        if "log2" in tag.split(","):
            options["discount"] = "log2"
    measure = NAMES[name]
    if framework == "implicit":
        measure = "RelativeP" if name == "precision" else measure
    if framework == "recommenders" and plain == "map":
        measure = "AP(out_of='relevant')"
    if framework == "trulens" and name == "ndcg":
        given = "graded" if given == "judged" else given
        measure = "nDCG(ideal_depth='list')" if cutoff == "None" else measure
    if framework == "evidently":
        given = "rows" + given.replace("binary", "")
        cutoff = str(int(cutoff) - (name in ("ndcg", "mrr")))
        if name == "map":
            return None  # its own sum: see `differs` of the dialect
    if framework in ("opensearch_srw", "pyvespa", "lenskit", "recommenders") and given == "binary":
        graded = framework == "opensearch_srw" or options.get("gain")
        given = "graded" if graded else given
    whole = cutoff in (None, "None")
    if whole and measure in ("P", "R"):
        measure, whole = {"P": "SetP", "R": "SetR"}[measure], True
    return Asked(measure if whole else f"{measure}@{cutoff}", given, tuple(options.items()))


@cache
def inputs() -> dict[str, tuple[pl.DataFrame, pl.DataFrame]]:
    """The judgments and the run of each case."""
    rows: dict[str, dict[str, list[tuple[str, str, float]]]] = defaultdict(lambda: {"qrels": [], "run": []})
    for line in (FOLDER / "inputs.txt").read_text().splitlines():
        case, kind, query, document, number = line.split(" ")
        rows[case][kind].append((query, document, float(number)))
    return {
        case: tuple(
            pl.DataFrame(tables[kind], schema=["query", "document", name], orient="row") for kind, name in KINDS
        )
        for case, tables in rows.items()
    }


KINDS = (("qrels", "grade"), ("run", "score"))


def judged(case: str, given: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The judgments as a framework was given them, with a document of grade 0 for queries that only the run has."""
    judgments, run = inputs()[case]
    if given in ("binary", "judged"):
        least = 0 if given == "binary" else -1
        judgments = judgments.with_columns(grade=(pl.col("grade") > least).cast(pl.Float64))
    if given.startswith("rows"):
        rows = judgments.join(run, on=["query", "document"], how="semi")
        if "+" in given:
            missed = judgments.join(run, on=["query", "document"], how="anti").filter(pl.col("grade") > 0)
            last = missed.with_columns(score=-1.0 - pl.int_range(pl.len())).select("query", "document", "score")
            rows, run = pl.concat([rows, missed]), pl.concat([run, last])
        judgments = rows
    lacking = run.select(pl.col("query").unique(maintain_order=True)).join(judgments, on="query", how="anti")
    return pl.concat([judgments, lacking.with_columns(document=pl.lit("-"), grade=0.0)]), run


@cache
def expected() -> dict[tuple[str, str], dict[tuple[str, Asked], dict[str, str]]]:
    """What was printed: framework and version → case and what was asked → query → value."""
    found: dict[tuple[str, str], dict[tuple[str, Asked], dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for line in lzma.decompress((FOLDER / "expected.tsv.xz").read_bytes()).decode().splitlines():
        case, framework, version, metric, query, value = line.split("\t")
        if (measure := asked(framework, metric)) is not None:
            found[framework, version][case, measure][query] = value
    return found


def differing(name: str, case: str, asked: Asked, query: str) -> bool:
    """Whether the dialect says in `differs` that the tool does otherwise here."""
    tied, twice = case == "11_ties", case == "16_duplicate_references"
    return (
        (name == "implicit" and asked.measure.startswith("RelativeP") and query == "all")  # summed over users
        or (name == "lenskit" and twice and asked.options == (("gain", "linear"),))
        or (name == "pyvespa" and asked.given != "binary" and case in ("06_nothing_relevant", "14_both_empty"))
        or (name == "recommenders" and (twice or case in REPEATING))  # a merge multiplies rows
        or (name == "evidently" and (tied or (case, asked.given, query) == ("18_mixed", "rows+unretrieved", "all")))
    )


REPEATING = ("03_duplicate_relevant", "04_duplicate_irrelevant", "18_mixed")
"""The cases whose runs list documents twice."""

LEFT_OUT_IS_0 = ("lenskit", "recommenders")
"""Whose rows of one query are not their part of the mean: NaN is filled with 0, or 0 stands for a query left out."""


def values(name: str, case: str, measures: list[Asked]) -> Iterator[tuple[Asked, dict[str, float]]]:
    """The values under the dialect by query, NaN for a query that is left out, and their mean as `all`."""
    for key in dict.fromkeys((one.given, one.options) for one in measures):
        wanted = [one for one in measures if (one.given, one.options) == key]
        judgments, run = judged(case, key[0])
        result = evaluate(judgments, run, [one.measure for one in wanted], dialect=get(name, **dict(key[1])))
        table = result.values
        for one in wanted:
            found = dict(table.filter(measure=one.measure).select("query", "value").iter_rows())
            yield one, {**found, "all": result[one.measure]}


@pytest.mark.parametrize(("framework", "version"), DIALECTS, ids=DIALECTS.values())
def test_every_printed_value(framework: str, version: str) -> None:
    """A framework's dialect gives what the package printed, to 1e-9: each query's values and its own means."""
    name, printed, number = DIALECTS[framework, version], expected()[framework, version], 0
    for case in dict.fromkeys(case for case, _ in printed):
        measures = [one for other, one in printed if other == case]
        kept = [one for one in measures if not differing(name, case, one, "")]
        for one, found in values(name, case, kept):
            for query, text in printed[case, one].items():
                if text == "ERROR" or differing(name, case, one, query):
                    continue
                value, wanted = found.get(query, math.nan), float(text)
                if name in LEFT_OUT_IS_0:
                    value, wanted = (0.0 if math.isnan(number) else number for number in (value, wanted))
                assert value == pytest.approx(wanted, abs=1e-9, nan_ok=True), (case, one, query)
                number += 1
    assert number >= COUNTS[name]


COUNTS = {
    "evidently": 1431,
    "llamaindex": 336,
    "deepeval": 63,
    "haystack-2": 478,
    "implicit": 864,
    "mlflow-2.9": 972,
    "haystack": 486,
    "opensearch-srw": 1008,
    "lenskit": 2488,
    "sentence-transformers": 1872,
    "trulens-before-2747": 1638,
    "mlflow": 972,
    "trulens": 2268,
    "pyvespa": 2376,
    "ragas": 225,
    "recbole": 1872,
    "recommenders": 896,
}
"""How many values of each are held, at least."""
