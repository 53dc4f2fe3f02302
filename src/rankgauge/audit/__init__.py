"""Why scores differ: what one ranking gets from every tool, and which of their choices made the difference."""

from rankgauge.audit.advice import AuditAdvice, advise
from rankgauge.audit.attribution import Attribution, Part, attribute
from rankgauge.audit.explain import Explanation, explain, explain_all
from rankgauge.audit.highlights import Headline, Mover, headline, movers
from rankgauge.audit.origins import Origin, Origins, origins
from rankgauge.audit.overview import Audit, audit
from rankgauge.audit.preferences import Consensus, ToolPreferences, preferences
from rankgauge.audit.scores import Scores

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
