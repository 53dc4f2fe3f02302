"""Campaigns: what every one does (hand out documents, record labels, and lose none that was acknowledged), and the one
that estimates a value: a pool of one or two rankers, a plan, and a budget that assessors spend."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from sqlalchemy.engine import Connection, Engine

from rankgauge.errors import InputError, ParameterError, PausedError
from rankgauge.labelling import defaults, intervals
from rankgauge.labelling.campaign import parquet
from rankgauge.labelling.campaign.database import Location, connect, explain_damage, loading, reading, writing
from rankgauge.labelling.campaign.labels import (
    COLUMNS,
    LONGEST,
    LabelBatch,
    LabelTable,
    LabelTerms,
    PoolTexts,
    grade_of,
    inside_pool,
    is_name,
    recognise_copies,
    told_apart,
)
from rankgauge.labelling.campaign.leases import Leases, SideDesk, lease_documents
from rankgauge.labelling.campaign.ledger import shown_names
from rankgauge.labelling.campaign.rules import (
    CampaignRules,
    Idle,
    Progress,
    refuse_archived,
    stored_rules,
    why_idle,
    why_over,
    why_paused,
)
from rankgauge.labelling.campaign.settings import CampaignSettings, StageSettings
from rankgauge.labelling.campaign.state import CURVE, CampaignState, Clock
from rankgauge.labelling.campaign.store import Store, make
from rankgauge.labelling.campaign.tables import upgrade
from rankgauge.labelling.intervals import Basis, IntervalKind
from rankgauge.labelling.label_format import read_labels
from rankgauge.labelling.labels import SOMEBODY, Assessor, Label, LabelKind, Recorded, Task, identity_of, labels_of
from rankgauge.labelling.method import Draws, Estimate
from rankgauge.labelling.methods import Plan
from rankgauge.labelling.pool import Pool, PooledDocuments
from rankgauge.labelling.pool_rows import refuse_breaks
from rankgauge.labelling.sampling.recalibration import recalibrate
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray

LEASE = defaults.LEASE_DAYS * 24 * 3600
"""For how many seconds a document is reserved for the assessor who got it."""


class LabelCampaign:
    """A campaign in a file or on a server's database. Any number of processes may work on it at once.

    Subclasses estimate something from its labels. `open` gives the right one; use it in a `with`, or close it.
    """

    board: ClassVar[bool]
    """Whether it estimates a board of runs."""
    stops_at_width: ClassVar[bool] = False
    """Whether it may stop by itself at a width of its interval."""
    pool: PooledDocuments
    _state: CampaignState

    def __init_subclass__(cls) -> None:
        _KINDS[cls.board] = cls

    def __init__(self, state: CampaignState) -> None:
        self._state, self._table, self.pool = state, LabelTable(state), state.pool

    @property
    def name(self) -> str:
        """What it is called."""
        return self._state.name

    @property
    def settings(self) -> CampaignSettings:
        """What it was set up with."""
        return self._state.settings

    @property
    def engine(self) -> Engine:
        """The database that it is kept in."""
        return self._state.engine

    def version(self) -> tuple[object, ...]:
        """Return another value whenever labels, tasks, stages or settings have changed."""
        with self._state.looking():
            ledger = self._state.ledger
            return ledger.last_label, ledger.last_task, len(self._state.stages), self._state.settings

    @classmethod
    def on(cls, engine: Engine, store: Store, *, clock: Clock = time.time) -> Self:
        """Return the campaign of a store on an engine from `database.connect` or `database.prepared`."""
        with loading(engine):
            with reading(engine) as connection:
                row = store.row(connection)
            settings = CampaignSettings.unpack(row.settings, layout=row.format)
            kind = _KINDS[settings.is_board]
        if not issubclass(kind, cls):
            raise InputError(
                f"this campaign estimates {'a board of runs' if kind.board else 'one value'}",
                hint=f"Open it with {kind.__name__}.open.",
            )
        with loading(engine):
            return kind(kind._state_kind(settings)(engine, store, clock))

    @classmethod
    def _state_kind(cls, settings: CampaignSettings) -> type[CampaignState]:
        """Return the kind of state that a campaign with these settings has."""
        raise NotImplementedError

    @classmethod
    def open(cls, location: str | Path, *, clock: Clock = time.time) -> Self:
        """Return the campaign in a file, or at a URL; …#name where the database has several."""
        place = Location(location)
        with _connect_or_close(place, existing=True) as engine:
            upgrade(engine)
            with loading(engine), reading(engine) as connection:
                store = Store.find(connection, place.name)
            return cls.on(engine, store, clock=clock)

    @classmethod
    def _create(
        cls,
        location: str | Path | Engine,
        plan: Draws,
        content: bytes,
        settings: CampaignSettings,
        stage: StageSettings,
        *,
        name: str,
        clock: Clock,
    ) -> Self:
        """Return a new campaign with this plan as its first stage; `content` is the packed pool."""
        if not isinstance(location, Engine):
            place = Location(location)
            with _connect_or_close(place, existing=False) as engine:
                named = place.name or name
                return cls._create(engine, plan, content, settings, stage, name=named, clock=clock)
        for ids in (plan.pool.queries.alias("query"), plan.pool.documents.alias("document")):
            refuse_breaks(ids)
        upgrade(location)
        with writing(location) as connection:
            store = make(connection, name=name, made=clock(), settings=settings.pack())
            store.add_pool(connection, content, plan.pool.texts)
            store.add_stage(connection, number=0, made=clock(), settings=stage.pack())
        return cls(cls._state_kind(settings)(location, store, clock, first=plan))

    def close(self) -> None:
        """Close all connections."""
        self._state.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, *_: object) -> None:
        try:
            damaged = None if error is None else explain_damage(self._state.engine, error)
        finally:
            self.close()
        if damaged is not None:
            raise damaged from error

    # handing out

    def lease(
        self,
        n: int = 1,
        assessor: str | Assessor = SOMEBODY,
        *,
        seconds: float = LEASE,
        again: bool = False,
        desk: SideDesk | None = None,
    ) -> list[Task]:
        """Up to n documents for an assessor to judge, reserved for that assessor until the lease ends.

        `again` begins with those that the assessor has on lease already. What is handed out never exceeds the budget:
        fewer than n documents mean that the rest waits for labels, or that the budget is spent. `desk` is what else
        the assessor was asked.
        """
        if n < 1 or not seconds > 0:
            raise ParameterError("lease", "n" if n < 1 else "seconds", "above 0", n if n < 1 else seconds)
        with self._state.changing() as connection:
            if self._state.paused:
                raise PausedError("the campaign is paused: nothing is handed out")
            leases, who = Leases(self._state, connection), Assessor.of(assessor)
            side = None if desk is None else desk(connection)
            return lease_documents(leases, {who: side}, n, seconds=seconds, again=again)[who.identity]

    def why_idle(self, assessor: str | Assessor = SOMEBODY) -> Idle:
        """Return why `lease` gave the assessor nothing."""
        rules = self.rules
        with self._state.looking() as connection:
            self._state.paused = bool(self._state.store.row(connection).paused)
            return why_idle(self._state, rules, Assessor.of(assessor).identity)

    def why_paused(self, rules: CampaignRules) -> Idle:
        """Return whether the campaign, which is paused, has stopped by itself."""
        with self._state.looking():
            return why_paused(self._state, rules)

    def why_over(self) -> Idle | None:
        """Return why nobody gets documents any more; None while somebody may."""
        with self._state.looking():
            return why_over(self._state)

    @property
    def rules(self) -> CampaignRules:
        """The stopping rule and the guidelines that a judging room has given it; a campaign's file has none."""
        with reading(self._state.engine) as connection:
            return stored_rules(connection, self._state.store.campaign)

    def release(self, tasks: Sequence[Task]) -> None:
        """Documents that their assessors give back unjudged."""
        with self._state.changing() as connection:
            Leases(self._state, connection).end((task.place, identity_of(task)) for task in tasks)

    def pause(self) -> None:
        """Nothing more is handed out; labels still come in."""
        with self._state.changing() as connection:
            self._state.store.change(connection, paused=True)

    def resume(self) -> None:
        """Documents are handed out again."""
        with self._state.changing() as connection:
            self._state.store.change(connection, paused=False)

    # changes

    def rename(self, name: str) -> None:
        """Give the campaign another name."""
        if len(name) > LONGEST or not is_name(name):
            raise ParameterError("a campaign", "name", f"1 to {LONGEST} printable characters", name)
        with self._state.changing() as connection:
            self._state.store.rename(connection, name.strip())
        self._state.name = name.strip()

    def change_budget(self, budget: float) -> None:
        """Give the campaign another budget, at least what is spent already."""
        raise NotImplementedError

    # labels

    def record(self, labels: Any, *, assessor: str = SOMEBODY, replace: bool = False) -> Recorded:
        """Labels from a file (CSV, JSON lines, Label Studio's export, TREC qrels) or from Python, all or none of them.

        When it returns, the labels are on the disk. `assessor` made those that name none. A label that contradicts
        an earlier one of the same assessor is an error, unless it may `replace` it.
        """
        if not isinstance(labels, str | os.PathLike):
            return self._record(labels_of(labels, assessor), replace=replace)
        read = read_labels(labels, assessor=assessor)
        try:
            return self._record(read.labels, replace=replace).with_more(blank=read.blank, unread=read.unread)
        except InputError as error:
            error.path = error.path or os.fspath(labels)
            raise

    def _record(self, labels: Sequence[Label], *, replace: bool) -> Recorded:
        fresh, left = self.imports(labels)
        with self._state.changing() as connection:
            refuse_archived(connection, self._state.store.campaign)
            batch = LabelBatch(state=self._state, leases=Leases(self._state, connection))
            count = batch.add_all(fresh, LabelTerms(replace=replace))
            batch.write(connection)
        return count.with_more(**left)

    def imports(self, labels: Sequence[Label]) -> tuple[list[Label], dict[str, int]]:
        """Return the incoming labels that are to be recorded, by the pool's ids, and counts of the others by kind.

        A label in a judging room's own file that is here already is the same one, whoever brings it back.
        """
        sent, by_text = self.texts.identify(labels)
        named = inside_pool(sent, self._state.pool)
        counts = {"by_text": by_text, "outside": len(sent) - len(named)}
        if not any(label.exported for label in named):
            return named, counts
        with self._state.looking():
            shown = shown_names(self._state.ledger.names)
        is_copy = recognise_copies(self._table.rows(), shown, self.settings)
        lasting = [label for label in named if label.exported is None or label.exported.kind is not LabelKind.SETTLED]
        fresh = [label for label in lasting if not is_copy(label)]
        counts |= {"settled": len(named) - len(lasting), "same": len(lasting) - len(fresh)}
        return told_apart(fresh, lasting), counts

    @cached_property
    def texts(self) -> PoolTexts:
        """Queries and documents as people read them."""
        return PoolTexts(self._state)

    def grade_of(self, label: Label) -> float | None:
        """Return the label's grade as a number of the scale; None if the document cannot be judged."""
        return grade_of(label, self.settings)

    def labels(self, *, history: bool = False) -> pl.DataFrame:
        """The labels that count, or the whole history, with the time of each and whether its document was asked for."""
        kept = self._table.rows() if history else self._table.current()
        with self._state.looking():
            asked = self._state.ledger.asked[kept["place"].to_numpy()]
        return kept.select(*COLUMNS).with_columns(asked=pl.Series(asked, dtype=pl.Boolean))

    def judgments(self) -> pl.DataFrame:
        """Return the grade of each document that was asked for and fully judged: query, document, grade."""
        with self._state.looking():
            grades = pl.Series(self._state.ledger.grades)
            return self._state.pool.ids.with_columns(grade=grades).filter(grades.is_not_nan())

    def refit(self, *, leave_open: bool = False) -> None:
        """Begin a new stage: beliefs and the order of documents follow what all labels so far say.

        The stage before ends, and the new one gets what is left of the budget. Open draws do not count, which
        `leave_open` must allow. Stages of one value are combined by their numbers of draws; a board's estimate rests on
        the new stage's draws alone, beside what is known from before.
        """
        with self._state.changing() as connection:
            state, stage = self._state, self._state.stage
            complete = stage.complete(state.ledger)
            state.check_refit(complete, 0 if leave_open else stage.begun(state.ledger) - complete)
            state.begin_stage(connection)

    # what is known

    def progress(self) -> Progress:
        """Return how far the campaign has come."""
        with self._state.looking() as connection:
            return Progress.of(self._state, connection)

    @property
    def interval(self) -> str:
        """The kind of interval that holds."""
        return self.rules.interval(self.settings)

    def estimate(self, *, level: float = defaults.LEVEL, interval: str | None = None) -> Estimate | None:
        """The estimate of one value from the draws before the first incomplete one; None if there are fewer than two,
        and where every run has values of its own.

        `interval` is the kind of interval, by default the one that holds: t, or sequence if the campaign has a stopping
        rule or its budget was changed. While too few labels or queries make an honest interval impossible, it has none:
        `shown` is False.
        """
        kind = self.interval if interval is None else interval
        with self._state.looking():
            ledger = self._state.ledger
            estimate = self._state.estimate(level=level, interval=kind)
            spent = ledger.spent * self.settings.assessors
            return None if estimate is None else replace(estimate, labels=ledger.counting, cost=spent)

    def waiting(self) -> int:
        """Return how many complete draws the estimate of one value does not use yet: the first of a part of the plan
        or of a stage, which are too few to count."""
        with self._state.looking():
            return self._state.waiting()

    def lacking(self, estimate: Estimate | None) -> int | None:
        """About how many more labels it takes until an estimate has an interval, with all of which it is exact; None
        where there is no such estimate."""
        return self._state.lacking(estimate)

    def curve(self, *, level: float = defaults.LEVEL, interval: str | None = None) -> pl.DataFrame:
        """Return the estimate after more and more draws: cost, draws, value, low, high."""
        kind = self.interval if interval is None else interval
        with self._state.looking():
            curve = self._state.curve(level=level, interval=kind)
            return curve.with_columns(pl.col("cost") * self.settings.assessors)


_KINDS: dict[bool, type[LabelCampaign]] = {}
"""The kind of campaign that estimates a board, and the one that does not."""


@contextmanager
def _connect_or_close(place: Location, *, existing: bool) -> Iterator[Engine]:
    """An engine on the database, which is closed again if the campaign cannot be had."""
    engine = connect(place, existing=existing)
    try:
        yield engine
    except BaseException as error:
        engine.dispose()
        if isinstance(error, InputError):
            error.path = error.path or str(place)
        raise


FEWEST = 2
"""How many draws an estimate with a standard error needs."""

POINTS = 60
"""The most points that a curve has."""


class EstimateState(CampaignState):
    """The state of a campaign that estimates one value."""

    pool: Pool

    def _load(self, connection: Connection) -> None:
        if isinstance(self._first, Plan):
            self.pool, self.target = self._first.pool, self._first.target
        else:
            self.pool = parquet.unpack(self.store.pool(connection), self.settings.grades)
            self.target = self.settings.target(self.pool)

    def _make_plan(self, settings: StageSettings, stored: FloatArray | None) -> Plan:
        plan = settings.plan(self.pool if stored is None else self.pool.with_beliefs(stored), self.target)
        plan.cautious = self.cautious
        return plan

    def check_refit(self, complete: int, unfinished: int) -> None:
        if complete < FEWEST:
            raise InputError(f"only {complete} draws are complete: a stage needs {FEWEST}", hint="Record more labels.")
        if unfinished > 0:
            raise InputError(
                f"{unfinished} draws of this stage are open, and would not count in it",
                hint="Record their labels first, or leave them open (--leave-open, leave_open=True).",
            )

    def begin_stage(self, connection: Connection) -> None:
        self.next_stage(connection, stored=recalibrate(self.plans[-1].pool, self.ledger.grades).beliefs)

    @property
    def plans(self) -> list[Plan]:
        """The plan of each stage."""
        return [stage.plan for stage in self.stages if isinstance(stage.plan, Plan)]

    def estimate(self, *, level: float, interval: str) -> Estimate | None:
        if not self.unjudged:
            return self._exact(level=level, interval=interval)
        parts = [
            plan.estimate(count, self.ledger.grades, level=level, interval=interval)
            for stage, plan in zip(self.stages, self.plans, strict=True)
            if (count := stage.complete(self.ledger)) >= FEWEST
        ]
        return combine_stages(parts, interval=interval) if parts else None

    def waiting(self) -> int:
        counts = [(plan, stage.complete(self.ledger)) for stage, plan in zip(self.stages, self.plans, strict=True)]
        if not self.unjudged:
            return 0
        return sum(plan.waiting(n, self.ledger.grades) if n >= FEWEST else n for plan, n in counts)

    @property
    def unjudged(self) -> int:
        """How many of the documents that the value depends on are not judged."""
        return int(np.sum(self.target.needed_documents(self.pool) & np.isnan(self.ledger.grades)))

    def _exact(self, *, level: float, interval: str) -> Estimate:
        """Return the value itself: every document that it depends on is judged.

        A stage of the draws may be too short to count by itself, a small pool is judged whole before a confidence
        sequence begins, and a pool of one query never has two draws.
        """
        values, plan = self.query_values(), self.plans[-1]
        value = float(values.mean())
        return Estimate(
            value=value,
            error=0.0,
            low=value,
            high=value,
            level=level,
            draws=sum(stage.complete(self.ledger) for stage in self.stages),
            labels=self.ledger.counting,
            cost=self.ledger.spent,
            method=plan.method,
            interval=interval,
            basis=plan.basis(len(values)),
        )

    @property
    def is_cut_short(self) -> bool:
        return self.unjudged > 0

    def lacking(self, estimate: Estimate | None) -> int:
        people, queries, labels = self.settings.assessors, len(self.pool.queries), self.ledger.counting
        each = float(self.target.needed_documents(self.pool).sum()) / queries * people
        wanted = lacking_labels(estimate, labels=labels, each=each, queries=queries)
        return min(wanted, max(self.unjudged * people, 1))

    def curve(self, *, level: float, interval: str) -> pl.DataFrame:
        rows, before, spent, ended, ledger = [], 0, 0.0, list[Estimate](), self.ledger
        grades = ledger.grades.copy()
        grades.flags.writeable = False  # so that the value of each query is computed once for all points
        for stage, plan in zip(self.stages, self.plans, strict=True):
            complete = stage.complete(ledger)
            paid = ledger.costs.get(stage.number, {})
            costs = np.cumsum([paid.get(draw, 0.0) for draw in range(complete)])
            for count in _places(complete):
                part = plan.estimate(count, grades, level=level, interval=interval)
                combined = combine_stages([*ended, part], interval=interval)
                value = combined.value if combined.shown else math.nan
                rows.append((spent + costs[count - 1], before + count, value, combined.low, combined.high))
            if complete >= FEWEST:
                ended.append(plan.estimate(complete, grades, level=level, interval=interval))
            before, spent = before + complete, spent + sum(paid.values())
        return pl.DataFrame(rows, schema=CURVE, orient="row")

    def query_values(self) -> FloatArray:
        pool, known = self.pool, ~np.isnan(self.ledger.grades)
        lacking = np.bincount(pool.query[self.target.needed_documents(pool) & ~known], minlength=len(pool.sizes))
        values = self.target.values(pool, np.where(known, self.ledger.grades, pool.grades[0]))
        return np.where(lacking > 0, np.nan, values)


class Campaign(LabelCampaign):
    """A campaign for the value of one ranker, or the difference between two.

    `Campaign.create(...)` makes one, `Campaign.open("campaign.rg")` goes on with it.
    """

    board, stops_at_width = False, True
    pool: Pool
    _state: EstimateState

    @classmethod
    def _state_kind(cls, settings: CampaignSettings) -> type[CampaignState]:
        return EstimateState

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
        """Return a new campaign. Beliefs that are certain of a grade are softened.

        `options` are those of the method. `settings` are further fields of `CampaignSettings`: dialect, seed,
        assessors, combine, unjudgeable, scale, cost.
        """
        grades = tuple(pool.grades.tolist())
        pool, certain = pool.soften()
        chosen = CampaignSettings(
            measure=measure, budget=float(budget), method=method, grades=grades, softened=certain, **settings
        ).on_scale()
        chosen.check_scale()
        target = chosen.target(pool)
        spendable = _spendable(chosen, pool, target)
        stage = StageSettings(method=method, budget=spendable, seed=chosen.seed, options=options or {})
        plan = stage.plan(pool, target)
        return cls._create(location, plan, parquet.pack(pool), chosen, stage, name=name, clock=clock)

    @property
    def target(self) -> Target:
        """What is estimated."""
        return self._state.target

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plan of each stage."""
        return tuple(self._state.plans)

    def change_budget(self, budget: float) -> None:
        """Give the campaign another budget, at least what is spent already.

        Before the first document is handed out, the plan is made for it. Afterwards the draws go on as they were
        planned, and only a confidence sequence holds: who changes a budget has seen how wide the interval is.
        """
        with self._state.changing() as connection:
            state, before = self._state, self.settings
            chosen = replace(before, budget=float(budget))
            spent = state.ledger.spent * before.assessors
            if chosen.budget < spent:
                raise ParameterError("a campaign", "budget", f"at least the {spent:g} that are spent", budget)
            if chosen.budget == before.budget:
                return
            if state.ledger.asked.any():
                chosen = replace(chosen, planned=before.budget if before.planned is None else before.planned)
            else:
                stage = replace(state.stage.settings, budget=_spendable(chosen, self.pool, self.target))
                stage.plan(self.pool, self.target)  # an error if the budget is too small for the method
                state.store.change_stage(connection, state.stage.number, settings=stage.pack())
            state.store.change(connection, settings=chosen.pack())
            state.refresh(connection)


def _spendable(settings: CampaignSettings, pool: Pool, target: Target) -> float:
    """Return what the draws are planned for: no more than judging everything that the value depends on costs."""
    return min(settings.allowance, float(target.query_costs(pool).sum()))


def combine_stages(parts: Sequence[Estimate], *, interval: str = IntervalKind.T) -> Estimate:
    """Return the estimate of several stages, each weighed by its number of draws.

    Weights by the inverse of estimated variances would favour the stage that happens to look quiet, which is one whose
    estimate is low: coverage of 95 % intervals fell to 71 %. Degrees of freedom: Welch (1947).
    """
    if len(parts) == 1:
        return parts[0]
    draws = np.array([part.draws for part in parts], dtype=np.float64)
    share = draws / draws.sum()
    pieces = (share * np.array([part.error for part in parts])) ** 2
    freedom = _welch(pieces, np.array([part.freedom for part in parts]))
    value, error = float(share @ [part.value for part in parts]), math.sqrt(pieces.sum())
    return Estimate.around(
        value,
        error,
        draws=int(draws.sum()),
        freedom=freedom,
        level=parts[0].level,
        labels=max(part.labels for part in parts),
        cost=max(part.cost for part in parts),
        method=parts[-1].method,
        interval=interval,
        basis=_together([part.basis for part in parts], share),
    )


def _together(parts: Sequence[Basis | None], share: FloatArray) -> Basis | None:
    """Return what the stages rest on together; each may have drawn queries of the others again."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    size = known[0].size
    missed = np.prod([1 - np.asarray(part.queries) / size for part in known])
    return replace(
        known[0],
        queries=max(int(size * (1 - missed)), *(int(np.asarray(part.queries)) for part in known)),
        whole=float(share @ [float(np.asarray(part.whole)) for part in known]),
    )


def lacking_labels(estimate: Estimate | None, *, labels: int, each: float, queries: int) -> int:
    """Return about how many more labels an interval needs, after that number of labels.

    `each` is the number of labels that a query judged whole takes; `queries` is the number of queries in the pool.
    """
    if estimate is None or not estimate.queries:
        wanted = intervals.FEWEST * each - labels
    elif estimate.queries < min(intervals.FEWEST, queries):
        wanted = labels * (intervals.FEWEST / estimate.queries - 1)
    elif IntervalKind.parse(estimate.interval) is IntervalKind.SEQUENCE and estimate.draws < intervals.FIRST:
        wanted = labels * (intervals.FIRST / estimate.draws - 1)
    else:
        wanted = labels  # what is so noisy that its error is unknown needs about as much again
    return max(math.ceil(wanted), 1)


def _welch(pieces: FloatArray, freedoms: FloatArray) -> float:
    below = float(np.sum(pieces**2 / np.maximum(freedoms, 1.0)))
    return float(pieces.sum() ** 2 / below) if below > 0 else float(freedoms.sum())


def _places(draws: int) -> list[int]:
    """Return numbers of draws at which to look, close together at first."""
    if draws < FEWEST:
        return []
    return [int(place) for place in np.unique(np.geomspace(FEWEST, draws, POINTS).round())]
