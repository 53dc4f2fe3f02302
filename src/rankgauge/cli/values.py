"""Words of the command line → values, without pydantic.

Since version 0.27 typer reads every value with pydantic, whose import takes longer than the rest of a small command's
start. Texts, numbers and paths need none of it. A parameter of another kind, and any other version of typer, is left
to typer itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

import typer

from rankgauge.errors import ParameterError, UnknownNameError

KINDS = {int: "whole number", float: "number"}
"""The kinds of numbers, as errors call them."""

CHECKS = ("exists", "resolve_path", "writable", "allow_dash", "path_type", "parser", "click_type", "clamp")
"""What a parameter may declare that only typer knows how to do."""


def read_plainly(parameters: Iterable[Any]) -> None:
    """Lets the parameters of plain kinds read their words here."""
    for parameter in parameters:
        if not hasattr(parameter, "_runtime_param"):
            continue
        annotation, info = parameter.type_descriptor.annotation, parameter.type_descriptor.parameter_info
        if any(getattr(info, check, None) for check in CHECKS):
            continue
        kind = get_args(annotation)[0] if get_origin(annotation) is list else annotation
        if kind in (str, Path, *KINDS) or (kind is bool and getattr(parameter, "is_flag", False)):
            several = get_origin(annotation) is list
            parameter._runtime_param = _Reader(kind=kind, several=several, least=info.min, most=info.max)


def refuse_repeated(given: Iterable[Any], ctx: Any) -> None:
    """Raise an error for an option that takes one value and is given twice; a plain flag may be repeated."""
    options = [one for one in given if one.param_type_name == "option"]
    for option in options:
        once = not (option.multiple or option.count or (option.is_flag and not option.secondary_opts))
        if once and (times := options.count(option)) > 1:
            ctx.fail(f"Option {_flags(option)} can be given only once, and is given {times} times.")


def refuse_empty(given: Iterable[Any], words: Mapping[str, Any], ctx: Any) -> None:
    """Raise an error for an option or argument whose word is empty: a shell's variable may not be set."""
    for parameter in given:
        word = words.get(parameter.name)
        if any(
            isinstance(one, str) and not one.strip() for one in (word if isinstance(word, list | tuple) else [word])
        ):
            kind = "Option" if parameter.param_type_name == "option" else "Argument"
            ctx.fail(f"{kind} {_flags(parameter)} has an empty value.")


def _flags(parameter: Any) -> str:
    """The names of an option as users type them, or that of an argument as the usage line shows it."""
    if parameter.param_type_name == "option":
        return " / ".join(parameter.opts)
    return str(parameter.metavar or parameter.name)


@dataclass(frozen=True, kw_only=True)
class _Reader:
    """How one parameter reads its words, in the place of typer's own reader."""

    kind: Callable[[Any], Any]
    several: bool
    least: float | None
    most: float | None

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value of the word, or of each of several."""
        if value is None:
            return () if self.several else None
        read = [self._read(word, param, ctx) for word in (value if self.several else [value])]
        return read if self.several else read[0]

    def _read(self, word: Any, param: Any, ctx: Any) -> Any:
        if self.kind not in KINDS:
            return word if self.kind is bool else self.kind(word)
        try:
            number = self.kind(word)
        except ValueError:
            raise typer.BadParameter(f"'{word}' is not a valid {KINDS[self.kind]}.", ctx=ctx, param=param) from None
        if self.least is not None and number < self.least:
            raise typer.BadParameter(f"{word} is less than {self.least:g}.", ctx=ctx, param=param)
        if self.most is not None and number > self.most:
            raise typer.BadParameter(f"{word} is more than {self.most:g}.", ctx=ctx, param=param)
        return number


def settings_of(texts: Iterable[str], known: Collection[str], *, owner: str, kind: str, example: str) -> dict[str, Any]:
    """What the texts of `--set NAME=VALUE` say; a name that is not known is an error, which calls it that kind."""
    from rankgauge.constraints import literal

    found = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise ParameterError(owner, "set", f"written as NAME=VALUE, as in --set {example}", text)
        if name not in known:
            raise UnknownNameError(kind, name, known)
        found[name] = literal(value)
    return found
