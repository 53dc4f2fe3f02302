"""Why a document cannot be judged. A label keeps the reason at the beginning of its comment, so that it is wherever
comments are: on the pages, in exports and at the command line."""

from __future__ import annotations

from enum import StrEnum

from rankgauge.labelling.labels import LabelKind


class Reason(StrEnum):
    """Why a document cannot be judged."""

    LOADING = "does not load"
    LANGUAGE = "wrong language"
    QUERY = "ambiguous query"
    OTHER = "another reason"


KEYS = {Reason.LOADING: "l", Reason.LANGUAGE: "w", Reason.QUERY: "q", Reason.OTHER: "o"}
"""The keys that give the reasons once the list of reasons is open."""


def explained(reason: Reason | None, comment: str | None) -> str | None:
    """The comment of a label that was given with a reason."""
    words = (comment or "").strip()
    return ": ".join(filter(None, (reason, words))) or None


def reason_of(kind: str, comment: str | None) -> tuple[Reason | None, str]:
    """The reason in a label's comment, if there is one, and the rest of the comment."""
    words = comment or ""
    if kind == LabelKind.SKIP:
        for reason in Reason:
            if words == reason or words.startswith(f"{reason}: "):
                return reason, words.removeprefix(reason).removeprefix(": ")
    return None, words
