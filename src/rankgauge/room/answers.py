"""Answers as they arrive, from the forms of the pages and from the API, and the labels that they become."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from rankgauge.errors import UnknownNameError
from rankgauge.labelling.campaign.labels import is_name
from rankgauge.labelling.labels import Exported, Label, LabelKind
from rankgauge.room.people import Permission, Person


class Reason(StrEnum):
    """Why a document cannot be judged."""

    LOADING = "does not load"
    LANGUAGE = "wrong language"
    QUERY = "ambiguous query"
    OTHER = "another reason"


KEYS = {Reason.LOADING: "l", Reason.LANGUAGE: "w", Reason.QUERY: "q", Reason.OTHER: "o"}
"""The keys that give the reasons once the list of reasons is open."""


def reason_of(kind: str, comment: str | None) -> tuple[Reason | None, str]:
    """Return the reason in a label's comment, if there is one, and the rest of the comment."""
    words = comment or ""
    if kind == LabelKind.SKIP:
        for reason in Reason:
            if words == reason or words.startswith(f"{reason}: "):
                return reason, words.removeprefix(reason).removeprefix(": ")
    return None, words


Text: TypeAlias = Annotated[str, Field(max_length=1000)]
Comment: TypeAlias = Annotated[str, Field(max_length=4000)]
Key: TypeAlias = Annotated[str, Field(min_length=1, max_length=120)]


def _check_name(name: str) -> str:
    if not is_name(name):
        raise ValueError("a name has printable characters only, and is not blank")
    return name


Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=120), AfterValidator(_check_name)]


class SentSettings(BaseModel):
    """Settings by name: one that does not exist is an error with the nearest that does, never passed over."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _are_known(cls, sent: Any) -> Any:
        for name in sent if isinstance(sent, Mapping) else ():
            if name not in cls.model_fields:
                raise ValueError(str(UnknownNameError("setting", name, cls.model_fields)))
        return sent


class SentLabel(BaseModel):
    """An assessor's label of a document."""

    query: Text
    document: Text
    grade: float | Text | None = Field(None, description="A grade or a level's name; null: cannot be judged.")
    assessor: Name | None = Field(
        None, description="Whose label it is, if it is imported; by default the token's owner's."
    )
    comment: Comment | None = None
    reason: Reason | None = Field(None, description="Why it cannot be judged; it becomes part of the comment.")
    key: Key | None = Field(None, description="A label that is sent twice with the same key is recorded once.")
    person: int | None = Field(None, description="As in the room's list of labels, where an imported label is from it.")
    kind: LabelKind | None = Field(None, description="Likewise: a label that the campaign has is not recorded again.")

    @model_validator(mode="after")
    def _reason_or_grade(self) -> Self:
        if self.reason is not None and self.grade is not None:
            raise ValueError("a reason is for documents that cannot be judged: give a grade or a reason")
        return self

    def label(self, person: Person) -> Label:
        """Return the label that the person sent: their own, or of somebody who is known by the name alone."""
        other = self.assessor if person.may(Permission.IMPORT) else None
        exported = Exported(person=self.person, kind=self.kind) if other and self.kind else None
        return Label(
            query=self.query,
            document=self.document,
            grade=self.grade,
            assessor=other or person.name,
            person=None if other else person.id,
            sender=person.id,
            comment=": ".join(filter(None, (self.reason, (self.comment or "").strip()))) or None,
            key=None if self.key is None else f"{person.id}:{self.key}",
            exported=exported,
        )


class Settlement(BaseModel):
    """An admin's grade for a document that assessors disagree on."""

    query: Text
    document: Text
    grade: float | Text
    comment: Comment | None = Field(None, description="Why.")

    def label(self, admin: Person) -> Label:
        """Return the label that replaces those of the assessors."""
        return Label(
            query=self.query,
            document=self.document,
            grade=self.grade,
            assessor=admin.name,
            person=admin.id,
            sender=admin.id,
            comment=(self.comment or "").strip() or None,
            settles=True,
        )
