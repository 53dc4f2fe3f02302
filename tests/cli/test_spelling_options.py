"""--columns, --scale and --ids: the same in every command that reads tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import Done, rankgauge

PLAN = ["--budget", "5", "-m", "AP", "-o", "c.rg"]
SAID = ["--columns", "query=term,grade=mark", "--scale", "good=2,fair=1,bad=0"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ratings in words, with a blank one, and two runs, under names of their own."""
    folder = tmp_path_factory.mktemp("shop")
    rated = ["term;SKU;mark", *(f"q{q};s{d};{['good', 'fair', 'bad', ''][d % 4]}" for q in range(3) for d in range(8))]
    for name in ("ratings.csv", "judge.csv"):
        (folder / name).write_text("\n".join(rated))
    for name, order in (("a", range(8)), ("b", range(7, -1, -1))):
        ranked = [f"q{q},s{d},{place}" for q in range(3) for place, d in enumerate(order, start=1)]
        (folder / f"{name}.csv").write_text("\n".join(["term,sku,position", *ranked]))
    return folder


def done(folder: Path, *words: str) -> Done:
    """Runs the command in the folder."""
    return rankgauge(words, folder)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evaluate", "ratings.csv", "a.csv", "-m", "P(rel=2)@1"], "ratings.csv: 6 rows have no grade"),
        (["compare", "ratings.csv", "a.csv", "b.csv", "-m", "AP"], "ratings.csv: 6 rows have no grade"),
        (["audit", "ratings.csv", "a.csv"], "nDCG@10"),
        (["audit", "lint", "ratings.csv", "a.csv"], "Lists of fewer than 10 documents"),
        (["audit", "explain", "ratings.csv", "a.csv", "--query", "q1"], "q1"),
        (["audit", "judge", "ratings.csv", "judge.csv", "a.csv"], "18 labels"),
        (["judgments", "combine", "ratings.csv", "-o", "-"], "q0 0 s0 2"),
        (["active", "plan", "a.csv", "b.csv", "--judgments", "ratings.csv", *PLAN], "18 judged"),
    ],
)
def test_every_command_takes_them(shop: Path, words: list[str], said: str) -> None:
    """Without them the file is refused with one clear error, with them it is read."""
    refused = done(shop, *words)
    assert (refused.code, refused.err.count("\n")) == (2, 2)
    assert "--columns" in refused.err
    told = done(shop, *words, *SAID)
    assert told.code == 0, told.err
    assert said in " ".join(told.out.split())
