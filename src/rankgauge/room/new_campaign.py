"""A new campaign: its settings, what is usual for its files, and how it is made of both."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field, field_validator

from rankgauge import dialects
from rankgauge.errors import InputError, ParameterError
from rankgauge.files import table_suffixes
from rankgauge.files.scales import Scale
from rankgauge.judgments import scale as scale_of
from rankgauge.labelling import defaults, methods
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.campaign import BoardCampaign, Campaign, CampaignSettings, LabelCampaign
from rankgauge.labelling.campaign.board_campaign import BOARD_METHODS, plan_stage
from rankgauge.labelling.campaign.database import reading
from rankgauge.labelling.campaign.rules import CampaignRules, Guidelines
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.method import METHODS, forecast
from rankgauge.labelling.pool import Pool, PooledDocuments
from rankgauge.labelling.pool_sources import in_units
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray
from rankgauge.render.numbers import amount, decimal, fitting_decimals, number
from rankgauge.render.svg import GREY, Axis, Drawing, Plot, apart, colour
from rankgauge.render.table import Column, ReportTable
from rankgauge.room.answers import Name, SentSettings
from rankgauge.room.campaigns import Campaigns
from rankgauge.room.draft_contents import CAMPAIGN_FILES, DraftContents, DraftFile, DraftPart
from rankgauge.room.uploads import adopt, read_contents

OF_THE_POOL = "pool"
"""The scale of the pool's own beliefs, of its judges or of earlier judgments; 0 to 3 if nothing says one."""

GRADE = re.compile(r"-?\d+(?:\.\d+)?")
MOST_LEVELS = 101
"""How many levels a scale may have: people who slide from 0 to 100 have as many."""
_EXPECTED = "one level per line, such as `2 good: answers the question in part`"

SHARE, LEAST = 0.1, 100
"""The usual budget: this share of the documents, and at least so many of them, but not more than half."""


class NewCampaign(SentSettings):
    """The settings of a new campaign."""

    name: Name = Field(description="The campaign's name.")
    measure: str = Field(defaults.MEASURE, description="A measure with its cutoff; for a board several, with commas.")
    budget: float = Field(gt=0, allow_inf_nan=False, description="What judging may cost, in the unit.")
    method: str = Field(defaults.METHOD, description="The method that chooses the documents to judge.")
    goal: str | None = Field(
        None, description="What the labels of a board settle first: rank, values, best, beats RUN."
    )
    dialect: str = Field(defaults.DIALECT, description="The dialect that computes the measure.")
    cost: str | None = Field(None, description="The name of a cost, or a column of the pool.")
    unit: str = Field("document", description="What costs 1 on average: document, query, or none (as in the pool).")
    depth: int | None = Field(None, ge=1, description="The rank at which lists are cut.")
    scale: str = Field(OF_THE_POOL, description="A scale's name; pool: the grades of its beliefs or judge, or 0 to 3.")
    levels: str = Field("", max_length=20_000, description=f"Levels of your own: {_EXPECTED}.")
    assessors: int = Field(defaults.ASSESSORS, ge=1, le=20, description="How many assessors judge each document.")
    combine: str = Field(defaults.COMBINE, description="The rule that combines their grades.")
    seed: int = Field(defaults.SEED, ge=0, description="The seed of the draws.")
    stop_at: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="Half the width of the interval at which it stops."
    )
    guide: str = Field("", max_length=10_000, description="Guidelines for the assessors.")

    @field_validator("measure")
    @classmethod
    def _is_named(cls, measure: str) -> str:
        if not _names(measure):
            raise ValueError(f"name at least one measure, such as {defaults.MEASURE}")
        return measure

    @property
    def measures(self) -> list[str]:
        """The measures by name."""
        return _names(self.measure)


class SentCampaign(NewCampaign):
    """The settings of a new campaign as programs send them, beside files or one file."""

    budget: float = Field(
        1.0,
        gt=0,
        allow_inf_nan=False,
        description="What judging may cost, in the unit; a campaign's file (.rg) brings it along, with all settings.",
    )

    def problem(self, *, campaign: bool) -> str | None:
        """Return what is wrong: settings beside a campaign's file, which has its own, or a pool without a budget."""
        if not campaign:
            known = "budget" in self.model_fields_set
            return None if known else "budget: a pool needs one: what judging may cost"
        extra = sorted(self.model_fields_set - {"name", "filename"})
        return f"a campaign's file brings its settings along: leave out {', '.join(extra)}" if extra else None


def _names(measures: str) -> list[str]:
    return [name.strip() for name in re.split(r",(?![^(]*\))", measures) if name.strip()]


class NewScale:
    """The scale that assessors judge on: as levels, as a scale's name, or as the pool's files say."""

    def __init__(self, wanted: NewCampaign, contents: DraftContents) -> None:
        self.levels = levels_of(wanted.levels)
        if self.levels:
            self.text = ", ".join(f"{name}={grade}" for grade, name, _ in self.levels)
        elif wanted.scale != OF_THE_POOL:
            self.text = wanted.scale
        else:
            grades, _ = contents.usual_grades
            _refuse_many(len(grades))
            self.text = ", ".join(f"{grade:g}={grade:g}" for grade in grades)

    @property
    def words(self) -> Scale:
        """The levels with their grades."""
        return scale_of(self.text)

    @property
    def grades(self) -> np.ndarray:
        """The grades, ascending."""
        return np.unique([grade for _, grade in self.words.levels])

    def guidelines(self, words: str) -> Guidelines:
        """Return what assessors read of the levels, and how to judge."""
        return Guidelines(
            words=words,
            names={f"{grade:g}": self.words.label(grade) for grade in self.grades},
            meanings={grade: meaning for grade, _, meaning in self.levels if meaning}
            or {f"{grade:g}": meaning for grade, meaning in self.words.meanings.items()},
        )


def usual(contents: DraftContents) -> dict[str, Any]:
    """Return what a campaign of these files is set to where nothing else is said: a name and a budget."""
    if contents.campaign is not None:
        return {"name": contents.campaign.stem, "budget": 1}
    documents = contents.size[1]
    return {"name": contents.title, "budget": min(max(round(SHARE * documents), LEAST), max(documents // 2, 1))}


def board_pool_of(wanted: NewCampaign, contents: DraftContents) -> tuple[BoardPool, str]:
    """Return the pool of a board of runs, with costs in the unit, and the costs in words."""
    return in_units(contents.board_pool(wanted.measures, cost=wanted.cost or None, depth=wanted.depth), wanted.unit)


def value_pool_of(wanted: NewCampaign, contents: DraftContents) -> tuple[Pool, str]:
    """Return the pool of a campaign for one value, with costs in the unit, and the costs in words."""
    grades = NewScale(wanted, contents).grades
    return in_units(contents.pool(grades=grades, cost=wanted.cost or None, depth=wanted.depth), wanted.unit)


def is_board(wanted: NewCampaign, contents: DraftContents) -> bool:
    """Say whether it is a board of runs: it was asked for, or the other methods cannot give what is."""
    if wanted.method not in (defaults.METHOD, *BOARD_METHODS):
        return False
    alone = wanted.stop_at is not None
    return wanted.method != defaults.METHOD or contents.is_board(
        wanted.measures, wanted.goal, depth=wanted.depth, alone=alone
    )


def create(campaigns: Campaigns, wanted: NewCampaign, contents: DraftContents) -> int:
    """The number of a new campaign. A campaign's file brings its settings along: only the name is taken from here."""
    if contents.campaign is not None:
        return adopt(campaigns, contents.campaign, wanted.name)
    scale = NewScale(wanted, contents)
    kept = wanted.model_dump(include={"budget", "name", "dialect", "seed", "assessors"})
    common = {**kept, "scale": scale.text, "combine": combine_of(wanted, contents), "method": wanted.method}
    rules = CampaignRules(stop_at=wanted.stop_at, guide=scale.guidelines(wanted.guide))
    made: LabelCampaign
    if is_board(wanted, contents):
        if wanted.stop_at is not None:
            raise ParameterError("a board", "stop_at", "empty: a board stops when its goal is settled", wanted.stop_at)
        board, common["cost"] = board_pool_of(wanted, contents)
        options = {"grades": scale.grades.tolist(), "goal": wanted.goal or defaults.GOAL}
        made = BoardCampaign.create(campaigns.engine, board, wanted.measures, **options, **common)
    else:
        pool, common["cost"] = value_pool_of(wanted, contents)
        options = {"judges": ", ".join(judge.name for judge in contents.judges)}
        made = Campaign.create(campaigns.engine, pool, wanted.measures[0], **options, **common)
    with reading(campaigns.engine) as connection:
        number = Store.find(connection, made.name).campaign
    campaigns.change_rules(number, lambda _: rules)
    return number


def combine_of(wanted: NewCampaign, contents: DraftContents) -> str:
    """Return the rule that combines the grades of several assessors."""
    chosen = "combine" in wanted.model_fields_set or wanted.assessors == 1
    return defaults.BOARD_COMBINE if is_board(wanted, contents) and not chosen else wanted.combine


def single_file(content: bytes, filename: str) -> DraftContents:
    """Return the contents of one file: a pool, a run or a campaign."""
    ending, known = Path(filename).suffix.lower(), (*table_suffixes(), *CAMPAIGN_FILES)
    if ending not in known:
        raise InputError(
            f"files ending in '{ending}' cannot be read", hint=f"A pool or campaign ends in {', '.join(known)}."
        )
    return read_contents([DraftFile(part=DraftPart.LISTS, name=f"upload{ending}", content=content)])


def _refuse_many(levels: int) -> None:
    if levels > MOST_LEVELS:
        raise ParameterError("a campaign", "levels", f"at most {MOST_LEVELS}", levels)


def levels_of(text: str) -> list[tuple[str, str, str]]:
    """Grade, name and meaning of each level."""
    found, lines = [], list(filter(str.strip, text.splitlines()))
    _refuse_many(len(lines))
    for row, line in enumerate(lines, start=1):
        # Word by word, as a pattern for the whole line would try every way to divide its blanks.
        grade, _, rest = line.strip().replace("\t", " ").partition(" ")
        name, _, meaning = (part.strip() for part in rest.partition(":"))
        if not GRADE.fullmatch(grade) or not name or "=" in name or "," in name:
            raise InputError(f"levels: expected {_EXPECTED}", line=row, text=line)
        found.append((f"{float(grade):g}", name, meaning))
    if len({grade for grade, _, _ in found}) < len(found):
        raise ParameterError("a campaign", "levels", "different grades", [grade for grade, _, _ in found])
    return found


POINTS = 9
"""How many budgets are looked at."""

LEAST_SHARE = 0.1
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
        """Return what to expect of the campaign, if the beliefs about its documents are right."""
        if wanted.method not in BOARD_METHODS:
            METHODS.find(wanted.method)  # an unknown name is an error with those that are known
        return (_of_board if is_board(wanted, contents) else _of_value)(wanted, contents)

    def expected(self, line: str) -> float:
        """Return half the expected width at the campaign's own budget."""
        near = int(np.argmin(np.abs(np.array(self.budgets) - self.budget)))
        return self.lines[line][near]

    def headline(self) -> str:
        """Return what to expect at the budget, in one line."""
        if self.budget >= self.cost:
            return f"A budget of {amount(self.budget)} pays for judging everything: nothing is left to estimate."
        told = [
            f"{line} ± {_round_width(self.expected(line))}" for line in ([self.chosen] if self.chosen else self.lines)
        ]
        known = [words for words in told if "–" not in words]
        return f"With a budget of {amount(self.budget)}: {', '.join(known)}" if known else "No interval at this budget."

    def table(self) -> ReportTable:
        """Return the numbers of the picture."""
        shown = [place for place, budget in enumerate(self.budgets) if place % 2 == 0 or budget == self.budget]
        rows = [(line, *(widths[place] for place in shown)) for line, widths in self.lines.items()]
        columns = (Column(amount(self.budgets[place]), format=_show_width) for place in shown)
        first = "Measure" if self.board else "Method"
        return ReportTable(columns=(first, *columns), rows=rows)

    def picture(self) -> Drawing:
        """Return a falling line for each method or measure, and the chosen budget as an upright one."""
        widths = [width for line in self.lines.values() for width in line if math.isfinite(width)]
        top = max([width for width in widths if width > NARROWEST], default=1.0)
        x = Axis(low=self.budgets[0], high=self.budgets[-1], start=LEFT, end=RIGHT, log=True)
        y = Axis(low=0.0, high=1.05 * top, start=BOTTOM, end=TOP)
        plot = Plot("Half the expected width of the interval over the budget", x, y, (RIGHT + LABELS, 320))
        plot.grid(shown="{:,.6g}")
        plot.caption("budget")
        plot.line((x(self.budget), TOP), (x(self.budget), BOTTOM), kind="budget", title="the chosen budget")
        first = sorted(self.lines, key=lambda name: name != self.chosen)
        hues = {name: colour(place) if place < 10 else GREY for place, name in enumerate(first)}
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


def _of_value(wanted: NewCampaign, contents: DraftContents) -> DraftOutlook:
    """Return what each method promises."""
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
    """Return what to expect of each measure of a board."""
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
    budgets, (_, _, plan) = _budgets(pool, wanted), plan_stage(settings, pool)
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
    """Return the budgets that are looked at."""
    most = min(MOST * wanted.budget, pool.open_cost * wanted.assessors)
    least = min(LEAST_SHARE * wanted.budget, most)
    return np.unique([*np.geomspace(least, most, POINTS), min(wanted.budget, most)])


def _show_width(width: float) -> str:
    return "not yet" if math.isnan(width) else f"± {_round_width(width)}"


def _round_width(width: float) -> str:
    return number(width) if math.isnan(width) else decimal(width, fitting_decimals(width))
