"""What runs show of a catalogue: every statistic by hand, what each needs, and the command."""

from __future__ import annotations

import itertools
import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge.catalogue import STATISTICS, survey
from rankgauge.catalogue.report import CatalogueReport
from rankgauge.catalogue.statistic import find
from rankgauge.cli.main import run
from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.measures.names import CATALOGUE, plain

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


@pytest.mark.parametrize("name", STATISTICS)
def test_other_names(name: str) -> None:
    """A statistic is found by the names that libraries give to the same number; one that is near is told of. Who looks
    for any of them among measures is told of the command."""
    one = STATISTICS[name]
    assert all(find(other) is find(other.upper()) is one for other in (name, *one.same))
    for other, words in one.unlike.items():
        with pytest.raises(UnknownNameError, match=f"{name} is near, but not the same: {words}"):
            find(other)
    assert {CATALOGUE[plain(other)] for other in (name, *one.same, *one.unlike)} == {name}


def test_every_name_among_measures_leads_here() -> None:
    """What measures say of a catalogue is a statistic, by a name that this command knows."""
    known = {plain(other) for one in STATISTICS.values() for other in (one.name, *one.same, *one.unlike)}
    assert {*CATALOGUE} == known


def test_lists_apart() -> None:
    """Personalisation is the mean over every two lists, one pair at a time."""
    rng = np.random.default_rng(1)
    run = {str(q): {f"d{d}": float(-d) for d in rng.permutation(12)[: rng.integers(1, 6)]} for q in range(8)}
    found = survey({"r": run}, depth=5, statistics=["personalisation"])
    lists = [set(documents) for documents in run.values()]
    cosines = [len(a & b) / math.sqrt(len(a) * len(b)) for a, b in itertools.combinations(lists, 2)]
    assert found.table["value"][0] == pytest.approx(1 - np.mean(cosines))


def test_lists_without_a_common_document_are_no_more_than_apart() -> None:
    """Personalisation is 1 at most, to the last digit."""
    for length in range(1, 8):
        run = {str(q): {f"d{q}-{d}": float(-d) for d in range(length)} for q in range(7)}
        assert survey({"r": run}, depth=9, statistics=["personalisation"]).table["value"][0] <= 1


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


@pytest.mark.parametrize("name", ["tail", "serendipity"])
def test_equally_popular_items_share_places(name: str) -> None:
    """The order of the table of items is nothing: the value is the mean over every order of equally popular ones."""
    items = pl.DataFrame({"document": list("abcdef"), "popularity": [7, 5, 5, 5, 5, 1]})
    apart = [
        items.with_columns(popularity=pl.Series([7.0, *(5 + 0.1 * places.index(i) for i in range(4)), 1.0]))
        for places in itertools.permutations(range(4))
    ]

    def value(table: pl.DataFrame) -> float:
        return float(survey({"r": RUN}, items=table, judgments=JUDGED, depth=2, statistics=[name]).table["value"][0])

    assert value(items) == value(items.reverse()) == pytest.approx(np.mean([value(table) for table in apart]))
    assert len({value(table) for table in apart}) > 1


def jaccard(one: set[str], other: set[str]) -> float:
    """The share that two sets have in common."""
    return len(one & other) / len(one | other)


def test_diversity_pair_by_pair() -> None:
    """It is the mean distance of the sets of categories of two items, over the pairs of which both have one."""
    rng = np.random.default_rng(3)
    sets = {f"d{d}": {str(g) for g in rng.permutation(4)[: rng.integers(0, 4)]} for d in range(12)}
    cells = ["|".join(sorted(found)) for found in sets.values()]
    run = {str(q): {f"d{d}": float(-d) for d in rng.permutation(12)[: rng.integers(3, 8)]} for q in range(20)}
    pairs = [
        [1 - jaccard(sets[a], sets[b]) for a, b in itertools.combinations(found, 2) if sets[a] and sets[b]]
        for found in run.values()
    ]
    wanted = np.mean([np.mean(found) for found in pairs if found])
    for column in (cells, [cell.split("|") if cell else None for cell in cells]):
        items = pl.DataFrame({"document": list(sets), "genres": column})
        found = survey({"r": run}, items=items, depth=10, statistics=["diversity"])
        assert found.table["value"][0] == pytest.approx(wanted)


def test_items_without_a_category_are_of_no_category() -> None:
    """Two of them are not alike: their pairs are left out, a list of them has no diversity, and a note says so."""
    items = pl.DataFrame({"document": list("abcde"), "category": [None, "", "y", "z", " "]})
    run = {"1": {"a": 3.0, "b": 2.0, "e": 1.0}, "2": {"a": 3.0, "c": 2.0, "d": 1.0}}
    found = survey({"r": run}, items=items, statistics=["diversity"])
    assert (found.table["value"][0], found.table["queries"][0]) == (1.0, 1)
    notes = dict(CatalogueReport(found=found)._notes())
    assert notes["category"] == "3 of 5 items have none; diversity leaves out pairs with one of them"
    assert "diversity" in survey({"r": run}, items=items.with_columns(category=pl.lit(None))).lacking


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


@pytest.mark.parametrize("users", [-3, 0, 0.5, math.nan, math.inf])
def test_senseless_numbers_of_users_are_refused(users: float) -> None:
    """There is at least one user, whether or not popularity is known."""
    for items in (ITEMS, None):
        with pytest.raises(ParameterError, match=r"'users' .* a number of users, 1 or more"):
            survey({"r": RUN}, items=items, users=users)


def test_as_many_users_as_know_an_item() -> None:
    """No item is known to more users than there are; all of them may know it."""
    with pytest.raises(ParameterError, match=r"must be 40 or more: .* Got 39 instead"):
        survey({"r": RUN}, items=ITEMS, users=39)
    found = survey({"r": {"1": {"a": 1.0}}}, items=ITEMS, users=40, statistics=["epc"])
    assert found.table["value"][0] == 0


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
    numbers = re.findall(r"run\.txt +(\S+)", printed)
    assert {len(number.partition(".")[2]) for number in numbers} == {4}
    found = json.loads(command("--items", "items.csv", "-k", "2", "--statistics", "coverage,gini", "-o", "json"))
    assert [row["statistic"] for row in found["values"]] == ["coverage", "gini"]
    needs = "novelty needs a column popularity in --items"
    assert needs in command("--statistics", "coverage,Novelty", code=2)
    assert needs in command("--statistics", "Novelty", "-o", "gone.csv", code=2)
    assert not Path("gone.csv").exists()
    assert "no statistic of a catalogue called" in command("--statistics", "covrage", code=3)


def test_page(command: Callable[..., str], tmp_path: Path) -> None:
    """A page has sections, a chart for each statistic, and the table."""
    command("--items", "items.csv", "-o", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<section>") == 2
    assert page.count("<svg") == page.count("of each run")
    assert page.count("<svg") == len(STATISTICS) - 2  # epc needs users, serendipity judgments


@pytest.mark.parametrize(("columns", "name"), [(("clicks", "count"), "popularity"), (("genre", "brand"), "category")])
def test_of_several_columns_none_is_guessed(columns: tuple[str, str], name: str) -> None:
    """Each could be meant, so a user says which; the name itself is sure."""
    from rankgauge.catalogue.survey import read_items

    table = pl.DataFrame({"item_id": ["a", "b"], columns[0]: [1, 2], columns[1]: [3, 4]})
    with pytest.raises(InputError, match=f"could each be the {name} of an item"):
        read_items(table)
    named = read_items(table.rename({columns[1]: name}))
    assert (named.popularity if name == "popularity" else named.kind) is not None


def test_columns_of_a_run_can_be_named(tmp_path: Path, command: Callable[..., str]) -> None:
    """The option that the error on a missing column advises is there."""
    (tmp_path / "run.txt").write_text("user_id,item_id,score\n1,a,2\n1,b,1\n2,a,1\n")
    assert "--columns query=NAME" in command(code=2)
    assert "coverage" in command("--columns", "query=user_id", "-o", "csv")
