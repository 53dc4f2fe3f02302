"""One query, rank by rank."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from rankgauge import dialects
from rankgauge.audit.tools import Scores, explain
from rankgauge.audit.tools.explain import ExplanationReport
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.measures import parse
from tests.audit.house import LETOR, STANDARD, YAHOO, every

NDCG = parse("nDCG@10")
Tables = tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]

TIED = Scores(
    judgments={"q": {"a": 0, "b": 2, "c": 1, "z": 1}, "empty": {"a": 0}},
    run={"q": {"a": 5.0, "b": 5.0, "u": 5.0, "c": 3.0}, "empty": {"a": 1.0}},
)
"""a (grade 0), b (2) and u (unjudged) are tied, c (1) follows, z (1) is not retrieved."""


@pytest.mark.parametrize("queries", [2, pytest.param(12, marks=pytest.mark.study)])
@pytest.mark.parametrize("dialect", every(), ids=lambda dialect: dialect.name)
def test_contributions_sum_to_the_value(
    letor: tuple[Path, Path], search: Tables, dialect: Dialect, queries: int
) -> None:
    """What the documents add sums to the formula's value, and the value is what the audit has for the query."""
    for scores in (Scores(judgments=letor[0], run=letor[1]), Scores(judgments=search[0], run=search[1])):
        try:
            values = scores.values(dialect, NDCG)
        except InputError:
            continue
        for query, value in list(zip(scores.queries, values, strict=True))[:queries]:
            found = explain(scores, dialect, NDCG, query)
            assert found.value == pytest.approx(value, nan_ok=True)
            if not np.isnan(found.raw):
                assert found.ranks["contribution"].sum() == pytest.approx(found.raw, abs=1e-6)
            if "gain" in found.ranks.columns and len(found.ranks):
                dcg = (found.ranks["gain"] * found.ranks["discount"]).fill_null(0.0).sum()
                ideal = found.ranks["ideal_cumulative"][-1] if len(found.ranks) >= 10 else None
                if ideal and not np.isnan(found.raw) and dialect.name not in ("trec_eval-8.1+ndcg", "quepid"):
                    assert dcg / ideal == pytest.approx(found.raw, abs=1e-6)


@pytest.mark.parametrize(
    ("ties", "order"), [("input", "abuc"), ("docid", "ubac"), ("best", "bauc"), ("worst", "uabc"), ("expected", "abuc")]
)
def test_documents_stand_in_the_tool_s_order(ties: str, order: str) -> None:
    """The documents are listed in the order in which the dialect puts them, tied ones too."""
    found = explain(TIED, STANDARD.changed(ties=ties), NDCG, "q")
    assert "".join(found.ranks["document"]) == order
    assert found.ranks["tied"].to_list() == [3, 3, 3, 1]


def test_averaged_ties() -> None:
    """Where ties are averaged a tied document's discount is the mean over its group; an unjudged one has none."""
    found = explain(TIED, STANDARD, NDCG, "q").ranks
    mean = (1 + 1 / np.log2(3) + 1 / 2) / 3
    assert found["discount"].to_list() == [
        pytest.approx(mean),
        pytest.approx(mean),
        None,
        pytest.approx(1 / np.log2(5)),
    ]
    ideal = 2 + 1 / np.log2(3) + 1 / 2
    assert found["contribution"].to_list()[1:] == [
        pytest.approx(2 * mean / ideal),
        None,
        pytest.approx(1 / np.log2(5) / ideal),
    ]
    assert found["ideal"].to_list() == [2, 1, 1, 0]
    assert found["ideal_cumulative"][-1] == pytest.approx(ideal)


def test_taken_out_and_cut() -> None:
    """Unjudged documents that are taken out are not listed, nor is what lies below the depth."""
    assert explain(TIED, STANDARD.changed(unjudged="skip"), NDCG, "q").ranks["document"].to_list() == ["a", "b", "c"]
    assert explain(TIED, STANDARD.changed(depth=2, ties="input"), NDCG, "q").ranks["document"].to_list() == ["a", "b"]


@pytest.mark.parametrize(
    ("dialect", "query", "words"),
    [
        (STANDARD, "q", "as computed"),
        (LETOR, "q", "counts as 0"),
        (STANDARD, "empty", "0/0 counts as 0"),
        (YAHOO, "empty", "0/0 counts as 1"),
        (dialects.get("gdeval"), "empty", "left out of the mean"),
    ],
)
def test_what_becomes_of_the_value(dialect: Dialect, query: str, words: str) -> None:
    """The last stage says what the tool makes of the formula's value."""
    assert explain(TIED, dialect, NDCG, query).settled == words


@pytest.mark.parametrize(("tool", "depth"), [("standard", 5), ("mlflow", 1), ("llamaindex", 7)])
def test_the_ideal_is_shown_in_full(tool: str, depth: int) -> None:
    """A list of one document does not end the ideal ranking: the notes say what the value was divided by."""
    short = Scores(judgments={"q": dict.fromkeys("abcdefg", 1)}, run={"q": ["a"]})
    found = explain(short, dialects.get(tool), parse("nDCG@5"), "q")
    whole = sum(1 / np.log2(rank + 1) for rank in range(1, depth + 1))
    assert found.ideal == pytest.approx(whole)
    assert found.raw == pytest.approx(1 / whole)
    ExplanationReport(found=[found]).show(page := StringIO())
    assert f"ideal DCG {whole:.4f}" in " ".join(page.getvalue().split())


def test_other_measures() -> None:
    """A measure without gains shows what each document adds; one that is no sum only its value."""
    assert "gain" not in explain(TIED, STANDARD, parse("P@2"), "q").ranks.columns
    assert explain(TIED, STANDARD, parse("P@4"), "q").ranks["contribution"].sum() == pytest.approx(2 / 4)
    assert explain(TIED, STANDARD, parse("SetF"), "q").ranks.columns == ["rank", "document", "score", "grade", "tied"]


def test_an_unknown_query() -> None:
    """A query that nobody judged is named, with the nearest that somebody did."""
    with pytest.raises(UnknownNameError, match=r"no judged query called 'emty'\. Did you mean empty"):
        explain(TIED, STANDARD, NDCG, "emty")
