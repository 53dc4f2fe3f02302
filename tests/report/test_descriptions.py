"""The words for measures and dialects: nothing is left unexplained."""

from __future__ import annotations

from dataclasses import fields

import pytest

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.measures import MEASURES, Measure, parse
from rankgauge.measures.gains import DISCOUNTS, GAINS
from rankgauge.ranking import RankedLists
from rankgauge.reference import descriptions

UNSPOKEN = {"name", "title", "reference", "printed", "usual", "lists_missing", "only_for", "differs"}
UNSPOKEN |= {"also", "providers", "rel_scale", "strict", "top_scale"}
"""Fields of a dialect that name it, say how it prints or where its tool differs, or go with another field."""


@pytest.mark.parametrize("kind", MEASURES.values(), ids=lambda kind: kind.facts.name)
def test_every_parameter_has_a_meaning(kind: type[Measure]) -> None:
    """Each parameter is explained: by the words of its field, or by the house's word for it."""
    assert not [name for name, _, words in descriptions.parameters(kind) if not words]


def test_open_parameters_show_what_they_become() -> None:
    """A parameter that a dialect may decide shows what it is if none does; set to that, values stay the same."""
    defaults = {name: default for name, default, _ in descriptions.parameters(MEASURES["alpha_nDCG"])}
    assert (defaults["alpha"], defaults["ideal_order"], defaults["rel"]) == ("0.5", "'greedy'", "the dialect's")
    for kind in MEASURES.values():
        names = {f.name for f in fields(kind) if f.default is None} & descriptions.OPEN_DEFAULTS.keys()
        for example in kind.facts.examples if names else ():
            open_ = parse(example.measure)
            lists = RankedLists.of(example.grades, missed=example.missed)
            said = open_.bound(descriptions.OPEN_DEFAULTS)
            assert float(said.score(lists)) == pytest.approx(float(open_.score(lists)), nan_ok=True)


@pytest.mark.parametrize("kind", MEASURES.values(), ids=lambda kind: kind.facts.name)
def test_every_trait_has_words(kind: type[Measure]) -> None:
    """Bounds, cutoff, grades, ties, direction, order and aggregate are all said."""
    assert len([words for _, words in descriptions.traits(kind) if words]) == 8


def test_every_setting_of_a_dialect_has_a_subject() -> None:
    """A new field of a dialect needs words before it can be shown."""
    assert {f.name for f in fields(Dialect)} - UNSPOKEN == set(descriptions.SETTINGS)


@pytest.mark.parametrize("dialect", dialects.DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_every_choice_has_words(dialect: Dialect) -> None:
    """Each choice of each dialect is a sentence."""
    assert all(descriptions.setting(dialect, name) for name in descriptions.SETTINGS)


def test_every_gain_and_discount_has_words() -> None:
    """A new gain or discount needs words before a dialect can be shown."""
    assert (set(descriptions.GAINS), set(descriptions.DISCOUNTS)) == (set(GAINS), set(DISCOUNTS))


def test_a_choice_for_some_measures_names_them() -> None:
    """LETOR 4 zeroes nDCG of short lists, and no other measure; what it prints is said with its digits."""
    letor4 = dialects.get("letor4")
    assert descriptions.setting(letor4, "short").endswith("counts 0 (for nDCG only)")
    assert descriptions.describe_printing(letor4).endswith("NDCG@10, MeanNDCG; numbers with 4 decimals")


def test_differences_are_those_to_standard() -> None:
    """trec_eval's differences name its tie rule and the standard one; standard has none."""
    assert not list(descriptions.differences(dialects.get("standard")))
    told = {subject: (here, there) for subject, here, there in descriptions.differences(dialects.get("trec_eval"))}
    assert "descending order of their ids" in told["ties"][0]
    assert "all orders" in told["ties"][1]
