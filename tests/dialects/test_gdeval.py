"""gdeval: every string that it printed, and the input that it refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.evaluation.topic_lines import lines
from tests.engines import Evaluate
from tests.golden import CASES, Case, printed
from tests.shared import shared

OPTIONS: dict[str, dict[str, Any]] = {"": {}, " -c": {"missing": "zero"}}
GOLDEN = [pytest.param(case, options, id=f"{case}{options}") for case in CASES for options in case.expected("gdeval")]
REFUSED = {
    "float_labels": r"qrels\.txt:2: the grade '1\.0'",
    "labels_to_6": "above 4",
    "dup_docids": r"qrels\.txt:8: .* judged twice",
}
"""What we refuse. gdeval counts each line of a document that stands twice; trec_eval refuses it too."""


def together() -> list[tuple[Path, Path]]:
    """All cases: one job of Spark for each set of options."""
    return [(case.path / "qrels.txt", case.path / "run.txt") for case in CASES]


@pytest.mark.parametrize(("case", "options"), GOLDEN)
def test_golden(case: Case, options: str, evaluate: Evaluate) -> None:
    """Every value stands as gdeval printed it, no query more or less; what it refused is refused."""
    expected = case.expected("gdeval")[options]
    files = case.path / "qrels.txt", case.path / "run.txt"
    if ("-", "ERROR") in expected or str(case) in REFUSED:
        with pytest.raises(InputError, match=REFUSED[str(case)]):
            evaluate(*files, "all", dialect="gdeval", **OPTIONS[options])
    else:
        assert _printed(evaluate, *files, expected, options) == expected


def test_learned_collection(evaluate: Evaluate) -> None:
    """On the 157 queries of MQ2008's first part, ranked by a feature with many ties, every value stands as printed."""
    rows = [line.split() for line in shared("data/mq2008/S1.txt").read_text().splitlines()]
    listed = [(f[1].removeprefix("qid:"), f[50], float(f[0]), float(f[41].removeprefix("40:"))) for f in rows]
    table = pl.DataFrame(listed, schema=["query", "document", "grade", "score"], orient="row")
    for options, expected in printed(shared("golden/mq2008_S1_feature40.expected.tsv.xz"))["gdeval"].items():
        assert _printed(evaluate, table.drop("score"), table.drop("grade"), expected, options) == expected


def _printed(
    evaluate: Evaluate, judged: Any, ranked: Any, expected: dict[tuple[str, str], str], options: str
) -> dict[Any, str]:
    """What we print of the measures that were expected, which gdeval prints at one cutoff a time."""
    names = {measure for _, measure in expected}
    result = evaluate(judged, ranked, "all", dialect="gdeval", **OPTIONS[options])
    return {(line.query, line.measure): line.value for line in lines(result) if line.measure in names}
