"""What there is to know of a measure or a dialect, in words that every page and screen shares."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.evaluation.notes import DISCOUNTS, GAINS, describe_empty, lowest_relevant
from rankgauge.measures import MEASURES, Cutoff, Example, Listed, Measure, parse
from rankgauge.measures.measure import DEFAULTS
from rankgauge.policies import LEAVE_OUT, Policy, Undefined
from rankgauge.ranking import UNJUDGED, RankedLists
from rankgauge.ranking.lists import Grade

CUTOFFS: Mapping[Cutoff, str] = {
    Cutoff.NONE: "none: it looks at the whole list",
    Cutoff.OPTIONAL: "optional: {name} or {name}@10",
    Cutoff.REQUIRED: "required: {name}@10",
    Cutoff.RECALL: "a recall level: {name}@0.1",
}
TIES: Mapping[str, str] = {
    "exact": "the exact mean over all orders of tied documents",
    "sampled": "the mean over all orders of tied documents if a query has at most 64, else over 64 drawn at random",
    "immune": "their order cannot change the value",
    "given": "no mean makes sense: the order of the input is kept",
}
PARAMETERS: Mapping[str, str] = {
    "rel": "the lowest grade that counts as relevant",
    "gain": "what a grade is worth: linear, exp, letor, mslr, yahoo, ranklib",
    "discount": "what a rank is worth: log2, letor, log2+2, ln, none",
    "gains": "a table of gains in place of the named gain, as in {{1: 1, 2: 5}}",
    "max_grade": "the top of the grading scale; the dialect's, the named scale's, or the judgments' highest grade",
    "ideal_rel": "the lowest grade that gains in the ideal order",
    "ideal_depth": "the end of the ideal order: cutoff, list, all (no end); filled: a relevant document in every place",
    "out_of": "the divisor: all relevant documents, those found (found), at most k (cutoff) or the list (list)",
    "graded": "count a relevant document as much as its grade",
    "answered_only": "count only queries that the run answers",
    "variant": "which of the published definitions; the text says how they differ",
    "rounding": "how a recall level becomes a number of documents: None (exactly) or a tool's name",
    "reached_only": "leave a level that the list does not reach undefined",
    "levels": "the recall levels that are averaged",
    "p": "the chance that a user goes on to the next document",
    "start": "the rank at which the string begins",
    "multiple": "the multiple of R to cut at",
    "ruler": "what the first relevant rank is worth in place of 1/rank: trec, romip, or single for 1/rank in 32 bits",
    "padded": "divide by k even where the list is shorter",
    "stop": "accept grades above the scale: apply the formula as is (formula) or to the grade's whole part (whole)",
    "beta": "how much recall (SetF) or gain (Q) weighs",
    "p_rel": "how likely a document is what the user looks for: romip, grade, or one number for all relevant ones",
    "p_break": "the chance that a user tires at a document",
    "thresholds": "how many users draw the line at each grade, as in {{1: 0.5, 2: 0.5}}",
    "unless_judged": "0 where every document of the list was judged",
    "relevant": "what a relevant document that was retrieved is worth",
    "nonrelevant": "what any other document that was retrieved is worth",
    "missed": "what a relevant document that was not retrieved is worth",
    "lowest": "the lowest grade of the scale, which becomes 0",
    "rest": "what any other document of the collection is worth",
    "collection": "how many documents the collection has",
    "ideal_order": "how the ideal order is found: greedy, as in ndeval, or exact for short lists",
    "until": "where the comparison ends: at rank 1000, or with the longer list (longer)",
    "undivided_first": "leave out the division at k = 1",
}
OPEN_DEFAULTS: Mapping[str, Any] = {
    "alpha": DEFAULTS["alpha"],
    "beta": DEFAULTS["beta"],
    "among": "all",
    "ideal_order": "greedy",
    "over": "preferences",
    "until": "1000",
}
"""What a parameter is that a dialect may decide, if none does."""

SETTINGS: Mapping[str, str] = {
    "negative": "negative grades",
    "fractional": "fractional grades",
    "high": "high grades",
    "assessors": "several assessors",
    "duplicates": "duplicates",
    "judged_twice": "repeated judgments",
    "grouping": "lists of a LETOR file",
    "extra_scores": "surplus scores",
    "order": "order of the run",
    "ties": "ties",
    "single_precision": "precision of scores",
    "unjudged": "unjudged documents",
    "depth": "depth",
    "fewest": "shortest list",
    "single_arithmetic": "precision of values",
    "ideal": "ideal ranking",
    "cut_ideal": "end of the ideal ranking",
    "gain": "gain",
    "discount": "discount",
    "rel": "relevant",
    "max_grade": "top grade",
    "readings": "parameters left open",
    "by_measure": "choices for single measures",
    "empty": "undefined values",
    "unanswered": "queries without documents",
    "vacant": "queries with nothing to find or found",
    "short": "short lists",
    "decimals": "rounding of values",
    "half_up": "rounding of halves",
    "lists_short": "rows of short lists",
    "missing": "missing queries",
    "query_order": "query order",
}
"""What each field of a dialect is about."""


def family(kind: type[Measure]) -> str:
    """Return the folder that the measure lives in, one of `FAMILIES`."""
    return kind.__module__.split(".")[-2]


def kinds(family_: str) -> list[type[Measure]]:
    """Return the measures of a family."""
    return [kind for kind in MEASURES.values() if family(kind) == family_]


def traits(kind: type[Measure]) -> Iterator[tuple[str, str]]:
    """Yield what is true of the measure's values."""
    facts = kind.facts
    low, high = facts.bounds
    yield "bounds", f"{_bound(low)} to {_bound(high)}"
    yield "cutoff", CUTOFFS[facts.cutoff].format(name=facts.name)
    yield "grades", "graded: a higher grade counts more" if facts.graded else "binary: relevant or not"
    yield "ties", TIES[facts.ties.value]
    yield "more is better", _yes(facts.more_is_better, "a run with a higher value is the better one")
    yield "better up", _yes(facts.improves, "moving a better document up never lowers the value")
    yield "ideal order", _yes(facts.attains, "it gets the upper bound")
    yield "all queries", f"the {facts.aggregate.value} of their values".replace("geometric", "geometric mean")


def parameters(kind: type[Measure]) -> Iterator[tuple[str, str, str]]:
    """Yield the name, default and meaning of each parameter of the measure."""
    for parameter in fields(kind):
        if parameter.name != "cutoff":
            yield parameter.name, _default(parameter), _meaning(parameter)


def example_list(example: Example) -> str:
    """Return the list of a worked example in words."""
    graded = " ".join(map(_grade, example.grades)) or "empty"
    missed = " ".join(map(_grade, example.missed))
    return f"grades by rank {graded}" + (f"; not retrieved {missed}" if missed else "")


def _grade(grade: Grade | None) -> str:
    """Return a grade, or those for each subtopic or stratum; a dash for a document that nobody judged.

    A dot stands for a stratum that the document is not in, a question mark for one in which it was not judged.
    """
    if isinstance(grade, tuple):
        return "/".join("·" if g != g else "?" if g == UNJUDGED else _grade(g) for g in grade)
    return "–" if grade is None else f"{grade:g}"


def example_value(example: Example) -> float:
    """Return what the kernel gives for a worked example."""
    return float(parse(example.measure).score(RankedLists.of(example.grades, missed=example.missed)))


def _without_documents(value: Undefined | None) -> str:
    """Return what a query without documents counts, in words."""
    if value is None:
        return "what the formula gives"
    return "left out of the mean" if value == LEAVE_OUT else f"{value:g}"


def _describe_choices(choices: Mapping[str, Any]) -> str:
    """Return the choices for one measure, in words."""
    words = {
        name: choice.words if isinstance(choice, Policy) else _WORDS[name](choice) for name, choice in choices.items()
    }
    return ", ".join(f"{SETTINGS[name]}: {said}" for name, said in words.items())


def setting(dialect: Dialect, name: str) -> str:
    """Return what a dialect chose for one of its fields, in words."""
    value = getattr(dialect, name)
    words = value.words if isinstance(value, Policy) else _WORDS[name](value)
    concerned = dialect.only_for.get(name)
    return words if concerned is None else f"{words} (for {', '.join(concerned)} only)"


def describe_printing(dialect: Dialect) -> str:
    """Return what `-m all` prints: the names, and how the numbers are written."""
    return f"{', '.join(printed.name for printed in dialect.printed)}; numbers with {number_formats(dialect)}"


def number_formats(dialect: Dialect) -> str:
    """Return how the numbers that a dialect prints are written."""
    return " or ".join(dict.fromkeys(printed.number.words for printed in dialect.printed))


def measures(dialect: Dialect) -> str:
    """Return the measures that the tool has, at any cutoff; nothing if it has every one."""
    listed = [*dialect.also, *(name for provider in dialect.providers for name in provider.also)]
    if not isinstance(dialect.printed, Listed):
        listed += [re.sub(r"@.*", "@k", str(printed.measure)) for printed in dialect.printed]
    return ", ".join(dict.fromkeys(re.sub(r"@(?!k).*", "@k", name).replace("{}", "") for name in listed))


def differences(dialect: Dialect) -> Iterator[tuple[str, str, str]]:
    """Yield how the dialect differs from standard: subject, its way, the standard way."""
    standard = dialects.get("standard")
    for name, subject in SETTINGS.items():
        if getattr(dialect, name) != getattr(standard, name):
            yield subject, setting(dialect, name), setting(standard, name)


def plain(text: str) -> str:
    """Return a docstring as one paragraph."""
    return " ".join(text.split())


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "assessors": lambda rule: "must be combined first" if rule is None else f"combined by the rule {rule}",
    "single_precision": lambda single: (
        "scores are compared as 32-bit numbers, so close ones are tied" if single else "scores are compared as given"
    ),
    "depth": lambda depth: "the whole list" if depth is None else f"the first {depth} documents of each list",
    "fewest": lambda fewest: f"a list of {fewest} document{'' if fewest == 1 else 's'} or more",
    "single_arithmetic": lambda single: f"values and their means are computed in {32 if single else 64} bits",
    "cut_ideal": lambda cut: "at the depth of the run and the lowest relevant grade" if cut else "the last document",
    "extra_scores": lambda extra: f"scores past the last document are {'not read' if extra else 'an error'}",
    "gain": lambda name: f"{name}: {GAINS[name]}",
    "discount": lambda name: f"{name}: {DISCOUNTS[name]}",
    "rel": lowest_relevant,
    "max_grade": lambda grade: f"grades go up to {'the highest of the judgments' if grade is None else f'{grade:g}'}",
    "readings": lambda readings: (
        "; ".join(f"{measure}: {_spell(chosen)}" for measure, chosen in readings.items()) or "none"
    ),
    "by_measure": lambda own: (
        "; ".join(f"{name}: {_describe_choices(reading)}" for name, reading in own.items()) or "none"
    ),
    "empty": lambda empty: f"of queries with nothing relevant: {describe_empty(empty)}",
    "unanswered": _without_documents,
    "vacant": _without_documents,
    "decimals": lambda decimals: "none" if decimals is None else f"to {decimals} decimals, before the mean",
    "half_up": lambda up: "halves are rounded up" if up else "as C prints numbers",
    "lists_short": lambda listed: (
        "a query has a row for every cutoff" if listed else "a query has no row for a cutoff past the end of its list"
    ),
}


def _spell(chosen: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r} ({PARAMETERS[name]})" for name, value in chosen.items())


def _bound(value: float) -> str:
    return f"{value:g}" if math.isfinite(value) else ("−∞" if value < 0 else "∞")


def _yes(holds: bool, words: str) -> str:
    return f"yes: {words}" if holds else "no"


def _default(parameter: Field[Any]) -> str:
    if parameter.default is None and parameter.name in ("rel", "gain", "discount", "max_grade"):
        return "the dialect's"
    default = OPEN_DEFAULTS.get(parameter.name) if parameter.default is None else parameter.default
    return "none" if default in (None, MISSING) else repr(default)


def _meaning(parameter: Field[Any]) -> str:
    words = str(parameter.metadata.get("words") or PARAMETERS.get(parameter.name, ""))
    return words.replace("{{", "{").replace("}}", "}")
