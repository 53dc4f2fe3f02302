"""trec_eval 8.1 with nDCG: every string that it printed, and what its options do."""

from __future__ import annotations

from math import log2
from typing import Any

import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.evaluation.topic_lines import lines
from tests.engines import Evaluate
from tests.golden import CASES, Case, judgments, printed, run, tables
from tests.shared import shared

together = tables
TOOL = "trec_eval-8.1+ndcg"
OPTIONS: dict[str, dict[str, Any]] = {"": {}, " -c": {"missing": "zero"}, " -M10": {"depth": 10}}
GOLDEN = [pytest.param(case, options, id=f"{case}{options}") for case in CASES for options in case.expected(TOOL)]


@pytest.mark.parametrize(("case", "options"), GOLDEN)
def test_golden(case: Case, options: str, evaluate: Evaluate) -> None:
    """Every value stands as trec_eval printed it, no query more or less; a duplicate that it refused is refused."""
    expected = case.expected(TOOL)[options]
    if ("-", "ERROR") in expected:
        with pytest.raises(InputError, match=case.twice(evaluate)):
            evaluate(*case.tables, "all", dialect=TOOL, **OPTIONS[options])
    else:
        assert _printed(evaluate, *case.tables, options) == expected


def test_learned_collection(evaluate: Evaluate) -> None:
    """On the 157 queries of MQ2008's first part, ranked by a feature with many ties, every value stands as printed."""
    rows = [line.split() for line in shared("data/mq2008/S1.txt").read_text().splitlines()]
    listed = [(f[1].removeprefix("qid:"), f[50], float(f[0]), float(f[41].removeprefix("40:"))) for f in rows]
    table = pl.DataFrame(listed, schema=["query", "document", "grade", "score"], orient="row")
    for options, expected in printed(shared("golden/mq2008_S1_feature40.expected.tsv.xz"))[TOOL].items():
        assert _printed(evaluate, table.drop("score"), table.drop("grade"), options) == expected


def test_files_and_frames_agree(evaluate: Evaluate) -> None:
    """A file with −1 gives the values that its table gives: the fast path leaves such files to the general one."""
    case = next(case for case in CASES if str(case) == "neg_labels")
    paths = case.path / "qrels.txt", case.path / "run.txt"
    of_files = evaluate(*paths, "all", dialect=TOOL)
    of_frames = evaluate(judgments(paths[0]), run(paths[1]), "all", dialect=TOOL)
    assert of_files.values.equals(of_frames.values)


def _printed(
    evaluate: Evaluate, judged: pl.DataFrame, ranked: pl.DataFrame, options: str
) -> dict[tuple[str, str], str]:
    result = evaluate(judged, ranked, "all", dialect=TOOL, **OPTIONS[options])
    return {(line.query, line.measure): line.value for line in lines(result)}


JUDGED = pl.DataFrame(
    {"query": ["q"] * 5, "document": ["a", "b", "c", "d", "e"], "grade": [1.0, 2.0, -1.0, 0.0, 2.0]},
)


def _run(documents: str) -> pl.DataFrame:
    scores = [float(len(documents) - place) for place in range(len(documents))]
    return pl.DataFrame({"query": ["q"] * len(documents), "document": list(documents), "score": scores})


def test_ideal_ends_where_the_run_does(evaluate: Evaluate) -> None:
    """-M 1 leaves one document to the run and one to the ideal; -l 2 leaves the ideal the grades from 2 on."""
    first = evaluate(JUDGED, _run("ab"), "nDCG", dialect=TOOL, depth=1)
    assert first["nDCG"] == pytest.approx((1 / log2(2)) / (2 / log2(2)), rel=1e-7)
    highest = evaluate(JUDGED, _run("ab"), "nDCG", dialect=TOOL, rel=2.0)
    dcg = 1 / log2(2) + 2 / log2(3)
    assert highest["nDCG"] == pytest.approx(dcg / (2 / log2(2) + 2 / log2(3)), rel=1e-7)


def test_pooled_documents_stay_among_the_judged(evaluate: Evaluate) -> None:
    """-J takes out x, which is in no pool, and keeps c, judged −1; trec_eval 9 takes out both."""
    names = ["NumRet", "RR"]
    older = evaluate(JUDGED, _run("xca"), names, dialect=TOOL, unjudged="skip")
    newer = evaluate(JUDGED, _run("xca"), names, dialect="trec_eval", unjudged="skip")
    assert [older[name] for name in names] == [2, 1 / 2]
    assert [newer[name] for name in names] == [1, 1 / 1]


def test_pooled_documents_count_as_not_relevant(evaluate: Evaluate) -> None:
    """Bpref: of R = 3 relevant documents a and b have d before them; N is 2 with c, judged −1, and 1 without."""
    older = evaluate(JUDGED, _run("dab"), "Bpref", dialect=TOOL)
    newer = evaluate(JUDGED, _run("dab"), "Bpref", dialect="trec_eval")
    assert older["Bpref"] == pytest.approx(((1 - 1 / 2) + (1 - 1 / 2)) / 3, rel=1e-7)
    assert newer["Bpref"] == ((1 - 1 / 1) + (1 - 1 / 1)) / 3
