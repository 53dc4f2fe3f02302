"""Verdicts: what a number has to be for a claim to hold."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.papers import PAPERS, Claim, Condition, Number, Setting, Verdict
from rankgauge.papers.experiment import jackknife
from tests.docs.blocks import ROOT
from tests.shared import shared

BELOW = Condition.of({"number": "n", "below": 0.5})


def claim(*conditions: Condition) -> Claim:
    """A claim that rests on the conditions."""
    return Claim(place="Table 1", words="it is so", tested="computed", conditions=conditions)


@pytest.mark.parametrize(
    ("value", "error", "verdict"),
    [
        (0.4, 0.0, Verdict.HOLDS),
        (0.6, 0.0, Verdict.FAILS),
        (0.4, 0.04, Verdict.HOLDS),  # 2 · 0.04 < 0.1
        (0.4, 0.06, Verdict.UNDECIDED),  # 2 · 0.06 > 0.1
        (0.6, 0.04, Verdict.FAILS),
        (0.6, 0.06, Verdict.UNDECIDED),
        (-0.34, 1.05, Verdict.UNDECIDED),
        (math.nan, 0.0, Verdict.UNTESTED),
    ],
)
def test_two_standard_errors_decide(value: float, error: float, verdict: Verdict) -> None:
    """A number that is clear of its bound by two standard errors decides; a nearer one leaves it undecided."""
    assert BELOW.verdict(Number(value=value, error=error)) is verdict


def test_no_number_is_no_verdict() -> None:
    """What was not measured was not tested, and a claim with such a condition was not either."""
    assert BELOW.verdict(None) is Verdict.UNTESTED
    other = Condition.of({"number": "m", "above": 0.1})
    assert claim(BELOW, other).verdict({"n": Number(value=0.0)}) is Verdict.UNTESTED


@pytest.mark.parametrize(
    ("printed", "value", "verdict"),
    [
        ("0.78", 0.7849, Verdict.HOLDS),
        ("0.78", 0.7851, Verdict.FAILS),
        ("0.780", 0.7804, Verdict.HOLDS),
        ("0.780", 0.7806, Verdict.FAILS),
        ("1", 1.4, Verdict.HOLDS),
    ],
)
def test_printed_digits(printed: str, value: float, verdict: Verdict) -> None:
    """A printed number is met by what rounds to its digits, of which a trailing zero is one."""
    condition = Condition.of({"number": "n", "printed": printed})
    assert condition.verdict(Number(value=value)) is verdict
    assert condition.words == f"paper: {printed}"


def test_bounds_in_words() -> None:
    """A condition says what it asks for."""
    assert BELOW.words == "below 0.5"
    assert Condition.of({"number": "n", "above": 0.1, "below": 0.5}).words == "above 0.1 and below 0.5"


@pytest.mark.parametrize(
    ("m", "n", "verdict"),
    [
        ((0.9, 0.0), (0.1, 0.0), Verdict.HOLDS),
        ((0.9, 0.0), (0.9, 0.0), Verdict.IN_PART),
        ((0.0, 0.0), (0.9, 0.0), Verdict.FAILS),
        ((0.9, 0.0), (0.4, 1.0), Verdict.UNDECIDED),  # it holds, or holds in part
        ((0.0, 0.0), (0.4, 1.0), Verdict.UNDECIDED),  # it does not hold, or holds in part
        ((0.6, 1.0), (0.4, 1.0), Verdict.UNDECIDED),
    ],
)
def test_claims_hold_with_all_their_conditions(
    m: tuple[float, float], n: tuple[float, float], verdict: Verdict
) -> None:
    """A claim holds where every condition does, does not where none does, and holds in part in between."""
    other = Condition.of({"number": "m", "above": 0.5})
    numbers = {name: Number(value=value, error=error) for name, (value, error) in {"m": m, "n": n}.items()}
    assert claim(BELOW, other).verdict(numbers) is verdict


def test_what_holds_and_fails_is_decided() -> None:
    """One condition that holds and one that does not are enough for "in part", whatever the third says."""
    third = Condition.of({"number": "k", "above": 0.5})
    other = Condition.of({"number": "m", "above": 0.5})
    numbers = {"n": Number(value=0.1), "m": Number(value=0.1), "k": Number(value=0.5, error=1.0)}
    assert claim(BELOW, other, third).verdict(numbers) is Verdict.IN_PART


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=12))
def test_jackknife_of_a_mean(values: list[float]) -> None:
    """Of the mean itself the jackknife's standard error is s/√n."""
    found = jackknife(np.array([values]), lambda means: means[0])
    assert found.value == pytest.approx(np.mean(values), abs=1e-9)
    assert found.error == pytest.approx(np.std(values, ddof=1) / math.sqrt(len(values)), abs=1e-9)


@pytest.mark.parametrize("name", list(PAPERS))
def test_every_claim_can_be_tested(name: str) -> None:
    """Each claim has conditions, each with a bound, and says how it is tested; a figure says what it shows."""
    paper = PAPERS.find(name).paper
    for stated in paper.claims:
        assert stated.words
        assert stated.tested
        assert stated.conditions
        assert all(condition.words for condition in stated.conditions)
    assert all(paper.figures.values())


@pytest.mark.parametrize("name", list(PAPERS))
def test_every_claim_names_its_place(name: str) -> None:
    """A claim says where it is made: in a section, a figure or a table with its number, and no two alike."""
    places = [stated.place for stated in PAPERS.find(name).paper.claims]
    assert all(re.search(r"(Section|Figures?|Table) \d", place) for place in places)
    assert len(set(places)) == len(places)


VERDICTS = {
    "active": "active-paper.md",
    "gate": "pipeline.md",
    "few-labels": "few-labels-simulation.md",
    "pools": "pools.md",
    "multigraded": "multigraded.md",
    "ndcg-tools": "ndcg-tools.md",
    "pairwise": "llm-judge.md",
}
"""The pages with a table of verdicts."""


def located(words: str) -> set[str]:
    """The numbers of figures, sections and tables, and the panels."""
    return set(re.findall(r"\b\d(?:\.\d)?\b|left|center|right", words))


@pytest.mark.parametrize("name", list(PAPERS))
def test_pages_have_a_verdict_on_each_claim(name: str) -> None:
    """The page's first table has a row for every claim, in their order, with the place and one of the verdicts."""
    text = (ROOT / "docs" / VERDICTS[name]).read_text(encoding="utf-8")
    head, _, *rows = re.search(r"^\| claim \|(?:.+\n\|)+.*", text, re.MULTILINE)[0].splitlines()  # type: ignore[index]
    titles = [cell.strip() for cell in head.split("|")]
    claims = PAPERS.find(name).paper.claims
    assert len(rows) == len(claims)
    for row, stated in zip(rows, claims, strict=True):
        cells = [cell.strip() for cell in row.split("|")]
        place = cells[titles.index("place")] if "place" in titles else re.findall(r"\(([^)]*)\)", cells[1])[-1]
        assert located(place), row
        assert located(place) <= located(stated.place), row
        told = [cell for title, cell in zip(titles, cells, strict=True) if title == "verdict"]
        assert told
        assert all(cell.partition(",")[0] in set(Verdict) for cell in told), row


@pytest.mark.study
def test_the_page_on_missing_judgments_quotes_its_run() -> None:
    """Every rate of the gate's Table 1 is what its command measures, with the counts behind it."""
    found = PAPERS.find("gate").run(Setting(trials=60, jobs=1, data=shared("data/trec8_adhoc").parent))
    told: dict[tuple[str, str], list[str]] = {}
    for row in sorted(found.tables["gate"].iter_rows(named=True), key=lambda row: row["rule"] == "after"):
        rates = [(row["false worse"], row["not worse"]), (row["kept worse"], row["worse"])]
        cells = [f"{round(rate * most)} of {most}" for rate, most in rates]
        told.setdefault((row["collection"], row["judged"]), []).extend(cells)
    shown = [f"{before} | {after} | {kept}" for before, _, after, kept in told.values()]
    text = (ROOT / "docs" / "pipeline.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (?:TREC-8|DL19)[^|]*\|[^|]*\| (.*) \|$", text, re.MULTILINE) == shown


def test_refusals() -> None:
    """A paper that is not there, and a single trial, which has no standard error, are refused."""
    with pytest.raises(UnknownNameError, match="multigraded"):
        PAPERS.find("multigrade")
    with pytest.raises(ParameterError, match="trials"):
        Setting(trials=1)
