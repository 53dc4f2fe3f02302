"""The words of a command line → values: how options are declared, how words are read, what is wrong with them.

Options are the fields of a class below `Options`, or the parameters of a command's function:

    measure: list[str] | None = option("-m", "--measure", help="A measure; repeatable.", metavar="NAME")

The annotation says what a word is read as: `str`, `int`, `float`, `Path`, or `bool` for a flag. A `list` may be given
several times, a `tuple` takes several words. Annotations stay texts, and nothing is imported to read them: the start of
a command is most of the time that a small one takes.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Self, TypeVar

    Part = TypeVar("Part", bound="Options")

NUMBERS = {"int": (int, "whole number"), "float": (float, "number")}
"""How numbers are read, and what errors call them."""


class Parameter:
    """An option or argument of a command."""

    def __init__(
        self,
        flags: Sequence[str],
        *,
        help: str,
        metavar: str = "",
        default: Any = None,
        required: bool = False,
        unless: str = "",
        group: str = "",
        old: Sequence[str] = (),
        offer: Callable[[str, Sequence[str]], list[tuple[str, str]]] | None = None,
        least: float | None = None,
        most: float | None = None,
        exists: bool = False,
        folder: bool = False,
    ) -> None:
        """`flags` of an argument are empty; `old` are spellings that still work and that no help shows.

        `offer` gives what Tab offers for the beginning of a word, and a few words on each. `least` and `most` bound a
        number; a path may have to exist, or be a folder if it does. What is required may be left out where the option
        called `unless` is given.
        """
        self.flags, self.help, self.metavar, self.default, self.required = flags, help, metavar, default, required
        self.group, self.old, self.offer, self.least, self.most = group, old, offer, least, most
        self.exists, self.folder, self.unless = exists, folder, unless
        self.name = self.kind = ""
        self.count: int | None = 1

    def but(self, **changes: Any) -> Parameter:
        """Return a copy with some of its settings changed."""
        copy = object.__new__(Parameter)
        copy.__dict__.update(self.__dict__ | changes)
        return copy

    def bound(self, name: str, annotation: str) -> Parameter:
        """Return a copy that is called by the name and reads words as the annotation says."""
        copy, kind = self.but(), str(getattr(annotation, "__name__", annotation)).removesuffix(" | None")
        copy.name = name
        if kind.startswith("list["):
            kind, copy.count = kind[5:-1], None
        elif kind.startswith("tuple["):
            kind, _, others = kind[6:-1].partition(", ")
            copy.count = 2 + others.count(",")
        copy.kind = kind
        if not copy.metavar and not copy.is_flag:
            copy.metavar = name.rstrip("_").upper().replace("_", "-")
        if self.flags == ("",):
            copy.flags = ("--" + name.rstrip("_").replace("_", "-"),)
        if copy.is_flag and copy.default is None and annotation == "bool":
            copy.default = False
        return copy

    @property
    def is_flag(self) -> bool:
        """Whether it is an option without a value."""
        return self.kind == "bool"

    @property
    def is_argument(self) -> bool:
        """Whether it is known by its place on the line."""
        return not self.flags

    @property
    def spellings(self) -> dict[str, bool]:
        """The flags that name it, and what a flag without a value means; --x/--no-x are two."""
        known = {}
        for flag in (*self.flags, *self.old):
            on, _, off = flag.partition("/")
            known[on] = True
            if off:
                known[off] = False
        return known

    @property
    def shown(self) -> str:
        """What errors call it: its flags, or its place as the usage line shows it."""
        return self.metavar if self.is_argument else " / ".join(self.flags)

    def read(self, word: str) -> Any:
        """Read one word; a `ValueError` says what is wrong with it."""
        if self.kind == "Path":
            return self._read_path(word)
        if self.kind not in NUMBERS:
            return word
        reader, what = NUMBERS[self.kind]
        try:
            number = reader(word)
        except ValueError:
            raise ValueError(f"'{word}' is not a valid {what}.") from None
        if self.least is not None and number < self.least:
            raise ValueError(f"{word} is less than {self.least:g}.")
        if self.most is not None and number > self.most:
            raise ValueError(f"{word} is more than {self.most:g}.")
        return number

    def _read_path(self, word: str) -> Any:
        from pathlib import Path

        what = "folder" if self.folder else "file"
        if self.exists and not os.path.exists(word):
            raise ValueError(f"there is no {what} {word}.")
        if self.folder and os.path.exists(word) and not os.path.isdir(word):
            raise ValueError(f"{word} is a file, not a folder.")
        return Path(word)


def option(*flags: str, **settings: Any) -> Any:
    """Declare an option; without flags it is called as its parameter is. The settings are those of `Parameter`."""
    return Parameter(flags or ("",), **settings)


def argument(metavar: str, **settings: Any) -> Any:
    """Declare an argument, which must be given unless `required` is False."""
    return Parameter((), metavar=metavar, **{"required": True, **settings})


class Options:
    """Options that belong together: a subclass declares them as fields, an object of it holds what was given."""

    def __init__(self, **values: Any) -> None:
        known = self.parameters()
        if unknown := values.keys() - known.keys():
            raise TypeError(f"{type(self).__name__} has no option {', '.join(sorted(unknown))}")
        self.__dict__.update({name: parameter.default for name, parameter in known.items()} | values)
        self.given: frozenset[str] = frozenset(values)
        """The names of those that were given."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(repr(self._values()))

    def _values(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "given"}

    def but(self, **changes: Any) -> Self:
        """Return the same options with some of them changed."""
        return type(self)(**self._values() | changes)

    def part(self, kind: type[Part], **changes: Any) -> Part:
        """Return options of another kind with the values that they have here; `changes` replace some."""
        return kind(**{name: getattr(self, name) for name in kind.parameters() if hasattr(self, name)} | changes)

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return the declared options by name, those of base classes first."""
        known = cls.__dict__.get("_parameters")
        if known is None:
            known = {}
            for part in reversed(cls.__mro__):
                for name, annotation in getattr(part, "__annotations__", {}).items():
                    declared = part.__dict__.get(name)
                    if isinstance(declared, Parameter):
                        known[name] = declared.bound(name, annotation)
            cls._parameters = known  # type: ignore[attr-defined]
        return known


class Line:
    """A command line as it was read: the values that were given, and what is wrong with it."""

    def __init__(self, parameters: Iterable[Parameter], words: Sequence[str]) -> None:
        self.parameters = list(parameters)
        self.problems: list[str] = []
        self.awaited: Parameter | None = None
        """The option at the end of the line whose value is missing."""
        self.places: list[str] = []
        """The words that are no options, in their order."""
        self.words: dict[str, list[Any]] = {}
        self._flags = {
            flag: (parameter, on) for parameter in self.parameters for flag, on in parameter.spellings.items()
        }
        self._read_flags(list(words))

    def values(self) -> dict[str, Any]:
        """Read the values of all that was given; afterwards `problems` is complete."""
        self._place_arguments()
        values = {}
        for parameter in self.parameters:
            words = self.words.get(parameter.name)
            if words:
                self._refuse_repeated(parameter, words)
                values[parameter.name] = self._value(parameter, words)
            elif parameter.required and parameter.unless not in self.words:
                kind, name = ("argument", parameter.metavar) if parameter.is_argument else ("option", parameter.shown)
                self.problems.append(f"Missing {kind} '{name}'.")
        return values

    def _read_flags(self, words: list[str]) -> None:
        words.reverse()
        while words:
            word = words.pop()
            if word == "--":
                self.places += reversed(words)
                return
            if word == "-" or not word.startswith("-"):
                self.places.append(word)
                continue
            flag, equals, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
            parameter, on = self._flags.get(flag, (None, True))
            if parameter is None:
                self._refuse_unknown(flag)
            elif not parameter.is_flag:
                self._take(parameter, [value] if equals else [], words)
            elif equals and word.startswith("--"):
                self.problems.append(f"Option {flag} takes no value.")
            else:
                self.words.setdefault(parameter.name, []).append(on)
                if equals:  # several letters behind one hyphen
                    words.append(f"-{value}")

    def _take(self, parameter: Parameter, parts: list[str], words: list[str]) -> None:
        """Take the value of an option from the words behind it."""
        wanted = parameter.count or 1
        while len(parts) < wanted and words and words[-1].partition("=")[0] not in self._flags:
            parts.append(words.pop())
        if len(parts) < wanted:
            self.awaited = None if words else parameter
            needs = "a value" if wanted == 1 else f"{wanted} values"
            self.problems.append(f"Option {parameter.shown} needs {needs}: {parameter.metavar}.")
        else:
            self.words.setdefault(parameter.name, []).append(parts if wanted > 1 else parts[0])

    def _place_arguments(self) -> None:
        left = list(self.places)
        for parameter in self.parameters:
            if parameter.is_argument and left:
                taken = left if parameter.count is None else left[:1]
                self.words[parameter.name] = taken
                left = left[len(taken) :]
        if left:
            self.problems.append(f"Too many arguments: {' '.join(left)}.")

    def _refuse_unknown(self, flag: str) -> None:
        from rankgauge.errors import nearest

        shown = [flag for parameter in self.parameters for spelling in parameter.flags for flag in spelling.split("/")]
        near = nearest(flag, [*shown, "--help", "--help-all"], cutoff=0.65)
        self.problems.append(f"No such option: {flag}." + (f" Did you mean {' or '.join(near)}?" if near else ""))

    def _refuse_repeated(self, parameter: Parameter, words: Sequence[Any]) -> None:
        if len(words) > 1 and parameter.count is not None and not (parameter.is_flag and len(set(words)) == 1):
            self.problems.append(f"Option {parameter.shown} can be given only once, and is given {len(words)} times.")

    def _value(self, parameter: Parameter, words: Sequence[Any]) -> Any:
        if parameter.is_flag:
            return words[-1]
        parts = words[-1] if parameter.count and parameter.count > 1 else words
        values = [self._read_word(parameter, word) for word in parts]
        if parameter.count is None:
            return values
        return tuple(values) if parameter.count > 1 else values[-1]

    def _read_word(self, parameter: Parameter, word: str) -> Any:
        if not word.strip():  # a variable of the shell may not be set
            self.problems.append(
                f"{'Argument' if parameter.is_argument else 'Option'} {parameter.shown} has an empty value."
            )
            return None
        try:
            return parameter.read(word)
        except ValueError as error:
            self.problems.append(f"Invalid value for {parameter.shown}: {error}")
            return None


def spread(function: Callable[..., Any]) -> tuple[dict[str, Parameter], dict[str, type[Options]]]:
    """Return the options that a function's parameters declare, and its parameters that are `Options` by name."""
    code, kinds = function.__code__, function.__annotations__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    defaults = dict(zip(reversed(names[: code.co_argcount]), reversed(function.__defaults__ or ()), strict=False))
    defaults |= function.__kwdefaults__ or {}
    parameters: dict[str, Parameter] = {}
    shared: dict[str, type[Options]] = {}
    for name in names:
        if isinstance(defaults.get(name), Parameter):
            parameters[name] = defaults[name].bound(name, kinds[name])
        else:
            shared[name] = eval(kinds[name], function.__globals__)
            parameters |= shared[name].parameters()
    return parameters, shared


def call(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Call the function with the values that were given; others have their defaults."""
    parameters, shared = spread(function)
    groups = {
        name: kind(**{field: values[field] for field in kind.parameters() if field in values})
        for name, kind in shared.items()
    }
    inner = {field for kind in shared.values() for field in kind.parameters()}
    single = {name: values.get(name, parameter.default) for name, parameter in parameters.items() if name not in inner}
    return function(**groups, **single)
