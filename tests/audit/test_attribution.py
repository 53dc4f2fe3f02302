"""The difference between two dialects, split over its causes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge import evaluate, files
from rankgauge.audit.tools import Scores, attribute
from rankgauge.audit.tools.cause import CAUSES, differing
from rankgauge.audit.tools.scores import REFUSING, REPORTED, RESOLVED, bare
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.measures import parse
from rankgauge.policies import Ties
from tests.audit.house import GDEVAL, HOUSE, LETOR, RANKLIB, STANDARD, YAHOO, every
from tests.golden import CASES, Case
from tests.shared import shared

NDCG = parse("nDCG@10")
Tables = tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]


def check(scores: Scores, base: Dialect, other: Dialect, measure: str = "nDCG@10") -> None:
    """The parts sum to the difference, which is that of the two means."""
    found = attribute(scores, base, other, parse(measure))
    apart = scores.mean(other, parse(measure)) - scores.mean(base, parse(measure))
    assert found.difference == pytest.approx(apart, abs=1e-12, nan_ok=True)
    if not math.isnan(apart):  # a tool that leaves every query out has no mean
        assert math.fsum(part.amount for part in found.parts) == pytest.approx(apart, abs=1e-12)


def taking(scores: Scores) -> list[Dialect]:
    """The dialects that take the data."""
    kept = []
    for dialect in every():
        try:
            scores.mean(dialect, NDCG)
        except InputError:
            continue
        kept.append(dialect)
    return kept


def some(taken: list[Dialect]) -> list[tuple[Dialect, Dialect]]:
    """Each dialect beside the first and beside the one before it."""
    return [*((taken[0], one) for one in taken[2:]), *pairwise(taken)]


def every_pair(taken: list[Dialect]) -> list[tuple[Dialect, Dialect]]:
    """Each dialect beside each other one."""
    return list(combinations(taken, 2))


Pairs = Callable[[list[Dialect]], list[tuple[Dialect, Dialect]]]
PAIRS = pytest.mark.parametrize("pairs", [some, pytest.param(every_pair, marks=pytest.mark.study)])


@PAIRS
@pytest.mark.parametrize("measure", ["nDCG@10", "nDCG@3", "P@5", "AP", "ERR@10"])
def test_parts_sum_to_the_difference(letor: tuple[Path, Path], measure: str, pairs: Pairs) -> None:
    """For pairs of dialects the parts sum to the difference within 1e-12, by any measure."""
    scores = Scores(judgments=letor[0], run=letor[1])
    for base, other in pairs(taking(scores)):
        check(scores, base, other, measure)


@PAIRS
def test_parts_sum_on_partly_judged_lists(search: Tables, pairs: Pairs) -> None:
    """So they do where documents are unjudged, queries missing, grades negative and scores close."""
    scores = Scores(judgments=search[0], run=search[1])
    assert len(taking(scores)) >= len(HOUSE)
    for base, other in pairs(taking(scores)):
        check(scores, base, other)


@pytest.mark.study
def test_parts_sum_on_mq2008(tmp_path: Path) -> None:
    """So they do on MQ2008, ranked by feature 40; 220 of its 784 queries have nothing relevant, 403 are short."""
    text = "".join(shared(f"data/mq2008/S{part}.txt").read_text() for part in range(1, 6))
    (tmp_path / "test.txt").write_text(text)
    column = pl.Series(text.splitlines()).str.extract(r" 40:(\S+)")
    (tmp_path / "scores.txt").write_text("\n".join(column) + "\n")
    scores = Scores(judgments=tmp_path / "test.txt", run=tmp_path / "scores.txt")
    for base, other in combinations(taking(scores), 2):
        check(scores, base, other)
    found = attribute(scores, RANKLIB, YAHOO, NDCG)
    (empty,) = found.mattering
    assert (empty.cause.name, empty.queries) == ("empty", 220)
    assert empty.amount == pytest.approx(220 / 784, abs=1e-12)


@pytest.mark.parametrize("case", [case for case in CASES if (case.path / "input.txt").exists()], ids=str)
def test_parts_sum_on_golden_cases(case: Case) -> None:
    """So they do on the golden cases that some tool takes: duplicates, torn queries, odd grades, empty queries."""
    scores = Scores(judgments=case.path / "input.txt", run=case.path / "scores.txt")
    for base, other in some(taking(scores)):
        check(scores, base, other)


def test_a_worked_example() -> None:
    """Two choices that do not meet: each part is what its choice alone adds.

    Query a has grades 1, 2 in this order, b has nothing relevant. With exponential gains a's value changes from
    (1 + 2/log2 3) / (2 + 1/log2 3) to (1 + 3/log2 3) / (3 + 1/log2 3), by half as much the mean; b adds 1 of 2.
    """
    scores = Scores(judgments={"a": {"x": 1, "y": 2}, "b": {"z": 0}}, run={"a": {"x": 2, "y": 1}, "b": {"z": 1}})
    found = attribute(scores, STANDARD, replace(STANDARD, name="other", gain="exp", empty=1.0), NDCG)
    log = np.log2(3)
    gain = (1 + 3 / log) / (3 + 1 / log) - (1 + 2 / log) / (2 + 1 / log)
    assert [(part.cause.name, part.queries) for part in found.parts] == [("empty", 1), ("gain", 1)]
    assert [part.amount for part in found.parts] == pytest.approx([1 / 2, gain / 2])


def test_an_interaction_is_shared() -> None:
    """A query that is both empty and short: who switches first gets it, so each cause gets half.

    From `cut, counts 0` to `zero, counts 1` nothing changes (0 → 0), but the empty value alone would add 1 and the
    short list's zero takes it back: parts of +1/2 and −1/2.
    """
    scores = Scores(judgments={"a": {"x": 0}}, run={"a": {"x": 1}})
    found = attribute(scores, STANDARD, replace(LETOR, empty=1.0, gain="linear", discount="log2"), NDCG)
    assert {part.cause.name: part.amount for part in found.mattering} == {"empty": 0.5, "short": -0.5}
    assert found.difference == 0.0


def test_parts_are_means_over_all_orders(search: Tables) -> None:
    """A part is the mean, over all orders of the causes, of what switching it changes: brute force over orders."""
    scores = Scores(judgments=search[0], run=search[1])
    other = replace(GDEVAL, ties=Ties.BEST)
    causes = differing(STANDARD, other)
    assert len(causes) == 4
    expected = dict.fromkeys((cause.name for cause in causes), 0.0)
    for order in permutations(causes):
        spoken = STANDARD
        for cause in order:
            switched = replace(spoken, **{name: getattr(other, name) for name in cause.fields})
            change = evaluate(*search, NDCG, dialect=switched)[NDCG] - evaluate(*search, NDCG, dialect=spoken)[NDCG]
            expected[cause.name] += change / math.factorial(len(causes))
            spoken = switched
    found = attribute(scores, STANDARD, other, NDCG)
    assert {part.cause.name: part.amount for part in found.parts} == pytest.approx(expected, abs=1e-12)


def test_the_other_direction_has_the_other_sign(letor: tuple[Path, Path]) -> None:
    """What A − B owes to a cause, B − A owes to it with the other sign."""
    scores = Scores(judgments=letor[0], run=letor[1])
    there, back = attribute(scores, LETOR, YAHOO, NDCG), attribute(scores, YAHOO, LETOR, NDCG)
    for part in there.parts:
        assert back.amount(part.cause) == pytest.approx(-part.amount, abs=1e-14)


@pytest.mark.parametrize("dialect", every(), ids=lambda dialect: dialect.name)
def test_scores_are_those_of_evaluate(letor: tuple[Path, Path], dialect: Dialect) -> None:
    """What an audit shows for a tool is what `evaluate` gives in its dialect, to the last bit."""
    scores = Scores(judgments=letor[0], run=letor[1])
    expected = evaluate(*letor, ["nDCG@10", "P@10"], dialect=dialect)
    assert scores.mean(dialect, NDCG) == expected[NDCG]
    assert scores.mean(dialect, parse("P@10")) == expected["P@10"]


def test_every_field_has_a_cause() -> None:
    """Each field of a dialect that can change a value is in one cause, and only in one."""
    from dataclasses import fields

    owned = [name for cause in CAUSES.values() for name in cause.fields]
    assert len(owned) == len(set(owned))
    assert {*owned, *REPORTED, *REFUSING, *RESOLVED} >= {f.name for f in fields(Dialect)}


def test_frames_serve_as_well(letor: tuple[Path, Path]) -> None:
    """Tables in memory give what files give."""
    judged, ranked = files.read_pair(*letor)
    assert Scores(judgments=judged, run=ranked).mean(YAHOO, NDCG) == Scores(judgments=letor[0], run=letor[1]).mean(
        YAHOO, NDCG
    )
    assert bare(YAHOO) == bare(replace(YAHOO, name="another"))
