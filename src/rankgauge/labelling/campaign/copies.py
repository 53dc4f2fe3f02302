"""Copies of labels: a judging room's file of labels comes back to a campaign, or goes on to another one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from rankgauge.labelling.campaign.labels import grade_of
from rankgauge.labelling.campaign.settings import CampaignSettings
from rankgauge.labelling.labels import Identity, Label


class Copies:
    """Tells labels of a room's file that a campaign has, or had before they were replaced, from others.

    Times are not compared: spreadsheets write them in other ways.
    """

    def __init__(self, labels: pl.DataFrame, shown: Mapping[Identity, str], settings: CampaignSettings) -> None:
        """Of all labels of the campaign; `shown` are its assessors' names on pages, which some files have."""
        rows = labels.select("query", "document", "kind", "grade", "person", "assessor").rows()
        self._settings = settings
        self._known = {(*said, name if person is None else person) for *said, person, name in rows}
        self._called: dict[tuple[int | None, str], Identity] = {
            (who if isinstance(who, int) else None, name): who for who, name in shown.items()
        }
        self._shown = {re.sub(r"\s+", "_", name): who for who, name in shown.items()}
        self._called |= {(person, name): name if person is None else person for *_, person, name in rows}

    def has(self, label: Label) -> bool:
        """Whether the campaign has the label that this is a copy of: the same assessor, document and grade."""
        if label.exported is None:
            return False
        if label.exported.shown:
            who = self._shown.get(label.assessor)
        else:
            who = self._called.get((label.exported.person, label.assessor))
        return (label.query, label.document, label.kind.value, grade_of(label, self._settings), who) in self._known


def told_apart(labels: Sequence[Label], file: Sequence[Label]) -> list[Label]:
    """The labels, with the numbers of people added to names that several people in their file have."""
    people = {(label.assessor, label.exported and label.exported.person) for label in file}
    often = Counter(name for name, _ in people)
    return [replace(label, assessor=_name(label, often[label.assessor])) for label in labels]


def _name(label: Label, often: int) -> str:
    person = label.exported and label.exported.person
    return label.assessor if person is None or often == 1 else f"{label.assessor} (#{person})"
