"""The contract of a cause: a choice of dialects, named as a user would name it, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING

from rankgauge.audit.tools.scores import REFUSING, REPORTED, RESOLVED, Conditions
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.policies import Policy
from rankgauge.registry import Registered, Registry

if TYPE_CHECKING:
    from rankgauge.audit.tools.advice import Remedy

Setting = Callable[[Dialect, Measure, Conditions], str]

CAUSES: Registry[Cause] = Registry("cause", "rankgauge.audit.tools.causes", order=lambda cause: cause.place)
"""Every cause; together they have every field of a dialect that can change a value."""

LAST = 1000


@dataclass(frozen=True, kw_only=True)
class Cause(Registered):
    """A choice that every tool makes in its own way."""

    registry = CAUSES

    name: str
    fields: tuple[str, ...] = ()
    """The dialect's fields that make the choice; by default the one of the same name."""
    subject: str
    """What it is about; it completes the sentence "Most of the gap comes from …"."""
    setting: Setting | None = None
    """What a dialect chose, in words; by default those of its policy."""
    kind: str | None = None
    """The kind of queries that it concerns, if not all."""
    phrase: str = ""
    """What is said of these queries."""
    advice: str = ""
    """What to do about it, if it has a share of the gap."""
    why: str = ""
    """Why; `{share}` is how many queries are of the kind."""
    remedy: Remedy | None = None
    """The advice, if it depends on the data."""
    place: int = LAST
    """Causes are listed by rising place."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", self.fields or (self.name,))

    def counted(self, conditions: Conditions) -> str:
        """Return how many queries it concerns."""
        if self.kind is None:
            return ""
        n = conditions.count(self.kind)
        return f"{n} of {len(conditions.queries)} queries {_match_number(self.phrase, n).format(k=conditions.cutoff)}"

    def named(self, conditions: Conditions) -> str:
        """Return its subject."""
        return self.subject.format(k=conditions.cutoff)

    def about(self, conditions: Conditions) -> str:
        """Return its subject, with the number of queries."""
        subject = self.named(conditions)
        if self.kind is None:
            return subject
        n = conditions.count(self.kind)
        # A dialect whose ideal is made of the retrieved list has 0/0 where the judgments have not.
        return f"{n} {_match_number(subject, n)}" if n else "lists that a tool counts like " + subject

    def told(self, base: Dialect, other: Dialect, measure: Measure, conditions: Conditions) -> str:
        """Return what each of the two dialects does."""
        head = self.counted(conditions)
        new, old = (self.chosen(dialect, measure, conditions) for dialect in (other, base))
        return (f"{head}: " if head else "") + f"{new} ({other.name}), {old} ({base.name})"

    def chosen(self, dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
        """Return what the dialect chose, in words."""
        if self.setting is not None:
            return self.setting(dialect, measure, conditions)
        value = getattr(dialect, self.fields[0])
        return value.words if isinstance(value, Policy) else f"{self.fields[0].replace('_', ' ')} {value}"


def differing(base: Dialect, other: Dialect) -> tuple[Cause, ...]:
    """Return the causes in which two dialects differ."""
    return tuple(cause for cause in _all() if any(getattr(base, name) != getattr(other, name) for name in cause.fields))


@cache
def _all() -> tuple[Cause, ...]:
    """Return the causes; a field of a dialect that belongs to none of them is a cause of its own."""
    known = {name for cause in CAUSES.values() for name in cause.fields}
    rest = [f.name for f in fields(Dialect) if f.name not in {*known, *REPORTED, *REFUSING, *RESOLVED}]
    return (*CAUSES.values(), *(Cause(name=name, subject=name) for name in rest))


_SINGULAR = {"queries": "query", "lists": "list", "have": "has", "are": "is"}


def _match_number(words: str, n: int) -> str:
    """Return the words in the singular if there is one query."""
    return " ".join(_SINGULAR.get(word, word) for word in words.split(" ")) if n == 1 else words
