"""The ledger: what is known of each document, kept in step with the rows that come in.

An assessor's last label of a document counts. A document's grade is made of the labels that count, whatever the order
in which they came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankgauge.judgments import combine
from rankgauge.labelling.campaign.settings import CampaignSettings, Unjudgeable
from rankgauge.labelling.labels import Identity, Label, LabelKind, LabelOrigin, identity_of
from rankgauge.numeric import BoolArray, FloatArray, IndexArray


@dataclass(frozen=True, kw_only=True)
class CurrentLabel:
    """An assessor's label of a document that counts at present, and its number."""

    id: int
    kind: str
    grade: float | None
    origin: str
    comment: str | None
    made: float
    assessor: str
    """The name on the label."""
    person: int | None = None
    """The number of the assessor, if it is a person of the judging room."""


def label_row(label: Label, place: int, said: CurrentLabel, before: CurrentLabel | None = None) -> dict[str, Any]:
    """Return the label of a document as a row of the database; `before` is what it replaces."""
    return {
        "place": place,
        "query": label.query,
        "document": label.document,
        "assessor": label.assessor,
        "kind": label.kind.value,
        "grade": said.grade,
        "comment": label.comment,
        "key": label.key,
        "made": said.made,
        "replaces": before.id or None if before else None,
        "person": label.person,
        "sender": label.sender,
        "origin": LabelOrigin(said.origin).value,
    }


def shown_names(names: Mapping[Identity, str]) -> dict[Identity, str]:
    """A different name for each assessor. Where several people have the same one, their numbers are added; a name from
    elsewhere that somebody here has is marked as imported."""
    often = Counter(name for who, name in names.items() if isinstance(who, int))
    shown, taken = dict[Identity, str](), set[str]()
    for who, name in sorted(names.items(), key=lambda one: isinstance(one[0], str)):
        mark, alone = (" (imported)", name not in often) if isinstance(who, str) else (f" (#{who})", often[name] == 1)
        title = name if alone else name + mark
        while title in taken:
            title += mark
        shown[who] = title
        taken.add(title)
    return shown


class Ledger:
    """Labels and tasks so far, and the grades that they make."""

    def __init__(self, settings: CampaignSettings, query: IndexArray) -> None:
        documents = len(query)
        self.settings, self._query = settings, query
        self.given: dict[int, dict[Identity, CurrentLabel]] = {}
        """By document, what each assessor says of it."""
        self.settled: dict[int, CurrentLabel] = {}
        """By document, the grade that settled a disagreement, if any: the last one."""
        self.disputed: set[int] = set()
        """The documents of which assessors say different things."""
        self._skipped: set[int] = set()
        """The documents of which somebody has said that they cannot be judged."""
        self.names: dict[Identity, str] = {}
        """By assessor, the name on the last label."""
        self.asked: BoolArray = np.zeros(documents, dtype=bool)
        self.grades: FloatArray = np.full(documents, np.nan)
        """The grade of each document that was asked for and fully judged; NaN for the others."""
        self.spent = 0.0
        """What all documents that were asked for cost, judged or not."""
        self.costs: dict[int, dict[int, float]] = {}
        """By stage and draw, the cost of the documents that the draw was the first to ask for."""
        self.steps: dict[int, dict[int, int]] = {}
        """By stage and draw, how many times the draw has asked: once for all documents, or for one after another."""
        self._asked_at: dict[tuple[int, int], float] = {}
        self.history: dict[Identity, list[tuple[int, float]]] = {}
        """By assessor, the document and time of every label, in the order in which they came."""
        self.moments: dict[Identity, list[float]] = {}
        """By assessor, when they answered; labels that were imported came all at once, and tell nothing of a pace."""
        self.often: Counter[tuple[int, Identity]] = Counter()
        """By document and assessor, how often the assessor has said something of it."""
        self.imported = 0
        """How many of the labels that count came for documents that were not handed to their assessors."""
        self.keys: dict[str, Any] = {}
        """The labels by their keys."""
        self.received = 0
        """How many labels came in all, with those that were replaced."""
        self.last_label = self.last_task = 0
        self.changes = 0
        """How often a known grade changed: what was derived from it is then out of date."""
        self._made: dict[tuple[float, ...], float] = {}
        """The combined grade by the grades that it is made of."""
        self.revisions: IndexArray = np.zeros(int(query.max(initial=-1)) + 1, dtype=np.int64)
        """By query, how often a grade of its documents became known or changed."""

    def take_tasks(self, rows: Iterable[Any]) -> None:
        """Take in documents that were asked for."""
        places = []
        for row in rows:
            self.asked[row.place] = True
            self.spent += row.cost
            self._charge(row)
            self.last_task = max(self.last_task, row.id)
            places.append(row.place)
        self._settle(places)

    def take_labels(self, rows: Iterable[Any]) -> None:
        """Take in labels, in the order in which they came."""
        places: dict[int, None] = {}
        for row in rows:
            self._take(row, identity_of(row))
            if row.key is not None:
                self.keys[row.key] = row
            self.received += 1
            self.last_label = max(self.last_label, row.id)
            places[row.place] = None
        self._settle([place for place in places if self.asked[place]])

    def _take(self, row: Any, who: Identity) -> None:
        said = CurrentLabel(
            **{name: getattr(row, name) for name in ("id", "kind", "grade", "origin", "comment", "made", "assessor")},
            person=row.person,
        )
        if said.kind == LabelKind.SETTLED:
            self._count_imported(said, self.settled.get(row.place))
            self.settled[row.place] = said
            return
        given = self.given.setdefault(row.place, {})
        self._count_imported(said, given.get(who))
        given[who] = said
        (self.disputed.add if len({one.grade for one in given.values()}) > 1 else self.disputed.discard)(row.place)
        if said.kind == LabelKind.SKIP:
            self._skipped.add(row.place)
        self.history.setdefault(who, []).append((row.place, row.made))
        if said.origin != LabelOrigin.IMPORTED:
            self.moments.setdefault(who, []).append(row.made)
        self.often[row.place, who] += 1
        self.names[who] = row.assessor

    def _count_imported(self, said: CurrentLabel, before: CurrentLabel | None) -> None:
        self.imported += said.origin == LabelOrigin.IMPORTED
        self.imported -= before is not None and before.origin == LabelOrigin.IMPORTED

    def counting_assessors(self, place: int) -> set[Identity]:
        """Return the assessors whose labels count towards the number that a document needs."""
        another = self.settings.unjudgeable == Unjudgeable.ANOTHER
        given = self.given.get(place, {})
        return {assessor for assessor, said in given.items() if not (another and said.kind == LabelKind.SKIP)}

    @property
    def out(self) -> int:
        """How many documents were asked for and are not fully judged."""
        return int(np.sum(self.asked & np.isnan(self.grades)))

    @property
    def counting(self) -> int:
        """How many labels count."""
        return sum(map(len, self.given.values())) + len(self.settled)

    @property
    def unasked(self) -> list[int]:
        """The documents that have labels although no draw has asked for them."""
        places = np.fromiter(self.given.keys() | self.settled.keys(), dtype=np.int64)
        return [int(place) for place in places[~self.asked[places]]]

    @property
    def unjudgeable(self) -> list[int]:
        """The documents asked for whose every label says that they cannot be judged."""
        return [
            place
            for place in self._skipped
            if self.asked[place]
            and place not in self.settled
            and all(said.kind == LabelKind.SKIP for said in self.given[place].values())
        ]

    def _charge(self, row: Any) -> None:
        costs, steps = self.costs.setdefault(row.stage, {}), self.steps.setdefault(row.stage, {})
        costs[row.draw] = costs.get(row.draw, 0.0) + row.cost
        if self._asked_at.get((row.stage, row.draw)) != row.made:
            steps[row.draw] = steps.get(row.draw, 0) + 1
        self._asked_at[row.stage, row.draw] = row.made

    def _settle(self, places: Sequence[int]) -> None:
        """Compute the grades of those documents again."""
        before = self.grades[list(places)]
        now = np.asarray(self._grades(places), dtype=np.float64)
        self.changes += int(np.sum(~np.isnan(before) & (before != now)))
        self.grades[list(places)] = now
        moved = np.asarray(places, dtype=np.int64)[(before != now) & ~(np.isnan(before) & np.isnan(now))]
        self.revisions[np.unique(self._query[moved])] += 1

    def _grades(self, places: Sequence[int]) -> list[float]:
        said = [self._grades_of(place) for place in places]
        self._combine([grades for grades in dict.fromkeys(said) if grades and grades not in self._made])
        return [self._made[grades] if grades else np.nan for grades in said]

    def _combine(self, fresh: Sequence[tuple[float, ...]]) -> None:
        """Combine sets of grades that were not seen before, by the campaign's rule.

        There are few different sets, and a data frame for each answer would take longer than everything else.
        """
        if not fresh:
            return
        rows = [
            (str(n), "document", str(who), grade) for n, grades in enumerate(fresh) for who, grade in enumerate(grades)
        ]
        frame = pl.DataFrame(rows, schema=["query", "document", "assessor", "grade"], orient="row")
        combined = combine(frame, self.settings.combine).select("query", "grade").iter_rows()
        self._made |= {fresh[int(n)]: self.settings.to_grade(grade) for n, grade in combined}

    def _grades_of(self, place: int) -> tuple[float, ...]:
        """Return the grades that a document's grade is made of; none while labels are missing."""
        given, settled = self.given.get(place, {}), self.settled.get(place)
        if settled is not None:
            return (self.settings.grades[0] if settled.grade is None else settled.grade,)
        if len(self.counting_assessors(place)) < self.settings.assessors:
            return ()
        grades = [said.grade for said in given.values() if said.kind == LabelKind.GRADE and said.grade is not None]
        return tuple(sorted(grades)) or (self.settings.grades[0],)
