"""What to do about it: the remedies of the causes that weigh, those of the largest shares of the gap first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankgauge.audit.causes import Cause
from rankgauge.audit.headline import LEAST
from rankgauge.audit.overview import Audit
from rankgauge.audit.remedies import REMEDIES, Advice, definition

__all__ = ["Advice", "advise"]


def advise(audit: Audit) -> list[Advice]:
    """What to do on this data; nothing where the tools agree and there is something to agree on."""
    rules = [REMEDIES[cause.name] for cause in _weighty(audit) if cause.name in REMEDIES]
    return list(dict.fromkeys(one for rule in dict.fromkeys((_vain, *rules, definition)) for one in rule(audit)))


def _weighty(audit: Audit) -> list[Cause]:
    """The causes with a share of a gap, by falling share; then those that move only tools between its ends."""
    between, beside = dict[Cause, float](), dict[Cause, float]()
    for run, gap in audit.gaps.items():
        for shares, found in ((between, [gap]), (beside, audit.attributions[run].values())):
            for part in (part for one in found for part in one.mattering):
                shares[part.cause] = max(shares.get(part.cause, 0.0), abs(part.amount / gap.difference))
    ranked = [sorted(shares, key=lambda cause: -shares[cause]) for shares in (between, beside)]
    large = {cause for shares in (between, beside) for cause, share in shares.items() if share > LEAST}
    return [cause for cause in dict.fromkeys([*ranked[0], *ranked[1]]) if cause in large]


def _vain(audit: Audit) -> Iterator[Advice]:
    """What to look at where the tools agree, or differ, on nothing: the values say nothing of the run's quality."""
    for run, conditions in audit.conditions.items():
        of, n = f" of {run}" if audit.several else "", len(conditions.queries)
        zero = not np.nan_to_num([audit.mean(run, dialect) for dialect in audit.dialects]).any()
        if conditions.count("missing") == n:
            yield Advice(
                title="Check the ids of the queries", words=f"None of the {n} judged queries is in the run{of}."
            )
        elif conditions.count("empty") == n:
            words = f"None of the {n} queries has a relevant document: no ranking of them can be good or bad."
            yield Advice(title="Check the judgments", words=words)
        elif zero and not len(audit.scores[run].hits(audit.base).query):
            words = f"None of the documents{of} is judged for its query, so there is nothing to count."
            yield Advice(title="Check the ids of the documents", words=words)
        elif zero and audit.measure.facts.bounds[0] == 0:
            words = f"Every tool gives 0{of and f' to {run}'}: no relevant document stands where {audit.measure} looks."
            yield Advice(title="Look at the run first", words=words)
