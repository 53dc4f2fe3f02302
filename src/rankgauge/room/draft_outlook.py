"""What to expect of a campaign before it is made: the interval by budget and method, as a picture and in numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from rankgauge import dialects
from rankgauge.labelling import defaults, methods
from rankgauge.labelling.campaign import CampaignSettings
from rankgauge.labelling.campaign.board_campaign import BOARD_METHODS, planned
from rankgauge.labelling.forecasts import forecast
from rankgauge.labelling.method import METHODS
from rankgauge.labelling.pool import PooledDocuments
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray
from rankgauge.render.numbers import amount, decimal, fitting_decimals, number
from rankgauge.render.svg import GREY, Axis, Drawing, Plot, apart, colour
from rankgauge.render.table import Column, ReportTable
from rankgauge.room.draft_contents import DraftContents
from rankgauge.room.new_campaign import NewCampaign, NewScale, board_pool_of, is_board, value_pool_of

POINTS = 9
"""How many budgets are looked at."""

LEAST = 0.1
"""The smallest of them, as a share of the chosen one."""

MOST = 4.0
"""The largest, as a multiple of the chosen one; judging everything is never exceeded."""

NARROWEST = 1e-4
"""Half-widths below this are drawn as if they were this: judged whole, there is nothing left to estimate."""

LEFT, RIGHT, TOP, BOTTOM, LABELS = 58, 560, 12, 276, 128
"""The ends of the axes on the paper, and the room for the names of the lines."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DraftOutlook:
    """Half the expected width of the interval at each budget, a line for each method or each measure of a board."""

    budget: float
    budgets: tuple[float, ...]
    lines: Mapping[str, tuple[float, ...]]
    """NaN where there is no interval yet."""
    chosen: str
    """The line that the campaign will follow; empty if it follows all."""
    cost: float
    """What judging everything would cost."""
    unit: str
    """What a budget of 1 pays for, in words."""
    titles: Mapping[str, str] = field(default_factory=dict)
    settling: str = ""
    """How many labels would settle which run of a board is best."""
    board: bool = False

    @classmethod
    def of(cls, wanted: NewCampaign, contents: DraftContents) -> DraftOutlook:
        """What to expect of the campaign, if the beliefs about its documents are right."""
        if wanted.method not in BOARD_METHODS:
            METHODS.find(wanted.method)  # an unknown name is an error with those that are known
        return (_of_board if is_board(wanted, contents) else _of_value)(wanted, contents)

    def expected(self, line: str) -> float:
        """Half the expected width at the campaign's own budget."""
        near = int(np.argmin(np.abs(np.array(self.budgets) - self.budget)))
        return self.lines[line][near]

    def headline(self) -> str:
        """What to expect at the budget, in one line."""
        if self.budget >= self.cost:
            return f"A budget of {amount(self.budget)} pays for judging everything: nothing is left to estimate."
        told = [f"{line} ± {_rounded(self.expected(line))}" for line in ([self.chosen] if self.chosen else self.lines)]
        known = [words for words in told if "–" not in words]
        return f"With a budget of {amount(self.budget)}: {', '.join(known)}" if known else "No interval at this budget."

    def table(self) -> ReportTable:
        """The numbers of the picture."""
        shown = [place for place, budget in enumerate(self.budgets) if place % 2 == 0 or budget == self.budget]
        rows = [(line, *(widths[place] for place in shown)) for line, widths in self.lines.items()]
        columns = (Column(amount(self.budgets[place]), format=_shown) for place in shown)
        first = "Measure" if self.board else "Method"
        return ReportTable(columns=(first, *columns), rows=rows)

    def picture(self) -> Drawing:
        """A falling line for each method or measure, and the chosen budget as an upright one."""
        widths = [width for line in self.lines.values() for width in line if math.isfinite(width)]
        top = max([width for width in widths if width > NARROWEST], default=1.0)
        x = Axis(low=self.budgets[0], high=self.budgets[-1], start=LEFT, end=RIGHT, log=True)
        plot = Plot("Half the expected width of the interval over the budget", x, _upright(top), (RIGHT + LABELS, 320))
        plot.grid(shown="{:,.6g}")
        plot.caption("budget")
        plot.line((x(self.budget), TOP), (x(self.budget), BOTTOM), kind="budget", title="the chosen budget")
        hues = dict(self._hues())
        for name in sorted(self.lines, key=lambda name: name == self.chosen):
            points = [(budget, width) for budget, width in zip(self.budgets, self.lines[name], strict=True)]
            kind = "curve" if name == self.chosen or not self.chosen else "curve rest"
            plot.curve(points, kind=kind, stroke=hues[name], title=name)
        self._label(plot, hues)
        return plot

    def _label(self, plot: Plot, hues: Mapping[str, str]) -> None:
        ends = {name: [width for width in line if math.isfinite(width)] for name, line in self.lines.items()}
        known = [name for name, line in ends.items() if line]
        if not known:
            return
        places = apart([plot.y(ends[name][-1]) for name in known], TOP + 6, BOTTOM)
        for name, place in zip(known, places, strict=True):
            plot.dot((RIGHT + 8, place), r=4, fill=hues[name])
            plot.text((RIGHT + 17, place + 4), name)

    def _hues(self) -> Iterator[tuple[str, str]]:
        for place, name in enumerate(sorted(self.lines, key=lambda name: name != self.chosen)):
            yield name, colour(place) if place < 10 else GREY


def _upright(top: float) -> Axis:
    return Axis(low=0.0, high=1.05 * top, start=BOTTOM, end=TOP)


def _of_value(wanted: NewCampaign, contents: DraftContents) -> DraftOutlook:
    """What each method promises."""
    (pool, unit), scale = value_pool_of(wanted, contents), NewScale(wanted, contents)
    spoken = dialects.get(wanted.dialect).on_scale(scale.words, wanted.measures).topped(float(scale.grades[-1]))
    budgets, target, (soft, _) = _budgets(pool, wanted), Target.of(wanted.measures[0], pool, spoken), pool.softened()
    found = forecast(soft, target, budgets=(budgets / wanted.assessors).tolist(), rng=wanted.seed)
    if wanted.method not in found.widths:  # which cannot estimate this measure, and says why
        methods.get(wanted.method).plan(soft, target, budget=wanted.budget, rng=wanted.seed)
    return DraftOutlook(
        budget=wanted.budget,
        budgets=tuple(budgets),
        lines={name: tuple((widths / 2).tolist()) for name, widths in found.widths.items()},
        chosen=wanted.method,
        cost=pool.open_cost * wanted.assessors,
        unit=unit,
        titles={name: METHODS[name].title for name in found.widths},
    )


def _of_board(wanted: NewCampaign, contents: DraftContents) -> DraftOutlook:
    """What to expect of each measure of a board."""
    (pool, unit), scale = board_pool_of(wanted, contents), NewScale(wanted, contents)
    settings = CampaignSettings(
        measures=tuple(wanted.measures),
        budget=wanted.budget,
        grades=tuple(scale.grades.tolist()),
        scale=scale.text,
        goal=wanted.goal or defaults.GOAL,
        method=wanted.method,
        dialect=wanted.dialect,
        seed=wanted.seed,
    ).on_scale()
    budgets, (_, _, plan) = _budgets(pool, wanted), planned(settings, pool)
    most, documents = int(plan.needed.sum()), budgets / wanted.assessors / float(pool.costs.mean())
    widths = plan.expected([min(max(int(count), 1), most) for count in documents])
    lines = {str(target): tuple(widths[:, place].tolist()) for place, target in enumerate(plan.targets)}
    return DraftOutlook(
        budget=wanted.budget,
        budgets=tuple(budgets),
        lines=lines,
        chosen="" if len(lines) > 1 else next(iter(lines)),
        cost=pool.open_cost * wanted.assessors,
        unit=unit,
        settling=plan.settling(),
        board=True,
    )


def _budgets(pool: PooledDocuments, wanted: NewCampaign) -> FloatArray:
    """The budgets that are looked at."""
    most = min(MOST * wanted.budget, pool.open_cost * wanted.assessors)
    least = min(LEAST * wanted.budget, most)
    return np.unique([*np.geomspace(least, most, POINTS), min(wanted.budget, most)])


def _shown(width: float) -> str:
    return "not yet" if math.isnan(width) else f"± {_rounded(width)}"


def _rounded(width: float) -> str:
    return number(width) if math.isnan(width) else decimal(width, fitting_decimals(width))
