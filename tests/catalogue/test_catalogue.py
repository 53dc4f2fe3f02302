"""What runs show of a catalogue: every statistic by hand, what each needs, and the command."""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge.catalogue import STATISTICS, survey
from rankgauge.cli.main import run
from rankgauge.errors import InputError

ITEMS = pl.DataFrame(
    {
        "item_id": ["a", "b", "c", "d", "e"],
        "popularity": [40, 30, 20, 10, 0],
        "category": ["x", "x", "y", "y", "z"],
    }
)
RUN = {"1": {"a": 3.0, "b": 2.0, "e": 1.0}, "2": {"a": 9.0, "c": 8.0}}
JUDGED = {"1": {"b": 1, "e": 1}, "2": {"c": 1, "a": 1}}
BY_HAND = {
    "coverage": "3 / 5",  # a, b and c at depth 2
    "gini": "(-4 * 0 + -2 * 0 + 0 * 1 + 2 * 1 + 4 * 2) / (5 * 4)",
    "entropy": "-(2/4 * log2(2/4) + 2 * 1/4 * log2(1/4))",
    "personalisation": "1 - 1 / (sqrt(2) * sqrt(2))",
    "popularity": "((40 + 30) / 2 + (40 + 20) / 2) / 2",
    "novelty": "-((log2(40/101) + log2(30/101)) / 2 + (log2(40/101) + log2(20/101)) / 2) / 2",
    "epc": "((.6 + .7) / 2 + (.6 + .8) / 2) / 2",
    "tail": "(1/2 + 1/2) / 2",  # the most popular fifth is a
    "diversity": "(0 + 1) / 2",
    "serendipity": "(0/2 + 1/2) / 2",  # b is relevant, but among the two most popular; c is not
}


@pytest.mark.parametrize("name", STATISTICS)
def test_by_hand(name: str) -> None:
    """Each statistic of two short lists is what its words say."""
    found = survey({"r": RUN}, items=ITEMS, judgments=JUDGED, depth=2, users=100, statistics=[name])
    names = {"log2": math.log2, "sqrt": math.sqrt}
    assert found.table["value"][0] == pytest.approx(eval(BY_HAND[name], {"__builtins__": {}}, names))


def test_lists_apart() -> None:
    """Personalisation is the mean over every two lists, one pair at a time."""
    rng = np.random.default_rng(1)
    run = {str(q): {f"d{d}": float(-d) for d in rng.permutation(12)[: rng.integers(1, 6)]} for q in range(8)}
    found = survey({"r": run}, depth=5, statistics=["personalisation"])
    lists = [set(documents) for documents in run.values()]
    cosines = [len(a & b) / math.sqrt(len(a) * len(b)) for a, b in itertools.combinations(lists, 2)]
    assert found.table["value"][0] == pytest.approx(1 - np.mean(cosines))


@pytest.mark.parametrize("name", STATISTICS)
def test_values_lie_within_bounds(name: str) -> None:
    """On random lists each value and both ends of its interval are where they can be."""
    rng = np.random.default_rng(2)
    run = {str(q): {d: float(s) for d, s in zip("abcde", rng.random(5), strict=True)} for q in range(30)}
    found = survey({"r": run}, items=ITEMS, judgments=JUDGED, depth=3, users=100, statistics=[name])
    low, high = STATISTICS[name].bounds
    ends = [found.table[column][0] for column in ("value", "low", "high")]
    assert all(math.isnan(end) or low - 1e-12 <= end <= high + 1e-12 for end in ends)
    assert math.isnan(ends[1]) is not STATISTICS[name].per_query


def test_what_is_not_known_is_left_out() -> None:
    """Without a table of items there is neither popularity nor category, and the catalogue is what is shown."""
    found = survey({"r": RUN}, depth=2)
    assert {*found.table["statistic"]} == {"coverage", "gini", "entropy", "personalisation"}
    assert found.lacking["serendipity"] == ["popularity", "judgments"]
    assert found.table["value"][found.table["statistic"].index("coverage")] == 1


def test_strangers_and_doubles_are_refused() -> None:
    """The catalogue holds every document that is shown, and each once."""
    with pytest.raises(InputError, match="document e of query 1 is not in the catalogue"):
        survey({"r": RUN}, items=ITEMS.head(4))
    with pytest.raises(InputError, match="the item a is listed twice"):
        survey({"r": RUN}, items=pl.concat([ITEMS, ITEMS.head(1)]))
    with pytest.raises(InputError, match="popularity of an item is -1"):
        survey({"r": RUN}, items=ITEMS.with_columns(popularity=pl.lit(-1)))


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """`rankgauge catalogue` beside a run and its items."""
    monkeypatch.chdir(tmp_path)
    ITEMS.write_csv(tmp_path / "items.csv")
    rows = [f"{q} Q0 {d} 1 {s} r" for q, documents in RUN.items() for d, s in documents.items()]
    (tmp_path / "run.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")

    def call(*arguments: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["rankgauge", "catalogue", "run.txt", *arguments])
        with pytest.raises(SystemExit) as ended:
            run()
        printed = capsys.readouterr()
        assert (ended.value.code or 0) == code, printed.err
        return printed.err if code else printed.out

    return call


def test_command(command: Callable[..., str]) -> None:
    """The command shows a table and says what is missing for the rest; a wrong name is an error."""
    printed = command("--items", "items.csv", "-k", "2")
    assert "coverage" in printed
    assert "serendipity: it needs --judgments" in " ".join(printed.split())
    found = json.loads(command("--items", "items.csv", "-k", "2", "--statistics", "coverage,gini", "-o", "json"))
    assert [row["statistic"] for row in found["values"]] == ["coverage", "gini"]
    assert "no statistic of a catalogue called" in command("--statistics", "covrage", code=3)
