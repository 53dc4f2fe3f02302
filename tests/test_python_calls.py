"""What people type in Python: options of a comparison, fused runs, results by name, misspelt options."""

from __future__ import annotations

import numpy as np
import pytest

import rankgauge
from rankgauge.errors import UnknownNameError

RNG = np.random.default_rng(1)
JUDGMENTS = {f"q{q}": {f"d{d}": int(RNG.integers(0, 3)) for d in range(8)} for q in range(12)}
RUNS = {
    name: {query: {f"d{d}": float(s) for d, s in enumerate(RNG.permutation(10))} for query in JUDGMENTS}
    for name in ("one", "two")
}


def test_compare_takes_the_test_and_the_correction() -> None:
    """The test, the correction and the level may be said in the call; a wrong name shows those that there are."""
    found = rankgauge.compare(JUDGMENTS, RUNS, "AP", test="wilcoxon", correction="bonferroni", alpha=0.01)
    settings = found.settings
    assert (settings.test, settings.correction, settings.alpha) == ("wilcoxon", "bonferroni", 0.01)
    with pytest.raises(UnknownNameError, match="Did you mean wilcoxon"):
        rankgauge.compare(JUDGMENTS, RUNS, "AP", test="wilcoxn")


def test_a_measure_that_was_not_computed() -> None:
    """The error names what was computed."""
    result = rankgauge.evaluate(JUDGMENTS, RUNS["one"], ["nDCG@10", "AP"])
    with pytest.raises(UnknownNameError, match=r"measure in this result called 'nDCG@5'. It has nDCG@10, AP;"):
        result["nDCG@5"]


def test_a_fused_run_is_evaluated() -> None:
    """What fuse gives is a run, alone or among others."""
    fused = rankgauge.fuse(RUNS)
    alone = rankgauge.evaluate(JUDGMENTS, fused, "AP")
    assert alone["AP"] == rankgauge.evaluate(JUDGMENTS, fused.frame, "AP")["AP"]
    both = rankgauge.evaluate(JUDGMENTS, {"rrf": fused, "one": RUNS["one"]}, "AP")
    assert both["rrf"]["AP"] == alone["AP"]
    compared = rankgauge.compare(JUDGMENTS, {"rrf": fused, "one": RUNS["one"]}, "AP")
    assert compared.results["rrf"]["AP"] == alone["AP"]


@pytest.mark.parametrize(
    ("option", "meant"), [("dialct", "dialect"), ("tie", "ties"), ("colums", "columns"), ("unjuged", "unjudged")]
)
def test_a_misspelt_option_is_matched_against_options(option: str, meant: str) -> None:
    """An option that is misspelt is looked for among all options of the call, not only those of the dialect."""
    with pytest.raises(UnknownNameError, match=rf"no option of evaluate called '{option}'. Did you mean .*\b{meant}\b"):
        rankgauge.evaluate(JUDGMENTS, RUNS["one"], "AP", **{option: "x"})
    with pytest.raises(UnknownNameError, match=r"no option of compare called 'corection'. Did you mean correction"):
        rankgauge.compare(JUDGMENTS, RUNS, "AP", corection="holm")


def test_results_by_name_are_drawn() -> None:
    """plot takes what evaluate gives for several runs."""
    pytest.importorskip("altair", reason="the extra plots is not installed")
    results = rankgauge.evaluate(JUDGMENTS, RUNS, ["AP"])
    assert "one" in rankgauge.plot(results).to_json()
    assert rankgauge.plot({"one": results["one"]}).to_dict()
