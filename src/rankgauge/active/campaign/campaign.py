"""A campaign: a pool, a plan and a budget that assessors spend; no acknowledged label is ever lost."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from sqlalchemy.engine import Engine

from rankgauge.active import defaults
from rankgauge.active.campaign import estimates
from rankgauge.active.campaign.database import Location, connect, reading, writing
from rankgauge.active.campaign.estimates import FEWEST, Progress
from rankgauge.active.campaign.labels import LabelBatch
from rankgauge.active.campaign.leases import lease_documents
from rankgauge.active.campaign.settings import CampaignSettings, StageSettings
from rankgauge.active.campaign.state import CampaignState
from rankgauge.active.campaign.store import Store, make
from rankgauge.active.label_format import read_labels
from rankgauge.active.labels import SOMEBODY, Label, Recorded, Task, labels_of
from rankgauge.active.methods import Estimate, Plan
from rankgauge.active.pool import Pool
from rankgauge.active.sampling.recalibration import recalibrated
from rankgauge.active.target import Target
from rankgauge.errors import InputError, ParameterError, PausedError
from rankgauge.numeric import FloatArray

LEASE = defaults.LEASE_DAYS * 24 * 3600
"""For how many seconds a document is reserved for the assessor who got it."""

Clock = Callable[[], float]


class Campaign:
    """A campaign in a file or on a server's database. Any number of processes may work on it at once.

    `Campaign.create(...)` makes one, `Campaign.open("campaign.rg")` goes on with it; use it in a `with`, or close it.
    """

    def __init__(self, engine: Engine, store: Store, *, clock: Clock = time.time, first: Plan | None = None) -> None:
        """A campaign on an engine from `database.connect` or `database.prepared`; `first` is its plan if it is new."""
        self._state = CampaignState(engine, store, clock, first=first)
        self.name, self.settings, self.pool = self._state.name, self._state.settings, self._state.pool

    @classmethod
    def create(
        cls,
        location: str | Path | Engine,
        pool: Pool,
        measure: str = defaults.MEASURE,
        *,
        budget: float,
        method: str = defaults.METHOD,
        options: dict[str, Any] | None = None,
        name: str = "campaign",
        clock: Clock = time.time,
        **settings: Any,
    ) -> Self:
        """A new campaign.

        `options` are those of the method. `settings` are further fields of `CampaignSettings`: dialect, seed,
        assessors, combine, unjudgeable, scale, cost.
        """
        grades = tuple(pool.grades.tolist())
        chosen = CampaignSettings(measure=measure, budget=float(budget), method=method, grades=grades, **settings)
        chosen.check_scale()
        stage = StageSettings(method=method, budget=chosen.allowance, seed=chosen.seed, options=options or {})
        plan = stage.plan(pool, chosen.target(pool))
        called = (None if isinstance(location, Engine) else Location(location).name) or name

        def insert(engine: Engine) -> Store:
            with writing(engine) as connection:
                store = make(connection, name=called, made=clock(), settings=chosen.packed())
                store.add_pool(connection, pool)
                store.add_stage(connection, number=0, made=clock(), settings=stage.packed())
            return store

        if isinstance(location, Engine):
            return cls(location, insert(location), clock=clock, first=plan)
        return cls._on(Location(location), insert, clock, first=plan)

    @classmethod
    def open(cls, location: str | Path, *, clock: Clock = time.time) -> Self:
        """The campaign in a file, or at a URL; …#name where the database has several."""
        place = Location(location)

        def find(engine: Engine) -> Store:
            with reading(engine) as connection:
                return Store.find(connection, place.name)

        return cls._on(place, find, clock)

    @classmethod
    def _on(cls, place: Location, find: Callable[[Engine], Store], clock: Clock, *, first: Plan | None = None) -> Self:
        engine = connect(place, existing=first is None)
        try:
            return cls(engine, find(engine), clock=clock, first=first)
        except InputError as error:
            engine.dispose()
            raise _placed(error, str(place)) from None
        except BaseException:
            engine.dispose()
            raise

    def close(self) -> None:
        """Closes all connections."""
        self._state.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def target(self) -> Target:
        """What is estimated."""
        return self._state.target

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plan of each stage."""
        return tuple(stage.plan for stage in self._state.stages)

    # handing out

    def lease(self, n: int = 1, assessor: str = SOMEBODY, *, seconds: float = LEASE, again: bool = False) -> list[Task]:
        """Up to n documents for an assessor to judge, reserved for that assessor until the lease ends.

        `again` begins with those that the assessor has on lease already. What is handed out never exceeds the budget:
        fewer than n documents mean that the rest waits for labels, or that the budget is spent.
        """
        if n < 1 or not seconds > 0:
            raise ParameterError("lease", "n" if n < 1 else "seconds", "above 0", n if n < 1 else seconds)
        with self._state.changing() as connection:
            if self._state.paused:
                raise PausedError("the campaign is paused: nothing is handed out")
            return lease_documents(self._state, connection, [assessor], n, seconds=seconds, again=again)[assessor]

    def release(self, tasks: Sequence[Task]) -> None:
        """Documents that their assessors give back unjudged."""
        with self._state.changing() as connection:
            held = [(task.assessor, task.place) for task in tasks]
            self._state.store.end_leases(connection, held, self._state.clock())

    def pause(self) -> None:
        """Nothing more is handed out; labels still come in."""
        with self._state.changing() as connection:
            self._state.store.set_paused(connection, True)

    def resume(self) -> None:
        """Documents are handed out again."""
        with self._state.changing() as connection:
            self._state.store.set_paused(connection, False)

    # labels

    def record(self, labels: Any, *, assessor: str = SOMEBODY, replace: bool = False) -> Recorded:
        """Labels from a file (CSV, JSON lines, Label Studio's export, TREC qrels) or from Python, all or none of them.

        When it returns, the labels are on the disk. `assessor` made those that name nobody. A label that contradicts
        an earlier one of the same assessor is an error, unless it may `replace` it.
        """
        if not isinstance(labels, str | os.PathLike):
            return self._record(labels_of(labels, assessor), replace=replace)
        read = read_labels(labels, assessor=assessor)
        try:
            return self._record(read.labels, replace=replace).added(blank=read.blank)
        except InputError as error:
            raise _placed(error, os.fspath(labels)) from None

    def _record(self, labels: Sequence[Label], *, replace: bool) -> Recorded:
        with self._state.changing() as connection:
            batch = LabelBatch(state=self._state, now=self._state.clock())
            count = batch.add_all(labels, replace=replace)
            batch.write(connection)
        return count

    def labels(self, *, history: bool = False) -> pl.DataFrame:
        """The labels that count, or the whole history, with the time of each and whether its document was asked for."""
        with self._state.looking() as connection:
            rows = self._state.store.labels(connection)
            last = {(row.place, row.assessor): row.id for row in rows}
            kept = [row for row in rows if history or last[row.place, row.assessor] == row.id]
            asked = [bool(self._state.ledger.asked[row.place]) for row in kept]
        columns = {name: [getattr(row, name) for row in kept] for name in _COLUMNS}
        return pl.DataFrame(columns, schema=_COLUMNS).with_columns(asked=pl.Series(asked, dtype=pl.Boolean))

    def judgments(self) -> pl.DataFrame:
        """The grade of each document that was asked for and fully judged: query, document, grade."""
        with self._state.looking():
            known = np.flatnonzero(~np.isnan(self._state.ledger.grades))
            return pl.DataFrame(
                {
                    "query": self.pool.queries.gather(self.pool.query[known]),
                    "document": self.pool.documents.gather(known),
                    "grade": self._state.ledger.grades[known],
                }
            )

    # what is known

    def estimate(self, *, level: float = defaults.LEVEL, interval: str = defaults.INTERVAL) -> Estimate | None:
        """The estimate from the draws before the first incomplete one; None if there are fewer than two.

        While too few labels or queries make an honest interval impossible, it has none: `shown` is False.
        """
        with self._state.looking():
            ledger = self._state.ledger
            found = estimates.estimate(self._state.stages, ledger, level=level, interval=interval)
            spent = ledger.spent * self.settings.assessors
            return None if found is None else replace(found, labels=ledger.counting, cost=spent)

    def lacking(self, found: Estimate | None) -> int:
        """About how many more labels it takes until an estimate has an interval."""
        each = float(self.target.needed(self.pool).sum()) / len(self.pool.queries) * self.settings.assessors
        labels = self._state.ledger.counting
        return estimates.lacking(found, labels=labels, each=each, queries=len(self.pool.queries))

    def curve(self, *, level: float = defaults.LEVEL, interval: str = defaults.INTERVAL) -> pl.DataFrame:
        """The estimate after more and more draws: cost, draws, value, low, high."""
        with self._state.looking():
            found = estimates.curve(self._state.stages, self._state.ledger, level=level, interval=interval)
            return found.with_columns(pl.col("cost") * self.settings.assessors)

    def progress(self) -> Progress:
        """How far the campaign has come."""
        with self._state.looking() as connection:
            return Progress.of(self._state, connection)

    def refit(self, beliefs: FloatArray | None = None, *, leave_open: bool = False) -> None:
        """Begins a new stage with new beliefs (documents × grades); by default the old ones, fitted to the labels.

        The stage before ends. Its complete draws count; those that are open do not, which `leave_open` must allow.
        The new stage gets what is left of the budget. Stages are combined by their numbers of draws.
        """
        with self._state.changing() as connection:
            state, stage, settings = self._state, self._state.stage, self.settings
            complete, number = stage.complete(state.ledger), len(state.stages)
            _check_refit(stage.begun(state.ledger) - complete, complete, leave_open=leave_open)
            left = settings.allowance - state.ledger.spent
            if left <= 0:
                raise InputError("the budget is spent: a new stage could ask for nothing")
            fitted = recalibrated(stage.plan.pool, state.ledger.grades).beliefs if beliefs is None else beliefs
            pool = state.pool.with_beliefs(np.asarray(fitted, dtype=np.float64))
            seed = int(np.random.SeedSequence([settings.seed, number]).generate_state(1)[0])
            chosen = replace(stage.settings, budget=left, seed=seed)
            state.store.end_stage(connection, stage.number, complete)
            made = {"number": number, "made": state.clock(), "settings": chosen.packed()}
            state.store.add_stage(connection, **made, beliefs=pool.beliefs)


_COLUMNS = {
    "query": pl.String(),
    "document": pl.String(),
    "assessor": pl.String(),
    "kind": pl.String(),
    "grade": pl.Float64(),
    "comment": pl.String(),
    "made": pl.Float64(),
}


def _check_refit(unfinished: int, complete: int, *, leave_open: bool) -> None:
    if complete < FEWEST:
        raise InputError(f"only {complete} draws are complete: a stage needs {FEWEST}", hint="Record more labels.")
    if unfinished > 0 and not leave_open:
        raise InputError(
            f"{unfinished} draws of this stage are open, and would not count in it",
            hint="Record their labels first, or leave them open (--leave-open, leave_open=True).",
        )


def _placed(error: InputError, path: str) -> InputError:
    """The error with the file or database that it is about."""
    if error.path is not None:
        return error
    return InputError(error.problem, path=path, line=error.line, text=error.text, hint=error.hint)
