"""The file that holds a project's comparison: rankgauge.toml, or [tool.rankgauge] in pyproject.toml.

Its keys are the long options of `rankgauge compare`, and `judgments`, `runs` and `measures`. The table `judge` names a
machine judge's grades, those that were audited, and the people's labels that both are held against.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankgauge.cli.comparison import CompareOptions
from rankgauge.errors import InputError

NAME = "rankgauge.toml"
SHARED = "pyproject.toml"
TABLE = "tool.rankgauge"

NAMES = {"measure": "measures", "floor": "min"}
"""Keys that are not called as their option's field: a list of measures is plural, and Python has a `min`."""

LIMITS = ("fail-if-worse", "min", "segment-tolerance", "collection-tolerance")
"""Keys that may be a table of numbers by name."""

JUDGE = ("people", "audited", "grades")
"""The keys of the table of a machine judge."""

EXAMPLE = """A small one:
    judgments = "qrels.txt"
    runs = {main = "git:origin/main:run.txt", new = "run.txt"}
    baseline = "main"
    fail-if-worse = ["nDCG@10:0.01"]"""


@dataclass(frozen=True, kw_only=True)
class ProjectFile:
    """Where a project's comparison is described, and what it says."""

    path: Path
    settings: Mapping[str, Any]

    @classmethod
    def find(cls, start: Path) -> ProjectFile:
        """Return the nearest one in the folder or above it."""
        for folder in (start, *start.parents):
            if (folder / NAME).is_file():
                return cls.read(folder / NAME)
            if (folder / SHARED).is_file() and (shared := cls.read(folder / SHARED)).settings:
                return shared
        problem = f"there is no {NAME} here or in a folder above, and no [{TABLE}] in a {SHARED}"
        raise InputError(problem, path=start, hint=EXAMPLE)

    @classmethod
    def read(cls, path: Path) -> ProjectFile:
        """Return the settings in a file; in a pyproject.toml those of the table of RankGauge."""
        try:
            settings = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"is not valid TOML: {error}", path=path) from None
        except UnicodeDecodeError:
            raise InputError("is not text; a rankgauge.toml was expected", path=path) from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
        if path.name == SHARED:
            tool = settings.get("tool", {})
            settings = tool.get("rankgauge", {}) if isinstance(tool, dict) else {}
        if not isinstance(settings, dict):
            raise InputError(f"{TABLE} must be a table", path=path)
        return cls(path=path, settings=settings)

    def files(self) -> list[str]:
        """List the files that it names, as it names them."""
        named = [self.settings.get(key) for key in ("judgments", "by", "queries", "intents", "baseline", "collections")]
        runs = self.settings.get("runs", {})
        listed = runs.values() if isinstance(runs, dict) else [runs] if isinstance(runs, str) else runs
        parts = (name.partition("=") for name in listed if isinstance(name, str))
        paths = (
            before + sign + after if isinstance(runs, dict) or not sign else after for before, sign, after in parts
        )
        return [*(name for name in named if isinstance(name, str)), *paths, *(self.judge or {}).values()]

    @property
    def judge(self) -> Mapping[str, str] | None:
        """The files of a machine judge, as they are named; None if none is to be checked."""
        table = self.settings.get("judge")
        if table is None:
            return None
        texts = isinstance(table, dict) and all(isinstance(name, str) for name in table.values())
        if not texts or sorted(table) != sorted(JUDGE):
            raise InputError(f"the key 'judge' must be a table of the files {', '.join(JUDGE)}", path=self.path)
        return dict(table)

    @property
    def compares(self) -> bool:
        """Whether runs are to be compared, or there is a judge alone."""
        return bool(set(self.settings) - {"judge"}) or "judge" not in self.settings

    def options(self, **changes: Any) -> CompareOptions:
        """Return the settings as options of a comparison; the paths in them are relative to the file's folder."""
        known = keys()
        told = {key: value for key, value in self.settings.items() if key != "judge"}
        for key in told:
            if key not in known:
                raise self._unknown(key, [*known, "judge"])
        values = {known[key].field: self._value(key, known[key], value) for key, value in told.items()}
        missing = [key for key, option in known.items() if option.required and option.field not in values]
        missing = [] if "collections" in values else missing
        if not values.get("fail_if_worse") and not values.get("floor"):
            missing.append("fail-if-worse")
        if missing:
            raise InputError(f"does not say {', '.join(missing)}", path=self.path, hint=EXAMPLE)
        return CompareOptions(**values | changes)

    def _unknown(self, key: str, known: list[str]) -> InputError:
        near = difflib.get_close_matches(key, known, n=1)
        guess = f" Did you mean {near[0]}?" if near else ""
        return InputError(f"the key '{key}' is not known.{guess}", path=self.path, hint=f"Known: {', '.join(known)}")

    def _value(self, key: str, option: Key, value: Any) -> Any:
        if key == "runs" and isinstance(value, dict) and all(isinstance(path, str) for path in value.values()):
            value = [f"{name}={path}" for name, path in value.items()]
        if key in LIMITS and not isinstance(value, str):
            value = _limits(value)
        if option.several and isinstance(value, str):
            value = [value]
        parts = value if option.several and isinstance(value, list) else [value]
        if (option.several and not isinstance(value, list)) or not all(option.takes(part) for part in parts):
            raise InputError(f"the key '{key}' must be {option.words}; it is {value!r}", path=self.path)
        made = [option.kind(part) for part in parts]
        return made if option.several else made[0]


def _limits(value: Any) -> Any:
    """Write numbers by name as an option has them: {"nDCG@10" = 0.62} is nDCG@10:0.62, and 0.62 is for all measures."""
    if isinstance(value, dict):
        numbers = all(isinstance(limit, int | float) and not isinstance(limit, bool) for limit in value.values())
        return [f"{name}:{limit!r}" for name, limit in value.items()] if numbers else value
    return repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key of the file: the option that it stands for, and what its value is."""

    field: str
    kind: Any
    several: bool
    required: bool

    @property
    def words(self) -> str:
        """What its value has to be."""
        one = {bool: "true or false", int: "a whole number", float: "a number"}.get(self.kind, "a text")
        return "a list of texts" if self.several else str(one)

    def takes(self, value: Any) -> bool:
        """Say whether a value is of its kind."""
        if isinstance(value, bool) or self.kind is bool:
            return isinstance(value, bool) and self.kind is bool
        return isinstance(value, int | float if self.kind is float else int if self.kind is int else str)


def keys() -> dict[str, Key]:
    """Return the keys that a file may have, by name."""
    kinds: dict[str, Any] = {"bool": bool, "int": int, "float": float, "str": str, "Path": Path}
    return {
        NAMES.get(name, name.replace("_", "-")): Key(
            field=name, kind=kinds[parameter.kind], several=parameter.count is None, required=parameter.required
        )
        for name, parameter in CompareOptions.parameters().items()
    }
