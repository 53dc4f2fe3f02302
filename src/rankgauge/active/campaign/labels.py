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

__all__ = ["LabelBatch", "enter"]

LONGEST = 200
"""An assessor's name and a key have at most so many letters."""


def enter(state: CampaignState, connection: Connection, labels: Sequence[Label], *, replace: bool) -> Recorded:
    """Writes the labels, in a transaction that nobody interferes with."""
    entry = LabelBatch(state=state, now=state.clock())
    for label in labels:
        entry.take(label, replace=replace)
    entry.write(connection)
    return entry.count


@dataclass(kw_only=True, eq=False)
class LabelBatch:
    """Labels that came in together: their rows, and the count of what became of them."""

    state: CampaignState
    now: float
    rows: list[dict[str, Any]] = field(default_factory=list)
    count: Recorded = Recorded()
    _seen: dict[tuple[int, str], CurrentLabel] = field(default_factory=dict)
    _keys: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    def write(self, connection: Connection) -> None:
        """Writes the rows and takes them into the state."""
        self.state.ledger.take_labels(self.state.store.add_labels(connection, self.rows))

    def take(self, label: Label, *, replace: bool) -> None:
        """The label too, or an error that says why it cannot be; then it is as if it had not come."""
        if not label.assessor.strip() or len(label.assessor) > LONGEST:
            raise nameless(label)
        if not all(is_writable(text) for text in (label.assessor, label.comment, label.key)):
            raise unwritable(label)
        place, grade = self.state.places.find(label), understood(label, self.state.settings)
        if self._is_repeated(label, (place, label.assessor, label.kind.value, grade)):
            self.count = self.count.added(same=1)
            return
        before = self._before(place, label.assessor)
        if before is not None and (before.kind, before.grade) == (label.kind, grade):
            self.count = self.count.added(same=1)
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
        self.count = self.count.added(
            new=before is None,
            replaced=before is not None,
            skipped=label.kind is LabelKind.SKIP,
            unasked=not self.state.ledger.asked[place],
        )
