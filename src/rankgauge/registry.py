"""One registry for every kind of thing that may be added: measures, dialects, rankers, file formats, commands …

A kind has a contract (a class), a registry beside it, and a room: a package that holds nothing but files with such
things. Dropping a file into the room is all it takes; help texts, Tab, reference pages and error messages ask the
registry. A file is imported only when one of its things is asked for, or when all of them are listed.

Other packages add measures and dialects by entry points of the groups `rankgauge.measures` and `rankgauge.dialects`,
each of which names a module to import.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Generic, Self, TypeVar

from rankgauge.errors import UnknownNameError, nearest

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """The things of one kind by name, found in the modules of its rooms.

    As a mapping it has them all, sorted by name or by `order`. Looking one up loads only the file named for it, or one
    whose text has the name.
    """

    def __init__(
        self, kind: str, *rooms: str, order: Callable[[T], Any] | None = None, lenient: bool = False, entry: str = ""
    ) -> None:
        """`kind` is the word for one of them in error messages; `rooms` are names of packages.

        `lenient` takes names in any case, with or without hyphens and underscores. `entry` is the group of entry points
        by which other packages add things.
        """
        self.kind, self.rooms, self._order, self._lenient, self._entry = kind, rooms, order, lenient, entry
        self.loaded: dict[str, T] = {}
        """The things whose files have been imported so far."""

    def add(self, thing: T, name: str | None = None) -> T:
        """Return the thing, known from now on by its own `name` or by the one that is given."""
        name = name or str(getattr(thing, "name"))  # noqa: B009 - any kind of thing may have a name
        if self.loaded.setdefault(name, thing) is not thing:
            raise TypeError(f"there are two of the kind {self.kind} called {name}")
        return thing

    def forget(self, name: str) -> None:
        """Take out a thing that was added while the program runs, so that another may have its name."""
        del self.loaded[name]

    def find(self, name: str) -> T:
        """Return the thing of that name; an error suggests the nearest names if there is none."""
        thing = self._near_file(name)
        if thing is None:
            raise UnknownNameError(self.kind, name, self, near=nearest(name, self) or self._meaning(name))
        return thing

    def __getitem__(self, name: str) -> T:
        thing = self._near_file(name)
        if thing is None:
            raise KeyError(name)
        return thing

    def __iter__(self) -> Iterator[str]:
        self._load_all()
        order = self._order
        if order is None:
            return iter(sorted(self.loaded, key=str.lower))
        return iter(sorted(self.loaded, key=lambda name: (order(self.loaded[name]), name)))

    def __len__(self) -> int:
        self._load_all()
        return len(self.loaded)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._near_file(name) is not None

    def titles(self) -> dict[str, str]:
        """Return a few words on each of them, for lists and for Tab."""
        return {name: title_of(thing) for name, thing in self.items()}

    def has_file(self, name: str) -> bool:
        """Say whether a file is named for the thing, found without loading any."""
        return plain(name) in self._files

    def _near_file(self, name: str) -> T | None:
        """Return the thing of that name, after importing as few files as can be."""
        if name not in self.loaded:
            for module in self._likely_modules(name):
                importlib.import_module(module)
                if name in self.loaded:
                    break
            else:
                self._load_all()
        if name not in self.loaded and self._lenient:
            return next((thing for known, thing in self.loaded.items() if plain(known) == plain(name)), None)
        return self.loaded.get(name)

    def _likely_modules(self, name: str) -> Iterator[str]:
        """Yield the module named for a thing, or for the beginning of its name, then those whose text has the name."""
        short = plain(name)
        begun = (self._files.get(short[:end]) for end in range(len(short), 0, -1))
        if file := next(filter(None, begun), None):
            yield file[0]
        for module, path in self._files.values():
            if path.endswith(".py"):
                with open(path, encoding="utf-8") as source:
                    text = source.read()
                if f"class {name}(" in text or f'"{name}"' in text:
                    yield module

    def _meaning(self, word: str) -> list[str]:
        """Return the names of things whose titles have the word."""
        words = {name: title.lower().replace(",", " ").split() for name, title in self.titles().items()}
        return [name for name, parts in words.items() if word.lower() in parts][:3]

    @cached_property
    def _files(self) -> dict[str, tuple[str, str]]:
        """The modules of the rooms and their paths, by plain names; none is imported to list them.

        A room may have more than one folder, but only once it has been imported.
        """
        files = {}
        for room in self.rooms:
            own = os.path.join(os.path.dirname(__file__), *room.split(".")[1:])
            for folder in sys.modules[room].__path__ if room in sys.modules else [own]:
                for file in sorted(os.listdir(folder)):
                    name, _, suffix = file.partition(".")
                    path = os.path.join(folder, file)
                    package = os.path.exists(os.path.join(path, "__init__.py"))
                    if name[:1] not in ("", "_") and (suffix == "py" or package):
                        files[plain(name)] = f"{room}.{name}", path
        return files

    def _load_all(self) -> None:
        for module, _ in self._files.values():
            importlib.import_module(module)
        if self._entry:
            from importlib.metadata import entry_points

            group, self._entry = self._entry, ""
            for point in entry_points(group=group):
                point.load()


class Registered:
    """A thing that is made as a constant and enters its kind's registry by `register`."""

    registry: ClassVar[Registry[Any]]

    def register(self) -> Self:
        """Return the thing, known by its name from now on."""
        self.registry.add(self)
        return self


@lru_cache(4096)
def plain(name: str) -> str:
    """Return a name as it is compared with those of files: trec_eval-10, trec_eval_10 and Trec-Eval-10 are one."""
    return "".join(filter(str.isalnum, name)).lower()


def title_of(thing: Any) -> str:
    """Return a few words on a thing: its title, or the first line of its docstring if it is a class."""
    title = getattr(getattr(thing, "facts", thing), "title", None)
    if isinstance(title, str):
        return title
    return (thing.__doc__ or "").partition("\n")[0] if isinstance(thing, type) else ""
