"""One registry for every kind of thing that may be added: measures, dialects, rankers, file formats, commands …

A kind has a contract (a class), a registry beside it, and a room: a package that holds nothing but files with such
things. Dropping a file into the room is all it takes; help texts, Tab, reference pages and error messages ask the
registry. A file is imported only when one of its things is asked for, or when all of them are listed.
"""

from __future__ import annotations

import importlib.util
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

from rankgauge.errors import UnknownNameError

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """The things of one kind by name, found in the modules of its rooms.

    As a mapping it has them all, sorted by name or by `order`. Looking one up loads only the file named for it, where
    there is one.
    """

    def __init__(self, kind: str, *rooms: str, order: Callable[[T], Any] | None = None, lenient: bool = False) -> None:
        """`kind` is the word for one of them in error messages; `rooms` are names of packages.

        `lenient` takes names in any case, with or without hyphens and underscores.
        """
        self.kind, self.rooms, self._order, self._lenient = kind, rooms, order, lenient
        self._things: dict[str, T] = {}

    def add(self, thing: T, name: str | None = None) -> T:
        """The thing, known from now on by its own `name` or by the one that is given."""
        name = name or str(getattr(thing, "name"))  # noqa: B009 - any kind of thing may have a name
        if self._things.setdefault(name, thing) is not thing:
            raise TypeError(f"there are two of the kind {self.kind} called {name}")
        return thing

    def find(self, name: str) -> T:
        """The thing of that name; an error suggests the nearest names if there is none."""
        found = self._near_file(name)
        if found is None:
            raise UnknownNameError(self.kind, name, self)
        return found

    def __getitem__(self, name: str) -> T:
        found = self._near_file(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        self._load_all()
        order = self._order
        if order is None:
            return iter(sorted(self._things, key=str.lower))
        return iter(sorted(self._things, key=lambda name: (order(self._things[name]), name)))

    def __len__(self) -> int:
        self._load_all()
        return len(self._things)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._near_file(name) is not None

    def titles(self) -> dict[str, str]:
        """A few words on each of them, for lists and for Tab."""
        return {name: title_of(thing) for name, thing in self.items()}

    def has_file(self, name: str) -> bool:
        """Whether a file is named for the thing, found without loading any."""
        return plain(name) in self._files

    def _near_file(self, name: str) -> T | None:
        """The thing of that name: the file named for it is tried before all the others."""
        if name not in self._things and (file := self._files.get(plain(name))):
            importlib.import_module(file)
        if name not in self._things:
            self._load_all()
        if name not in self._things and self._lenient:
            return next((thing for known, thing in self._things.items() if plain(known) == plain(name)), None)
        return self._things.get(name)

    @cached_property
    def _files(self) -> dict[str, str]:
        """The modules of the rooms by their plain names."""
        specs = filter(None, map(importlib.util.find_spec, self.rooms))  # no room is imported for a list of its files
        return {
            plain(module.name): f"{spec.name}.{module.name}"
            for spec in specs
            for module in pkgutil.iter_modules(spec.submodule_search_locations)
        }

    def _load_all(self) -> None:
        for module in self._files.values():
            importlib.import_module(module)


class Registered:
    """A thing that is made as a constant and enters its kind's registry by `register`."""

    registry: ClassVar[Registry[Any]]

    def register(self) -> Self:
        """The thing, known by its name from now on."""
        self.registry.add(self)
        return self


def plain(name: str) -> str:
    """A name as it is compared with those of files: trec_eval-10, trec_eval_10 and Trec-Eval-10 are one."""
    return re.sub(r"[\W_]+", "", name).lower()


def title_of(thing: Any) -> str:
    """A few words on a thing: its title, or the first line of its docstring if it is a class."""
    title = getattr(getattr(thing, "facts", thing), "title", None)
    if isinstance(title, str):
        return title
    return (thing.__doc__ or "").partition("\n")[0] if isinstance(thing, type) else ""
