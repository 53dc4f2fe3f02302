"""trec_eval: every string that it printed, on golden cases and on its own test files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankgauge
from rankgauge import dialects
from rankgauge.errors import InputError
from rankgauge.evaluation.topic_lines import lines
from rankgauge.measures import resolve
from rankgauge.measures.trec_names import NEW, SETS
from tests.engines import Evaluate
from tests.golden import CASES, Case, judgments, printed, run, tables
from tests.shared import shared

together = tables
OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    " -c": {"missing": "zero"},
    " -M10": {"depth": 10},
    " -l2": {"rel": 2.0},
    " -J": {"unjudged": "skip"},
}
TOOLS = {"trec_eval-9.0.8": "trec_eval", "trec_eval-10.0": "trec_eval-10"}
GOLDEN = [
    pytest.param(case, tool, options, id=f"{tool}{options} {case}")
    for case in CASES
    for tool in TOOLS
    for options in case.expected(tool)
]


@pytest.mark.parametrize(("case", "tool", "options"), GOLDEN)
def test_golden(case: Case, tool: str, options: str, evaluate: Evaluate) -> None:
    """Every value stands as trec_eval printed it, no query more or less; what it refused is refused."""
    expected = case.expected(tool)[options]
    if ("-", "ERROR") in expected:
        judged, ranked = case.tables
        once = judged.unique(["query", "document"], keep="first", maintain_order=True)
        is_twice = "duplicate" in expected["-", "ERROR"]
        wanted = case.twice(evaluate, once) if is_twice else "without documents for a judged query"
        with pytest.raises(InputError, match=wanted):
            evaluate(once, ranked, ["map"], dialect=TOOLS[tool], **OPTIONS[options])
        if len(once) < len(judged):
            with pytest.raises(InputError, match="judged twice"):
                evaluate(judged, ranked, ["map"], dialect=TOOLS[tool], **OPTIONS[options])
        return
    assert _printed(evaluate, *case.tables, expected, tool, options) == expected


def test_fractions_are_cut_off(evaluate: Evaluate, tmp_path: Path) -> None:
    """Grades such as 1.9 are read as atol reads them, from tables and from files, and a note says so.

    trec_eval 9.0.4 printed these values for these files.
    """
    grades, printed = {"a": 1.9, "b": 0.5, "c": -0.5, "d": 2.5, "e": 3.0}, (3, 0.3333, 0.1667, 0.4, 0.3134)
    names = ["num_rel", "map", "bpref", "P.5", "ndcg"]
    (tmp_path / "qrels").write_text("".join(f"q 0 {document} {grade}\n" for document, grade in grades.items()))
    (tmp_path / "run").write_text("".join(f"q Q0 {document} 0 {-rank} x\n" for rank, document in enumerate("bacdx")))
    judged = pl.DataFrame({"query": ["q"] * 5, "document": list(grades), "grade": list(grades.values())})
    ranked = pl.DataFrame({"query": ["q"] * 5, "document": list("bacdx"), "score": [5.0, 4.0, 3.0, 2.0, 1.0]})
    results = [evaluate(judged, ranked, names, dialect=tool) for tool in TOOLS.values()]
    results.append(rankgauge.evaluate(str(tmp_path / "qrels"), str(tmp_path / "run"), names, dialect="trec_eval"))
    for result in results:
        assert tuple(round(value, 4) for value in result.matrix[0].tolist()) == printed
    (told,) = results[-1].notes
    assert (
        told == "4 of the judgments have a fraction: what follows a grade's decimal point is cut off: 1.9 counts "
        "as 1, as in trec_eval"
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_learned_collection(tool: str, evaluate: Evaluate) -> None:
    """On the 157 queries of MQ2008's first part, ranked by a feature with many ties, every value stands as printed."""
    rows = [line.split() for line in shared("data/mq2008/S1.txt").read_text().splitlines()]
    listed = [(f[1].removeprefix("qid:"), f[50], float(f[0]), float(f[41].removeprefix("40:"))) for f in rows]
    table = pl.DataFrame(listed, schema=["query", "document", "grade", "score"], orient="row")
    for options, expected in printed(shared("golden/mq2008_S1_feature40.expected.tsv.xz"))[tool].items():
        assert _printed(evaluate, table.drop("score"), table.drop("grade"), expected, tool, options) == expected


def _printed(
    evaluate: Evaluate,
    judged: pl.DataFrame,
    ranked: pl.DataFrame,
    expected: dict[tuple[str, str], str],
    tool: str,
    options: str,
) -> dict[tuple[str, str], str]:
    """What we print for the measures that were expected."""
    names = list(dict.fromkeys(measure for _, measure in expected))
    result = evaluate(judged, ranked, names, dialect=TOOLS[tool], **OPTIONS[options])
    return {(line.query, line.measure): line.value for line in lines(result, resolve(names))}


ALL = [*SETS["all_trec"], *NEW]
MISSING = {"missing": "zero"}
PARAMETERS = [
    "iprec_at_recall..10,.20,.25,.75,.50",
    "P.5,7,3",
    "recall.20,2000",
    "Rprec_mult.5.0,0.2,0.35",
    "utility.2,-1,0,0",
    "11pt_avg..25,.5,.75",
    "ndcg.1=3,2=9,4=4.5",
    "ndcg_cut.10,20,23.4",
    "success.2,5,20",
]
LONG = [name.replace("relstring", "relstring.20") for name in ALL]
OWN: dict[str, tuple[str, str, list[str], bool, dict[str, Any]]] = {
    "out.test": ("qrels.test", "results.test", ["official"], False, {}),
    "out.test.a": ("qrels.test", "results.test", ALL, False, {}),
    "out.test.aq": ("qrels.test", "results.test", ALL, True, {}),
    "out.test.aqc": ("qrels.test", "results.trunc", ALL, True, MISSING),
    "out.test.aqcM": ("qrels.test", "results.trunc", ALL, True, {**MISSING, "depth": 100}),
    "out.test.aql": ("qrels.rel_level", "results.test", LONG, True, {"rel": 2.0}),
    "out.test.meas_params": ("qrels.test", "results.test", PARAMETERS, True, {}),
    "out.comment.test": ("qrels.comment.test", "results.comment.test", ["official"], False, {}),
}
"""trec_eval's own tests, printed by trec_eval 10: the judgments, the run, -m, -q and the other options."""


@pytest.mark.parametrize("output", OWN)
def test_own_output(output: str, evaluate: Evaluate) -> None:
    """Line by line, padding and order included, what trec_eval's own tests expect."""
    judged, ranked, names, per_query, options = OWN[output]
    folder = shared("data/trec_eval_test")
    wanted = (folder / output).read_text().splitlines()
    tag = next((line.split("\t")[2] for line in wanted if line.startswith("runid")), None)
    result = evaluate(judgments(folder / judged), run(folder / ranked), names, dialect="trec_eval-10", **options)
    assert [str(line) for line in lines(result, resolve(names), per_query=per_query, tag=tag)] == wanted


def test_all_trec_is_that_of_the_version(evaluate: Evaluate) -> None:
    """`-m all_trec` is what trec_eval 10 prints for it, and what it adds to the list of trec_eval 9 comes last."""
    folder, names = shared("data/trec_eval_test"), ["all_trec"]
    wanted = (folder / "out.test.a").read_text().splitlines()
    tables = judgments(folder / "qrels.test"), run(folder / "results.test")
    for dialect, added in (("trec_eval-10", 0), ("trec_eval", 5)):
        asked = dialects.get(dialect).resolve(names)
        result = evaluate(*tables, names, dialect=dialect)
        printed = [str(line).split("\t")[0] for line in lines(result, asked, per_query=False, tag="STANDARD")]
        assert printed == [line.split("\t")[0] for line in wanted[: len(wanted) - added]]


@pytest.mark.parametrize(("level", "overall"), [(1.0, "-1.7584"), (2.0, "-1.5006")])
def test_yaap(level: float, overall: str, evaluate: Evaluate) -> None:
    """Yet another average precision as `trec_eval -m yaap` printed it, for -l 1 and -l 2."""
    folder = shared("data/trec_eval_test")
    tables = judgments(folder / "qrels.rel_level"), run(folder / "results.test")
    result = evaluate(*tables, ["yaap"], dialect="trec_eval-10", rel=level)
    (line,) = lines(result, resolve(["yaap"]), per_query=False)
    assert str(line).split() == ["yaap", "all", overall]


def test_judged_documents_of_the_first_few(evaluate: Evaluate) -> None:
    """-J after -M: the run is cut first, then unjudged documents leave; a query left with none still counts."""
    judged = pl.DataFrame({"query": ["a", "b"], "document": ["d3", "d1"], "grade": [1.0, 1.0]})
    listed = [("a", "d1", 3.0), ("a", "d2", 2.0), ("a", "d3", 1.0), ("b", "d1", 2.0), ("b", "d2", 1.0)]
    ranked = pl.DataFrame(listed, schema=["query", "document", "score"], orient="row")
    names = ["num_q", "num_ret", "map"]
    only_judged = evaluate(judged, ranked, names, dialect="trec_eval", unjudged="skip")
    cut_first = evaluate(judged, ranked, names, dialect="trec_eval", unjudged="skip", depth=2)
    assert [only_judged[name] for name in names] == [2, 1 + 1, (1 / 1 + 1 / 1) / 2]
    assert [cut_first[name] for name in names] == [2, 0 + 1, (0 + 1 / 1) / 2]
