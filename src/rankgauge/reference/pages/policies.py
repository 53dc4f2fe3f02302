"""docs/policies.md: every named choice, with the words that explain it."""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge import dialects, policies
from rankgauge.judgments import RULES
from rankgauge.policies import Policy
from rankgauge.render.formats.md import table
from rankgauge.render.table import ReportTable

HEAD = """# Policies

What other tools leave to a sort, a default or an accident is a named choice here. A dialect fixes all of them; each can
be overruled by an option of `rankgauge evaluate` or a keyword of `rankgauge.evaluate`. The notes under a table say
which of them mattered for its numbers.
"""
UNDEFINED = """## Undefined values: where a formula is 0/0

A query with nothing relevant makes most measures 0/0. `--empty 0` (or any number) counts that in its place;
`--empty leave-out` leaves the query out of that measure's mean.
"""
ASSESSORS = """## Several assessors: one grade out of several

`--assessors RULE`, or `rankgauge judgments combine --rule RULE`. With `--at GRADE`, or `RULE@GRADE`, each grade becomes
1 or 0 at that level first.
"""


def page() -> str:
    """The page."""
    sections = [_policy(kind) for kind in _kinds()]
    rules = ReportTable(columns=("rule", "gives"), rows=[(f"`{r.name}`", r.words) for r in RULES.values()])
    assessors = ASSESSORS + "\n" + table(rules)
    return "\n".join([HEAD, *sections, UNDEFINED, assessors])


def _kinds() -> list[type[Policy]]:
    """The policies, in the order of their file."""
    members = vars(policies).values()
    return [kind for kind in members if isinstance(kind, type) and issubclass(kind, Policy) and kind is not Policy]


def _policy(kind: type[Policy]) -> str:
    rows = [(f"`{choice.value}`", choice.words, ", ".join(_users(choice))) for choice in kind]
    title = (kind.__doc__ or "").rstrip(".")
    return f"## {title}\n\n" + table(ReportTable(columns=("choice", "means", "the way of"), rows=rows))


def _users(choice: Policy) -> Iterator[str]:
    """The dialects that made the choice. Policies are strings too, and `zero` is a choice of several: hence `is`."""
    for dialect in dialects.DIALECTS.values():
        if any(value is choice for value in vars(dialect).values()):
            yield dialect.name
