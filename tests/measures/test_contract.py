"""The contract of a measure: laws that every registered one keeps, with the parameters of each of its examples.

Which laws a measure keeps it says itself, by the traits among its facts. Laws are tried on the lists of `bench`, all
at once; `test_block_is_list_by_list` makes sure that this is the same as one by one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.errors import ParameterError, RankGaugeError
from rankgauge.measures import MEASURES, Cutoff, Measure, TieRule, parse
from rankgauge.measures.forms import Shape
from rankgauge.measures.measure import DEFAULTS
from rankgauge.ranking import UNJUDGED, RankedLists
from rankgauge.ranking.lists import Grade
from tests.examples import examples
from tests.measures.bench import (
    Listed,
    Rows,
    apart,
    changed,
    drawn,
    every,
    facets,
    frozen,
    lists_on,
    scale,
    short,
    stacked,
    strict,
    tied,
)

pytestmark = pytest.mark.xdist_group("contract")  # laws share the lists, and the values that they compare with
ONLY = {name for name in os.environ.get("RANKGAUGE_MEASURES", "").split(",") if name}
"""The measures that the laws are tried on, where not on all."""

KINDS = [kind for kind in MEASURES.values() if not ONLY or kind.facts.name in ONLY]
TOP = {"max_grade": 4.0}
"""The top of the scale, which a measure on its own takes from the lists that it is given."""

MEASURES = [parse(name).bound(TOP) for kind in KINDS for name in dict.fromkeys(e.measure for e in kind.facts.examples)]
NEAR = 1e-12


def over(
    where: Callable[[Measure], bool] = lambda _: True,
) -> Callable[[Callable[[Measure], None]], Callable[..., None]]:
    """Try a law on each measure that it is about, in one test: collecting a test takes longer than trying a measure."""

    def decorate(law: Callable[[Measure], None]) -> Callable[..., None]:
        def test() -> None:
            measures = [measure for measure in MEASURES if where(measure)]
            if ONLY and not measures:
                pytest.skip("the law is about other measures")
            assert measures
            for measure in measures:
                try:
                    law(measure)
                except BaseException as error:
                    error.add_note(f"broken by {measure}")
                    raise

        test.__doc__ = law.__doc__
        return test

    return decorate


def kinds(where: Callable[[type[Measure]], bool] = lambda _: True) -> pytest.MarkDecorator:
    """Parametrize a test by each kind of measure that it is about."""
    return pytest.mark.parametrize("kind", [k for k in KINDS if where(k)], ids=lambda k: k.facts.name)


def lists_for(measure: Measure) -> Rows:
    """Return the lists to try a measure on."""
    return lists_on(scale(measure))


@cache
def values(measure: Measure) -> np.ndarray:
    """Return the values of the lists to try a measure on, which most laws compare with."""
    return measure.score(strict(lists_for(measure)))


@cache
def tied_values(measure: Measure) -> np.ndarray:
    """Return the values of the same lists with their ties."""
    return measure.score(tied(lists_for(measure)))


def agree(got: np.ndarray, wanted: np.ndarray, shown: Sequence[object]) -> None:
    """Both are the same up to rounding, NaN for NaN, or the first list where they are not is shown."""
    assert got.shape == wanted.shape
    close = np.isclose(got, wanted, rtol=NEAR, atol=NEAR, equal_nan=True)
    hold(close, shown, got, wanted)


def hold(law: np.ndarray, shown: Sequence[object], *values: np.ndarray) -> None:
    """The law holds everywhere, or the first list where it does not is shown with the values there."""
    broken = np.flatnonzero(~law)
    assert not len(broken), f"{shown[broken[0]]}: {[value[broken[0]] for value in values]}"


@kinds()
def test_facts_are_complete(kind: type[Measure]) -> None:
    """A measure has a title, a formula, a reference, bounds in order and two worked examples at least."""
    facts = kind.facts
    assert facts.title
    assert facts.formula
    assert facts.reference
    assert facts.bounds[0] <= facts.bounds[1]
    assert len(facts.examples) >= 2


@kinds(lambda kind: kind.facts.graded)
def test_graded_examples_can_fail(kind: type[Measure]) -> None:
    """A graded measure's examples have two distinct positive grades, something missed, and a cut inside the list."""
    examples = kind.facts.examples
    assert any(len({g for grade in example.grades for g in _flat(grade) if g > 0}) >= 2 for example in examples)
    assert any(example.missed for example in examples)
    if kind.facts.cutoff in (Cutoff.OPTIONAL, Cutoff.REQUIRED):
        assert any((getattr(parse(e.measure), "cutoff", None) or np.inf) < len(e.grades) for e in examples)


def _flat(grade: Grade | None) -> tuple[float, ...]:
    """The grades of a document, on every subtopic if it is judged by subtopic."""
    return () if grade is None else grade if isinstance(grade, tuple) else (grade,)


@over()
def test_name_parses_back(measure: Measure) -> None:
    """The name of a measure parses back to an equal measure with the same name and hash."""
    again = parse(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert str(again) == str(measure)


def test_a_cutoff_between_ranks_is_told_as_one() -> None:
    """A fraction in a name is no rank, and the error says what a cutoff is."""
    with pytest.raises(ParameterError, match="must be a whole number, as in P@10"):
        parse("nDCG@10.5")


@over(lambda m: hasattr(m, "cutoff"))
def test_senseless_cutoffs_are_refused(measure: Measure) -> None:
    """A cutoff that is no rank (or no recall level) is an error that names the parameter."""
    for cutoff in (-1, 2.5):
        with pytest.raises(ParameterError, match="cutoff"):
            replace(measure, cutoff=cutoff)


@over()
def test_block_is_list_by_list(measure: Measure) -> None:
    """A list has the same value alone, among longer lists, and with more padding, tied or not."""
    rows = every(lists_for(measure), 7 if facets(measure) == 0 else 31)  # by subtopic one takes as long as a block
    alone = [measure.score(row) for row in apart(rows, Listed.strict)]
    assert {value.shape for value in alone} == {()}
    for spare in (0, 3):
        agree(measure.score(strict(rows, spare=spare)), np.array(alone), rows)
    if measure.facts.ties is not TieRule.SAMPLED:
        averages = np.array([measure.score(row) for row in apart(rows, Listed.tied)])
        for spare in (0, 3):
            agree(measure.score(tied(rows, spare=spare)), averages, rows)


@over(lambda m: m.bound(DEFAULTS).ideal() is not None)
def test_the_ideal_is_the_divisor(measure: Measure) -> None:
    """A measure that states its ideal divides by it: the form's value where the worths of judged documents fall."""
    bound, rows = measure.bound(DEFAULTS), lists_for(measure)
    form, lists = bound.ideal(), strict(rows)
    assert form is not None
    worth = -np.sort(-form.worth(lists.ideal_order()), axis=-1)
    ranks = np.arange(1.0, worth.shape[-1] + 1)
    weights = np.where(ranks <= (np.inf if form.cutoff is None else form.cutoff), form.weight(ranks), 0.0)
    if form.shape is Shape.CASCADE:
        passed = np.cumprod(1.0 - worth, axis=-1)
        weights = weights * np.concatenate([np.ones((len(worth), 1)), passed[:, :-1]], axis=-1)
    divisor = bound.divisor(lists)
    assert divisor is not None
    agree((worth * weights).sum(axis=-1), divisor, rows)


@over(lambda m: m.facts.ties is TieRule.EXACT)
def test_ties_are_the_mean_over_every_order(measure: Measure) -> None:
    """A tied list has the mean of the values of every order that its scores allow."""
    rows, orders, ends = _every_order(scale(measure))
    means = np.array([part.mean() for part in np.split(measure.score(strict(orders)), ends[:-1])])
    agree(measure.score(tied(rows)), means, rows)


@cache
def _every_order(grades: tuple[Grade, ...]) -> tuple[Rows, Rows, np.ndarray]:
    """Return lists on a scale, every order that their scores allow, list by list, and where the orders of each end."""
    rows = Rows(short(grades) + drawn(grades, longest=6, number=30))
    orders = [list(row.orders()) for row in rows]
    return rows, Rows(order for of_row in orders for order in of_row), np.cumsum([len(of_row) for of_row in orders])


@over(lambda m: m.facts.ties in (TieRule.EXACT, TieRule.IMMUNE))
def test_order_within_a_tie_is_nothing(measure: Measure) -> None:
    """Documents of equal score may stand in any order: the value of the tied list is the same."""
    rows = lists_for(measure)
    turned = changed(rows, _with_ties_turned)
    agree(measure.score(tied(turned)), tied_values(measure), rows)


def _with_ties_turned(row: Listed) -> Listed:
    """Return the list with every tie group in reverse."""
    order = sorted(range(len(row.grades)), key=lambda rank: (-row.scores[rank], -rank))
    return replace(row, grades=tuple(row.grades[rank] for rank in order))


@over(lambda m: m.facts.ties is TieRule.IMMUNE)
def test_immune_measures_ignore_order(measure: Measure) -> None:
    """A measure immune to ties has the same value for a list and its reverse."""
    rows = lists_for(measure)
    turned = changed(rows, _turned_after, 0)
    agree(measure.score(strict(turned)), values(measure), rows)


@over()
def test_bounds_hold(measure: Measure) -> None:
    """A value lies within the bounds, or is NaN."""
    low, high = measure.facts.bounds
    known = values(measure)
    hold(np.isnan(known) | ((known >= low - NEAR) & (known <= high + NEAR)), lists_for(measure), known)


@over(lambda m: m.facts.improves)
def test_higher_grades_upwards_never_harm(measure: Measure) -> None:
    """Swapping a document with a lower-graded one above it never lowers the value."""
    worse, better = _swaps(lists_for(measure))
    before, after = measure.score(strict(worse)), measure.score(strict(better))
    hold(np.isnan(before) | (after >= before - NEAR), list(zip(worse, better, strict=True)), before, after)


@cache
def _swaps(rows: Rows) -> tuple[Rows, Rows]:
    """Return lists with a document below a lower-graded one, and the lists with both in each other's place."""
    pairs = [(row, better) for row in rows[::2] for better in row.swapped()]
    return Rows(row for row, _ in pairs), Rows(better for _, better in pairs)


@over(lambda m: m.facts.attains)
def test_ideal_order_attains_the_bound(measure: Measure) -> None:
    """The ideal order of the judged documents has the greatest value, where there is one."""
    rows = lists_for(measure)
    best = measure.score(strict(rows).ideal_order())
    hold(np.isnan(best) | (np.abs(best - measure.facts.bounds[1]) <= NEAR), rows, best)
    assert not np.isnan(best).all()


def _turned_after(row: Listed, rank: int) -> Listed:
    """Return the list with the documents after a rank in reverse."""
    return replace(row, grades=(*row.grades[:rank], *row.grades[rank:][::-1]))


def _ended_at(row: Listed, rank: int) -> Listed:
    """Return the list cut at a rank, and what was judged past it as missed."""
    past = tuple(grade for grade in row.grades[rank:] if grade is not None)
    return replace(row, grades=row.grades[:rank], missed=row.missed + past, scores=())


def _lengthened(row: Listed, number: int) -> Listed:
    """Return the list with unjudged documents at its end."""
    return replace(row, grades=(*row.grades, *(None for _ in range(number))))


def _outside_the_pool(row: Listed) -> Listed:
    """Return the list with documents that nobody judged put outside the pool."""
    return replace(row, grades=tuple(None if grade == UNJUDGED else grade for grade in row.grades))


def _opened(row: Listed, top: Grade) -> Listed:
    """Return a list that opens with a document of the highest grade and one of the lowest, and misses nothing."""
    return Listed((top, 0.0, *row.grades))


def _cut(measure: Measure) -> bool:
    return measure.facts.cutoff in (Cutoff.OPTIONAL, Cutoff.REQUIRED) and getattr(measure, "cutoff", None) is not None


@over(_cut)
def test_order_past_the_cutoff_is_nothing(measure: Measure) -> None:
    """Documents past the cutoff may stand in any order."""
    k, rows = int(measure.cutoff), lists_for(measure)
    turned = changed(rows, _turned_after, k)
    agree(measure.score(strict(turned)), values(measure), rows)


@over(_cut)
def test_documents_past_the_cutoff_are_as_good_as_missed(measure: Measure) -> None:
    """A judged document past the cutoff counts as one that the list missed."""
    k, rows = int(measure.cutoff), lists_for(measure)
    kept = replace(strict(changed(rows, _ended_at, k)), retrieved=strict(rows).retrieved)
    agree(measure.score(kept), values(measure), rows)


@over(lambda m: not m.facts.counts_unjudged)
def test_unjudged_documents_at_the_end_are_nothing(measure: Measure) -> None:
    """Unjudged documents after the last judged one do not change the value."""
    rows = lists_for(measure)
    longer = changed(rows, _lengthened, 3)
    agree(measure.score(strict(longer)), values(measure), rows)


@kinds(lambda kind: kind.facts.counts_unjudged)
def test_unjudged_documents_at_the_end_count(kind: type[Measure]) -> None:
    """A measure that counts unjudged documents has a list whose value one more at the end changes."""
    for example in kind.facts.examples:
        measure = parse(example.measure)
        rows = lists_for(measure)
        longer = changed(rows, _lengthened, 1)
        if not np.array_equal(measure.score(strict(rows)), measure.score(strict(longer)), equal_nan=True):
            return
    pytest.fail("no list shows that unjudged documents count")


@over(lambda m: not m.facts.knows_pool)
def test_the_pool_is_what_was_judged(measure: Measure) -> None:
    """A document of the pool that nobody judged counts as one outside the pool, tied or not."""
    rows = Rows(drawn(scale(measure)))
    outside = changed(rows, _outside_the_pool)
    agree(measure.score(strict(rows)), measure.score(strict(outside)), rows)
    if measure.facts.ties is not TieRule.SAMPLED:
        agree(measure.score(tied(rows)), measure.score(tied(outside)), rows)


@over(lambda m: m.facts.ignores_unjudged)
def test_unjudged_documents_change_nothing(measure: Measure) -> None:
    """A measure that ignores unjudged documents has the value of the list without them."""
    rows = lists_for(measure)
    agree(measure.score(strict(rows)), measure.score(strict(changed(rows, Listed.condensed))), rows)


@over()
def test_judged_only_deletes_the_unjudged(measure: Measure) -> None:
    """`judged_only` gives the value of the list without its unjudged documents, tied or not."""
    rows, only = lists_for(measure), replace(measure, judged_only=True)
    known = changed(rows, Listed.condensed)
    agree(only.score(strict(rows)), measure.score(strict(known)), rows)
    if measure.facts.ties is not TieRule.SAMPLED:
        agree(only.score(tied(rows)), measure.score(tied(known)), rows)


@over()
def test_extreme_lists_raise_no_warning(measure: Measure) -> None:
    """Empty lists, lists without judgments, single documents and long lists pass without a floating-point error."""
    grades = scale(measure)
    top, long = grades[-1], [None if rank % 3 else grades[rank % len(grades)] for rank in range(1500)]
    listed = partial(RankedLists.of, facets=facets(measure))
    rows = [
        listed([]),
        listed([], missed=[top]),
        listed([], missed=[0.0]),
        listed([None] * 7),
        listed([None] * 7, missed=[top, 0.0]),
        listed([0.0]),
        listed([top]),
        listed([UNJUDGED, UNJUDGED]),
        listed([UNJUDGED, top, UNJUDGED, 0.0], missed=[top]),
        listed([0.0] * 30),
        listed([top] * 30),
        listed(long, missed=[top] * 3),
    ]
    with np.errstate(all="raise", under="ignore"):
        alone = np.array([measure.score(row) for row in rows])
        agree(measure.score(stacked(rows)), alone, rows)
        agree(measure.score(stacked(rows[:3])), alone[:3], rows)


def _is_sum(measure: Measure) -> bool:
    """Whether the measure says what each hit adds to its value."""
    kind = type(measure)
    return any(getattr(kind, name) is not getattr(Measure, name) for name in ("amounts", "form", "numerator"))


@over(_is_sum)
def test_contributions_sum_to_the_value(measure: Measure) -> None:
    """What the hits contribute adds up to the value, tied or not; padding adds nothing."""
    rows, bound = lists_for(measure), measure.bound(DEFAULTS)
    blocks = [strict(rows, spare=2)] + ([tied(rows, spare=2)] if measure.facts.ties is TieRule.EXACT else [])
    for block in blocks:
        added, whole = bound.contributions(block), measure.score(block)
        agree(np.where(np.isnan(whole), np.nan, added.sum(axis=-1)), whole, rows)


@over()
def test_inputs_are_left_alone(measure: Measure) -> None:
    """A kernel reads arrays that refuse to be written to."""
    rows = every(lists_for(measure), 50)
    for block in (strict(rows), tied(rows), rows[-1].strict(), rows[-1].tied()):
        measure.score(frozen(block))


def _with_two_levels(row: Listed, rel: float) -> Listed:
    """Return the list with `rel` for every grade from it on, and half a grade less for those below."""

    def level(grade: Grade | None) -> Grade | None:
        if isinstance(grade, tuple):
            return tuple(map(level, grade))
        return grade if grade is None or not grade > UNJUDGED else rel if grade >= rel else rel - 0.5

    return replace(row, grades=tuple(map(level, row.grades)), missed=tuple(map(level, row.missed)))


@over(lambda m: not m.facts.graded)
def test_two_levels_only(measure: Measure) -> None:
    """A measure that is not graded tells grades from `rel` on from those below, and no others."""
    rows = lists_for(measure)
    rel = getattr(measure.bound(DEFAULTS), "rel", DEFAULTS["rel"])
    agree(measure.score(strict(changed(rows, _with_two_levels, rel))), values(measure), rows)


@over()
def test_a_list_with_good_and_bad_documents_has_a_value(measure: Measure) -> None:
    """A list that opens with a document of the highest grade and one of the lowest, and misses none, has a value."""
    rows = changed(lists_for(measure), _opened, scale(measure)[-1])
    opened = measure.score(strict(rows))
    hold(np.isfinite(opened), rows, opened)


GRADES = st.lists(st.none() | st.sampled_from([0.0, 1.0, 2.0]), max_size=25)


@kinds()
@settings(max_examples=examples(8), deadline=None)
@given(found=GRADES, others=GRADES, missed=st.lists(st.sampled_from([0.0, 1.0, 2.0]), max_size=6))
def test_any_list_beside_any_other(
    kind: type[Measure], found: list[float | None], others: list[float | None], missed: list[float]
) -> None:
    """Whatever a list stands beside, its value lies within the bounds and is the same as alone."""
    for name in dict.fromkeys(example.measure for example in kind.facts.examples):
        measure = parse(name).bound(TOP)
        if len(scale(measure)) < 3:
            continue
        levels = {None: None, **dict(zip((0.0, 1.0, 2.0), scale(measure), strict=False))}
        listed = partial(RankedLists.of, facets=facets(measure))
        one = listed([levels[g] for g in found], missed=[levels[g] for g in missed])
        other = listed([levels[g] for g in others])
        both, apart = measure.score(stacked([one, other])), np.array([measure.score(one), measure.score(other)])
        agree(both, apart, [found, others])
        low, high = measure.facts.bounds
        assert (np.isnan(both) | ((both >= low - NEAR) & (both <= high + NEAR))).all()


ODD = (
    "'x'",
    "x",
    "None",
    "True",
    "3",
    "-1",
    "[1]",
    "{0: 1, 'a': 2}",
    "{}",
    "1e400",
    "nan",
    "[[1]]",
    "{(1, 2): 3, (1, 'a'): 3}",
)
"""What people may write for a parameter of another kind."""


@pytest.mark.parametrize("value", ODD)
def test_a_value_of_another_kind_is_refused_in_words(value: str) -> None:
    """Whatever is written for a parameter or a shorthand of it, there is a measure or an error that names it."""
    for kind in KINDS:
        cutoff = "".join(kind.facts.examples[0].measure.partition("@")[1:])
        for name in (*(f.name for f in fields(kind) if f.name != "cutoff"), *kind.shorthands):
            with suppress(RankGaugeError):
                parse(f"{kind.facts.name}({name}={value}){cutoff}")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nDCG(gain=1)", "'gain' parameter of nDCG must be a text. Got 1.0"),
        ("nDCG(gains=x)", "'gains' parameter of nDCG must be a table of numbers"),
        ("nDCG(judged_only=yes)", "'judged_only' parameter of nDCG must be True or False. Got 'yes'"),
        ("AP(rel=x)", "'rel' parameter of AP must be a number. Got 'x'"),
        ("RBP(p='0.8')", "'p' parameter of RBP must be a number"),
        ("RBP(p=None)", "'p' parameter of RBP must be a number"),
        ("DCG(discount=1)", "'discount' parameter of DCG must be a text"),
        ("nDCG(dcg=exp-log2)", "written as name=value, as in nDCG\\(dcg='exp-log2'\\)"),
    ],
)
def test_the_error_says_what_a_parameter_may_be(name: str, words: str) -> None:
    """It names the parameter; a text of one word needs no quotes."""
    with pytest.raises(RankGaugeError, match=words):
        parse(name)
    assert parse("nDCG(gain=exp, judged_only=True)@3") == parse("nDCG(gain='exp', judged_only=True)@3")
