"""Read a grade from what a model answered, or say why there is none.

A grade stands alone on the last line, or with a label on the first or the last line (`Grade: 2`, `##final score: 2`,
`**2**`, `<score>2</score>`, `[[2]]`), or in a JSON object that has one field for it (fenced or not, or the arguments of
a tool call). Everything else is refused. Prose is never searched: models quote documents, and documents contain
numbers. An answer that names two grades is refused too. A user's own pattern replaces these forms and has to match
exactly once.
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

SHOWN = 60
"""How many characters of an answer a refusal quotes."""

_NUMBER = r"-?[0-9]{1,4}(?:\.[0-9]{1,4})?"
_LABEL = r"(?:(?:final|overall)[\s_-]+)?(?:grade|score|rating|relevance(?:[\s_-]+(?:grade|score|label))?|answer)"
_FIELD = re.compile(rf"{_LABEL}|label|overall|o", re.IGNORECASE)
"""What prompts and models call the field of a grade; `O` is the overall score of Thomas et al."""

_LONE = re.compile(rf"(?P<number>{_NUMBER})\.?")
_LABELLED = re.compile(rf"{_LABEL}(?:\s+is)?\s*[:=]\s*(?P<number>{_NUMBER})\.?", re.IGNORECASE)
_TAGGED = re.compile(rf"<({_LABEL})>\s*(?P<number>{_NUMBER})\s*</\1>", re.IGNORECASE)
_MARKS = re.compile(r"(?<![\w.*`#-])[*_`#]+|[*_`#]+(?![\w.*`#])")
"""Markdown's marks, but not those within words and numbers: `1*0` is no 10, and `-**1**` not −1."""

_BOXED = re.compile(r"(?:\[\[([^\[\]]*)\]\]|\\boxed\{([^{}]*)\})\.?")
_FENCED = re.compile(r"```[a-z]*\s*\n(.*?)\n?\s*```", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """A grade, with the probability of each grade if the model gave log-probabilities; or why there is none.

    What a request took is kept with the first of its answers.
    """

    grade: float | None
    chances: tuple[float, ...] | None = None
    refused: str | None = None
    text: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


class _NoGradeError(Exception):
    """The answer has no grade that could be read; the message says why."""


def parse(
    choice: Mapping[str, Any],
    grades: Sequence[float],
    *,
    logprobs: bool = False,
    pattern: str | None = None,
) -> Answer:
    """Read the grade in one choice of a chat completion; a pattern replaces the usual forms."""
    text = content(choice)
    try:
        if reason := refused_reason(choice):
            raise _NoGradeError(reason)
        grade = _number_of(choice, text, pattern)
        if grade not in grades:
            raise _NoGradeError(f"a grade that is not on the scale: {grade:g}")
        chances = _chances(choice, grade, grades) if logprobs else None
    except _NoGradeError as reason:
        return Answer(grade=None, refused=str(reason), text=text[-KEPT:])
    return Answer(grade=grade, chances=chances, text=text[-KEPT:])


def content(choice: Mapping[str, Any]) -> str:
    """Return the text of a choice, joined if the endpoint sends it in parts; else the arguments of its tool call."""
    message = _mapping(choice.get("message"))
    written = message.get("content")
    if isinstance(written, list):
        written = "".join(str(part.get("text") or "") for part in written if isinstance(part, Mapping))
    if isinstance(written, str) and written.strip():
        return written
    return next(iter(_arguments(message)), written if isinstance(written, str) else "")


def logprobs_of(choice: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tokens of a choice with their log-probabilities."""
    tokens = _mapping(choice.get("logprobs")).get("content")
    return [token for token in tokens if isinstance(token, Mapping)] if isinstance(tokens, list) else []


def quote(text: str, shown: int = SHOWN) -> str:
    """Return the first words of an answer on one line, in so many characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * shown]).split())
    return line if len(line) <= shown else line[: shown - 1].rstrip() + "…"


def refused_reason(choice: Mapping[str, Any]) -> str | None:
    """Say whether the model, the endpoint's filter or the limit of tokens kept this from being an answer."""
    refusal = _mapping(choice.get("message")).get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return f"the model refused: {quote(refusal)}"
    reasons = {"content_filter": "stopped by the endpoint's content filter", "length": "cut off at the limit of tokens"}
    return reasons.get(str(choice.get("finish_reason")))


def without_thought(text: str) -> str:
    """Return an answer without what the model thought aloud before it."""
    return _THOUGHT.sub("", text, count=1)


def _number_of(choice: Mapping[str, Any], text: str, pattern: str | None) -> float:
    """Return the one number that an answer gives as its grade, by a user's pattern or in one of the usual forms."""
    if pattern is not None:
        matches = list(re.finditer(pattern, text, re.IGNORECASE | re.MULTILINE))
        if len(matches) != 1:
            raise _NoGradeError(f"matched {len(matches)} times by the pattern: {quote(text)}")
        number = _LONE.fullmatch((matches[0][1 if matches[0].re.groups else 0] or "").strip())
        if number is None:
            raise _NoGradeError(f"not a number where the pattern matches: {quote(matches[0][0])}")
        return float(number[1])
    if len(_arguments(_mapping(choice.get("message")))) > 1:
        raise _NoGradeError("several tool calls")
    text = without_thought(text)
    whole = _FENCED.fullmatch(text.strip())
    bare = whole[1] if whole and "```" not in whole[1] else text
    lines = [line.strip() for line in bare.splitlines() if line.strip()]
    if not lines:
        raise _NoGradeError("empty")
    found = _number_in(lines[0], _LABELLED, _TAGGED), _number_in(lines[-1], _LONE, _LABELLED, _TAGGED), _of_object(text)
    numbers = {number for number in found if number is not None}
    if len(numbers) != 1:
        raise _NoGradeError(
            f"{'two grades in one answer' if numbers else 'not a grade in the agreed form'}: {quote(text)}"
        )
    return numbers.pop()


def _number_in(line: str, *forms: re.Pattern[str]) -> float | None:
    """Return the number of a line that has one of the forms, but for Markdown's marks, list dashes and quotes."""
    bare = _MARKS.sub("", _BOXED.sub(r" \1\2 ", line)).strip().removeprefix("- ").strip().strip("\"'").strip()
    match = next((match for form in forms if (match := form.fullmatch(bare))), None)
    return None if match is None else float(match["number"])


def _of_object(text: str) -> float | None:
    """Return the number in the JSON object that an answer is, or that it has in its only fence, or ends with."""
    fences = _FENCED.findall(text)
    if len(fences) > 1:
        return None
    written = fences[0] if fences else text
    if not (begins := re.search(r"^\s*\{", written, re.MULTILINE)):
        return None
    try:
        held = json.loads(
            written[begins.start() :], object_pairs_hook=list
        )  # a field that is written twice stays twice
    except (ValueError, RecursionError):
        return None
    values = [value for name, value in held if _FIELD.fullmatch(name.strip())]
    value = values[0] if len(values) == 1 else None
    if isinstance(value, str):
        number = _LONE.fullmatch(value.strip())
        return float(number[1]) if number else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _arguments(message: Mapping[str, Any]) -> list[str]:
    """Return the arguments of a message's tool calls, in OpenAI's present form or its former one."""
    calls = message.get("tool_calls")
    listed = calls if isinstance(calls, list) else []
    held = [_mapping(call.get("function")) for call in listed if isinstance(call, Mapping)]
    if not held and isinstance(message.get("function_call"), Mapping):
        held = [message["function_call"]]
    written = [call.get("arguments") for call in held]
    return [json.dumps(one) if isinstance(one, Mapping) else one for one in written if isinstance(one, str | Mapping)]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _chances(choice: Mapping[str, Any], grade: float, grades: Sequence[float]) -> tuple[float, ...]:
    """Return the probability of each grade at the token of the grade, among the tokens that are grades."""
    word = f"{grade:g}"
    token = next((one for one in reversed(logprobs_of(choice)) if str(one.get("token", "")).strip() == word), None)
    rivals = token.get("top_logprobs") if token is not None else None
    if not isinstance(rivals, list) or not rivals:  # the token's own probability says nothing of the other grades
        raise _NoGradeError("no log-probabilities at the grade")
    mass = dict.fromkeys((f"{one:g}" for one in grades), 0.0)
    for rival in [one for one in rivals if isinstance(one, Mapping)]:
        name, log = str(rival.get("token", "")).strip(), rival.get("logprob")
        if name in mass and isinstance(log, int | float) and not math.isnan(log):
            mass[name] += math.exp(min(float(log), 0.0))
    total = sum(mass.values())
    if total <= 0:
        raise _NoGradeError("no log-probabilities at the grade")
    return tuple(one / total for one in mass.values())
