"""Why scores differ: what one ranking gets from every tool, and which of their choices made the difference."""

from rankgauge.audit.advice import Advice, advise
from rankgauge.audit.attribution import Attribution, Part, attribute
from rankgauge.audit.explain import Explanation, explain
from rankgauge.audit.headline import Headline, headline
from rankgauge.audit.movers import Mover, movers
from rankgauge.audit.overview import Audit, audit
from rankgauge.audit.scores import Scores
from rankgauge.audit.verdict import Outcome, Verdict, judge

__all__ = [
    "Advice",
    "Attribution",
    "Audit",
    "Explanation",
    "Headline",
    "Mover",
    "Outcome",
    "Part",
    "Scores",
    "Verdict",
    "advise",
    "attribute",
    "audit",
    "explain",
    "headline",
    "judge",
    "movers",
]
