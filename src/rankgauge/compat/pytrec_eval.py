"""pytrec_eval's interface, computed by RankGauge: no compiler, and any other dialect where trec_eval's is not wanted.

from rankgauge.compat import pytrec_eval

evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.10"})
evaluator.evaluate(run)  # {"q1": {"map": 0.5, "ndcg_cut_10": 0.63}, …}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankgauge.dialects import get
from rankgauge.errors import UnknownNameError
from rankgauge.evaluation.evaluation import evaluate as evaluate_run
from rankgauge.input_notes import collecting_notes
from rankgauge.measures import measures_of, resolve
from rankgauge.measures.trec_names import SETS
from rankgauge.policies import MissingQuery, Unjudged

LEAST = 1e-5
"""trec_eval's MIN_GEO_MEAN: below it a value counts as this in a geometric mean."""

TEXTS = frozenset(("relstring", "runid"))
"""What trec_eval prints as text."""

ALONE = "\0"
"""A query that is added to every run, so that a run may have nothing but empty lists."""

_CUT = re.compile(r"(.+?)[._][\d.,]+")

supported_nicknames = frozenset(SETS) - {"all"}
supported_measures = frozenset(re.sub(r"_[\d.]+$", "", printed.name) for printed in resolve(["all_trec"])) - TEXTS


class RelevanceEvaluator:
    """The values of runs on one set of judgments, by trec_eval's names of measures."""

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
        *,
        dialect: str = "pytrec_eval",
    ) -> None:
        """`relevance_level` is the lowest grade that is relevant; the flag leaves unjudged documents out of lists."""
        for query, judged in query_relevance.items():
            if not all(isinstance(grade, int | np.integer) for grade in judged.values()):
                raise TypeError(f"Expected relevance to be integer: query {query}.")
        self._judgments = {query: dict(judged) for query, judged in query_relevance.items() if judged}
        unjudged = Unjudged.SKIP if judged_docs_only_flag else Unjudged.NOT_RELEVANT
        self._dialect = get(dialect, rel=relevance_level, unjudged=unjudged, missing=MissingQuery.ZERO)
        names = set(measures) - TEXTS
        cut = {match[1] for name in names if (match := _CUT.fullmatch(name)) and match[1] in supported_measures}
        try:
            printed = self._dialect.resolve(sorted(names - cut))  # P beside P_4 is P_4 alone
        except UnknownNameError as error:
            raise ValueError(f"unsupported measure {error.name}") from error
        self._printed = tuple(one for one in printed if one.name not in TEXTS)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return {query: {measure: value}} for the queries that the run names and that are judged."""
        asked = [query for query in scores if query in self._judgments]
        judgments = {ALONE: {ALONE: 1}, **{query: self._judgments[query] for query in asked}}
        run = {ALONE: {ALONE: 1.0}, **{query: scores[query] for query in asked if scores[query]}}
        with collecting_notes():
            result = evaluate_run(judgments, run, measures_of(self._printed), dialect=self._dialect)
        columns = {measure: column for column, measure in enumerate(result.measures)}
        rows = dict(zip(result.names, result.matrix.tolist(), strict=True))
        return {query: self._row(rows[query], columns) for query in asked}

    def _row(self, values: Sequence[float], columns: Mapping[Any, int]) -> dict[str, float]:
        """Return the values of a query by name; those of geometric means are logarithms."""
        row = {printed.name: values[columns[printed.measure]] for printed in self._printed}
        return {
            name: float(np.log(max(value, LEAST))) if name.startswith("gm_") else value for name, value in row.items()
        }


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Combine the values of queries: counts are added up, logarithms give a geometric mean, the rest a mean."""
    if measure.startswith("num_"):
        return float(np.sum(values))
    return float(np.exp(np.mean(values)) if measure.startswith("gm_") else np.mean(values))


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a TREC run."""
    return _nest((query, document, float(score)) for query, _, document, _, score, _ in map(str.split, f_run))


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of TREC qrels."""
    return _nest((query, document, int(grade)) for query, _, document, grade in map(str.split, f_qrel))


def _nest(rows: Iterable[tuple[str, str, Any]]) -> dict[str, dict[str, Any]]:
    nested: dict[str, dict[str, Any]] = {}
    for query, document, number in rows:
        if document in nested.setdefault(query, {}):
            raise AssertionError(f"query {query} lists document {document} twice")  # as pytrec_eval does
        nested[query][document] = number
    return nested
