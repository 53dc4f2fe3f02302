"""What mteb, beir and statsmodels print of generated boards; needs them: python printed.py > expected.json."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

TYPES = {
    "NFCorpus": "Retrieval",
    "SCIDOCS": "Retrieval",
    "FiQA2018": "Retrieval",
    "ArguAna": "Retrieval",
    "Banking77Classification": "Classification",
    "ImdbClassification": "Classification",
    "STS22": "STS",
}

MODELS = [f"cross-encoder/ms-marco-MiniLM-L{n}-v2" for n in (2, 4, 6, 12)] + [
    "BAAI/bge-small-en-v1.5",
    "upskyy/bge-m3-korean",
]
"""Models that MTEB knows; their scores here are random numbers."""


def by_mteb(rng: np.random.Generator) -> dict[str, Any]:
    """Scores of six models by task and subset, MTEB's score of each file, its two means and its rank by Borda."""
    import polars as pl
    from mteb.benchmarks._create_table import _create_summary_table
    from mteb.results import TaskResult

    scores: dict[str, dict[str, list[float]]] = {}
    rows = []
    for model in MODELS:
        for task in TYPES:
            subsets = rng.random(3 if task == "STS22" else 1).round(5).tolist()
            scores.setdefault(model, {})[task] = subsets
            entries = [
                {"main_score": one, "hf_subset": f"s{n}", "languages": ["eng-Latn"]} for n, one in enumerate(subsets)
            ]
            said = {
                **{"dataset_revision": "1", "task_name": task, "mteb_version": "2", "evaluation_time": 1.0},
                "scores": {"test": entries},
            }
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"{task}.json"
                path.write_text(json.dumps(said))
                score = TaskResult.from_disk(path).get_score()
            rows.append({"model_name": model, "task_name": task, "score": score, "task_type": TYPES[task]})
    frame = pl.DataFrame(rows).with_columns(split=pl.lit("test"), subset=pl.lit("default"), is_public=pl.lit(True))
    table = _create_summary_table(frame).df.to_dicts()
    named = {row["Model"]: row for row in table}
    return {
        "types": TYPES,
        "scores": scores,
        "expected": {
            model: [named[model][name] for name in ("Mean (Task)", "Mean (TaskType)", "Rank (Borda)")]
            for model in scores
        },
    }


def by_beir(rng: np.random.Generator) -> dict[str, Any]:
    """Judgments and runs of three small sets, what BEIR's evaluation prints of each, and the mean over sets."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    sets: dict[str, Any] = {}
    printed: dict[str, dict[str, list[float]]] = {}
    for name, queries in (("fiqa", 3), ("scifact", 5), ("arguana", 2)):
        documents = [f"d{n}" for n in range(15)]
        judged = {
            f"q{q}": {str(d): int(rng.integers(0, 3)) for d in rng.choice(documents, 6, replace=False)}
            for q in range(queries)
        }
        runs = {
            run: {q: {d: float(s) for d, s in zip(documents, rng.permutation(15) / 15, strict=True)} for q in judged}
            for run in ("bm25", "dense")
        }
        sets[name] = {"judgments": judged, "runs": runs}
        for run, found in runs.items():
            for values in EvaluateRetrieval.evaluate(judged, found, [5, 10]):
                for measure, value in values.items():
                    printed.setdefault(run, {}).setdefault(measure, []).append(value)
    means = {run: {m: float(np.mean(v)) for m, v in found.items()} for run, found in printed.items()}
    return {"sets": sets, "printed": printed, "means": means}


def by_statsmodels(seed: int) -> list[dict[str, float]]:
    """The t test, the mixed model and Paule and Mandel's τ² of fifty random boards."""
    import pandas as pd
    import statsmodels.formula.api as smf
    from statsmodels.stats.meta_analysis import combine_effects
    from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

    printed = []
    for case in range(50):
        values = drawn(seed, case)
        means = values.mean(axis=1)
        alone = DescrStatsW(means)
        t, p, freedom = alone.ttest_mean(0)
        low, high = alone.tconfint_mean(0.05)
        frame = pd.DataFrame({"y": values.ravel(), "c": np.repeat(np.arange(len(values)), values.shape[1])})
        mixed = smf.mixedlm("y ~ 1", frame, groups=frame["c"]).fit(reml=True)
        variances = values.var(axis=1, ddof=1) / values.shape[1]
        pooled = combine_effects(means, variances, method_re="iterated", use_t=True, atol=1e-7, maxiter=500)
        welch = CompareMeans(DescrStatsW(values[0]), DescrStatsW(-values[1]))
        ends = welch.tconfint_diff(0.05, usevar="unequal")
        numbers = {
            **{"t": t, "p": p, "freedom": freedom, "low": low, "high": high},
            **{"mixed_mean": mixed.fe_params.iloc[0], "mixed_error": mixed.bse_fe.iloc[0]},
            **{"tau2": pooled.tau2, "q": pooled.q, "i2": pooled.i2},
            **{"welch_low": ends[0] / 2, "welch_high": ends[1] / 2},
        }
        printed.append({name: round(float(value), 10) for name, value in numbers.items()})
    return printed


def drawn(seed: int, case: int) -> np.ndarray[Any, Any]:
    """Differences of two runs (collections × queries) that change from collection to collection."""
    rng = np.random.default_rng([seed, case])
    collections, queries = int(rng.integers(6, 20)), int(rng.integers(20, 60))
    return rng.normal(0.02, 0.1, (collections, 1)) + rng.normal(0, 0.1, (collections, queries))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    rng = np.random.default_rng(35)
    said = {"mteb": by_mteb(rng), "beir": by_beir(rng), "statsmodels": by_statsmodels(35)}
    sys.stdout.write(json.dumps(said, separators=(",", ":")) + "\n")
