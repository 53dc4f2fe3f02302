"""Why scores differ: what one ranking gets from every tool, and which of their choices made the difference."""

from rankgauge.audit.tools.cause import Attribution, Part, attribute
from rankgauge.audit.tools.explain import Explanation, explain, explain_all
from rankgauge.audit.tools.origins import Origin, Origins, origins
from rankgauge.audit.tools.overview import (
    Audit,
    AuditAdvice,
    Consensus,
    Headline,
    Mover,
    ToolPreferences,
    advise,
    audit,
    headline,
    movers,
    preferences,
)
from rankgauge.audit.tools.scores import Scores

__all__ = [
    "Attribution",
    "Audit",
    "AuditAdvice",
    "Consensus",
    "Explanation",
    "Headline",
    "Mover",
    "Origin",
    "Origins",
    "Part",
    "Scores",
    "ToolPreferences",
    "advise",
    "attribute",
    "audit",
    "explain",
    "explain_all",
    "headline",
    "movers",
    "origins",
    "preferences",
]
