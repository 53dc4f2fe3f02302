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
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
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
    ("rax", "0.4.0"): "rax",
    ("ignite", "0.5.5"): "ignite",
    ("sentence_transformers_reranking", "6.2.0"): "sentence-transformers-reranking",
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
    "ap": "AP",
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
    """What a golden metric asks for: a measure, how judgments are given, choices of the call, and what is printed."""

    measure: str
    given: str
    options: tuple[tuple[str, str], ...] = ()
    made: str = ""
    """What the package makes of the values: see `MADE`."""


NOT_HELD = {
    "implicit": r"auc",  # of the whole catalogue
    "lenskit": r"RBP\[normalize\]",
    "opensearch_srw": r".*\[run,run_b\]",  # how alike two lists are
    "llamaindex": r"mrr\[granular\]",
    "sentence_transformers_reranking": r"(?!base_).*always=True",  # of what a model says of documents not in the list
}
"""The metrics that no dialect has."""


def asked(framework: str, version: str, metric: str) -> Asked | None:
    """What a metric of a framework is here; None for those that no dialect has."""
    if re.match(NOT_HELD.get(framework, "$"), metric) or (version == "1.2.0" and metric.startswith("ndcg")):
        return None
    tags = re.findall(r"\[(.*?)\]", metric)
    given = next((tag for tag in tags if tag in ("graded", "graded/max", "judged", "+unretrieved")), "binary")
    if framework in NO_CUTOFF:
        if metric == "hit_rate[granular]":  # see `differs` of the dialect
            return Asked("SetR", given, (("duplicates", "count-each"), ("judged_twice", "each")))
        name = WHOLE[re.sub(r"\[(?!exp).*", "", metric)]
        return Asked(name, given, made="strict" if "strict" in metric else "")
    plain = re.sub(r"\[.*?\]|/.*|^base_", "", metric)
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
        if tag == "no_feedback_users":
            options["empty"] = "0"
    if name == "rprecision":
        return Asked("Rprec", given, (("depth", str(cutoff)),), "hits alone")
    measure = NAMES[name]
    made = next((word for word in ("mean", "variance", "p90") if metric.endswith(f"/{word}")), "")
    if framework == "implicit":
        measure = "RelativeP" if name == "precision" else measure
    if framework == "recommenders" and plain == "map":
        measure = "AP(out_of='relevant')"
    if framework == "recbole":
        made = "" if "[decimals=17]" in metric else "four decimals"
    if framework == "trulens" and name == "ndcg":
        given = "graded" if given == "judged" else given
        measure = "nDCG(ideal_depth='list')" if cutoff == "None" else measure
    if framework == "evidently":
        given = "rows" + given.replace("binary", "")
        cutoff = str(int(cutoff) - (name in ("ndcg", "mrr")))
    if framework == "pyvespa" and given.startswith("graded"):
        options["empty"] = "0"  # see `differs` of the dialect
    if framework in ("opensearch_srw", "pyvespa", "lenskit", "recommenders") and given == "binary":
        graded = framework == "opensearch_srw" or options.get("gain")
        given = "graded" if graded else given
    if framework in ("rax", "ignite"):
        given = "graded" if framework == "rax" else "graded+all judged, once"
    if metric.startswith("base_"):
        given = "binary+unretrieved, found"
    whole = cutoff in (None, "None")
    if whole and measure in ("P", "R"):
        measure, whole = {"P": "SetP", "R": "SetR"}[measure], True
    return Asked(measure if whole else f"{measure}@{cutoff}", given, tuple(options.items()), made)


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
    if given.startswith(("binary", "judged")):
        least = -1 if given == "judged" else 0
        judgments = judgments.with_columns(grade=(pl.col("grade") > least).cast(pl.Float64))
    listed = judgments.join(run, on=["query", "document"], how="semi")
    least = -1 if "all judged" in given else 0
    missed = judgments.join(run, on=["query", "document"], how="anti").filter(pl.col("grade") > least)
    if "found" in given:
        missed = missed.join(listed.filter(pl.col("grade") > 0), on="query", how="semi")
    if "+" in given:
        last = missed.with_columns(score=-1.0 - pl.int_range(pl.len())).select("query", "document", "score")
        run = pl.concat([run, last.unique(["query", "document"], maintain_order=True)])
        listed = pl.concat([listed, missed])
    if "once" in given:
        run = run.unique(["query", "document"], keep="first", maintain_order=True)
    if given.startswith("rows"):
        judgments = listed
    lacking = run.select(pl.col("query").unique(maintain_order=True)).join(judgments, on="query", how="anti")
    return pl.concat([judgments, lacking.with_columns(document=pl.lit("-"), grade=0.0)]), run


@cache
def expected() -> dict[tuple[str, str], dict[tuple[str, str], dict[str, str]]]:
    """What was printed: framework and version → case and metric → query → value; errors are left out."""
    found: dict[tuple[str, str], dict[tuple[str, str], dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for line in lzma.decompress((FOLDER / "expected.tsv.xz").read_bytes()).decode().splitlines():
        case, framework, version, metric, query, value = line.split("\t")
        if value != "ERROR":
            found[framework, version][case, metric][query] = value
    return found


def differing(name: str, case: str, metric: str, query: str) -> bool:
    """Whether the dialect says in `differs` that the tool does otherwise here."""
    tied, twice = case == "11_ties", case == "16_duplicate_references"
    return (
        (name == "implicit" and metric.startswith("precision") and query == "all")  # summed over users
        or (name == "ignite" and case == "15_fractional")
        or (name == "lenskit" and twice and "gain" in metric)
        or (name == "pyvespa" and "graded" in metric and case == "06_nothing_relevant" and query == "all")
        or (name == "recommenders" and (twice or case in REPEATING))  # a merge multiplies rows
        or (name == "evidently" and (tied or (case == "18_mixed" and "[+" in metric and query == "all")))
        or (name == "evidently" and metric.startswith("MAP") and is_short(case, metric, query))
        or (name[:7] == "trulens" and tied and "[scores]" in metric and metric.startswith(("precision", "recall")))
        or (name[-9:] == "reranking" and tied and not metric.startswith("ndcg"))
        or (name[-9:] == "reranking" and (twice or case in REPEATING) and ("base_" in metric or metric[:3] == "map"))
    )


def is_short(case: str, metric: str, query: str) -> bool:
    """Whether Evidently's MAP at k looks past the end of the list, or of any: then it counts the last row again."""
    if not query:
        return False
    found = re.fullmatch(r"MAP@rank(\d+).*", metric)
    assert found is not None
    _, run = judged(case, "rows+unretrieved" if "[+" in metric else "rows")
    rows = run if query == "all" else run.filter(query=query)
    return bool((rows.group_by("query").len()["len"] < int(found[1])).any())


REPEATING = ("03_duplicate_relevant", "04_duplicate_irrelevant", "18_mixed")
"""The cases whose runs list documents twice."""

LEFT_OUT_IS_0 = ("lenskit", "recommenders")
"""Whose rows of one query are not their part of the mean: NaN is filled with 0, or 0 stands for a query left out."""


def _with_mean(found: dict[str, float]) -> dict[str, float]:
    return {**found, "all": float(np.mean(list(found.values()))) if found else 0.0}


MADE: dict[str, Callable[[dict[str, float]], dict[str, float]]] = {
    "": lambda found: found,
    "mean": lambda found: found,
    "variance": lambda found: {"all": float(np.var([value for query, value in found.items() if query != "all"]))},
    "p90": lambda found: {"all": float(np.percentile([value for query, value in found.items() if query != "all"], 90))},
    "hits alone": lambda found: _with_mean({query: one for query, one in found.items() if one and query != "all"}),
    "strict": lambda found: {query: float(value >= 1) for query, value in found.items()},
    "four decimals": lambda found: {query: round(value, 4) for query, value in found.items()},
}
"""What packages make of a query's values and their mean, beside them."""

SINGLE = ("ignite", "rax")
"""Whose values are in single precision."""


def values(name: str, case: str, measures: list[Asked]) -> dict[Asked, dict[str, float]]:
    """The values under the dialect by query, NaN for a query that is left out, and their mean as `all`."""
    answers: dict[Asked, dict[str, float]] = {}
    for given, options in dict.fromkeys((one.given, one.options) for one in measures):
        wanted = [one for one in measures if (one.given, one.options) == (given, options)]
        judgments, run = judged(case, given)
        as_number = {"empty": float, "depth": int}
        overrides = {key: as_number.get(key, str)(value) for key, value in options}
        result = evaluate(judgments, run, {one.measure for one in wanted}, dialect=get(name, **overrides))
        table = result.values
        for one in wanted:
            found = dict(table.filter(measure=one.measure).select("query", "value").iter_rows())
            answers[one] = MADE[one.made]({**found, "all": result[one.measure]})
    return answers


@pytest.mark.parametrize(("framework", "version"), DIALECTS, ids=DIALECTS.values())
def test_every_printed_value(framework: str, version: str) -> None:
    """A framework's dialect gives what the package printed, to 1e-9: each query's values and its own means."""
    name, printed, number = DIALECTS[framework, version], expected()[framework, version], 0
    exact = 2e-7 if name in SINGLE else 1e-9
    for case in dict.fromkeys(case for case, _ in printed):
        metrics = [metric for other, metric in printed if other == case and not differing(name, case, metric, "")]
        meant = {metric: one for metric in metrics if (one := asked(framework, version, metric)) is not None}
        found = values(name, case, list(dict.fromkeys(meant.values())))
        for metric, one in meant.items():
            for query, text in printed[case, metric].items():
                if differing(name, case, metric, query):
                    continue
                value, wanted = found[one].get(query, math.nan), float(text)
                if name in LEFT_OUT_IS_0:
                    value, wanted = (0.0 if math.isnan(number) else number for number in (value, wanted))
                assert value == pytest.approx(wanted, abs=exact, nan_ok=True), (case, metric, query)
                number += 1
    assert number == COUNTS[name]


def test_every_framework_has_a_dialect() -> None:
    """No framework of the golden values is passed over."""
    assert expected().keys() == DIALECTS.keys()


COUNTS = {
    "evidently": 3352,
    "llamaindex": 448,
    "deepeval": 126,
    "haystack-2": 478,
    "implicit": 864,
    "mlflow-2.9": 1404,
    "haystack": 486,
    "opensearch-srw": 1008,
    "lenskit": 2740,
    "sentence-transformers": 1872,
    "trulens-before-2747": 2118,
    "mlflow": 1404,
    "trulens": 3063,
    "pyvespa": 2432,
    "ragas": 288,
    "recbole": 3744,
    "recommenders": 1008,
    "rax": 580,
    "ignite": 308,
    "sentence-transformers-reranking": 902,
}
"""How many values of each are held."""
