"""The stand-in: it answers from its table by what it reads, as a model would."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from rankgauge.errors import InputError, ParameterError
from rankgauge.judgments.llm import Patience, ask
from rankgauge.judgments.llm.stand_in import GradesByText, StandIn, open_endpoint, parsed_faults
from tests.judges.pools import graded, likely, pool

PASSAGES = pl.DataFrame(
    {
        "query_text": ["what is x", "what is x", "what is x y"],
        "text": ["passage 81", "passage 8182", "passage 81"],
        "grade": [1, 2, 3],
    }
)


def test_the_longest_texts_that_fit_count() -> None:
    """A text that is the beginning of another is not taken for it, and neither is a query."""
    table = GradesByText(PASSAGES)
    assert table.find("Query: what is x\n===\npassage 81\n===") == 0
    assert table.find("Query: what is x\n===\npassage 8182\n===") == 1
    assert table.find("Query: what is x y\n===\npassage 81\n===") == 2
    assert table.find("Is <passage 8182> of use for 'what is x'?") == 1
    assert table.find("Query: who knows\npassage 81") is None
    edge = f"=== {'0' * 16} ==="
    assert table.find(f"Query: what is x\n{edge}\nage 8182\n{edge}\nGrade?") == 1


def test_draws_follow_the_probabilities() -> None:
    """At a temperature grades are drawn, the same ones each time; at 0 the likeliest is given."""
    with StandIn(likely(pool(1, 1))) as first, StandIn(likely(pool(1, 1))) as second:
        warm = {"temperature": 1, "n": 1000}
        drawn = [
            Counter(choice["message"]["content"] for choice in one.completion(warm, 0)["choices"])
            for one in (first, second)
        ]
        assert drawn[0] == drawn[1]
        assert drawn[0]["0"] == pytest.approx(700, abs=60)
        cold = first.completion({"temperature": 0}, 0)["choices"][0]["message"]["content"]
        assert cold == "0"


def test_wrong_tables_and_faults_are_errors(tmp_path: Path) -> None:
    """What the stand-in cannot answer from is named at once."""
    with pytest.raises(InputError, match="query_text, text"):
        GradesByText({"text": ["a"], "grade": [1]})
    with pytest.raises(InputError, match="row 2: expected a query_text"):
        GradesByText({"query_text": ["a", "a"], "text": ["b", ""], "grade": [1, 2]})
    with pytest.raises(InputError, match="row 1: expected"):
        GradesByText({"query_text": ["a"], "text": ["b"], "p_0": [0.0], "p_1": [-1.0]})
    with pytest.raises(ParameterError, match="written as"):
        parsed_faults("429")
    with pytest.raises(ParameterError, match="among 429"):
        StandIn(graded(pool()), faults={"teapot": 1.0})


def test_other_urls_stay_as_they_are() -> None:
    """Only `stand-in:FILE` starts one."""
    with open_endpoint("http://localhost:1/v1") as url:
        assert url == "http://localhost:1/v1"


def test_a_url_has_faults(tmp_path: Path) -> None:
    """The shares of requests that go wrong stand in the URL; answers come all the same."""
    table = tmp_path / "t.csv"
    graded(pool()).write_csv(table)
    call = {"model": "m", "cache": tmp_path / "a.db", "patience": Patience(retries=9)}
    asked = ask(pool(), f"stand-in:{table}?faults=cut=0.2,garbage=0.2", **call)
    assert len(asked.frame) == 20
    assert asked.requests > 20
    with pytest.raises(ParameterError, match="written as"):
        ask(pool(), f"stand-in:{table}?faults=429", model="m", cache=tmp_path / "b.db")
