"""An audit as one JSON object."""

from __future__ import annotations

import json
import math
from typing import Any, TextIO

from rankgauge.audit import Attribution, Audit, advise, headline, movers, preferences
from rankgauge.audit.preferences import Contest

__all__ = ["write"]


def write(audit: Audit, stream: TextIO) -> None:
    """The whole audit; what is not defined is null."""
    document = {
        "measure": str(audit.measure),
        "base": audit.base.name,
        "dialects": [dialect.name for dialect in audit.dialects],
        "refused": dict(audit.refused),
        "runs": [_run(audit, run) for run in audit.scores],
        "verdict": _verdict(audit) if audit.several else None,
        "advice": [{"title": advice.title, "words": advice.words} for advice in advise(audit)],
    }
    json.dump(_plain(document), stream, ensure_ascii=False, indent=2, allow_nan=False)
    stream.write("\n")


def _run(audit: Audit, run: str) -> dict[str, Any]:
    conditions = audit.conditions[run]
    return {
        "run": run,
        "headline": str(headline(audit, run)),
        "queries": len(conditions.queries),
        "conditions": {kind: conditions.count(kind) for kind in conditions.holds},
        "means": {dialect.name: audit.mean(run, dialect) for dialect in audit.dialects},
        "cutoffs": {
            dialect.name: {str(measure): audit.mean(run, dialect, measure) for measure in audit.cutoffs}
            for dialect in audit.dialects
        },
        "gap": _attribution(audit.gaps[run]) if run in audit.gaps else None,
        "attributions": [_attribution(found) for found in audit.attributions[run].values()],
        "movers": [vars(mover) for mover in movers(audit, run)],
    }


def _attribution(found: Attribution) -> dict[str, Any]:
    parts = [{"cause": part.cause.name, "amount": part.amount, "queries": part.queries} for part in found.parts]
    return {"base": found.base.name, "dialect": found.other.name, "difference": found.difference, "parts": parts}


def _verdict(audit: Audit) -> dict[str, Any]:
    verdict = preferences(audit)
    orders = [{"dialect": d, "measure": m, "runs": list(runs)} for (d, m), runs in verdict.orders.items()]
    return {"seed": verdict.seed, "orders": orders, "contests": [_contest(one) for one in verdict.contests]}


def _contest(contest: Contest) -> dict[str, Any]:
    return {
        "measure": str(contest.measure),
        "runs": list(contest.runs),
        "outcome": contest.outcome.name.lower(),
        "duels": [{**vars(duel), "significant": duel.significant} for duel in contest.duels],
    }


def _plain(value: Any) -> Any:
    """The value as JSON knows it."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
