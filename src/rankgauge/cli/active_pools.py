"""The campaign that `rankgauge active plan` makes, and the forecast that it shows."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.cli.options import RunSpellingOptions, names
from rankgauge.cli.runs import named
from rankgauge.errors import InputError, ParameterError
from rankgauge.files import table_suffixes
from rankgauge.files.source import suffix_of
from rankgauge.judgments import scale
from rankgauge.judgments.llm.machine_judge import MachineJudge
from rankgauge.labelling import defaults
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.board.calibration import calibrated
from rankgauge.labelling.campaign import BoardCampaign, Campaign
from rankgauge.labelling.campaign.board_campaign import BOARD_METHODS
from rankgauge.labelling.forecasts import Forecast, forecast
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.pool_table import PoolTable, document_table
from rankgauge.labelling.units import in_units
from rankgauge.measures import parse
from rankgauge.measures.measure import DEFAULTS

if TYPE_CHECKING:
    from rankgauge.cli.commands.active_plan import PlanOptions

SHARES = (0.25, 0.5, 1.0, 2.0)
"""The budgets of the forecast, as shares of the campaign's own."""


def made_campaign(asked: PlanOptions) -> Campaign | BoardCampaign:
    """A new campaign: for a board of runs if it was named or the other methods cannot give it, else for one value."""
    table = _table(asked) if _is_table(asked.pool) else None
    return _made_board(asked, table) if _is_board(asked, table) else _made_for_one_value(asked, table)


def _is_table(paths: Sequence[Path]) -> bool:
    return len(paths) == 1 and suffix_of(paths[0]) in table_suffixes()


def _table(asked: PlanOptions) -> PoolTable:
    """The table of a pool, with the texts of its documents."""
    said = _spelling(asked)
    table = PoolTable.of(said.file(asked.pool[0]))
    return table if asked.documents is None else table.joined(document_table(said.file(asked.documents))[0])


def _is_board(asked: PlanOptions, table: PoolTable | None) -> bool:
    if asked.method not in (defaults.METHOD, *BOARD_METHODS):
        return False
    runs, measures = len(asked.pool if table is None else table.runs), _measures(asked)
    needs = asked.goal is not None or asked.judged is not None or runs > 2 or len(measures) > 1
    # A table of one or two rankers keeps the other methods, which sample a measure without a form.
    formless = table is None and any(parse(name).bound(DEFAULTS).form() is None for name in measures)
    return asked.method != defaults.METHOD or needs or formless


def _made_for_one_value(asked: PlanOptions, table: PoolTable | None) -> Campaign:
    measures = _measures(asked) or [defaults.MEASURE]
    if len(measures) > 1 or asked.goal is not None or asked.judged is not None:
        method = f"method {asked.method}"
        raise ParameterError(method, "measure", "one measure, and neither a goal nor judgments", ", ".join(measures))
    # A table has the scale of its beliefs, which may lack levels of the words.
    grades = _named_grades(asked) if table is None or asked.grades is not None else None
    choices: dict[str, Any] = {"cost": asked.cost, "grades": grades, "depth": asked.depth}
    said = _spelling(asked)
    if table is not None:
        pool = Pool.of(table.frame, **choices)
    else:
        pool = Pool.from_runs(*said.files(named(asked.pool)).values(), texts=said.maybe(asked.documents), **choices)
    judges = _judges(asked)
    if judges:
        pool = pool.judged_by(judges)
    if asked.calibrate_on is not None:
        raise InputError("--calibrate-on is for a board of runs", hint="For one value, give --judge alone.")
    scaled, words = in_units(pool, asked.unit, asked.overhead)
    options = options_of(asked.option or [])
    common = _common(asked, words) | {"judges": ", ".join(judges)}
    return Campaign.create(asked.output, scaled, measures[0], method=asked.method, options=options, **common)


def _made_board(asked: PlanOptions, table: PoolTable | None) -> BoardCampaign:
    if asked.option:
        raise ParameterError("a board", "option", "none", ", ".join(asked.option))
    said = _spelling(asked)
    common = {"depth": asked.depth, "also": said.maybe(asked.judged), "judges": _judges(asked), "cost": asked.cost}
    if table is None:
        pool = BoardPool.from_runs(said.files(named(asked.pool)), texts=said.maybe(asked.documents), **common)
    else:
        pool = table.board_pool(**common)
    if asked.calibrate_on is not None:
        human, judge = map(said.file, asked.calibrate_on)
        pool = calibrated(pool, human, judge, grades=np.array(_scale(asked, pool, table)))
    scaled, words = in_units(pool, asked.unit, asked.overhead)
    measures, goal = _measures(asked) or [defaults.MEASURE], asked.goal or defaults.GOAL
    grades = _scale(asked, pool, table)
    common = _common(asked, words) | {"method": asked.method}
    return BoardCampaign.create(asked.output, scaled, measures, grades=grades, goal=goal, **common)


def _judges(asked: PlanOptions) -> dict[str, MachineJudge]:
    """The judges by name; words that they use for grades are those of the scale."""
    files = _spelling(asked).files(named(asked.judge or [], "judges"))
    return {name: MachineJudge.read(path, name) for name, path in files.items()}


def _spelling(asked: PlanOptions) -> RunSpellingOptions:
    return RunSpellingOptions(columns=asked.columns, scale=asked.scale, ids=asked.ids, queries=asked.queries)


def _common(asked: PlanOptions, words: str) -> dict[str, Any]:
    """The settings of every campaign."""
    kept = ("budget", "dialect", "assessors", "combine", "unjudgeable", "scale", "seed")
    return {name: getattr(asked, name) for name in kept} | {"cost": words}


def _scale(asked: PlanOptions, pool: BoardPool, table: PoolTable | None) -> list[float]:
    """The scale of grades: as it is given, that of its words, of beliefs, or of the judgments that there are."""
    named = _named_grades(asked)
    if named is not None:
        return named
    if table is not None and table.grades:
        return list(table.grades)
    found = np.unique(np.maximum(pool.known[~np.isnan(pool.known)], 0.0)).tolist()
    if not found:
        raise InputError("the scale of grades is not known", hint="Name it: --grades 0,1,2,3 or --scale.")
    return sorted({0.0, *found})


def _named_grades(asked: PlanOptions) -> list[float] | None:
    """The scale of grades as it is given, or that of its words; None where nobody names it."""
    if asked.grades is not None:
        return sorted(_numbers(asked.grades))
    return None if asked.scale is None else sorted({float(level) for _, level in scale(asked.scale).levels})


def _measures(asked: PlanOptions) -> list[str]:
    """The measures that were named."""
    return names(asked.measure or ())


def forecast_of(campaign: Campaign) -> Forecast:
    """What each method promises around the campaign's budget."""
    pool, settings = campaign.pool, campaign.settings
    target = campaign.plans[-1].target
    whole = float(pool.query_costs.sum())
    budgets = sorted({min(share * settings.allowance, whole) for share in SHARES})
    return forecast(pool, target, budgets=budgets, rng=settings.seed)


def options_of(given: Sequence[str]) -> dict[str, Any]:
    """A method's options, written as NAME=VALUE."""
    found = {}
    for text in given:
        name, joint, value = text.partition("=")
        if not joint:
            raise ParameterError("active plan", "option", "written as NAME=VALUE", text)
        try:
            found[name.strip()] = ast.literal_eval(value.strip())
        except (SyntaxError, ValueError):
            found[name.strip()] = value.strip()
    return found


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError("active plan", "grades", "numbers separated by commas, as in 0,1,2,3", text) from None
