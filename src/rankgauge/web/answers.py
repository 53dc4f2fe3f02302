"""Answers as they arrive, from the forms of the pages and from the API, and the labels that they become."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BaseModel, Field

from rankgauge.active.labels import Label
from rankgauge.web.people import Person, Role

Text: TypeAlias = Annotated[str, Field(max_length=1000)]
Comment: TypeAlias = Annotated[str, Field(max_length=4000)]
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=120)]


class SentLabel(BaseModel):
    """An assessor's label of a document."""

    query: Text
    document: Text
    grade: float | Text | None = Field(None, description="A grade or a level's name; null: cannot be judged.")
    assessor: Name | None = Field(
        None, description="The assessor, by default the token's owner; only an admin may name another."
    )
    comment: Comment | None = None
    key: Name | None = Field(None, description="A label that is sent twice with the same key is recorded once.")

    def label(self, person: Person) -> Label:
        """The label that the person sent."""
        return Label(
            query=self.query,
            document=self.document,
            grade=self.grade,
            assessor=(self.assessor if person.role is Role.ADMIN else None) or person.name,
            comment=(self.comment or "").strip() or None,
            key=None if self.key is None else f"{person.id}:{self.key}",
        )


class Settlement(BaseModel):
    """An admin's grade for a document that assessors disagree on."""

    query: Text
    document: Text
    grade: float | Text
    comment: Comment | None = None

    def label(self, admin: Person) -> Label:
        """The label that replaces those of the assessors."""
        return Label(
            query=self.query,
            document=self.document,
            grade=self.grade,
            assessor=f"settled by {admin.name}",
            comment=(self.comment or "").strip() or None,
            settles=True,
        )
