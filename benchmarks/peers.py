"""The peers on a judgments file and one or several run files: python -m benchmarks.peers NAME QRELS RUN…

Each reads the files, computes nDCG@10, AP, RR, P@10 and R@1000 for every query, and prints their means: with its own
reader, in the way that its documentation shows.
"""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks import trec_eval
from benchmarks.costs import module

__all__ = ["WIRE", "command", "known", "versions"]

PACKAGES = {"pytrec_eval": "pytrec-eval-terrier", "ir-measures": "ir-measures", "ranx": "ranx"}

WIRE = {
    "wc -l": ["wc", "-l"],
    "bytes summed by NumPy": [
        sys.executable,
        "-c",
        "import sys, numpy\nfor path in sys.argv[1:]: print(numpy.memmap(path, 'u1').sum())",
    ],
}
"""Commands that only touch every byte of the files: what no reader can beat."""


def known() -> list[str]:
    """The peers that are on this machine."""
    return [*(["trec_eval"] if trec_eval.program() else []), *(name for name in PACKAGES if _version(PACKAGES[name]))]


def versions() -> dict[str, str]:
    """The peers' versions."""
    return {name: _version(package) or "not here" for name, package in PACKAGES.items()}


def command(name: str, qrels: Path, *runs: Path) -> list[str]:
    """The command that runs the peer; trec_eval takes one run, so several are a loop."""
    if name in WIRE:
        return [*WIRE[name], str(qrels), *map(str, runs)]
    if name != "trec_eval":
        return module("benchmarks.peers", name, qrels, *runs)
    chosen = ("ndcg_cut.10", "map", "recip_rank", "P.10", "recall.1000")
    # -c: without it, trec_eval 10 ends with an error at a judged query that the run does not answer.
    words = [trec_eval.program() or name, "-q", "-c", *(word for one in chosen for word in ("-m", one)), str(qrels)]
    if len(runs) == 1:
        return [*words, str(runs[0])]
    return ["sh", "-c", f'for run; do {shlex.join(words)} "$run"; done', "sh", *map(str, runs)]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _pytrec_eval(qrels: str, *runs: str) -> dict[str, float]:
    import pytrec_eval

    with open(qrels) as file:
        judgments = pytrec_eval.parse_qrel(file)
    measures = {"ndcg_cut.10", "map", "recip_rank", "P.10", "recall.1000"}
    evaluator, means = pytrec_eval.RelevanceEvaluator(judgments, measures), {}
    for run in runs:
        with open(run) as file:
            values = evaluator.evaluate(pytrec_eval.parse_run(file))
        names = next(iter(values.values()))
        means = {name: sum(value[name] for value in values.values()) / len(values) for name in names}
    return means


def _ir_measures(qrels: str, run: str) -> dict[str, float]:
    import ir_measures
    from ir_measures import AP, RR, P, R, nDCG

    judgments, ranking = ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
    result = ir_measures.calc([nDCG @ 10, AP, RR, P @ 10, R @ 1000], judgments, ranking)
    assert len(result[1])
    return {str(measure): value for measure, value in result[0].items()}


def _ranx(qrels: str, run: str) -> dict[str, float]:
    import ranx

    judgments, ranking = ranx.Qrels.from_file(qrels, kind="trec"), ranx.Run.from_file(run, kind="trec")
    measures = ["ndcg@10", "map", "mrr", "precision@10", "recall@1000"]
    return dict(ranx.evaluate(judgments, ranking, measures, make_comparable=True))


TOOLS = {"pytrec_eval": _pytrec_eval, "ir-measures": _ir_measures, "ranx": _ranx}


if __name__ == "__main__":
    for measure, value in TOOLS[sys.argv[1]](*sys.argv[2:]).items():
        print(measure, f"{value:.4f}", sep="\t")
