"""What a model answered: a grade in the agreed form, or nothing.

The agreed form: the last line of the answer is the grade alone, as `2`, `Grade: 2` or `{"grade": 2}`, and it is on the
scale. Everything else is refused, so that a text in a document can at worst win a wrong grade, never another output.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

KEPT = 2000
"""How many characters of an answer are kept: its end, where the grade is."""

_LONE = re.compile(r"(?:grade\s*[:=]\s*)?(-?[0-9]{1,4}(?:\.[0-9]{1,4})?)\.?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A grade, with the probability of each grade if the model gave log-probabilities; or why there is none."""

    grade: float | None
    chances: tuple[float, ...] | None = None
    refused: str | None = None
    text: str = ""


def parse(choice: Mapping[str, Any], grades: Sequence[float], *, logprobs: bool = False) -> Answer:
    """The grade in one choice of a chat completion."""
    text = content(choice)
    kept = text[-KEPT:]
    if choice.get("finish_reason") == "length":
        return Answer(grade=None, refused="cut off at the limit of tokens", text=kept)
    grade = _grade(text, grades)
    if isinstance(grade, str):
        return Answer(grade=None, refused=grade, text=kept)
    if not logprobs:
        return Answer(grade=grade, text=kept)
    chances = _chances(choice, grade, grades)
    if chances is None:
        return Answer(grade=None, refused="no log-probabilities at the grade", text=kept)
    return Answer(grade=grade, chances=chances, text=kept)


def content(choice: Mapping[str, Any]) -> str:
    """The text of a choice; some endpoints send it in parts."""
    message = choice.get("message")
    found = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(found, list):
        found = "".join(str(part.get("text") or "") for part in found if isinstance(part, Mapping))
    return found if isinstance(found, str) else ""


def has_logprobs(choice: Mapping[str, Any]) -> bool:
    """Whether the choice has the log-probabilities of its tokens."""
    return bool(_tokens(choice))


def _grade(text: str, grades: Sequence[float]) -> float | str:
    """The grade on the last line, or why there is none."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if not lines:
        return "empty"
    lone = _LONE.fullmatch(lines[-1])
    number = float(lone[1]) if lone else _number(lines[-1])
    if number is None:
        return "not a grade in the agreed form"
    return number if number in grades else "a grade that is not on the scale"


def _number(line: str) -> float | None:
    """The number in a JSON object with `grade` and nothing else."""
    if not (line.startswith("{") and line.endswith("}")) or len(line) > 100:
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    number = found.get("grade") if isinstance(found, dict) and len(found) == 1 else None
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        return None
    return float(number)


def _tokens(choice: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    held = choice.get("logprobs")
    found = held.get("content") if isinstance(held, Mapping) else None
    return [token for token in found if isinstance(token, Mapping)] if isinstance(found, list) else []


def _chances(choice: Mapping[str, Any], grade: float, grades: Sequence[float]) -> tuple[float, ...] | None:
    """The probability of each grade at the token of the grade, among the tokens that are grades."""
    word = f"{grade:g}"
    token = next((one for one in reversed(_tokens(choice)) if str(one.get("token", "")).strip() == word), None)
    if token is None:
        return None
    mass = dict.fromkeys((f"{one:g}" for one in grades), 0.0)
    rivals = token.get("top_logprobs")
    for rival in (
        [one for one in rivals if isinstance(one, Mapping)] if isinstance(rivals, list) and rivals else [token]
    ):
        name, log = str(rival.get("token", "")).strip(), rival.get("logprob")
        if name in mass and isinstance(log, int | float) and not math.isnan(log):
            mass[name] += math.exp(min(float(log), 0.0))
    total = sum(mass.values())
    return tuple(one / total for one in mass.values()) if total > 0 else None
