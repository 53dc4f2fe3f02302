"""Names ↔ measures: `nDCG(dcg='exp-log2')@10` is a measure, and `str` of a measure is its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.measures.measure import MEASURES, Cutoff, Measure
from rankgauge.measures.suggestions import unknown

__all__ = ["as_list", "parse"]

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
        raise ParameterError(kind.facts.name, "cutoff", "left away: this measure looks at the whole list", text)
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
