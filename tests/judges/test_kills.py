"""A session that is killed goes on where it was: what is stored is not asked again, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

from benchmarks.judge_kills import killed


def test_nothing_is_asked_twice_or_lost(tmp_path: Path) -> None:
    """Only what was under way at a kill is sent again, under the same idempotency key."""
    jobs, kills = 4, 2
    found = killed(tmp_path, pairs=200, kills=kills, jobs=jobs, seed=1)
    assert found.stored == found.distinct == 200
    assert found.stored_again == 0
    assert found.lost == 0
    assert found.in_flight <= jobs * kills
