"""What a campaign knows of its assessors: what each has done, how fast, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import polars as pl

from rankgauge.judgments.agreement import Agreement, agreement
from rankgauge.labelling.campaign.campaign import LabelCampaign
from rankgauge.labelling.campaign.ledger import CurrentLabel, Ledger, shown_names
from rankgauge.labelling.labels import Assessor, Identity, LabelKind, Task, identity_of

SECONDS = {"query": pl.String(), "document": pl.String(), "assessor": pl.String(), "seconds": pl.Float64()}


@dataclass(frozen=True, kw_only=True)
class OwnAnswer:
    """What somebody has answered of a document, and when."""

    task: Task
    kind: str
    grade: float | None
    comment: str | None
    made: float


RECENT = 30
"""From how many of the last labels an assessor's pace is computed."""
BREAK = 600.0
"""A longer time between two labels, in seconds, is a break and does not count in the pace."""
TOGETHER = 0.1
"""Labels that come faster than this, in seconds, came in a file: they tell nothing of a pace."""

Beside: TypeAlias = tuple[str, str, float]
"""Query, document and time of an answer that is no label."""


@dataclass(frozen=True, kw_only=True)
class AssessorProgress:
    """What an assessor has done: how many documents, and how many an hour lately."""

    done: int
    pace: float | None


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """A document that assessors judged differently, and the grade that settled it, if any."""

    place: int
    query: str
    document: str
    said: Mapping[str, float | None]
    """The grade by assessor; None if it could not be judged."""
    comments: Mapping[str, str]
    """What assessors remarked."""
    settled: float | None
    settled_by: str | None
    settled_at: float | None
    """When, in seconds since 1970."""
    why: str | None
    """What whoever settled it remarked."""
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)


class Review:
    """What there is to review in a campaign, and the answers of its assessors so far."""

    def __init__(self, campaign: LabelCampaign) -> None:
        self._campaign, self._state = campaign, campaign._state

    def own(self, who: Identity, beside: Iterable[Beside] = ()) -> AssessorProgress:
        """What the assessor has done so far, with answers that are no labels: a document that has both counts once."""
        with self._state.looking():
            ledger, known = self._state.ledger, self._state.pool.positions
            judged = {place for place, _ in ledger.history.get(who, [])}
            moments = list(ledger.moments.get(who, []))
        named = [(known.get(query, {}).get(document, (query, document)), made) for query, document, made in beside]
        fresh = [one for one in named if one[0] not in judged]
        return AssessorProgress(
            done=len(judged | {what for what, _ in fresh}), pace=_pace([*moments, *(made for _, made in fresh)])
        )

    def assessors(self) -> dict[Identity, str]:
        """Everybody who has judged, by name; the number is added where several have the same name."""
        with self._state.looking():
            return shown_names(self._state.ledger.names)

    def signatures(self) -> dict[Identity, str]:
        """Return the names of everybody who has judged or settled a disagreement, which differ from one another."""
        with self._state.looking():
            return self._name_assessors() | shown_names(self._state.ledger.names)

    def _name_assessors(self) -> dict[Identity, str]:
        ledger = self._state.ledger
        return shown_names(ledger.names | {identity_of(one): one.assessor for one in ledger.settled.values()})

    def everybody(self) -> dict[str, AssessorProgress]:
        """Return what everybody who has judged has done, by name."""
        with self._state.looking():
            ledger = self._state.ledger
            return {name: assessor_progress(ledger, who) for who, name in shown_names(ledger.names).items()}

    def count_disputes(self) -> tuple[int, int]:
        """How many documents have different labels, or a grade that settled such; and how many are not settled."""
        with self._state.looking():
            places = self._find_disputed()
            return len(places), sum(place not in self._state.ledger.settled for place in places)

    def disagreements(self, start: int = 0, end: int | None = None) -> list[Disagreement]:
        """The documents with different labels, or with a grade that settled such: open ones first, the widest apart
        first. From the first or a later one, up to the last or an earlier one."""
        with self._state.looking() as connection:
            ledger, names = self._state.ledger, shown_names(self._state.ledger.names)
            places = sorted(self._find_disputed(), key=lambda one: (one in ledger.settled, -_spread(ledger, one), one))
            shown = places[start:end]
            texts = self._state.store.texts(connection, shown)
            told = {place: {names[who]: said for who, said in ledger.given.get(place, {}).items()} for place in shown}
            signed = self._name_assessors()
        return [self._disagreement(place, said, texts.get(place, {}), signed) for place, said in told.items()]

    def _find_disputed(self) -> list[int]:
        """The documents whose labels differ, or did when somebody settled it: what was settled stays in sight."""
        return list(self._state.ledger.disputed | self._state.ledger.settled.keys())

    def judgments(self) -> pl.DataFrame:
        """Return the grades of every assessor by themselves: query, document, grade, assessor."""
        labels = self.labels().filter(pl.col("kind") == LabelKind.GRADE.value)
        return labels.select("query", "document", "grade", "assessor")

    def agreement(self) -> Agreement | None:
        """Return how well the assessors agree; None if no two of them have judged the same document."""
        judgments = self.judgments()
        shared = judgments.select(pl.struct("query", "document").is_duplicated().any()).item()
        return agreement(judgments) if shared else None

    def queries(self) -> pl.DataFrame:
        """Return a row per query that something was asked of: documents, asked, judged, and its value once known."""
        with self._state.looking():
            pool, ledger, values = self._state.pool, self._state.ledger, self._state.query_values()
            known = ~np.isnan(ledger.grades)
            counts = {
                "documents": pool.sizes,
                "asked": np.bincount(pool.query[ledger.asked], minlength=len(pool.sizes)),
                "judged": np.bincount(pool.query[known], minlength=len(pool.sizes)),
            }
        frame = pl.DataFrame({"query": pool.queries, **counts, "value": values})
        return frame.filter(pl.col("asked") > 0).with_columns(pl.col("value").fill_nan(None))

    def answers(self, who: Assessor) -> list[OwnAnswer]:
        """The assessor's last answer of each document, with what there is to read, in the order of their times."""
        with self._state.looking() as connection:
            given = self._state.ledger.given
            places = dict.fromkeys(place for place, _ in self._state.ledger.history.get(who.identity, ()))
            said = {place: given[place][who.identity] for place in places}
            texts = self._state.store.texts(connection, list(said))
        tasks = {
            place: self._state.task(place, who, answer.made, texts.get(place, {})) for place, answer in said.items()
        }
        return [
            OwnAnswer(task=tasks[place], kind=answer.kind, grade=answer.grade, comment=answer.comment, made=answer.made)
            for place, answer in sorted(said.items(), key=lambda item: item[1].made)
        ]

    def list_handed(self, who: Assessor) -> set[tuple[str, str]]:
        """Query and document of everything that was ever handed to the assessor, or that they have judged."""
        with self._state.looking() as connection:
            judged = {place for place, _ in self._state.ledger.history.get(who.identity, ())}
            places = judged | set(self._state.store.first_leases_of(connection, who))
        return {(one.query, one.document) for one in (self._state.task(place, who, 0.0, {}) for place in places)}

    def order_of(self, who: Assessor, places: Sequence[int]) -> dict[int, int]:
        """Return numbers by which these documents can be put into the order in which the assessor first had them."""
        with self._state.looking() as connection:
            return self._state.store.first_leases_of(connection, who, places)

    def texts(self, documents: Sequence[tuple[str, str]]) -> list[dict[str, str] | None]:
        """What there is to read of these documents, by query and document; None for those that the pool lacks."""
        known = self._state.pool.positions
        places = [known.get(query, {}).get(document) for query, document in documents]
        with self._state.looking() as connection:
            texts = self._state.store.texts(connection, [place for place in places if place is not None])
        return [None if place is None else texts.get(place, {}) for place in places]

    def labels(self) -> pl.DataFrame:
        """The labels that count, each assessor under a name of their own, without those that settle disagreements."""
        labels = self._campaign.labels().filter(pl.col("kind") != LabelKind.SETTLED.value)
        with self._state.looking():
            names = shown_names(self._state.ledger.names)
        known = [names[name if person is None else person] for name, person in labels["assessor", "person"].iter_rows()]
        return labels.with_columns(pl.Series("assessor", known, dtype=pl.String))

    def seconds(self, others: Mapping[Identity, Sequence[float]] | None = None) -> pl.DataFrame:
        """Return how long each document took that was handed out: query, document, assessor, seconds.

        The time begins when the assessor first had the document, or with their answer before; `others` are moments at
        which they answered something that is no label.
        """
        with self._state.looking() as connection:
            first = {(row.place, identity_of(row)): row.made for row in self._state.store.first_leases(connection)}
            history, names = self._state.ledger.history, shown_names(self._state.ledger.names)
            taken = {
                who: _timed_answers(who, labels, first, (others or {}).get(who, ())) for who, labels in history.items()
            }
            rows = [
                (task.query, task.document, names[who], seconds)
                for who, durations in taken.items()
                for place, seconds in durations
                for task in (self._state.task(place, Assessor(name=""), 0.0, {}),)
            ]
        return pl.DataFrame(rows, schema=SECONDS, orient="row")

    def _disagreement(
        self, place: int, given: Mapping[str, CurrentLabel], texts: dict[str, str], names: Mapping[Identity, str]
    ) -> Disagreement:
        task, final = self._state.task(place, Assessor(name=""), 0.0, texts), self._state.ledger.settled.get(place)
        return Disagreement(
            place=place,
            query=task.query,
            document=task.document,
            said={who: answer.grade for who, answer in given.items()},
            comments={who: answer.comment for who, answer in given.items() if answer.comment},
            settled=None if final is None else final.grade,
            settled_by=None if final is None else names[identity_of(final)],
            settled_at=None if final is None else final.made,
            why=None if final is None else final.comment,
            texts=texts,
        )


def assessor_progress(ledger: Ledger, who: Identity) -> AssessorProgress:
    """Return what an assessor has done so far."""
    done = len({place for place, _ in ledger.history.get(who, [])})
    return AssessorProgress(done=done, pace=_pace(ledger.moments.get(who, [])))


def _spread(ledger: Ledger, place: int) -> float:
    """Return how far the grades of a document are apart."""
    grades = [said.grade for said in ledger.given.get(place, {}).values() if said.grade is not None]
    return max(grades) - min(grades) if grades else 0.0


def _pace(times: Sequence[float]) -> float | None:
    """Documents an hour: by the median time between the last answers, without breaks; None of answers in files."""
    between = np.diff(sorted(times)[-RECENT:])
    working = between[between < BREAK]
    usual = float(np.median(working)) if len(working) > 1 else 0.0
    return None if usual < TOGETHER else 3600.0 / usual


def _timed_answers(
    who: Identity,
    labels: Sequence[tuple[int, float]],
    first: Mapping[tuple[int, Identity], float],
    others: Sequence[float],
) -> list[tuple[int, float]]:
    """Return the documents that were handed to the assessor, and how many seconds passed until their first answer."""
    moments = np.sort(np.array([*(made for _, made in labels), *others]))
    answers, seen = list[tuple[int, float]](), set[int]()
    for place, made in labels:
        begun = first.get((place, who))
        if begun is not None and place not in seen and made > begun:
            before = moments[np.searchsorted(moments, made) - 1] if made > moments[0] else begun
            answers.append((place, float(made - max(begun, before))))
        seen.add(place)
    return answers
