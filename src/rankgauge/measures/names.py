"""Names ↔ measures: `nDCG(dcg='exp-log2')@10` is a measure, and `str` of a measure is its name.

The names that other tools and papers use are understood too. A name that nobody uses gets an error that suggests what
may have been meant.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from rankgauge.errors import ParameterError, RankGaugeError, UnknownNameError, UnknownNamesError
from rankgauge.measures import other_names
from rankgauge.measures.measure import MEASURES, Cutoff, Measure
from rankgauge.measures.other_names import plain

N = TypeVar("N")
T = TypeVar("T")

_NAME = re.compile(r"^\s*(?P<name>\w+)\s*(?:\((?P<parameters>.*)\))?\s*(?:@(?P<cutoff>[^@()]+))?\s*$")


def parse(text: str | Measure) -> Measure:
    """Parse a measure's name: in the syntax of ir-measures, whose own measures may be given too, or another tool's.

    >>> from rankgauge import measure
    >>> str(measure("ndcg_cut_10")), measure("P(rel=2)@5").rel
    ('nDCG@10', 2.0)
    """
    if isinstance(text, Measure):
        return text
    text = str(text)
    match = _NAME.match(text)
    kind = None if match is None else MEASURES.get(match["name"])
    if match is None or kind is None:
        meant = other_names.ours(text)
        if meant is None:
            raise unknown(text)
        return parse(meant)
    given = _written_parameters(match["parameters"] or "", text)
    kind = _variant(kind, given)
    parameters = _parameters(kind, given)
    if match["cutoff"] is not None:
        parameters["cutoff"] = _cutoff(kind, match["cutoff"], text)
    return kind(**parameters)


def each(names: Iterable[N], find: Callable[[N], Iterable[T]]) -> list[T]:
    """What all the names stand for. If some are unknown, the error is about every name that is wrong."""
    found: list[T] = []
    errors: list[RankGaugeError] = []
    for name in names:
        try:
            found.extend(find(name))
        except (UnknownNameError, ParameterError) as error:
            errors.append(error)
    unknown = [error for error in errors if isinstance(error, UnknownNameError)]
    if errors:
        raise UnknownNamesError(errors) if unknown and len(errors) > 1 else errors[0]
    return found


def as_list(names: Any) -> list[Any]:
    """One name or measure, or several of them, as a list."""
    return list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]


def _written_parameters(text: str, whole: str) -> dict[str, Any]:
    """The parameters as they were written, by name."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        given = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        positional = bool(call.args)
    except (SyntaxError, ValueError, AssertionError):
        given, positional = {}, True
    if positional or None in given:
        raise ParameterError(whole, "parameters", "written as name=value, as in AP(rel=2)", text)
    return {str(name): value for name, value in given.items()}


def _variant(kind: type[Measure], given: dict[str, Any]) -> type[Measure]:
    """The measure that another tool's parameter makes of one: that parameter is taken from those given."""
    for name in kind.variants.keys() & given.keys():
        if given.pop(name):
            return MEASURES[kind.variants[name]]
    return kind


def _parameters(kind: type[Measure], given: Mapping[str, Any]) -> dict[str, Any]:
    names = {f.name for f in fields(kind)} - {"cutoff"}
    parameters: dict[str, Any] = {}
    for name, value in given.items():
        if name in kind.shorthands:
            parameters |= kind.shorthands[name](value)
        elif name in names:
            parameters[name] = _freeze(value)
        else:
            known = [*names, *kind.shorthands, *kind.variants]
            raise UnknownNameError(f"parameter of {kind.facts.name}", name, known)
    return parameters


def _cutoff(kind: type[Measure], text: str, whole: str) -> float | int:
    if kind.facts.cutoff is Cutoff.NONE:
        raise ParameterError(kind.facts.name, "cutoff", "left out: this measure looks at the whole list", text)
    try:
        return float(text) if kind.facts.cutoff is Cutoff.RECALL else int(text)
    except ValueError:
        raise ParameterError(whole, "cutoff", "a number, as in P@10", text) from None


def _freeze(value: Any) -> Any:
    """Tables become sorted tuples, so that measures stay hashable; numbers become doubles."""
    if isinstance(value, dict):
        return tuple(sorted((_freeze(k), _freeze(v)) for k, v in value.items()))
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(_freeze(v) for v in value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


COMMON = "Common ones are nDCG@10, AP, RR, P@10 and R@100; 'rankgauge measures' lists all."

USUAL = {Cutoff.REQUIRED: "10", Cutoff.RECALL: "0.1"}
"""The cutoff to suggest if a measure needs one and none was written."""

_WRITTEN = re.compile(r"\s*(?P<name>[^@()]*)(?P<parameters>\(.*\))?\s*(?:@\s*(?P<cutoff>.*?))?\s*")
_NUMBERED = re.compile(r"(?P<name>.*?[a-z])(?P<cutoff>\d+)")
_CUTOFFS = {
    Cutoff.OPTIONAL: re.compile(r"[1-9]\d*"),
    Cutoff.REQUIRED: re.compile(r"[1-9]\d*"),
    Cutoff.RECALL: re.compile(r"0(?:\.\d+)?|\.\d+|1(?:\.0+)?"),
}


def unknown(text: str, also: Iterable[str] = ()) -> UnknownNameError:
    """The error for an unknown name; `also` are names to suggest besides those of measures."""

    known = [*MEASURES, *also]
    if words := elsewhere(text.partition("@")[0]):
        return UnknownNameError("measure", text.strip(), known, near=(), otherwise=words)
    return UnknownNameError("measure", text.strip(), known, near=_near(text, known), otherwise=COMMON)


def _near(text: str, known: list[str]) -> list[str]:
    """The measure that is meant, if that is clear; else the nearest names, with the cutoff that was written."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return []
    name, parameters, cutoff = match["name"], match["parameters"] or "", match["cutoff"]
    named = known if cutoff is None else list(MEASURES)  # trec_eval's names take no @
    numbered = _NUMBERED.fullmatch(plain(name))
    if meant := _nearest_meaning(name, named):
        return [_spell(meant, parameters, cutoff)]
    if numbered and (meant := _nearest_meaning(numbered["name"], list(MEASURES))):
        return [_spell(meant, parameters, cutoff or numbered["cutoff"])]
    lowered = {one.lower(): one for one in reversed(named) if len(one) > 1}  # a letter is near to any short word
    near = difflib.get_close_matches(name.strip().lower(), lowered, n=3, cutoff=0.5)
    return list(dict.fromkeys(_spell(lowered[one], parameters, cutoff) for one in near))


def _nearest_meaning(name: str, known: list[str]) -> str | None:
    return other_names.named(name) or next((one for one in known if plain(one) == plain(name)), None)


def _spell(name: str, parameters: str, cutoff: str | None) -> str:
    """The measure as it would be written; a name of trec_eval's stays as it is."""
    if name not in MEASURES:
        return name
    rule = MEASURES[name].facts.cutoff
    fits = rule in _CUTOFFS and _CUTOFFS[rule].fullmatch(cutoff or "")
    written = cutoff if fits else USUAL.get(rule)
    return f"{name}{parameters}" + ("" if written is None else f"@{written}")


CATALOGUE: Mapping[str, str] = {
    **dict.fromkeys(("coverage", "itemcoverage", "catalogcoverage", "cataloguecoverage"), "coverage"),
    **dict.fromkeys(("diversity", "ild", "intralistdiversity"), "diversity"),
    **dict.fromkeys(("entropy", "shannonentropy"), "entropy"),
    **dict.fromkeys(("epc", "expectedpopularitycomplement"), "epc"),
    **dict.fromkeys(("gini", "giniindex"), "gini"),
    "novelty": "novelty",
    **dict.fromkeys(("personalisation", "personalization"), "personalisation"),
    **dict.fromkeys(("popularity", "averagepopularity"), "popularity"),
    "serendipity": "serendipity",
    **dict.fromkeys(("tail", "tailpercentage"), "tail"),
}
"""A name, in small letters and without signs → the statistic of a catalogue that it stands for, or is near to."""

_RATINGS = "It is an error of predicted ratings, not a measure of a ranking, and deliberately left out."
_TIME = "Time-biased gain needs the reading times of documents, and is deliberately left out."
_LOGGED = "It needs the propensities of a logging policy, and is deliberately left out."
_GROUPED = (
    "RecBole's GAUC weighs the AUC of each user by how many relevant items they have, which no measure here does; AUC "
    "is the plain mean."
)
_WEIGHED = (
    "It weighs the hit rate of each user by their interactions; in means here all weigh the same. Success@10 is the "
    "plain hit rate."
)
_PERCENTILES = (
    "It needs a rank of every item of the catalogue, and is one mean over the relevant items of all users; AUC is the "
    "mean over users, of their lists."
)

LEFT_OUT: Mapping[str, str] = {
    **dict.fromkeys(("rmse", "mse", "mae", "logloss", "rsquared"), _RATINGS),
    **dict.fromkeys(("tbg", "timebiasedgain"), _TIME),
    **dict.fromkeys(("ips", "snips", "ipsndcg", "ipsdcg", "ipsrecall", "ipshitrate"), _LOGGED),
    "gauc": _GROUPED,
    **dict.fromkeys(("weightedbyinteractionshitratio", "weightedbyinteractionshitratiok"), _WEIGHED),
    **dict.fromkeys(("percentileranking", "expectedpercentileranking", "meanpercentilerank"), _PERCENTILES),
}
"""A name that no measure has on purpose, and why."""


def elsewhere(name: str) -> str | None:
    """Where to find what a name stands for, or why it is left out; None for a name that is simply not known.

    `name` is as it was written, without a cutoff.
    """
    short = plain(name)
    if statistic := CATALOGUE.get(short):
        return f"It is about a catalogue, not about relevance: rankgauge catalogue RUN --statistics {statistic}"
    return LEFT_OUT.get(short)
