"""What stands between a label that comes in and the campaign: each fault as an error that names the line."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable

from rankgauge.active.campaign.settings import CampaignSettings
from rankgauge.active.labels import Label
from rankgauge.errors import InputError, UnknownNameError

__all__ = ["DocumentIndex", "conflict", "is_writable", "nameless", "reused", "understood", "unwritable"]


class DocumentIndex:
    """Where each document stands in the pool, by the ids of query and document."""

    def __init__(self, queries: Iterable[str], documents: Iterable[str], sizes: Iterable[int]) -> None:
        self._places: dict[str, dict[str, int]] = {}
        start, names = 0, list(documents)
        for query, size in zip(queries, sizes, strict=True):
            self._places[query] = {name: start + n for n, name in enumerate(names[start : start + size])}
            start += size

    def find(self, label: Label) -> int:
        """The label's document; an error where the pool has no such query or document."""
        known = self._places.get(label.query)
        if known is None:
            raise _fault(label, f"the pool has no query {label.query!r}", _near(label.query, self._places))
        if label.document not in known:
            problem = f"the pool has no document {label.document!r} of query {label.query!r}"
            raise _fault(label, problem, _near(label.document, known))
        return known[label.document]


def understood(label: Label, settings: CampaignSettings) -> float | None:
    """The label's grade, which must be on the campaign's scale; None where it cannot be judged."""
    if label.grade is None:
        return None
    grade = _number(label, settings)
    if grade not in settings.grades:
        shown = ", ".join(f"{known:g}" for known in settings.grades)
        raise _fault(label, f"the grade {label.grade!r} is not on the scale", f"The campaign's scale: {shown}.")
    return grade


def conflict(label: Label, before: float | None, now: float | None) -> InputError:
    """The error for a second, different label of the same assessor."""
    return _fault(
        label,
        f"{label.assessor} has judged document {label.document} of query {label.query} before: "
        f"{_shown(before)} then, {_shown(now)} now",
        "Leave the line out, or record with --replace (replace=True): the new one counts and the old one is kept.",
    )


def reused(label: Label) -> InputError:
    """The error for a key that another label carries."""
    shown = (label.key or "")[:60]
    return _fault(
        label,
        f"the key {shown!r} belongs to another label, or is too long",
        "Every label has a key of its own, of 200 letters at most.",
    )


def nameless(label: Label) -> InputError:
    """The error for an assessor without a name, or with one that is too long."""
    return _fault(label, f"the assessor's name {label.assessor!r} is empty or too long", "200 letters at most.")


def unwritable(label: Label) -> InputError:
    """The error for a text that not every database can keep."""
    return _fault(label, "a text holds a character that is none: a zero byte, or half of a pair", "Leave it out.")


def is_writable(text: str | None) -> bool:
    """Whether every database can keep the text."""
    return text is None or not ("\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text))


def _number(label: Label, settings: CampaignSettings) -> float:
    scale = settings.words
    try:
        if scale is not None:
            return scale.grade(label.grade if label.grade is not None else "")
        number = float(label.grade if label.grade is not None else math.nan)
    except UnknownNameError as error:
        raise _fault(label, str(error), None) from None
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise _fault(label, f"the grade {label.grade!r} is not a number", "A campaign's scale may have words: --scale.")
    return number


def _shown(grade: float | None) -> str:
    return "not to be judged" if grade is None else f"grade {grade:g}"


def _near(name: str, known: Iterable[str]) -> str | None:
    near = difflib.get_close_matches(name, list(known)[:20_000], n=3)
    return f"Did you mean {' or '.join(near)}?" if near else None


def _fault(label: Label, problem: str, hint: str | None) -> InputError:
    return InputError(problem, line=label.line, text=label.text, hint=hint)
