"""A number from nowhere: which tools, cutoffs and choices give it on this data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankgauge import evaluate
from rankgauge.audit.tools import Origins, audit, origins, report
from rankgauge.audit.tools.origins import OriginsReport, PrintedNumber
from rankgauge.audit.tools.report import lacking
from rankgauge.errors import InputError, ParameterError

Search = tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]


@pytest.mark.parametrize(
    ("text", "value", "inside", "outside"),
    [
        ("0.4812", 0.4812, 0.48124, 0.48126),
        (".48", 0.48, 0.4849, 0.4851),
        ("48.12%", 0.4812, 0.48124, 0.48126),
        ("48,12 %", 0.4812, 0.48124, 0.48126),
        (0.5, 0.5, 0.549, 0.551),
    ],
)
def test_digits_say_how_near(text: str | float, value: float, inside: float, outside: float) -> None:
    """A number holds what rounds to its printed digits."""
    claim = PrintedNumber.of(text)
    assert claim.value == pytest.approx(value)
    assert claim.holds(inside)
    assert not claim.holds(outside)


@pytest.mark.parametrize("text", ["about 0.5", "", "0.4.8"])
def test_what_is_no_number(text: str) -> None:
    """Anything else is an error with an example."""
    with pytest.raises(ParameterError, match=r"such as 0\.4812"):
        PrintedNumber.of(text)


CHOICES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a tool": ("trec_eval", "nDCG@10", {}),
    "a cutoff": ("standard", "nDCG@20", {}),
    "a tool's option": ("trec_eval", "nDCG@10", {"missing": "zero"}),
    "a gain": ("standard", "nDCG(gain='exp')@10", {}),
    "an order of ties": ("standard", "nDCG@10", {"ties": "worst"}),
    "a treatment of missing queries": ("standard", "nDCG@10", {"missing": "skip"}),
    "two choices": ("standard", "nDCG(gain='exp')@10", {"ties": "best"}),
}


@pytest.mark.parametrize("which", CHOICES)
def test_what_gave_it_is_found(search: Search, which: str) -> None:
    """A mean that some choice gave is traced to ways that give it, and their options give it again."""
    dialect, measure, changes = CHOICES[which]
    mean = evaluate(*search, measure, dialect=dialect, **changes)[measure]
    found = origins(*search, f"{mean:.6f}", "nDCG@10")
    assert found.found
    for one in found.origins:
        again = evaluate(*search, one.measure, dialect=one.tool, **dict(one.changes))[one.measure]
        assert again == pytest.approx(mean, abs=1e-6)
    assert [one.unlikely for one in found.origins] == sorted(one.unlikely for one in found.origins)


def test_empty_queries(letor: tuple[Path, Path]) -> None:
    """What counts queries without a relevant document as 1 or leaves them out is told apart."""
    whole = evaluate(*letor, "nDCG@10", empty=1.0)["nDCG@10"]
    (first, *_) = origins(*letor, f"{whole:.6f}").origins
    assert dict(first.changes) == {"empty": 1.0} or first.tool in ("catboost", "sklearn")
    told = origins(*letor, f"{evaluate(*letor, 'nDCG@10', empty='leave-out')['nDCG@10']:.6f}").origins
    assert any(dict(one.changes) == {"empty": "leave-out"} or not one.changes for one in told)


def text(found: Origins) -> str:
    """What people read."""
    import io

    stream = io.StringIO()
    OriginsReport(origins=found).show(stream)
    return stream.getvalue()


def test_none_gives_it(search: Search) -> None:
    """The nearest are shown, the nearest first, and what to ask."""
    found = origins(*search, "0.98765")
    assert not found.found
    gaps = [abs(one.mean - 0.98765) for one in found.origins]
    assert gaps == sorted(gaps)
    shown = text(found)
    assert f"Of {found.tried} ways to compute nDCG@10 of run, none gives 0.98765. The nearest:" in shown
    assert "how many queries is the mean over? 40 are judged here" in shown
    assert "or another measure" in shown


def test_refusals_come_first(search: Search) -> None:
    """A tool that refuses the data is told before anything else."""
    shown = text(origins(*search, "0.5", dialects=["standard", "sklearn", "ranx"]))
    assert shown.startswith("Refused\n")
    assert shown.index("negative grade") < shown.index("ways to compute")
    with pytest.raises(InputError, match="no tool accepts this input; sklearn says: negative grade"):
        origins(*search, "0.5", dialects=["sklearn"])


def test_a_share_of_a_hundred(search: Search) -> None:
    """48.1 is taken for 48.1 % where the measure goes up to 1, and stays where it does not."""
    mean = evaluate(*search, "nDCG@10")["nDCG@10"]
    assert origins(*search, f"{100 * mean:.4f}").origins[0].tool == "standard"
    gained = evaluate(*search, "DCG@10")["DCG@10"]
    assert origins(*search, f"{gained:.6f}", "DCG@10").origins[0].mean == pytest.approx(gained)


def test_as_data(search: Search) -> None:
    """The frame and the data have every way, with its difference."""
    found = origins(*search, "0.4", name="bm25")
    told = OriginsReport(origins=found).data()
    assert told["origins"] == found.frame.to_dicts()
    assert all(row["gives"] for row in told["origins"])
    assert told["run"] == "bm25"
    assert replace(found.origins[0], changes=(("ideal", "judged"),)).options == "ideal=judged (in Python)"


@pytest.fixture
def graded() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments with grades to 3 and unjudged documents, of which no tool for learned rankers says anything."""
    rng = np.random.default_rng(3)
    judgments = {f"q{q}": {f"d{d}": int(rng.integers(0, 4)) for d in range(12)} for q in range(15)}
    run = {q: {f"d{d}": float(s) for d, s in enumerate(rng.permutation(20))} for q in judgments}
    return judgments, run


def test_a_tool_is_named_only_for_what_it_has(graded: Any) -> None:
    """Relevance from grade 2 on is told as such: the script of MSLR, which counts so too, prints no RR; nor has gdeval
    linear gains."""
    value = evaluate(*graded, "RR(rel=2)")["RR(rel=2)"]
    found = origins(*graded, f"{value:.4f}", "RR")
    assert found.found
    assert str(found.origins[0].measure) == "RR(rel=2)"
    tools = {tool for one in found.origins for tool in (one.tool, *one.also)}
    assert "mslr" not in tools
    assert "standard" in tools
    linear = origins(
        *graded, f"{evaluate(*graded, 'nDCG@10')['nDCG@10']:.4f}", "nDCG@10", dialects=["gdeval", "trec_eval"]
    )
    assert {tool for one in linear.origins for tool in (one.tool, *one.also)} == {"trec_eval"}


def test_a_likely_change_is_before_an_unlikely_tool(graded: Any) -> None:
    """AP from grade 2 on is one change of a usual tool, though MSLR's script would need none on files of its own."""
    found = origins(*graded, f"{evaluate(*graded, 'AP(rel=2)')['AP(rel=2)']:.6f}", "AP")
    assert str(found.origins[0].measure) == "AP(rel=2)"
    assert found.origins[0].tool != "mslr"


def test_every_threshold_and_several_measures(graded: Any) -> None:
    """A number that may be of several measures is searched among all of them, at every threshold."""
    value = evaluate(*graded, "P(rel=3)@5")["P(rel=3)@5"]
    found = origins(*graded, f"{value:.6f}", ["nDCG@10", "AP", "P@5"])
    assert "P(rel=3)@5" in {str(one.measure) for one in found.origins}
    assert [str(one) for one in found.measures] == ["nDCG@10", "AP", "P@5"]
    assert "to compute nDCG@10 or AP or P@5 of run" in text(found)


def test_a_change_holds_for_providers_too(graded: Any) -> None:
    """What ir-measures takes from gdeval is changed as `evaluate` changes it, and each way gives its number."""
    plain = evaluate(*graded, "ERR@5", dialect="ir-measures")["ERR@5"]
    skipped = evaluate(*graded, "ERR@5", dialect="ir-measures", unjudged="skip")["ERR@5"]
    assert plain != pytest.approx(skipped, abs=1e-3)
    found = origins(*graded, f"{plain:.6f}", "ERR@5", dialects=["ir-measures"])
    assert [one.options for one in found.origins] == [""]  # nothing that the tool does anyway, or that changes nothing
    (one,) = origins(*graded, f"{skipped:.6f}", "ERR@5", dialects=["ir-measures"]).origins
    assert one.options == "--unjudged skip"


def test_a_percentage_is_said_and_tried_last(graded: Any) -> None:
    """A number above 1 is looked for as it is, then as a percentage, which is told."""
    graded = (
        {query: {document: 3 * grade for document, grade in grades.items()} for query, grades in graded[0].items()},
        graded[1],
    )
    value = evaluate(*graded, "RBP", dialect="ranx")["RBP"]
    assert value > 1
    found = origins(*graded, f"{value:.6f}", "RBP")
    assert [one.tool for one in found.origins] == ["ranx"]
    assert "taken for" not in text(found)
    shared = text(origins(*graded, f"{100 * evaluate(*graded, 'nDCG@10')['nDCG@10']:.2f}"))
    assert "is above 1, and so taken for" in shared


def test_tools_without_the_measure_are_left_out(graded: Any) -> None:
    """An audit credits no tool with a measure that it lacks, and names those; who asks for one is told."""
    found = audit(*graded, "RBP")
    assert {one.name for one in found.dialects} == {"standard", "ranx"}
    assert {"trec_eval", "sklearn", "gdeval"} <= set(found.lacking)
    ((subject, words),) = lacking(found)
    assert subject == "left out"
    assert words.endswith("have no RBP")
    assert lacking(audit(*graded, "RBP", dialects=["gdeval"]))[0][1].startswith(
        "the dialect gdeval has no RBP: computed"
    )
    assert lacking(audit(*graded, "nDCG@10", dialects=["gdeval"])) == []


def test_ranks_that_contradict_scores(tmp_path: Path) -> None:
    """A run reranked without new scores has two orders: a number by its ranks is found, and an audit says that they
    are not what counts; a run whose ranks go with its scores is asked nothing of the kind."""
    judged, contrary, plain = (tmp_path / name for name in ("qrels.txt", "contrary.txt", "plain.txt"))
    judged.write_text("".join(f"q{q} 0 d{d} {(q + d) % 4}\n" for q in range(4) for d in range(6)))
    lines = [(q, d, place) for q in range(4) for place, d in enumerate((3, 0, 5, 1, 4, 2), 1)]
    contrary.write_text("".join(f"q{q} Q0 d{d} {place} {10 - d} r\n" for q, d, place in lines))
    plain.write_text("".join(f"q{q} Q0 d{d} {place} {10 - place} r\n" for q, d, place in lines))
    value = f"{evaluate(judged, contrary, 'nDCG@10', order='rank')['nDCG@10']:.6f}"
    found = origins(judged, contrary, value)
    assert found.origins[0].options == "--order rank"
    assert "order" in found.why
    asked = "by which of the two is the run in order? in 4 of 4 queries the ranks of run contradict its scores"
    assert asked in " ".join(text(origins(judged, contrary, "0.999999")).split())
    assert "by which of the two" not in " ".join(text(origins(judged, plain, "0.999999")).split())
    told = report.contrary(audit(judged, {"a": contrary, "b": plain}))
    assert [words[:59] for _, words in told] == ["4 of 4 (a) queries have ranks that contradict their scores;"]
