"""The labels of a campaign: those that come in are checked against the pool, the scale and what is known before any is
written; those that are there are a table; and what people read of their documents."""

from __future__ import annotations

import difflib
import heapq
import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, takewhile
from typing import Any, TypeAlias

import polars as pl
from sqlalchemy.engine import Connection

from rankgauge.errors import AnsweredError, InputError, RankGaugeError, UndisputedError, UnknownNameError, UnleasedError
from rankgauge.labelling.campaign import tables
from rankgauge.labelling.campaign.database import reading
from rankgauge.labelling.campaign.leases import KeyedAnswer, Leases, SideQuestions
from rankgauge.labelling.campaign.ledger import CurrentLabel, label_row
from rankgauge.labelling.campaign.settings import CampaignSettings
from rankgauge.labelling.campaign.state import CampaignState
from rankgauge.labelling.labels import Identity, Label, LabelKind, LabelOrigin, Recorded, identity_of
from rankgauge.labelling.pool import PooledDocuments

LONGEST = 200
"""How many letters an assessor's name and a key may have."""

_UNSEEN = "\u00a0\u3000\u200c\u200d"
"""What names may have though Python does not call it printable: wide and fixed blanks, and what joins letters."""

MOST_CHANGES = 100
"""How often somebody who may not import labels may change one answer: every change is kept."""

REPLACE = "Leave the line out, or record with --replace (replace=True): the new one counts and the old one is kept."
"""What to do where a label contradicts an earlier one, at the command line and in Python."""

OVERDUE = "The time to answer it is over, and somebody else has it now. Go on with the next."
"""What to do where a document went to another assessor."""

NEAR, SEARCHED = 200, 20_000
"""How many ids are compared letter by letter with one that does not exist, and how many are looked at at all."""

Spot: TypeAlias = tuple[str, str, Identity | None]
"""Query, document and assessor of a label; None: it settles a disagreement."""


@dataclass(frozen=True, kw_only=True)
class LabelTerms:
    """What labels that come in together have to comply with."""

    replace: bool = False
    """Whether a label may replace an earlier one of the same assessor."""
    leased: bool = False
    """Whether only documents that were handed to their assessors may be answered."""
    side: SideQuestions | None = None
    """What else the assessor was asked."""
    hint: str = REPLACE
    """What to do where a label contradicts an earlier one."""


@dataclass(kw_only=True, eq=False)
class LabelBatch:
    """Labels that are written together: their rows, and what is known of them before they are written."""

    state: CampaignState
    leases: Leases
    rows: list[dict[str, Any]] = field(default_factory=list)
    _told: list[tuple[SideQuestions, Label]] = field(default_factory=list)
    """What the questions on the side have to know of."""
    _count: Recorded = Recorded()
    _seen: dict[Spot, CurrentLabel] = field(default_factory=dict)
    """What is said in this batch."""
    _often: Counter[Spot] = field(default_factory=Counter)
    """How often it is said."""
    _keys: dict[str, KeyedAnswer] = field(default_factory=dict)

    def write(self, connection: Connection) -> None:
        """Write the rows and take them into the state."""
        self.state.ledger.take_labels(self.state.store.add_numbered(connection, tables.labels, self.rows))
        for side, label in self._told:
            side.take(label, self.leases.now)

    def add_all(self, labels: Sequence[Label], terms: LabelTerms) -> Recorded:
        """Add the labels; if one of them is wrong, raise an error and add none of them."""
        before = len(self.rows), len(self._told), dict(self._seen), Counter(self._often), dict(self._keys)
        self._count = Recorded()
        try:
            places = [self._place(label, terms) for label in labels]
            self.leases.recall(
                (place, label.identity) for place, label in zip(places, labels, strict=True) if place is not None
            )
            for place, label in zip(places, labels, strict=True):
                self._add(label, place, terms)
        except RankGaugeError:
            rows, told, self._seen, self._often, self._keys = before
            del self.rows[rows:], self._told[told:]
            raise
        return self._count

    def _place(self, label: Label, terms: LabelTerms) -> int | None:
        """Return the position of the label's document in the pool; None if it is not there.

        Who may answer only what was handed out is told no more than that it was not: neither what the pool holds, nor
        whether another kind of question was asked.
        """
        _check_texts(label)
        place = self.state.pool.positions.get(label.query, {}).get(label.document)
        if place is None and not terms.leased:
            raise _unknown(label, None)
        return place

    def _add(self, label: Label, place: int | None, terms: LabelTerms) -> None:
        grade = grade_of(label, self.state.settings)
        if label.settles:
            self._check_dispute(label)
        side = terms.side if self._is_beside(label, place, terms.side) else None
        repeated = self._is_repeated(label, grade, terms.side)
        before = self._before(label, place, side)
        if repeated or (before is not None and _says_the_same(label, grade, before, replace=terms.replace)):
            self._count = self._count.with_more(same=1)
            return
        if before is not None and not (terms.replace or label.settles):
            raise _conflict(label, before.grade, grade, terms.hint)
        if before is not None and terms.leased:
            self._check_changes(label, place, side)
        elif terms.leased and side is None:
            self._check_lease(label, place)
        self._keep(label, None if side else place, grade, before)
        if terms.side is not None:
            self._told.append((terms.side, replace(label, grade=grade)))

    def _is_beside(self, label: Label, place: int | None, side: SideQuestions | None) -> bool:
        """Say whether it answers a question on the side. What the assessor has as a document, or has judged, is one."""
        if side is None or not side.is_asked(label):
            return False
        return place is None or not (self._current_label(label, place) or self._is_open(place, label.identity))

    def _before(self, label: Label, place: int | None, side: SideQuestions | None) -> CurrentLabel | None:
        """Return what the label replaces: what its assessor said before, or what settled the disagreement."""
        if spoken := self._seen.get(_spot(label)):
            return spoken
        if side is not None:
            return side.last_answer(label)
        return None if place is None else self._current_label(label, place)

    def _current_label(self, label: Label, place: int) -> CurrentLabel | None:
        ledger = self.state.ledger
        return ledger.settled.get(place) if label.settles else ledger.given.get(place, {}).get(label.identity)

    def _check_changes(self, label: Label, place: int | None, side: SideQuestions | None) -> None:
        often = self._often[_spot(label)]
        if side is not None:
            often += side.often(label)
        elif place is not None:
            often += self.state.ledger.often[place, label.identity]
        if often > MOST_CHANGES:
            problem = f"the answer to document {label.document} of query {label.query} was changed {MOST_CHANGES} times"
            raise _fault(label, problem, "It stays as it is. Whoever runs the campaign can record another.")

    def _check_lease(self, label: Label, place: int | None) -> None:
        if place is None or not self.leases.had(place, label.identity):
            problem = f"document {label.document} of query {label.query} was not handed to {label.assessor}"
            raise UnleasedError(problem, line=label.line, hint="Only documents that were handed out can be answered.")
        if not self._is_open(place, label.identity):
            problem = f"document {label.document} of query {label.query} went to another assessor meanwhile"
            raise UnleasedError(problem, line=label.line, hint=OVERDUE)

    def _check_dispute(self, label: Label) -> None:
        """A grade in place of all others is for assessors who disagree, or did when it was settled before."""
        ledger, place = self.state.ledger, self.state.pool.positions[label.query][label.document]
        mine = [(who, one) for (*pair, who), one in self._seen.items() if pair == [label.query, label.document]]
        heard = {who: one for who, one in mine if who is not None}
        said = {one.grade for one in {**ledger.given.get(place, {}), **heard}.values()}
        if place not in ledger.settled and len(said) < 2:
            problem = (
                f"no labels of document {label.document} of query {label.query} differ: there is nothing to settle"
            )
            hint = "Import a label of your own instead: it is marked as imported."
            raise UndisputedError(problem, line=label.line, text=label.text, hint=hint)

    def _is_open(self, place: int, who: Identity) -> bool:
        """Whether the assessor may answer the document. A lease that has ended is as good as one that has not, while
        nobody else was given it."""
        return self.leases.has(place, who) or (self.leases.had(place, who) and self.leases.is_free(place, who))

    def _origin(self, label: Label, place: int, before: CurrentLabel | None) -> LabelOrigin:
        """How the label came. Who sends a label in another's name imports it, and so does who answers unasked."""
        if label.settles:
            return LabelOrigin.ADJUDICATED
        if label.sender is not None and label.sender != label.person:
            return LabelOrigin.IMPORTED
        if before is not None:
            return LabelOrigin(before.origin)
        return LabelOrigin.ANSWERED if self.leases.had(place, label.identity) else LabelOrigin.IMPORTED

    def _is_repeated(self, label: Label, grade: float | None, side: SideQuestions | None) -> bool:
        """Say whether this very label came before under its key; it is an error if another label did."""
        if label.key is None:
            return False
        said = label.query, label.document, label.identity, label.kind.value, grade
        known, old = self._keys.get(label.key), self.state.ledger.keys.get(label.key)
        if known is None and old:
            known = old.query, old.document, identity_of(old), old.kind, old.grade
        if known is None and side is not None:
            known = side.said_under(label.key)
        if len(label.key) > LONGEST or (known and known != said):
            problem = f"the key {label.key[:60]!r} belongs to another label, or is too long"
            raise _fault(label, problem, f"Every label needs its own key, at most {LONGEST} characters long.")
        self._keys[label.key] = said
        return bool(known)

    def _keep(self, label: Label, place: int | None, grade: float | None, before: CurrentLabel | None) -> None:
        """Keep the label to be written; without a place it answers a question on the side, and is no row."""
        origin = LabelOrigin.ANSWERED if place is None else self._origin(label, place, before)
        said = CurrentLabel(
            id=0,
            kind=label.kind,
            grade=grade,
            origin=origin,
            comment=label.comment,
            made=self.leases.now,
            assessor=label.assessor,
        )
        self._seen[_spot(label)] = said
        self._often[_spot(label)] += 1
        if place is not None:
            self.rows.append(label_row(label, place, said, before))
        self._count = self._count.with_more(
            new=before is None,
            replaced=before is not None,
            skipped=label.kind is LabelKind.SKIP,
            unasked=place is not None and not self.state.ledger.asked[place],
            imported=origin is LabelOrigin.IMPORTED,
        )


def inside_pool(labels: Sequence[Label], pool: PooledDocuments) -> list[Label]:
    """Return the labels whose documents the pool has; an error with the nearest ids that it has if it has none of them.

    To look for these takes a while, so it is done before a transaction, for people who may see the pool.
    """
    inside = [label for label in labels if label.document in pool.positions.get(label.query, {})]
    if labels and not inside:
        raise _unknown(labels[0], pool)
    return inside


def _spot(label: Label) -> Spot:
    return label.query, label.document, None if label.settles else label.identity


def _says_the_same(label: Label, grade: float | None, before: CurrentLabel, *, replace: bool) -> bool:
    """Say whether there is nothing new in a label; another comment is news if it may replace the one before."""
    same = (before.kind, before.grade) == (label.kind, grade)
    return same and (label.comment in (None, before.comment) or not (replace or label.settles))


def is_writable(text: str | None) -> bool:
    """Say whether every database can store the text."""
    return text is None or not ("\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text))


def is_name(text: str) -> bool:
    """Say whether a person or a campaign may be called so: in one line, without control characters, and not blank."""
    return bool(text.strip()) and all(letter.isprintable() or letter in _UNSEEN for letter in text)


def _check_texts(label: Label) -> None:
    if not label.assessor.strip() or len(label.assessor) > LONGEST:
        problem = f"the assessor's name {label.assessor!r} is empty or too long"
        raise _fault(label, problem, f"Use at most {LONGEST} characters.")
    if label.person is None and not is_name(label.assessor):  # people of a room are checked when they are invited
        problem = f"the assessor's name {label.assessor!r} has a line break or another character that is not printable"
        raise _fault(label, problem, "Leave it out.")
    if not all(is_writable(text) for text in (label.assessor, label.comment, label.key)):
        problem = "a text has a character that cannot be stored: a zero byte, or half of a surrogate pair"
        raise _fault(label, problem, "Leave it out.")


def _unknown(label: Label, pool: PooledDocuments | None) -> InputError:
    """Return what the pool lacks; if it is given, with what it has instead."""
    known = {} if pool is None else pool.positions
    if pool is not None and label.query in known:
        problem = f"the pool has no document {label.document!r} of query {label.query!r}"
        return _fault(label, problem, _near(label.document, known[label.query]))
    return _fault(label, f"the pool has no query {label.query!r}", _near(label.query, known))


def grade_of(label: Label, settings: CampaignSettings) -> float | None:
    """Return the label's grade, which must be on the campaign's scale; None if the document cannot be judged."""
    if label.grade is None:
        return None
    try:
        grade = float(label.grade) if settings.words is None else settings.words.grade(label.grade)
    except UnknownNameError as error:
        raise _fault(label, str(error), None) from None
    except ValueError:
        grade = math.nan
    if math.isnan(grade):
        raise _fault(label, f"the grade {label.grade!r} is not a number", _scale_words(settings))
    if grade not in settings.grades:
        raise _fault(label, f"the grade {label.grade!r} is not on the scale", _scale_words(settings))
    return grade


def _scale_words(settings: CampaignSettings) -> str:
    return f"The campaign's scale: {', '.join(f'{known:g}' for known in settings.grades)}."


def _conflict(label: Label, before: float | None, now: float | None, hint: str) -> InputError:
    then_, now_ = ("'cannot be judged'" if grade is None else f"grade {grade:g}" for grade in (before, now))
    problem = f"{label.assessor} has judged document {label.document} of query {label.query} before"
    return AnsweredError(f"{problem}: {then_} then, {now_} now", line=label.line, text=label.text, hint=hint)


def _near(name: str, known: Iterable[str]) -> str | None:
    """Return the ids that are meant, perhaps: of those that begin alike and are as long."""
    some = heapq.nsmallest(NEAR, islice(known, SEARCHED), key=lambda one: _distance(name, one))
    near = difflib.get_close_matches(name[:LONGEST], some, n=3)
    return f"Did you mean {' or '.join(near)}?" if near else None


def _distance(name: str, other: str) -> int:
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(name, other, strict=False)))
    return abs(len(name) - len(other)) - alike


def _fault(label: Label, problem: str, hint: str | None) -> InputError:
    return InputError(problem, line=label.line, text=label.text, hint=hint)


COLUMNS = {
    "query": pl.String(),
    "document": pl.String(),
    "assessor": pl.String(),
    "person": pl.Int64(),
    "kind": pl.String(),
    "grade": pl.Float64(),
    "comment": pl.String(),
    "made": pl.Float64(),
    "origin": pl.String(),
    "sender": pl.Int64(),
}
"""What people see of a label."""

_KEPT = {"id": pl.Int64(), "place": pl.Int64(), **COLUMNS}


class LabelTable:
    """The labels of one campaign."""

    def __init__(self, state: CampaignState) -> None:
        self._state, self._turn = state, threading.Lock()
        self._rows, self._last = pl.DataFrame(schema=_KEPT), 0

    def rows(self) -> pl.DataFrame:
        """Every label that came in, in the order in which they came, with the position of its document (`place`).

        To read many takes a second, during which nobody waits who judges.
        """
        with self._turn, reading(self._state.engine) as connection:
            if fresh := self._state.store.labels(connection, self._last):
                columns = {name: [getattr(row, name) for row in fresh] for name in _KEPT}
                self._rows, self._last = pl.concat([self._rows, pl.DataFrame(columns, schema=_KEPT)]), fresh[-1].id
            return self._rows

    def current(self) -> pl.DataFrame:
        """Those that count: an assessor's last label of a document, and the last grade that settled a disagreement."""
        person, name = pl.format("#{}", "person"), pl.format("={}", "assessor")
        who = pl.when(pl.col("kind") == LabelKind.SETTLED.value).then(pl.lit("")).otherwise(pl.coalesce(person, name))
        said = self.rows().with_columns(who=who)
        return said.unique(["place", "who"], keep="last", maintain_order=True).drop("who")


def recognise_copies(
    labels: pl.DataFrame, shown: Mapping[Identity, str], settings: CampaignSettings
) -> Callable[[Label], bool]:
    """Return what tells labels of a room's file that a campaign has, or had before they were replaced, from others: the
    same assessor, document and grade. Times are not compared: spreadsheets write them in other ways.

    `labels` are all of the campaign; `shown` are its assessors' names on pages, which some files have.
    """
    rows = labels.select("query", "document", "kind", "grade", "person", "assessor").rows()
    known = {(*said, name if person is None else person) for *said, person, name in rows}
    called: dict[tuple[int | None, str], Identity] = {
        (who if isinstance(who, int) else None, name): who for who, name in shown.items()
    }
    called |= {(person, name): name if person is None else person for *_, person, name in rows}
    spelled = {re.sub(r"\s+", "_", name): who for who, name in shown.items()}

    def is_copy(label: Label) -> bool:
        if label.exported is None:
            return False
        named = spelled.get(label.assessor), called.get((label.exported.person, label.assessor))
        who = named[0] if label.exported.shown else named[1]
        return (label.query, label.document, label.kind.value, grade_of(label, settings), who) in known

    return is_copy


def told_apart(labels: Sequence[Label], file: Sequence[Label]) -> list[Label]:
    """Return the labels, with the numbers of people added to names that several people in their file have."""
    people = {(label.assessor, label.exported and label.exported.person) for label in file}
    often = Counter(name for name, _ in people)
    numbered = []
    for label in labels:
        person = label.exported and label.exported.person
        alone = person is None or often[label.assessor] == 1
        numbered.append(label if alone else replace(label, assessor=f"{label.assessor} (#{person})"))
    return numbered


CHUNK = 5_000
"""How many texts are looked up at a time."""


class PoolTexts:
    """The texts of a campaign's pool, which never change."""

    def __init__(self, state: CampaignState) -> None:
        self._state = state

    @cached_property
    def queries(self) -> Mapping[str, str]:
        """By query its text; a query without one is called by its id."""
        pool = self._state.pool
        starts = pool.starts.tolist()
        told = dict(self._of(starts))
        return {
            query: told.get(start, {}).get("query_text") or query
            for query, start in zip(pool.queries, starts, strict=True)
        }

    @cached_property
    def _called(self) -> Mapping[str, Sequence[str]]:
        """By text the queries that have it."""
        called: dict[str, list[str]] = {}
        for query, text in self.queries.items():
            called.setdefault(text.strip(), []).append(query)
        return called

    def identify(self, labels: Sequence[Label]) -> tuple[list[Label], int]:
        """Return the labels with queries named by id, and how many were named by their texts, as Quepid does.

        A text that several queries have is an error.
        """
        known = self._state.pool.positions
        known_labels = [label if label.query in known else replace(label, query=self._id(label)) for label in labels]
        return known_labels, sum(one.query != label.query for one, label in zip(known_labels, labels, strict=True))

    def _id(self, label: Label) -> str:
        """Return the query that has the text of the label's query; if none has, what the label says."""
        queries = self._called.get(label.query.strip(), [label.query])
        if len(queries) > 1:
            problem = f"{len(queries)} queries of the pool have the text {label.query!r}: {', '.join(queries[:5])}"
            raise _fault(label, problem, "Name the query by its id.")
        return queries[0]

    def titles(self, documents: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """Return by query and document the title; a document without one is called by its id."""
        places = self._places(documents)
        told = dict(self._of(list(places)))
        return {pair: told.get(place, {}).get("title") or pair[1] for place, pair in places.items()}

    def containing(self, words: str, documents: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Return the documents of these in whose title, text or query's text the words stand, in any case."""
        wanted, places = words.casefold(), self._places(documents)
        told = self._of(list(places))
        return {places[place] for place, texts in told if any(wanted in text.casefold() for text in texts.values())}

    def _places(self, documents: Iterable[tuple[str, str]]) -> dict[int, tuple[str, str]]:
        return {self._state.pool.positions[query][document]: (query, document) for query, document in documents}

    def _of(self, places: Sequence[int]) -> Iterator[tuple[int, dict[str, str]]]:
        with self._state.looking() as connection:
            for start in range(0, len(places), CHUNK):
                yield from self._state.store.texts(connection, places[start : start + CHUNK]).items()
