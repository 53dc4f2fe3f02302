"""Where gold questions come from: a file, a document of the pool, or disagreements that were settled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rankgauge.files import read_table, table_suffixes
from rankgauge.labelling.label_format import read_labels
from rankgauge.labelling.labels import Label
from rankgauge.labelling.pool_rows import TEXTS
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.gold import GoldQuestion, check_question


@dataclass(frozen=True, kw_only=True)
class GoldFile:
    """A file of gold questions: labels, and what there is to read of documents that are not in the pool."""

    labels: tuple[Label, ...]
    texts: Mapping[tuple[str, str], Mapping[str, str]]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file of labels; a table may also have the columns that assessors read."""
        labels = read_labels(path, assessor="gold").labels
        return cls(labels=labels, texts=_texts(path) if path.suffix in table_suffixes() else {})

    def questions(self, opened: OpenCampaign) -> list[GoldQuestion]:
        """Return the gold questions for a campaign."""
        given = [self.texts.get((label.query, label.document), {}) for label in self.labels]
        named, _ = opened.texts.identified(self.labels)
        return [question_of(opened, label, read) for label, read in zip(named, given, strict=True)]


def chosen_question(opened: OpenCampaign, query: str, document: str, grade: str | None) -> GoldQuestion:
    """A document of the pool; without a grade the right answer is that it cannot be judged."""
    return question_of(opened, Label(query=query, document=document, grade=grade), {})


def settled_questions(opened: OpenCampaign) -> list[GoldQuestion]:
    """The documents on which a disagreement was settled, with the grade that settled it."""
    settled = [one for one in opened.review.disagreements() if one.settled is not None]
    return [GoldQuestion(query=one.query, document=one.document, grade=one.settled, texts=one.texts) for one in settled]


def question_of(opened: OpenCampaign, label: Label, given: Mapping[str, str]) -> GoldQuestion:
    """The document of a label with its grade; `given` is what there is to read of one that is not in the pool.

    A document of the pool reads as it does for a draw: its answer may become a label.
    """
    pooled = opened.review.texts([(label.query, label.document)])[0]
    grade = opened.campaign.grade_of(label)
    texts = given if pooled is None else pooled
    question = GoldQuestion(query=label.query, document=label.document, grade=grade, texts=texts)
    if pooled is None:
        check_question(question)
    return question


def _texts(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    frame = read_table(path)
    names = [name for name in TEXTS if name in frame.columns]
    if not names or not {"query", "document"} <= set(frame.columns):
        return {}
    return {
        (str(row["query"]), str(row["document"])): {name: str(row[name]) for name in names if row[name] is not None}
        for row in frame.iter_rows(named=True)
    }
