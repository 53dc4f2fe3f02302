"""A pytest plugin: `assert_ranking` in any test, where RankGauge is installed.

def test_search(assert_ranking):
    assert_ranking("qrels.txt", "new.txt", baseline="main.txt", rules=["nDCG@10:0.01"])
    assert_ranking("qrels.txt", "new.txt", floors={"nDCG@10": 0.62})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest


@pytest.fixture
def assert_ranking(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Fail a test whose run is worse than a baseline or below a floor; each gate is a property in JUnit files."""

    def check(
        judgments: Any,
        run: Any,
        *,
        baseline: Any = None,
        rules: str | Iterable[str] = (),
        floors: Mapping[str, float] | None = None,
        undecided: str = "fail",
        **options: Any,
    ) -> None:
        from rankgauge import compare

        __tracebackhide__ = True
        named = [rules] if isinstance(rules, str) else list(rules)
        if not named and not floors:
            raise TypeError("assert_ranking needs rules or floors, such as rules=['nDCG@10:0.01']")
        if named and baseline is None:
            raise TypeError("assert_ranking needs a baseline for its rules; without one, give floors")
        if undecided not in ("fail", "pass"):
            raise TypeError(f"undecided is 'fail' or 'pass', not {undecided!r}")
        measures = list(dict.fromkeys([*(rule.rpartition(":")[0] or rule for rule in named), *(floors or {})]))
        runs = {"baseline": run if baseline is None else baseline, "run": run}
        gate = compare(judgments, runs, measures, baseline="baseline", **options).gate(*named, floors=floors)
        bad = {"worse"} | ({"undecided"} if undecided == "fail" else set())
        problems = []
        for words, verdict in lines(gate):
            request.node.user_properties.append(("rankgauge", f"{verdict}: {words}"))
            if verdict in bad:
                problems.append(f"{verdict}: {words}")
        if problems:
            pytest.fail("\n".join(problems), pytrace=False)

    return check


def lines(gate: Any) -> list[tuple[str, str]]:
    """Say each gate in words, with its verdict."""
    said = []
    for row in gate.rows.named():
        interval = f"{row['difference']:+.4f} [{row['low']:+.4f}, {row['high']:+.4f}]"
        why = f" ({row['reason']})" if row["reason"] else ""
        said.append((f"{row['measure']} {interval}, tolerance {row['tolerance']:g}{why}", row["verdict"]))
    floors = gate.floor_rows.named()
    return said + [(f"{row['measure']} {row['mean']:.4f}, at least {row['floor']:g}", row["verdict"]) for row in floors]
