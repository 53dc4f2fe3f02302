"""Labels that come in: each is checked against the pool, the scale and what is known before any is written."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.engine import Connection

from rankgauge.active.campaign.leases import Leases
from rankgauge.active.campaign.ledger import CurrentLabel
from rankgauge.active.campaign.settings import CampaignSettings
from rankgauge.active.campaign.state import CampaignState
from rankgauge.active.labels import Identity, Label, LabelKind, LabelOrigin, Recorded, identity_of
from rankgauge.active.pooled_documents import PooledDocuments
from rankgauge.errors import InputError, RankGaugeError, UnknownNameError, UnleasedError
from rankgauge.tables.scales import scales_of

LONGEST = 200
"""How many letters an assessor's name and a key may have."""


@dataclass(kw_only=True, eq=False)
class LabelBatch:
    """Labels that are written together: their rows, and what is known of them before they are written."""

    state: CampaignState
    leases: Leases
    rows: list[dict[str, Any]] = field(default_factory=list)
    _count: Recorded = Recorded()
    _seen: dict[tuple[int, Identity | None], CurrentLabel] = field(default_factory=dict)
    """What is said in this batch, by document and assessor; None: it settles a disagreement."""
    _keys: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    def write(self, connection: Connection) -> None:
        """Writes the rows and takes them into the state."""
        self.state.ledger.take_labels(self.state.store.add_labels(connection, self.rows))

    def add_all(self, labels: Sequence[Label], *, replace: bool, leased: bool = False) -> Recorded:
        """Adds the labels; if one of them is wrong, raises an error and adds none of them.

        With `leased` a label is wrong if its document was not handed to its assessor.
        """
        before = len(self.rows), dict(self._seen), dict(self._keys)
        self._count = Recorded()
        try:
            places = [_checked(label, self.state.pool) for label in labels]
            self.leases.recall((place, label.identity) for place, label in zip(places, labels, strict=True))
            for place, label in zip(places, labels, strict=True):
                self._add(label, place, replace=replace, leased=leased)
        except RankGaugeError:
            rows, self._seen, self._keys = before
            del self.rows[rows:]
            raise
        return self._count

    def _add(self, label: Label, place: int, *, replace: bool, leased: bool) -> None:
        grade = grade_of(label, self.state.settings)
        if self._is_repeated(label, (place, label.identity, label.kind.value, grade)):
            self._count = self._count.added(same=1)
            return
        before = self._before(label, place)
        if before is not None and _says_the_same(label, grade, before, replace=replace):
            self._count = self._count.added(same=1)
            return
        if before is not None and not (replace or label.settles):
            raise _conflict(label, before.grade, grade)
        if leased and before is None:
            self._check_lease(label, place)
        self._add_row(label, place, grade, before)

    def _before(self, label: Label, place: int) -> CurrentLabel | None:
        """What the label replaces: what its assessor said before, or what settled the disagreement."""
        ledger = self.state.ledger
        if label.settles:
            return self._seen.get((place, None)) or ledger.settled.get(place)
        return self._seen.get((place, label.identity)) or ledger.given.get(place, {}).get(label.identity)

    def _check_lease(self, label: Label, place: int) -> None:
        """A lease that has ended is as good as one that has not, while nobody else was given the document."""
        if self.leases.has(place, label.identity):
            return
        if not self.leases.had(place, label.identity):
            problem = f"document {label.document} of query {label.query} was not handed to {label.assessor}"
            raise UnleasedError(problem, line=label.line, hint="Only documents that were handed out can be answered.")
        if not self.leases.is_free(place, label.identity):
            problem = f"document {label.document} of query {label.query} went to another assessor meanwhile"
            raise UnleasedError(problem, line=label.line, hint="The time to answer it is over. Go on with the next.")

    def _origin(self, label: Label, place: int, before: CurrentLabel | None) -> LabelOrigin:
        """How the label came. Who sends a label in another's name imports it, and so does who answers unasked."""
        if label.settles:
            return LabelOrigin.ADJUDICATED
        if label.sender is not None and label.sender != label.person:
            return LabelOrigin.IMPORTED
        if before is not None:
            return LabelOrigin(before.origin)
        return LabelOrigin.ANSWERED if self.leases.had(place, label.identity) else LabelOrigin.IMPORTED

    def _is_repeated(self, label: Label, said: tuple[Any, ...]) -> bool:
        """Whether this very label came before under its key; it is an error if another label did."""
        if label.key is None:
            return False
        old = self.state.ledger.keys.get(label.key)
        known = self._keys.get(label.key) or (old and (old.place, identity_of(old), old.kind, old.grade))
        if len(label.key) > LONGEST or (known and known != said):
            problem = f"the key {label.key[:60]!r} belongs to another label, or is too long"
            raise _fault(label, problem, f"Every label needs its own key, at most {LONGEST} characters long.")
        self._keys[label.key] = said
        return bool(known)

    def _add_row(self, label: Label, place: int, grade: float | None, before: CurrentLabel | None) -> None:
        origin = self._origin(label, place, before)
        said = CurrentLabel(
            id=0,
            kind=label.kind,
            grade=grade,
            origin=origin,
            comment=label.comment,
            made=self.leases.now,
            assessor=label.assessor,
        )
        self._seen[place, None if label.settles else label.identity] = said
        self.rows.append(
            {
                "place": place,
                "query": label.query,
                "document": label.document,
                "assessor": label.assessor,
                "kind": label.kind.value,
                "grade": grade,
                "comment": label.comment,
                "key": label.key,
                "made": self.leases.now,
                "replaces": before.id or None if before else None,
                "person": label.person,
                "sender": label.sender,
                "origin": origin.value,
            }
        )
        self._count = self._count.added(
            new=before is None,
            replaced=before is not None,
            skipped=label.kind is LabelKind.SKIP,
            unasked=not self.state.ledger.asked[place],
            imported=origin is LabelOrigin.IMPORTED,
        )


def _says_the_same(label: Label, grade: float | None, before: CurrentLabel, *, replace: bool) -> bool:
    """Whether there is nothing new in a label; another comment is news if it may replace the one before."""
    same = (before.kind, before.grade) == (label.kind, grade)
    return same and (label.comment in (None, before.comment) or not (replace or label.settles))


def is_writable(text: str | None) -> bool:
    """Whether every database can store the text."""
    return text is None or not ("\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text))


def _checked(label: Label, pool: PooledDocuments) -> int:
    """The position of the label's document in the pool, if its texts can be stored."""
    _check_texts(label)
    return _position(label, pool)


def _check_texts(label: Label) -> None:
    if not label.assessor.strip() or len(label.assessor) > LONGEST:
        problem = f"the assessor's name {label.assessor!r} is empty or too long"
        raise _fault(label, problem, f"Use at most {LONGEST} characters.")
    if not all(is_writable(text) for text in (label.assessor, label.comment, label.key)):
        problem = "a text has a character that cannot be stored: a zero byte, or half of a surrogate pair"
        raise _fault(label, problem, "Leave it out.")


def _position(label: Label, pool: PooledDocuments) -> int:
    """The position of the label's document in the pool."""
    known = pool.positions.get(label.query)
    if known is None:
        raise _fault(label, f"the pool has no query {label.query!r}", _near(label.query, pool.positions))
    if label.document not in known:
        problem = f"the pool has no document {label.document!r} of query {label.query!r}"
        raise _fault(label, problem, _near(label.document, known))
    return known[label.document]


def grade_of(label: Label, settings: CampaignSettings) -> float | None:
    """The label's grade, which must be on the campaign's scale; None if the document cannot be judged."""
    if label.grade is None:
        return None
    try:
        grade = float(label.grade) if settings.words is None else settings.words.grade(label.grade)
    except UnknownNameError as error:
        raise _fault(label, str(error), None) from None
    except ValueError:
        grade = math.nan
    if math.isnan(grade):
        raise _fault(label, f"the grade {label.grade!r} is not a number", scales_of(label.grade))
    if grade not in settings.grades:
        shown = ", ".join(f"{known:g}" for known in settings.grades)
        raise _fault(label, f"the grade {label.grade!r} is not on the scale", f"The campaign's scale: {shown}.")
    return grade


def _conflict(label: Label, before: float | None, now: float | None) -> InputError:
    then_, now_ = ("'cannot be judged'" if grade is None else f"grade {grade:g}" for grade in (before, now))
    return _fault(
        label,
        f"{label.assessor} has judged document {label.document} of query {label.query} before: "
        f"{then_} then, {now_} now",
        "Leave the line out, or record with --replace (replace=True): the new one counts and the old one is kept.",
    )


def _near(name: str, known: Iterable[str]) -> str | None:
    near = difflib.get_close_matches(name, list(known)[:20_000], n=3)
    return f"Did you mean {' or '.join(near)}?" if near else None


def _fault(label: Label, problem: str, hint: str | None) -> InputError:
    return InputError(problem, line=label.line, text=label.text, hint=hint)
