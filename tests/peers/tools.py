"""Tools that are too large to be test dependencies: the values that they give to random cases, in batches.

`python -m tests.peers.tools torchmetrics` writes the golden file of one, where the tool is installed. A batch is the
mean over some queries: 50 numbers for each measure show the smallest fault in one of 1,000 queries.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

import numpy as np

from tests.peers.cases import Cases, cases

__all__ = ["GOLDEN", "TOOLS", "Values", "batched", "given"]

GOLDEN = Path(__file__).parent / "golden"
BATCH = 20
Values = dict[str, dict[str, float]]
"""By the tool's name for a measure, the value of each query."""


def batched(values: Mapping[str, float], queries: list[str]) -> list[float]:
    """The means over batches of queries; a query without a value does not count."""
    batches = [queries[start : start + BATCH] for start in range(0, len(queries), BATCH)]
    known = [[values[query] for query in batch if not np.isnan(values.get(query, np.nan))] for batch in batches]
    return [float(np.mean(batch)) for batch in known]


def _torch_cases() -> Cases:
    """No scores of 0 or less: torchmetrics takes documents with these for not relevant."""
    drawn = cases(ties=True, missing=True)
    run = {query: {one: score + 1.0 for one, score in found.items()} for query, found in drawn.run.items()}
    return Cases(judgments=drawn.judgments, run=run)


def _torchmetrics(case: Cases) -> Values:
    """nDCG of lists with ties; the others, for which torch's order of ties is not certain, of the same without ties."""
    import torch
    from torchmetrics import retrieval as metrics

    found: Values = {}
    for name, k in [
        ("NormalizedDCG", None),
        ("NormalizedDCG", 5),
        *((n, k) for n in _BINARY for k in (None, 5)),
        ("RPrecision", None),
    ]:
        options = {"top_k": k} if k else {}
        metric = getattr(metrics, f"Retrieval{name}")(**options)
        values = {}
        for query, listed in case.run.items():
            grades = torch.tensor([case.judgments[query].get(document, 0) for document in listed])
            scores = torch.tensor(list(listed.values()), dtype=torch.float64)
            if name != "NormalizedDCG":
                grades, scores = grades.clamp(0, 1), scores - torch.arange(len(listed)) / 1000
            metric.reset()
            values[query] = float(metric(scores, grades, indexes=torch.zeros(len(listed), dtype=torch.long)))
        found[f"Retrieval{name}" + (f"@{k}" if k else "")] = values
    return found


_BINARY = ("MAP", "MRR", "Precision", "Recall", "HitRate")


def _beir(case: Cases) -> Values:
    from beir.retrieval.evaluation import EvaluateRetrieval

    found: Values = {}
    for query, listed in case.run.items():
        one = {query: case.judgments[query]}, {query: dict(listed)}, [1, 5, 10]
        for part in (*EvaluateRetrieval.evaluate(*one), EvaluateRetrieval.evaluate_custom(*one, "mrr")):
            for name, value in part.items():
                found.setdefault(name, {})[query] = value
    return found


def _mteb(case: Cases) -> Values:
    from mteb._evaluators.retrieval_metrics import mrr
    from mteb._evaluators.retrieval_metrics import pytrec_eval as theirs

    asked = {f"{name}.1,5,10" for name in ("map_cut", "ndcg_cut", "recall", "P", "success")}
    values = theirs.RelevanceEvaluator(case.judgments, asked).evaluate(case.run)
    labels = {"map_cut": "map", "ndcg_cut": "ndcg", "recall": "recall", "P": "precision", "success": "hit_rate"}
    found: Values = {}
    for query, one in values.items():
        for name, value in one.items():
            label, _, k = name.rpartition("_")
            found.setdefault(f"{labels[label]}_at_{k}", {})[query] = value
    for name, listed in mrr(case.judgments, case.run, [1, 5, 10]).items():
        found[name.lower().replace("@", "_at_")] = dict(zip(case.run, listed, strict=True))
    return found


QUEPID = """
const [code, cases] = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const found = cases.map(({docs, bestDocs}) => {
  let answer = null, total = 0;
  const max = 3;
  const numReturned = () => docs.length;
  const hasDocRating = (i) => i < docs.length && docs[i].rating !== undefined;
  const docRating = (i) => i < docs.length ? docs[i].rating : undefined;
  const eachDoc = (f, count = 10) => { for (let i = 0; i < Math.min(count, docs.length); i++) f(docs[i], i); };
  const eachDocWithRating = (f) => bestDocs.forEach((doc) => f(doc));
  const setScore = (score) => { answer = score; };
  eval('{' + code + '}');
  return answer;
});
console.log(JSON.stringify(found));
"""
"""What Quepid gives to the code of a scorer, in short."""


def _quepid(case: Cases) -> Values:
    """By Quepid's own files, in the folder that is the last argument: db/scorers of a clone."""
    listed = [
        {
            "docs": [
                {"rating": case.judgments[query][one]} if one in case.judgments[query] else {}
                for one in sorted(found, key=found.get, reverse=True)
            ],
            "bestDocs": [{"rating": grade} for grade in case.judgments[query].values()],
        }
        for query, found in case.run.items()
    ]
    values: Values = {}
    for name in ("nDCG@10", "AP@10", "ERR@10", "P@10", "RR@10"):
        code = (Path(sys.argv[-1]) / f"{name.lower()}.js").read_text()
        done = subprocess.run(["node", "-e", QUEPID], input=json.dumps([code, listed]), capture_output=True, text=True)
        numbers = [np.nan if one is None else one for one in json.loads(done.stdout)]
        values[name] = dict(zip(case.run, numbers, strict=True))
    return values


TOOLS: Mapping[str, tuple[Callable[[], Cases], Callable[[Cases], Values]]] = {
    "torchmetrics": (_torch_cases, _torchmetrics),
    "beir": (lambda: cases(ties=True, lowest=-1, missing=True), _beir),
    "mteb": (lambda: cases(ties=True, lowest=-1, missing=True), _mteb),
    "quepid": (lambda: cases(ties=True, missing=True), _quepid),
}
"""By name, the cases that a tool is given, and what gives their values."""


def given(name: str) -> tuple[str, dict[str, list[float]]]:
    """The version of a tool, and the means over batches that it gave, by its names of measures."""
    kept = json.loads((GOLDEN / f"{name}.json").read_text())
    return kept["version"], kept["means"]


if __name__ == "__main__":
    tool = sys.argv[1]
    drawn, compute = TOOLS[tool]
    case = drawn()
    means = {name: batched(values, list(case.run)) for name, values in compute(case).items()}
    lines = [f"  {json.dumps(name)}: {json.dumps(values)}" for name, values in means.items()]
    head = json.dumps("8" if tool == "quepid" else version(tool))
    GOLDEN.mkdir(exist_ok=True)
    text = f'{{\n "version": {head},\n "means": {{\n' + ",\n".join(lines) + "\n }\n}\n"
    (GOLDEN / f"{tool}.json").write_text(text)
