"""Names ↔ measures: `nDCG(dcg='exp-log2')@10` is a measure, and `str` of a measure is its name.

A name that no measure has gets an error that suggests what may have been meant, also by the names that other tools and
papers use.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.measures.measure import MEASURES, Cutoff, Measure

_NAME = re.compile(r"^\s*(?P<name>\w+)\s*(?:\((?P<parameters>.*)\))?\s*(?:@(?P<cutoff>[^@()]+))?\s*$")


def parse(text: str | Measure) -> Measure:
    """The measure of that name, in the syntax of ir-measures; its own measures are known by their names."""
    if isinstance(text, Measure):
        return text
    text = str(text)
    match = _NAME.match(text)
    kind = None if match is None else MEASURES.get(match["name"])
    if match is None or kind is None:
        raise unknown(text)
    parameters = _parameters(kind, match["parameters"] or "", text)
    if match["cutoff"] is not None:
        parameters["cutoff"] = _cutoff(kind, match["cutoff"], text)
    return kind(**parameters)


def as_list(names: Any) -> list[Any]:
    """One name or measure, or several of them, as a list."""
    return list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]


def _parameters(kind: type[Measure], text: str, whole: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        given = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        positional = bool(call.args)
    except (SyntaxError, ValueError, AssertionError):
        given, positional = {}, True
    if positional or None in given:
        raise ParameterError(whole, "parameters", "written as name=value, as in AP(rel=2)", text)
    names = {f.name for f in fields(kind)} - {"cutoff"}
    parameters: dict[str, Any] = {}
    for name, value in given.items():
        if name in kind.shorthands:
            parameters |= kind.shorthands[str(name)](value)
        elif name in names:
            parameters[str(name)] = _frozen(value)
        else:
            raise UnknownNameError(f"parameter of {kind.facts.name}", str(name), [*names, *kind.shorthands])
    return parameters


def _cutoff(kind: type[Measure], text: str, whole: str) -> float | int:
    if kind.facts.cutoff is Cutoff.NONE:
        raise ParameterError(kind.facts.name, "cutoff", "left out: this measure looks at the whole list", text)
    try:
        return float(text) if kind.facts.cutoff is Cutoff.RECALL else int(text)
    except ValueError:
        raise ParameterError(whole, "cutoff", "a number, as in P@10", text) from None


def _frozen(value: Any) -> Any:
    """Tables become sorted tuples, so that measures stay hashable; numbers become doubles."""
    if isinstance(value, dict):
        return tuple(sorted((_frozen(k), _frozen(v)) for k, v in value.items()))
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(_frozen(v) for v in value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


OTHER_NAMES: Mapping[str, str] = {
    "map": "AP",
    "meanaverageprecision": "AP",
    "averageprecision": "AP",
    "mrr": "RR",
    "meanreciprocalrank": "RR",
    "reciprocalrank": "RR",
    "recall": "R",
    "precision": "P",
    "prec": "P",
    "hit": "Success",
    "hits": "Success",
    "hitrate": "Success",
    "hitratio": "Success",
    "hr": "Success",
    "f": "SetF",
    "f1": "SetF",
    "fmeasure": "SetF",
    "fscore": "SetF",
    "rprecision": "Rprec",
    "rankbiasedprecision": "RBP",
    "expectedreciprocalrank": "ERR",
}
"""Other name, in small letters and without signs → ours."""

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
    return UnknownNameError("measure", text.strip(), known, near=_near(text, known), otherwise=COMMON)


def _near(text: str, known: list[str]) -> list[str]:
    """The measure that is meant, if that is clear; else the nearest names, with the cutoff that was written."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return []
    name, parameters, cutoff = match["name"], match["parameters"] or "", match["cutoff"]
    named = known if cutoff is None else list(MEASURES)  # trec_eval's names take no @
    numbered = _NUMBERED.fullmatch(_plain(name))
    if meant := _meant(name, named):
        return [_spelled(meant, parameters, cutoff)]
    if numbered and (meant := _meant(numbered["name"], list(MEASURES))):
        return [_spelled(meant, parameters, cutoff or numbered["cutoff"])]
    lowered = {one.lower(): one for one in reversed(named)}
    near = difflib.get_close_matches(name.strip().lower(), lowered, n=3, cutoff=0.5)
    return list(dict.fromkeys(_spelled(lowered[one], parameters, cutoff) for one in near))


def _meant(name: str, known: list[str]) -> str | None:
    plain = _plain(name)
    return OTHER_NAMES.get(plain) or next((one for one in known if _plain(one) == plain), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _spelled(name: str, parameters: str, cutoff: str | None) -> str:
    """The measure as it would be written; a name of trec_eval's stays as it is."""
    if name not in MEASURES:
        return name
    rule = MEASURES[name].facts.cutoff
    fits = rule in _CUTOFFS and _CUTOFFS[rule].fullmatch(cutoff or "")
    written = cutoff if fits else USUAL.get(rule)
    return f"{name}{parameters}" + ("" if written is None else f"@{written}")
