"""Records: what `@dataclass(frozen=True, kw_only=True)` makes, without code that is compiled when a module is imported.

A dataclass writes the text of five functions and compiles it, half a millisecond for each class; a small command needs
some sixty of them. A record shares its functions with all others. For `dataclasses.fields`, `replace` and `asdict` it
is a dataclass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from typing import Any, NoReturn, TypeVar, dataclass_transform

Kind = TypeVar("Kind", bound=type)


@dataclass(frozen=True, kw_only=True)
class _Model:
    """A dataclass from which records take what `dataclasses` looks for in one."""

    name: str = ""


_PARAMETERS = _Model.__dataclass_params__  # type: ignore[attr-defined]
_FIELD_TYPE = _Model.__dataclass_fields__["name"]._field_type  # type: ignore[attr-defined]


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def record(cls: Kind) -> Kind:
    """Make a class a record: its annotated names become fields, given by keyword and never changed."""
    return _record(cls)


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=False, field_specifiers=(field,))
def entity(cls: Kind) -> Kind:
    """Make a class a record that is equal to itself alone, whatever another one holds."""
    return _record(cls, equal=False)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def tuple_record(cls: Kind) -> Kind:
    """Make a class a record whose fields may be given by their places too, up to one annotated as KW_ONLY."""
    return _record(cls, places=True)


def _record(cls: Kind, *, equal: bool = True, places: bool = False) -> Kind:
    fields: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= base.__dict__.get("__dataclass_fields__", {})
    for name, annotation in cls.__dict__.get("__annotations__", {}).items():  # noqa: RUF063 - not those of a base
        if str(annotation).endswith("KW_ONLY"):
            places = False
        elif "ClassVar" not in str(annotation):
            fields[name] = _own_field(cls, name, annotation, by_keyword=not places)
    cls.__dataclass_fields__, cls.__dataclass_params__ = fields, _PARAMETERS  # type: ignore[attr-defined]
    cls._record = _Making(fields.values())  # type: ignore[attr-defined]
    for name, method in (_METHODS | _EQUALITY if equal else _METHODS).items():
        if name in ("__init__", "__setattr__", "__delattr__") or name not in cls.__dict__:
            setattr(cls, name, method)
    if equal and cls.__dict__.get("__hash__") is None:  # a class that defines __eq__ alone has none
        cls.__hash__ = _hash  # type: ignore[method-assign, assignment]
    return cls


class _Making:
    """What it takes to make an object of a record."""

    def __init__(self, fields: Iterable[Field[Any]]) -> None:
        taken = [each for each in fields if each.init]
        self.places = [each.name for each in taken if not each.kw_only]
        self.names = frozenset(each.name for each in taken)
        self.required = frozenset(each.name for each in taken if _is_required(each))
        self.defaults = {each.name: each.default for each in taken if each.default is not MISSING}
        self.factories = [(each.name, each.default_factory) for each in fields if each.default_factory is not MISSING]

    def refuse(self, kind: str, given: Mapping[str, Any]) -> NoReturn:
        """Raise an error for keywords that are no fields, or for fields that lack a value."""
        if unknown := sorted(given.keys() - self.names):
            raise TypeError(f"{kind}.__init__() got an unexpected keyword argument {', '.join(unknown)!r}")
        missing = ", ".join(sorted(self.required - given.keys()))
        raise TypeError(f"{kind}.__init__() missing required keyword-only argument: {missing}")


def _own_field(cls: type, name: str, annotation: Any, *, by_keyword: bool) -> Field[Any]:
    default = cls.__dict__.get(name, MISSING)
    if isinstance(default, Field):
        made: Field[Any] = default
        if made.default is MISSING:
            delattr(cls, name)
        else:
            setattr(cls, name, made.default)
    else:
        made = field(default=default)
    made.name, made.type, made.kw_only = name, annotation, by_keyword
    made._field_type = _FIELD_TYPE  # type: ignore[attr-defined]
    return made


def _is_required(each: Field[Any]) -> bool:
    return each.default is MISSING and each.default_factory is MISSING


def _init(self: Any, /, *values: Any, **given: Any) -> None:
    making: _Making = self._record
    if values:
        if len(values) > len(making.places):
            raise TypeError(f"{type(self).__name__}.__init__() takes {len(making.places)} positional arguments")
        given |= zip(making.places, values, strict=False)
    if not making.required <= given.keys() <= making.names:
        making.refuse(type(self).__name__, given)
    fields = self.__dict__
    fields.update(making.defaults)
    fields.update(given)
    for name, factory in making.factories:
        if name not in given:
            fields[name] = factory()
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def _comparable(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, each.name) for each in self.__dataclass_fields__.values() if each.compare)


def _eq(self: Any, other: object) -> bool:
    return _comparable(self) == _comparable(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    fields = self.__dataclass_fields__.values()
    return hash(
        tuple(getattr(self, each.name) for each in fields if (each.compare if each.hash is None else each.hash))
    )


def _repr(self: Any) -> str:
    shown = (each.name for each in self.__dataclass_fields__.values() if each.repr)
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _refuse(self: Any, name: str, value: Any = None) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


_METHODS: dict[str, Any] = {"__init__": _init, "__repr__": _repr, "__setattr__": _refuse, "__delattr__": _refuse}
_EQUALITY: dict[str, Any] = {"__eq__": _eq}
