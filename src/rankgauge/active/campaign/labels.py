"""Recording: labels against what is known already, all of them checked before any is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.engine import Connection

from rankgauge.active.campaign.checks import conflict, is_writable, nameless, reused, understood, unwritable
from rankgauge.active.campaign.ledger import CurrentLabel
from rankgauge.active.campaign.state import CampaignState
from rankgauge.active.labels import Label, LabelKind, Recorded
from rankgauge.errors import RankGaugeError

__all__ = ["LabelBatch", "enter"]

LONGEST = 200
"""An assessor's name and a key have at most so many letters."""


def enter(state: CampaignState, connection: Connection, labels: Sequence[Label], *, replace: bool) -> Recorded:
    """Writes the labels, in a transaction that nobody interferes with."""
    batch = LabelBatch(state=state, now=state.clock())
    count = batch.take_all(labels, replace=replace)
    batch.write(connection)
    return count


@dataclass(kw_only=True, eq=False)
class LabelBatch:
    """Labels that are written together: their rows, and what is known of them before they are written."""

    state: CampaignState
    now: float
    rows: list[dict[str, Any]] = field(default_factory=list)
    _count: Recorded = Recorded()
    _seen: dict[tuple[int, str], CurrentLabel] = field(default_factory=dict)
    _keys: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    def write(self, connection: Connection) -> None:
        """Writes the rows and takes them into the state."""
        self.state.ledger.take_labels(self.state.store.add_labels(connection, self.rows))

    def take_all(self, labels: Sequence[Label], *, replace: bool) -> Recorded:
        """Adds the labels; if one of them is wrong, raises an error and adds none of them."""
        before = len(self.rows), dict(self._seen), dict(self._keys)
        self._count = Recorded()
        try:
            for label in labels:
                self._take(label, replace=replace)
        except RankGaugeError:
            rows, self._seen, self._keys = before
            del self.rows[rows:]
            raise
        return self._count

    def _take(self, label: Label, *, replace: bool) -> None:
        if not label.assessor.strip() or len(label.assessor) > LONGEST:
            raise nameless(label)
        if not all(is_writable(text) for text in (label.assessor, label.comment, label.key)):
            raise unwritable(label)
        place, grade = self.state.places.find(label), understood(label, self.state.settings)
        if self._is_repeated(label, (place, label.assessor, label.kind.value, grade)):
            self._count = self._count.added(same=1)
            return
        before = self._before(place, label.assessor)
        if before is not None and (before.kind, before.grade) == (label.kind, grade):
            self._count = self._count.added(same=1)
            return
        if before is not None and not (replace or label.settles):
            raise conflict(label, before.grade, grade)
        self._add(label, place, grade, before)

    def _is_repeated(self, label: Label, said: tuple[Any, ...]) -> bool:
        """Whether the label's key was used, for the same label; an error where it was another."""
        if label.key is None:
            return False
        if len(label.key) > LONGEST:
            raise reused(label)
        old = self.state.ledger.keys.get(label.key)
        known = self._keys.get(label.key) or (old and (old.place, old.assessor, old.kind, old.grade))
        if known and known != said:
            raise reused(label)
        self._keys[label.key] = said
        return bool(known)

    def _before(self, place: int, assessor: str) -> CurrentLabel | None:
        return self._seen.get((place, assessor)) or self.state.ledger.given.get(place, {}).get(assessor)

    def _add(self, label: Label, place: int, grade: float | None, before: CurrentLabel | None) -> None:
        self._seen[place, label.assessor] = CurrentLabel(id=0, kind=label.kind, grade=grade)
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
                "made": self.now,
                "replaces": before.id or None if before else None,
            }
        )
        self._count = self._count.added(
            new=before is None,
            replaced=before is not None,
            skipped=label.kind is LabelKind.SKIP,
            unasked=not self.state.ledger.asked[place],
        )
