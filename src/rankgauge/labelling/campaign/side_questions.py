"""Questions that an assessor is asked among the documents of a campaign, and whose answers are no labels.

They are answered by the same way as documents and are checked as labels are, with the same errors and counts, so that
nobody can tell one from the other by what the campaign replies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from sqlalchemy.engine import Connection

from rankgauge.labelling.campaign.ledger import CurrentLabel
from rankgauge.labelling.labels import Identity, Label

KeyedAnswer: TypeAlias = tuple[str, str, Identity, str, float | None]
"""Query, document, assessor, kind and grade of what was said under a key."""


class SideQuestions(Protocol):
    """What one assessor was asked besides, as one transaction sees it."""

    @property
    def is_over(self) -> bool:
        """Whether the assessor gets no more documents."""

    def is_asked(self, label: Label) -> bool:
        """Whether the assessor was asked about that document."""

    def said(self, label: Label) -> CurrentLabel | None:
        """What the assessor has answered before."""

    def often(self, label: Label) -> int:
        """How often."""

    def said_under(self, key: str) -> KeyedAnswer | None:
        """What was answered under that key."""

    def take(self, label: Label, made: float) -> None:
        """Takes in what the assessor says at that time: an answer, or a label of a document that was a question
        elsewhere. Answers that were sent together have one time, as labels have."""


SideDesk: TypeAlias = Callable[[Connection], SideQuestions]
"""Opens the questions of an assessor in a transaction; an error refuses what the assessor sent."""
