"""Tools that are no test dependencies: their dialects give the values that they gave to 1,000 random cases."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
import pytest

from rankgauge import dialects, evaluate
from rankgauge.policies import LEAVE_OUT
from tests.peers.tools import TOOLS, batched, given

SINGLE = 1e-6
"""How far a mean of values of 32 bits may be off."""


def dialect_of(tool: str, name: str) -> tuple[str, str, str]:
    """The dialect that computes the measure, and what ties and empty queries are changed to.

    torch's order of ties is not certain, so its binary measures had lists in which the input's order decides. To
    JavaScript 0/0 is no number, and left out of the golden means. BEIR's MRR has a dialect of its own.
    """
    dialect = dialects.get("beir-mrr" if tool == "beir" and name.startswith("MRR") else tool)
    broken = tool == "torchmetrics" and not name.startswith("RetrievalNormalizedDCG")
    undefined = tool == "quepid" and name == "AP@10"
    return dialect.name, "input" if broken else dialect.ties, LEAVE_OUT if undefined else str(dialect.empty)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_measure(tool: str) -> None:
    """With ties, unjudged documents, empty and missing queries; negative grades where the tool takes them."""
    case, near = TOOLS[tool][0](), {"torchmetrics": SINGLE, "beir": 5.1e-6}.get(tool, 1e-12)
    alike: dict[tuple[str, str, str], list[str]] = {}
    for name in given(tool)[1]:
        alike.setdefault(dialect_of(tool, name), []).append(name)
    for (dialect, ties, empty), names in alike.items():
        undefined = empty if empty == LEAVE_OUT else float(empty)
        result = evaluate(case.judgments, case.run, names, dialect=dialect, ties=ties, empty=undefined)
        for name in names:
            column = result.matrix[:, result.measures.index(result.dialect.select(name)[0])]
            ours = batched(dict(zip(result.names, column.tolist(), strict=True)), list(case.run))
            np.testing.assert_allclose(ours, given(tool)[1][name], rtol=0, atol=near, err_msg=name)


@pytest.mark.parametrize("tool", ["torchmetrics", "beir", "mteb"])
def test_the_tool_itself(tool: str) -> None:
    """Where the tool is installed, in the version of the golden values, it gives them."""
    told, means = given(tool)
    if find_spec(tool) is None or version(tool) != told:
        pytest.skip(f"{tool} {told} is not installed: pip install {tool}=={told}")
    drawn, compute = TOOLS[tool]
    case = drawn()
    found = {name: batched(values, list(case.run)) for name, values in compute(case).items()}
    assert found == {name: pytest.approx(values, abs=SINGLE) for name, values in means.items()}


def test_their_names_are_the_dialects_own() -> None:
    """Under a dialect a name means what its tool means: Elasticsearch's precision is at 10, ranx's of the list."""
    meant = {
        "elasticsearch": {"precision": "P@10", "dcg": "DCG@10", "mean_reciprocal_rank": "RR@10"},
        "ranx": {"precision": "SetP", "dcg": "DCG", "hits": "HitCount", "f1": "SetF"},
        "torchmetrics": {"RetrievalPrecision": "SetP", "RetrievalMAP": "AP"},
        "mteb": {"ndcg_at_10": "nDCG@10", "hit_rate_at_10": "Success@10"},
    }
    for name, names in meant.items():
        dialect = dialects.get(name)
        assert {one: str(dialect.resolve(one)[0].measure) for one in names} == names
