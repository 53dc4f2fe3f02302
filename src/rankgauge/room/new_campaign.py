"""A new campaign: its settings, what is usual for its files, and how it is made of both."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

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
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.pool_sources import in_units
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray
from rankgauge.render.numbers import amount, decimal, fitting_decimals
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
    levels, lines = [], list(filter(str.strip, text.splitlines()))
    _refuse_many(len(lines))
    for row, line in enumerate(lines, start=1):
        # Word by word, as a pattern for the whole line would try every way to divide its blanks.
        grade, _, rest = line.strip().replace("\t", " ").partition(" ")
        name, _, meaning = (part.strip() for part in rest.partition(":"))
        if not GRADE.fullmatch(grade) or not name or "=" in name or "," in name:
            raise InputError(f"levels: expected {_EXPECTED}", line=row, text=line)
        levels.append((f"{float(grade):g}", name, meaning))
    if len({grade for grade, _, _ in levels}) < len(levels):
        raise ParameterError("a campaign", "levels", "different grades", [grade for grade, _, _ in levels])
    return levels


def usual(contents: DraftContents) -> dict[str, Any]:
    """Return what a campaign of these files is set to where nothing else is said: a name and a budget."""
    if contents.campaign is not None:
        return {"name": contents.campaign.stem, "budget": 1}
    documents = contents.pooled
    return {"name": contents.title, "budget": min(max(round(SHARE * documents), LEAST), max(documents // 2, 1))}


@dataclass(frozen=True, kw_only=True, eq=False)
class PlannedCampaign:
    """A campaign that is about to be made: its settings, and what its files hold."""

    wanted: NewCampaign
    contents: DraftContents

    @cached_property
    def board(self) -> bool:
        """Whether it is a board of runs: it was asked for, or the other methods cannot give what is."""
        wanted = self.wanted
        if self.contents.campaign is not None or wanted.method not in (defaults.METHOD, *BOARD_METHODS):
            return False
        alone = wanted.stop_at is not None
        return wanted.method != defaults.METHOD or self.contents.is_board(
            wanted.measures, wanted.goal, depth=wanted.depth, alone=alone
        )

    @cached_property
    def levels(self) -> list[tuple[str, str, str]]:
        """Grade, name and meaning of each level that was typed."""
        return levels_of(self.wanted.levels)

    @cached_property
    def scale_text(self) -> str:
        """The scale that assessors judge on: as levels, as a scale's name, or as the pool's files say."""
        if self.levels:
            return ", ".join(f"{name}={grade}" for grade, name, _ in self.levels)
        if self.wanted.scale != OF_THE_POOL:
            return self.wanted.scale
        grades, _ = self.contents.usual_grades
        _refuse_many(len(grades))
        return ", ".join(f"{grade:g}={grade:g}" for grade in grades)

    @cached_property
    def scale(self) -> Scale:
        """The levels with their grades."""
        return scale_of(self.scale_text)

    @property
    def grades(self) -> list[float]:
        """The grades, ascending."""
        return sorted({float(grade) for _, grade in self.scale.levels})

    @property
    def guidelines(self) -> Guidelines:
        """What assessors read of the levels, and how to judge."""
        told = {grade: meaning for grade, _, meaning in self.levels if meaning}
        return Guidelines(
            words=self.wanted.guide,
            names={f"{grade:g}": self.scale.label(grade) for grade in self.grades},
            meanings=told or {f"{grade:g}": meaning for grade, meaning in self.scale.meanings.items()},
        )

    @property
    def combine(self) -> str:
        """The rule that combines the grades of several assessors."""
        chosen = "combine" in self.wanted.model_fields_set
        return defaults.BOARD_COMBINE if self.board and not chosen else self.wanted.combine

    def pool(self) -> tuple[BoardPool | Pool, str]:
        """Return the pool with costs in the unit, and the costs in words."""
        wanted, cost = self.wanted, self.wanted.cost or None
        if self.board:
            return in_units(self.contents.board_pool(wanted.measures, cost=cost, depth=wanted.depth), wanted.unit)
        grades = np.array(self.grades)
        return in_units(self.contents.pool(grades=grades, cost=cost, depth=wanted.depth), wanted.unit)

    def create(self, campaigns: Campaigns) -> int:
        """Make the campaign, and return its number. A campaign's file brings its settings along: only the name is
        taken from here."""
        wanted = self.wanted
        if self.contents.campaign is not None:
            return adopt(campaigns, self.contents.campaign, wanted.name)
        if self.board and wanted.stop_at is not None:
            raise ParameterError("a board", "stop_at", "empty: a board stops when its goal is settled", wanted.stop_at)
        rules = CampaignRules(stop_at=wanted.stop_at, guide=self.guidelines)
        common = wanted.model_dump(include={"budget", "name", "dialect", "seed", "assessors", "method"})
        pool, common["cost"] = self.pool()
        common |= {"scale": self.scale_text, "combine": self.combine}
        made: LabelCampaign
        options: dict[str, Any]
        if isinstance(pool, BoardPool):
            options = {"grades": self.grades, "goal": wanted.goal or defaults.GOAL}
            made = BoardCampaign.create(campaigns.engine, pool, wanted.measures, **options, **common)
        else:
            options = {"judges": ", ".join(judge.name for judge in self.contents.judges)}
            made = Campaign.create(campaigns.engine, pool, wanted.measures[0], **options, **common)
        with reading(campaigns.engine) as connection:
            number = Store.find(connection, made.name).campaign
        campaigns.change_rules(number, lambda _: rules)
        return number


POINTS = 9
"""How many budgets are looked at."""

LEAST_SHARE, MOST = 0.1, 4.0
"""The smallest and the largest of them, as multiples of the chosen one; judging everything is never exceeded."""

NARROWEST = 1e-4
"""Half-widths below this are drawn as if they were this: judged whole, there is nothing left to estimate."""

LEFT, RIGHT, TOP, BOTTOM, LABELS = 58, 560, 12, 276, 128
"""The ends of the axes on the paper, and the room for the names of the lines."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DraftOutlook:
    """Half the expected width of the interval at each budget, a line for each method or each measure of a board."""

    budget: float
    budgets: FloatArray
    lines: Mapping[str, FloatArray]
    """NaN where there is no interval yet."""
    chosen: str
    """The line that the campaign will follow; empty if it follows all."""
    documents: int
    """How many documents the pool has."""
    cost: float
    """What judging everything would cost."""
    unit: str
    """What a budget of 1 pays for, in words."""
    settling: str = ""
    """How many labels would settle which run of a board is best."""
    board: bool = False

    @classmethod
    def of(cls, plan: PlannedCampaign) -> Self:
        """Return what to expect of the campaign, if the beliefs about its documents are right."""
        wanted = plan.wanted
        if wanted.method not in BOARD_METHODS:
            METHODS.find(wanted.method)  # an unknown name is an error with those that are known
        pool, unit = plan.pool()
        cost = pool.open_cost * wanted.assessors
        most = min(MOST * wanted.budget, cost)
        shares = np.geomspace(min(LEAST_SHARE * wanted.budget, most), most, POINTS)
        budgets, settling = np.unique([*shares, min(wanted.budget, most)]), ""
        if isinstance(pool, BoardPool):
            lines, settling = _of_board(plan, pool, budgets)
        else:
            lines = _of_value(plan, pool, budgets)
        return cls(
            budget=wanted.budget,
            budgets=budgets,
            lines=lines,
            chosen=wanted.method if not plan.board else "" if len(lines) > 1 else next(iter(lines)),
            documents=len(pool.documents),
            cost=cost,
            unit=unit,
            settling=settling,
            board=plan.board,
        )

    def headline(self) -> str:
        """Return what to expect at the budget, in one line."""
        if self.budget >= self.cost:
            return f"A budget of {amount(self.budget)} pays for judging everything: nothing is left to estimate."
        near = int(np.argmin(np.abs(self.budgets - self.budget)))
        told = {line: self.lines[line][near] for line in ([self.chosen] if self.chosen else self.lines)}
        known = [f"{line} ± {_round_width(width)}" for line, width in told.items() if not math.isnan(width)]
        return f"With a budget of {amount(self.budget)}: {', '.join(known)}" if known else "No interval at this budget."

    def table(self) -> ReportTable:
        """Return the numbers of the picture."""
        shown = [place for place, budget in enumerate(self.budgets) if place % 2 == 0 or budget == self.budget]
        rows = [(line, *(widths[place] for place in shown)) for line, widths in self.lines.items()]
        columns = (
            Column(
                amount(self.budgets[place]),
                format=lambda width: "not yet" if math.isnan(width) else f"± {_round_width(width)}",
            )
            for place in shown
        )
        return ReportTable(columns=("Measure" if self.board else "Method", *columns), rows=rows)

    def picture(self) -> Drawing:
        """Return a falling line for each method or measure, and the chosen budget as an upright one."""
        widths = np.concatenate(list(self.lines.values()))
        top = max(widths[np.isfinite(widths) & (widths > NARROWEST)], default=1.0)
        x = Axis(low=self.budgets[0], high=self.budgets[-1], start=LEFT, end=RIGHT, log=True)
        y = Axis(low=0.0, high=1.05 * top, start=BOTTOM, end=TOP)
        plot = Plot("Half the expected width of the interval over the budget", x, y, (RIGHT + LABELS, 320))
        plot.grid(shown="{:,.6g}")
        plot.caption("budget")
        plot.line((x(self.budget), TOP), (x(self.budget), BOTTOM), kind="budget", title="the chosen budget")
        first = sorted(self.lines, key=lambda name: name != self.chosen)
        hues = {name: colour(place) if place < 10 else GREY for place, name in enumerate(first)}
        for name in sorted(self.lines, key=lambda name: name == self.chosen):
            points = list(zip(self.budgets, self.lines[name], strict=True))
            kind = "curve" if name == self.chosen or not self.chosen else "curve rest"
            plot.curve(points, kind=kind, stroke=hues[name], title=name)
        ends = {name: line[np.isfinite(line)][-1] for name, line in self.lines.items() if np.isfinite(line).any()}
        places = apart([y(end) for end in ends.values()], TOP + 6, BOTTOM) if ends else []
        for name, place in zip(ends, places, strict=True):
            plot.dot((RIGHT + 8, place), r=4, fill=hues[name])
            plot.text((RIGHT + 17, place + 4), name)
        return plot


def _of_value(plan: PlannedCampaign, pool: Pool, budgets: FloatArray) -> dict[str, FloatArray]:
    """Return what each method promises."""
    wanted = plan.wanted
    spoken = dialects.get(wanted.dialect).on_scale(plan.scale, wanted.measures).topped(plan.grades[-1])
    target, (soft, _) = Target.of(wanted.measures[0], pool, spoken), pool.soften()
    promise = forecast(soft, target, budgets=(budgets / wanted.assessors).tolist(), rng=wanted.seed)
    if wanted.method not in promise.widths:  # which cannot estimate this measure, and says why
        methods.get(wanted.method).plan(soft, target, budget=wanted.budget, rng=wanted.seed)
    return {name: widths / 2 for name, widths in promise.widths.items()}


def _of_board(plan: PlannedCampaign, pool: BoardPool, budgets: FloatArray) -> tuple[dict[str, FloatArray], str]:
    """Return what to expect of each measure of a board, and what settles which run is best."""
    wanted = plan.wanted
    settings = CampaignSettings(
        measures=tuple(wanted.measures),
        budget=wanted.budget,
        grades=tuple(plan.grades),
        scale=plan.scale_text,
        goal=wanted.goal or defaults.GOAL,
        method=wanted.method,
        dialect=wanted.dialect,
        seed=wanted.seed,
    ).on_scale()
    _, _, stage = plan_stage(settings, pool)
    most, documents = int(stage.needed.sum()), budgets / wanted.assessors / float(pool.costs.mean())
    widths = stage.expect([min(max(int(count), 1), most) for count in documents])
    unit = "labels" if wanted.assessors == 1 else "documents judged"
    return {str(target): widths[:, place] for place, target in enumerate(stage.targets)}, stage.settling(unit)


def _round_width(width: float) -> str:
    return decimal(width, fitting_decimals(width))
