"""What every campaign does: hand out documents, record labels, and lose none that was acknowledged."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl
from sqlalchemy.engine import Engine

from rankgauge.errors import InputError, ParameterError, PausedError
from rankgauge.labelling import defaults
from rankgauge.labelling.campaign.database import Location, connect, explained, loading, reading, writing
from rankgauge.labelling.campaign.label_table import COLUMNS, Copies, LabelTable, PoolTexts, told_apart
from rankgauge.labelling.campaign.labels import LONGEST, LabelBatch, LabelTerms, grade_of, inside_pool, is_name
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
from rankgauge.labelling.campaign.state import CampaignState, Clock
from rankgauge.labelling.campaign.store import Store, make
from rankgauge.labelling.campaign.tables import upgrade
from rankgauge.labelling.label_format import read_labels
from rankgauge.labelling.labels import SOMEBODY, Assessor, Label, LabelKind, Recorded, Task, identity_of, labels_of
from rankgauge.labelling.method import Draws, Estimate
from rankgauge.labelling.pool import PooledDocuments
from rankgauge.labelling.pool_rows import refuse_breaks

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
        self._state, self._table = state, LabelTable(state.engine, state.store)

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
        """The campaign of a store on an engine from `database.connect` or `database.prepared`."""
        with loading(engine):
            with reading(engine) as connection:
                row = store.row(connection)
            kind = _KINDS[CampaignSettings.unpacked(row.settings, layout=row.format).is_board]
        if not issubclass(kind, cls):
            raise InputError(
                f"this campaign estimates {'a board of runs' if kind.board else 'one value'}",
                hint=f"Open it with {kind.__name__}.open.",
            )
        with loading(engine):
            return kind._loaded(engine, store, clock)

    @classmethod
    def _loaded(cls, engine: Engine, store: Store, clock: Clock, *, first: Draws | None = None) -> Self:
        """The campaign with its state; `first` is the plan of its first stage if it is new."""
        raise NotImplementedError

    @classmethod
    def open(cls, location: str | Path, *, clock: Clock = time.time) -> Self:
        """The campaign in a file, or at a URL; …#name where the database has several."""
        place = Location(location)
        with _connected(place, existing=True) as engine:
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
        """A new campaign with this plan as its first stage; `content` is the packed pool."""
        if not isinstance(location, Engine):
            place = Location(location)
            with _connected(place, existing=False) as engine:
                named = place.name or name
                return cls._create(engine, plan, content, settings, stage, name=named, clock=clock)
        for ids in (plan.pool.queries.alias("query"), plan.pool.documents.alias("document")):
            refuse_breaks(ids)
        upgrade(location)
        with writing(location) as connection:
            store = make(connection, name=name, made=clock(), settings=settings.packed())
            store.add_pool(connection, content, plan.pool.texts)
            store.add_stage(connection, number=0, made=clock(), settings=stage.packed())
        return cls._loaded(location, store, clock, first=plan)

    def close(self) -> None:
        """Closes all connections."""
        self._state.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, *_: object) -> None:
        try:
            damaged = None if error is None else explained(self._state.engine, error)
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
        """Why `lease` gave the assessor nothing."""
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
            self._state.store.set_paused(connection, True)

    def resume(self) -> None:
        """Documents are handed out again."""
        with self._state.changing() as connection:
            self._state.store.set_paused(connection, False)

    # changes

    def rename(self, name: str) -> None:
        """Gives the campaign another name."""
        if len(name) > LONGEST or not is_name(name):
            raise ParameterError("a campaign", "name", f"1 to {LONGEST} printable characters", name)
        with self._state.changing() as connection:
            self._state.store.rename(connection, name.strip())
        self._state.name = name.strip()

    def change_budget(self, budget: float) -> None:
        """Gives the campaign another budget, at least what is spent already."""
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
            return self._record(read.labels, replace=replace).added(blank=read.blank, unread=read.unread)
        except InputError as error:
            raise placed(error, os.fspath(labels)) from None

    def _record(self, labels: Sequence[Label], *, replace: bool) -> Recorded:
        fresh, left = self.imports(labels)
        with self._state.changing() as connection:
            refuse_archived(connection, self._state.store.campaign)
            batch = LabelBatch(state=self._state, leases=Leases(self._state, connection))
            count = batch.add_all(fresh, LabelTerms(replace=replace))
            batch.write(connection)
        return count.added(**left)

    def imports(self, labels: Sequence[Label]) -> tuple[list[Label], dict[str, int]]:
        """The labels to record of those that come in, by the ids of the pool, and how many were found to be what.

        A label in a judging room's own file that is here already is the same one, whoever brings it back.
        """
        sent, by_text = self.texts.identified(labels)
        named = inside_pool(sent, self._state.pool)
        counts = {"by_text": by_text, "outside": len(sent) - len(named)}
        if not any(label.exported for label in named):
            return named, counts
        with self._state.looking():
            shown = shown_names(self._state.ledger.names)
        copies = Copies(self._table.rows(), shown, self.settings)
        lasting = [label for label in named if label.exported is None or label.exported.kind is not LabelKind.SETTLED]
        fresh = [label for label in lasting if not copies.has(label)]
        counts |= {"settled": len(named) - len(lasting), "same": len(lasting) - len(fresh)}
        return told_apart(fresh, lasting), counts

    @cached_property
    def texts(self) -> PoolTexts:
        """Queries and documents as people read them."""
        return PoolTexts(self._state)

    def grade_of(self, label: Label) -> float | None:
        """The label's grade as a number of the scale; None if the document cannot be judged."""
        return grade_of(label, self.settings)

    def labels(self, *, history: bool = False) -> pl.DataFrame:
        """The labels that count, or the whole history, with the time of each and whether its document was asked for."""
        kept = self._table.rows() if history else self._table.current()
        with self._state.looking():
            asked = self._state.ledger.asked[kept["place"].to_numpy()]
        return kept.select(*COLUMNS).with_columns(asked=pl.Series(asked, dtype=pl.Boolean))

    def judgments(self) -> pl.DataFrame:
        """The grade of each document that was asked for and fully judged: query, document, grade."""
        with self._state.looking():
            grades = pl.Series(self._state.ledger.grades)
            return self._state.pool.ids.with_columns(grade=grades).filter(grades.is_not_nan())

    def refit(self, *, leave_open: bool = False) -> None:
        """Begins a new stage that knows all labels so far; `leave_open` allows that open draws do not count."""
        raise NotImplementedError

    # what is known

    def progress(self) -> Progress:
        """How far the campaign has come."""
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
            found = self._state.estimate(level=level, interval=kind)
            spent = ledger.spent * self.settings.assessors
            return None if found is None else replace(found, labels=ledger.counting, cost=spent)

    def lacking(self, found: Estimate | None) -> int | None:
        """About how many more labels it takes until an estimate has an interval, with all of which it is exact; None
        where there is no such estimate."""
        return self._state.lacking(found)

    def curve(self, *, level: float = defaults.LEVEL, interval: str | None = None) -> pl.DataFrame:
        """The estimate after more and more draws: cost, draws, value, low, high."""
        kind = self.interval if interval is None else interval
        with self._state.looking():
            found = self._state.curve(level=level, interval=kind)
            return found.with_columns(pl.col("cost") * self.settings.assessors)


_KINDS: dict[bool, type[LabelCampaign]] = {}
"""The kind of campaign that estimates a board, and the one that does not."""


@contextmanager
def _connected(place: Location, *, existing: bool) -> Iterator[Engine]:
    """An engine on the database, which is closed again if the campaign cannot be had."""
    engine = connect(place, existing=existing)
    try:
        yield engine
    except InputError as error:
        engine.dispose()
        raise placed(error, str(place)) from None
    except BaseException:
        engine.dispose()
        raise


def placed(error: InputError, path: str) -> InputError:
    """The error with the file or database that it is about."""
    if error.path is not None:
        return error
    return InputError(error.problem, path=path, line=error.line, text=error.text, hint=error.hint)
