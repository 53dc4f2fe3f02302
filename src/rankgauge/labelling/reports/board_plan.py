"""The report of `rankgauge active plan` for a board of runs: the pool, the goal, and the intervals to expect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.evaluation.worths import board_worths
from rankgauge.labelling.board.values import SHALLOW_SIZE
from rankgauge.labelling.campaign import BoardCampaign
from rankgauge.labelling.campaign.board_campaign import METHOD as STREAM
from rankgauge.labelling.posterior.plan import METHOD as POSTERIOR
from rankgauge.labelling.reports.board_notes import look_words, pool_notes
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import amount, count, number
from rankgauge.render.passages import Heading, Notes, ReportTable

SHARES = (0.5, 1.0, 2.0, 4.0)
"""The numbers of labels for which intervals are forecast, as shares of what the budget pays for."""


METHODS = {
    STREAM: "single documents, chosen by what their labels would move",
    POSTERIOR: "a model of the grades, which serves a few runs and shallow pools; documents by an order, later by what "
    f"their labels tell (--method {STREAM}: no model)",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardPlanReport(Report):
    """A board before its first label, and what to expect of it."""

    command = "active plan"

    campaign: BoardCampaign

    def document(self, medium: Medium) -> ReportDocument:
        """What is estimated, and the expected intervals."""
        heading = Heading("Expected interval (±) by labels, on average over the runs, if the first beliefs are right")
        return ReportDocument(headline=heading.title, passages=(Notes(list(self._facts())), heading, self._widths()))

    def _widths(self) -> ReportTable:
        plan, labels = self.campaign.plan, self.campaign.settings.looks[-1]
        numbers = sorted({min(max(round(share * labels), 1), int(plan.needed.sum())) for share in SHARES})
        columns = tuple(f"{n:,}" for n in numbers)
        rows = [
            (
                str(target),
                *(
                    plan.lacking if np.isnan(width) else f"{'≥ ' * plan.is_bound(target)}{number(width)}"
                    for width in widths
                ),
            )
            for target, widths in zip(plan.targets, plan.expected(numbers).T.tolist(), strict=True)
        ]
        return ReportTable(header=("measure", *columns), rows=rows, numbers=columns)

    def _facts(self) -> Iterator[tuple[str, str]]:
        campaign, settings, plan = self.campaign, self.campaign.settings, self.campaign.plan
        runs = count(len(campaign.pool.runs), "run")
        yield "estimated", f"{settings.measure} of {runs}, for these queries and as if the whole pool were judged"
        yield from pool_notes(campaign.pool, plan.targets)
        if any(map(plan.is_bound, plan.targets)):
            words = "ideals are hard to know, and intervals may be several times as wide as ≥ says"
            yield "shallow", f"fewer than {SHALLOW_SIZE:g} documents a query: {words}"
        yield "dialect", settings.dialect
        yield from board_worths(plan.targets, max(settings.grades))
        looks = settings.looks
        stops = f", {look_words(looks)} and settled at any of them" if looks[1:] else ""
        yield "goal", f"{settings.goal} by {settings.measures[0]}{stops}"
        whole = amount(float(campaign.pool.query_costs.sum()))
        yield "budget", f"{amount(settings.budget)} of {whole} for all{settings.cost and '; ' + settings.cost}"
        if settings.assessors > 1:
            yield "assessors", f"{settings.assessors} per document, and each label costs"
        yield "method", f"{settings.method}: {METHODS[settings.method]}; seed {settings.seed}"
