"""The parameters of a ranker, and what it learns: each is declared once.

A parameter has a default and a constraint. The declaration makes the constructor's keyword and the attribute, as a
dataclass's field does; `fit` checks the value, and the command line reads it from a text. An array that is learned
under a key is saved and loaded under that key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, dataclass_transform

import numpy as np

from rankgauge.constraints import Constraint


def parameter(constraint: Constraint | None = None, *, default: Any) -> Any:
    """A parameter of the constructor, with its default and what it may be."""
    return field(default=default, metadata={} if constraint is None else {"constraint": constraint})


def learned(key: str | None = None, *, dtype: Any = np.float64, init: Literal[False] = False) -> Any:
    """An attribute that only learning sets; with a `key`, an array that is saved."""
    return field(init=init, metadata={} if key is None else {"key": key, "dtype": dtype})


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, learned))
class Parametrised:
    """Makes the constructor of a subclass from the parameters it declares; the constructor only stores them."""

    constraints: ClassVar[Mapping[str, Constraint]] = {}
    """What each parameter of its own may be, by name."""
    saved: ClassVar[Mapping[str, tuple[str, Any]]] = {}
    """The key and the type of each array that is saved, by the attribute's name."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declared = fields(dataclass(kw_only=True, eq=False, repr=False)(cls))  # type: ignore[arg-type]
        cls.constraints = {f.name: f.metadata["constraint"] for f in declared if "constraint" in f.metadata}
        cls.saved = {f.name: (f.metadata["key"], f.metadata["dtype"]) for f in declared if "key" in f.metadata}

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Its parameters that have a constraint, sorted by name."""
        return {name: getattr(self, name) for name in sorted(self.constraints)}

    def _state(self) -> dict[str, Any]:
        """What was learned, as lists, numbers and strings: by default the arrays that have a key."""
        return {key: getattr(self, name).tolist() for name, (key, _) in self.saved.items()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Takes back what `_state` gave."""
        for name, (key, dtype) in self.saved.items():
            setattr(self, name, np.array(state[key], dtype=dtype))
