"""The campaign that `rankgauge active plan` makes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.cli.options import RunSpellingOptions, names
from rankgauge.cli.runs import name_runs, refuse_people
from rankgauge.errors import InputError, OptionError
from rankgauge.files import table_suffixes
from rankgauge.files.queries import query_texts
from rankgauge.files.source import suffix_of
from rankgauge.judgments import scale
from rankgauge.judgments.llm.machine_judge import MachineJudge
from rankgauge.labelling import defaults
from rankgauge.labelling.board.calibration import calibrate
from rankgauge.labelling.campaign import BoardCampaign, Campaign
from rankgauge.labelling.campaign.board_campaign import BOARD_METHODS, METHOD
from rankgauge.labelling.pool_sources import PoolSources, PoolTable, document_table, in_units
from rankgauge.labelling.posterior.plan import DEEPEST_SHARE, MOST_RUNS, serves
from rankgauge.measures import parse
from rankgauge.render.numbers import count

if TYPE_CHECKING:
    from rankgauge.cli.commands.active_plan import PlanOptions


def made_campaign(asked: PlanOptions) -> tuple[Campaign | BoardCampaign, list[tuple[str, str]]]:
    """Make a campaign: for a board of runs if that was named or only a board will do, else for one value.

    Return with it what was chosen because nobody said it."""
    sources = _sources(asked)
    measures, alone = names(asked.measure or [defaults.MEASURE]), bool(asked.setting or asked.calibrate_on)
    by_shape = asked.method == defaults.METHOD and sources.is_board(
        measures, asked.goal, depth=asked.depth, alone=alone
    )
    if by_shape or asked.method in BOARD_METHODS:
        return _made_board(asked, sources)
    return _made_for_one_value(asked, sources)


def _sources(asked: PlanOptions) -> PoolSources:
    """Return what the files say: runs, or the table of a pool with the texts of its documents."""
    said = asked.part(RunSpellingOptions)
    named = name_runs(asked.judge or [], "judges")
    if asked.judgments is not None:
        refuse_people(asked.judgments, named.values())
    judges = said.files(named)
    read = tuple(MachineJudge.read(path, name) for name, path in judges.items())
    given: dict[str, Any] = {"judges": read, "judged": said.maybe(asked.judgments)}
    if asked.queries is not None:
        given["query_texts"] = query_texts(asked.queries)
    if len(asked.pool) == 1 and suffix_of(asked.pool[0]) in table_suffixes():
        table = PoolTable.of(said.file(asked.pool[0]))
        if asked.documents is not None:
            table = table.join(document_table(said.file(asked.documents))[0])
        return PoolSources(table=table, **given)
    documents = None if asked.documents is None else document_table(said.file(asked.documents))[0]
    return PoolSources(runs=said.files(name_runs(asked.pool)), documents=documents, **given)


def _made_for_one_value(asked: PlanOptions, sources: PoolSources) -> tuple[Campaign, list[tuple[str, str]]]:
    measures = names(asked.measure or [defaults.MEASURE])
    if len(measures) > 1 or asked.goal is not None or asked.judgments is not None:
        raise OptionError(
            f"--method {asked.method} estimates one measure: give one -m, and neither --goal nor --judgments."
        )
    if asked.calibrate_on is not None:
        raise InputError("--calibrate-on is for a board of runs", hint="For one value, give --judge alone.")
    if asked.pilot is not None:
        raise InputError("--pilot is for a board of runs", hint="Plan one: --method posterior.")
    # A table has the scale of its beliefs, which may lack levels of the words.
    believed = sources.table is not None and bool(sources.table.grades) and asked.grades is None
    grades, words = _scale(asked, sources)
    pool = sources.pool(grades=None if believed else grades, cost=asked.cost, depth=asked.depth)
    scaled, cost = in_units(pool, asked.unit, asked.overhead)
    options = options_of(asked.setting or [])
    common = _common(asked, cost) | {"judges": ", ".join(judge.name for judge in sources.judges)}
    made = Campaign.create(asked.output, scaled, measures[0], method=asked.method, options=options, **common)
    return made, [] if believed else words


def _made_board(asked: PlanOptions, sources: PoolSources) -> tuple[BoardCampaign, list[tuple[str, str]]]:
    if asked.setting:
        raise OptionError("--set is for campaigns that estimate one value: leave it out for a board of runs.")
    measures, goal = names(asked.measure or [defaults.MEASURE]), asked.goal or defaults.GOAL
    grades, words = _scale(asked, sources)
    pool = plain = sources.board_pool(measures, depth=asked.depth, cost=asked.cost)
    depth = sources.usual_depth(measures)
    if asked.depth is None and depth is not None and pool.deepest > depth:
        words.append(("depth", f"the first {depth} of each run, as deep as {', '.join(measures)} looks (--depth)"))
    if (elsewhere := sources.judged_elsewhere(pool.queries)) is not None:
        words.append(("judged", elsewhere))
    if pool.tied:
        run, most = max(pool.tied.items(), key=lambda one: one[1])
        where = f"in {count(most, 'query', 'queries')} of {run}"
        words.append(("tied", f"scores {where}: on a board the order of the file counts, not the mean of all orders"))
    if asked.calibrate_on is not None:
        human, judge = map(asked.part(RunSpellingOptions).file, asked.calibrate_on)
        pool = calibrate(pool, human, judge, grades=np.array(grades))
    scaled, cost = in_units(pool, asked.unit, asked.overhead)
    common = _common(asked, cost) | {"method": asked.method, "pilot": asked.pilot or 0}
    made = BoardCampaign.create(asked.output, scaled, measures, grades=grades, goal=goal, **common)
    if asked.method == made.settings.method or made.settings.method != METHOD:
        return made, words
    whole = [name for name in measures if getattr(parse(name), "cutoff", None) is None]
    if asked.calibrate_on is not None and serves(plain, made.plan.targets):
        lacks = "the posterior, which takes fewer labels here, knows no judge from elsewhere"
        words.append(("method", f"{lacks}: leave --calibrate-on out for it"))
    elif whole and asked.depth is None and len(pool.runs) <= MOST_RUNS:
        few = f"the first {DEEPEST_SHARE} take fewer labels, by the posterior (--depth {DEEPEST_SHARE})"
        words.append(("depth", f"all of each run, as {', '.join(whole)} looks at whole lists; {few}"))
    return made, words


def _common(asked: PlanOptions, cost: str) -> dict[str, Any]:
    """Return the settings of every campaign."""
    kept = ["budget", "dialect", "assessors", "unjudgeable", "scale", "seed", *["combine"] * ("combine" in asked.given)]
    return {name: getattr(asked, name) for name in kept} | {"cost": cost}


def _scale(asked: PlanOptions, sources: PoolSources) -> tuple[list[float], list[tuple[str, str]]]:
    """Return the scale of grades as it is named, or as the files show it, with a word on where it comes from."""
    if asked.grades is not None:
        return sorted(_numbers(asked.grades)), []
    if asked.scale is not None:
        return sorted({float(level) for _, level in scale(asked.scale).levels}), []
    grades, source = sources.usual_grades
    return list(grades), [("scale", f"{', '.join(f'{grade:g}' for grade in grades)}, {source} (--grades)")]


def options_of(given: Sequence[str]) -> dict[str, Any]:
    """Return a method's options, written as NAME=VALUE."""
    options = {}
    for text in given:
        name, joint, value = text.partition("=")
        if not joint:
            raise OptionError(f"--set takes NAME=VALUE; got {text!r}.")
        try:
            options[name.strip()] = ast.literal_eval(value.strip())
        except (SyntaxError, ValueError):
            options[name.strip()] = value.strip()
    return options


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"--grades takes numbers separated by commas, e.g. --grades 0,1,2,3; got {text!r}.") from None
