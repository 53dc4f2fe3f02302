"""Read a grade from what a model answered, or say why there is none.

A grade stands alone on the last line, or with a label on the first or the last line (`Grade: 2`, `##final score: 2`,
`**2**`, `<score>2</score>`, `[[2]]`), or in a JSON object that has one field for it (fenced or not, or the arguments of
a tool call). The scale's own words may follow it (`2 - on the subject`). What a model thinks aloud before its answer is
left out, and a thought without an end is no answer. Everything else is refused. Prose is never searched: models quote
documents, and documents contain numbers. An answer that names two grades is refused too. A user's own pattern replaces
these forms and has to match exactly once.
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

LONGEST_LINE = 300
"""In longer lines nobody looks for the words of a scale, in characters."""

TEXT_PARTS = ("text", "output_text")
"""The parts of an answer that are its text; others are thoughts or refusals."""

THOUGHTS = ("reasoning_content", "reasoning", "thinking")
"""Where endpoints put what a model thought before its answer."""

_NUMBER = r"-?[0-9]{1,4}(?:\.[0-9]{1,4})?"
_KIND = r"(?:grade|score|rating|label|judge?ment)"
_LABEL = rf"(?:(?:final|overall)[\s_-]+)?(?:{_KIND}|relevance(?:[\s_-]+(?:{_KIND}|level))?|answer)"
_FIELD = re.compile(rf"{_LABEL}|overall|o", re.IGNORECASE)
"""What prompts and models call the field of a grade; `O` is the overall score of Thomas et al."""

_LONE = re.compile(rf"(?P<number>{_NUMBER})\.?")
_LABELLED = re.compile(
    rf"(?:(?:the|my)\s+)?(?:{_LABEL}|o)(?:\s+is)?\s*[:=\uff1a]\s*(?P<number>{_NUMBER})\.?", re.IGNORECASE
)
_TAGGED = re.compile(rf"<({_LABEL})>\s*(?P<number>{_NUMBER})\s*</\1>", re.IGNORECASE)
_BEFORE = re.compile(rf"(?:{_LABEL}|o)[\"'*_`\s]*(?:[:=\uff1a>]|is)[\"'*_`\[\s]*\Z", re.IGNORECASE)
"""What stands right before a grade that has a label."""

_WORDED = re.compile(rf"(?P<bare>.*?(?P<number>{_NUMBER}))\s*[-\u2013\u2014:=(,]?\s*(?P<words>[^\d\s].*?)\)?\.?")
_MARKS = re.compile(r"(?<![\w.*`#-])[*_`#]+|[*_`#]+(?![\w.*`#])")
"""Markdown's marks, but not those within words and numbers: `1*0` is no 10, and `-**1**` not −1."""

_BOXED = re.compile(r"(?:\[\[([^\[\]]*)\]\]|\$?\\boxed\{([^{}]*)\}\$?)\.?")
_FENCED = re.compile(r"```[a-z]*\s*\n(.*?)\n?\s*```", re.DOTALL | re.IGNORECASE)
_WRAPPED = re.compile(r"<(answer|response|output|result|evaluation|tool_call)>(.*)</\1>", re.DOTALL | re.IGNORECASE)
_TAG_LINES = re.compile(rf"(<{_LABEL}>)\s*({_NUMBER})\s*(?=</)", re.IGNORECASE)
_LEAKED = re.compile(r"(?:(?:<\|\w+\|>|</s>|<end_of_turn>)\s*){1,4}\Z|[\ufeff\u200b]")
"""Marks that end an answer, which some servers show, and characters without width."""

_TAG = r"(?:\w+:)?(?:think|thinking|reasoning|thought)"
_THINKS = re.compile(
    rf"\s*(?:<{_TAG}>|\[THINK\]|\u25c1think\u25b7|<\|START_THINKING\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>(?!final)|(?-i:analysis(?=[A-Z])))",
    re.IGNORECASE,
)
"""How a thought begins: with a tag, or in a channel of its own, whose marks a server may drop."""

_THOUGHT = re.compile(
    rf".*(?:</{_TAG}>|\[/THINK\]|\u25c1/think\u25b7|<\|END_THINKING\|>(?:\s*<\|START_RESPONSE\|>)?"
    r"|<\|channel\|>(?:final|commentary to=)[^<]*(?:<\|constrain\|>\w+)?<\|message\|>)"
    r"|(?-i:analysis.*assistantfinal)",
    re.DOTALL | re.IGNORECASE,
)
_ENDED = {
    "length|max(_output)?_tokens|model_length|model_context_window_exceeded": "cut off at the limit of tokens",
    "content_filter.*|safety|refusal|recitation|prohibited_content|blocklist|spii|sensitive|guardrail_intervened": (
        "stopped by the endpoint's content filter"
    ),
    "error|abort|cancell?ed|insufficient_system_resource|network_error": "broken off by the endpoint",
}
"""Why what came is no answer, by the reasons that endpoints give for its end."""


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
    model: str = ""
    """What the endpoint called the model; empty if it did not say."""


class _NoGradeError(Exception):
    """The answer has no grade that could be read; the message says why."""


def parse(
    choice: Mapping[str, Any],
    grades: Sequence[float],
    *,
    logprobs: bool = False,
    pattern: str | None = None,
    words: Mapping[str, float] | None = None,
) -> Answer:
    """Read the grade in one choice of a chat completion; a pattern replaces the usual forms.

    `words` are those of the scale, in lower case, with the grade that each stands for.
    """
    text = content(choice)
    try:
        if reason := refused_reason(choice):
            raise _NoGradeError(reason)
        grade = _only_number(choice, words or {}) if pattern is None else _matched_number(text, pattern)
        if grade not in grades:
            raise _NoGradeError(f"a grade that is not on the scale: {grade:g}")
        chances = _chances(choice, grade, grades) if logprobs else None
    except _NoGradeError as reason:
        return Answer(grade=None, refused=str(reason), text=text[-KEPT:])
    return Answer(grade=grade, chances=chances, text=text[-KEPT:])


def content(choice: Mapping[str, Any]) -> str:
    """Return the text of a choice and, below it, the arguments of its tool calls."""
    message = _mapping(choice.get("message"))
    return "\n".join(one for one in (_written(message), *_arguments(message)) if one.strip())


def logprobs_of(choice: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tokens of a choice with their log-probabilities."""
    tokens = _mapping(choice.get("logprobs")).get("content")
    return [token for token in tokens if isinstance(token, Mapping)] if isinstance(tokens, list) else []


def quote(text: str, shown: int = SHOWN) -> str:
    """Return the first words of an answer on one line, in so many characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * shown]).split())
    return line if len(line) <= shown else line[: shown - 1].rstrip() + "…"


def refused_reason(choice: Mapping[str, Any]) -> str | None:
    """Say whether the model, the endpoint's filter, the limit of tokens or a fault kept this from being an answer."""
    message = _mapping(choice.get("message"))
    for refusal in (message.get("refusal"), *(part.get("refusal") for part in _parts(message))):
        if isinstance(refusal, str) and refusal.strip():
            return f"the model refused: {quote(refusal)}"
    ended = str(choice.get("finish_reason"))
    return next((words for form, words in _ENDED.items() if re.fullmatch(form, ended, re.IGNORECASE)), None)


def without_thought(text: str) -> str:
    """Return an answer without what the model thought aloud before it; nothing if the thought has no end."""
    if ends := _THOUGHT.match(text):
        return text[ends.end() :]
    return "" if _THINKS.match(text) else text


def unwrapped(text: str) -> str:
    """Return an answer without its thought, the tags that it stands in, and the marks that end it."""
    text = without_thought(_LEAKED.sub("", text).strip()).strip()
    while wrapped := _WRAPPED.fullmatch(text):
        text = wrapped[2].strip()
    return text


def bare_lines(text: str) -> list[str]:
    """Return the lines of an answer that was unwrapped, without the fence that holds it whole."""
    whole = _FENCED.fullmatch(text)
    bare = whole[1] if whole and "```" not in whole[1] else text
    return [line for line in _TAG_LINES.sub(r"\1\2", bare).splitlines() if line.strip()]


def bare_line(line: str) -> str:
    """Return a line without Markdown's marks, boxes, quotation marks, and the dash of a list."""
    bare = _MARKS.sub("", _BOXED.sub(r" \1\2 ", line.strip())).strip()
    return re.sub(r"\A[-\u2022]\s+", "", bare).strip("\"' ")


def _matched_number(text: str, pattern: str) -> float:
    """Return the number that a user's pattern finds in an answer."""
    matches = list(re.finditer(pattern, text, re.IGNORECASE | re.MULTILINE))
    if len(matches) != 1:
        raise _NoGradeError(f"matched {len(matches)} times by the pattern: {quote(text)}")
    number = _LONE.fullmatch((matches[0][1 if matches[0].re.groups else 0] or "").strip())
    if number is None:
        raise _NoGradeError(f"not a number where the pattern matches: {quote(matches[0][0])}")
    return float(number[1])


def _only_number(choice: Mapping[str, Any], words: Mapping[str, float]) -> float:
    """Return the one number that an answer, with its tool call if there is one, gives as its grade."""
    message = _mapping(choice.get("message"))
    calls, written = _arguments(message), _written(message).strip()
    if len(calls) > 1:
        raise _NoGradeError("several tool calls")
    if not unwrapped(written) and not calls:
        has_thought = written or any(message.get(name) for name in THOUGHTS)
        raise _NoGradeError("a thought, and no answer after it" if has_thought else "empty")
    found = [number for one in (written, *calls) for number in _numbers_in(one, words)]
    if not _THINKS.match(written):  # the end of a thought whose beginning is not shown may be a quotation
        found.append(_number_in(written.partition("\n")[0], words, _LABELLED, _TAGGED))
    numbers = {number for number in found if number is not None}
    if len(numbers) != 1:
        problem = "two grades in one answer" if numbers else "not a grade in the agreed form"
        raise _NoGradeError(f"{problem}: {quote(content(choice))}")
    return numbers.pop()


def _numbers_in(text: str, words: Mapping[str, float]) -> list[float | None]:
    """Return the numbers that a text gives as its grade, on its first line, on its last, and in an object, if any."""
    text = unwrapped(text)
    lines = bare_lines(text) or [""]
    first, last = ((_LABELLED, _TAGGED), (_LONE, _LABELLED, _TAGGED))
    return [_number_in(lines[0], words, *first), _number_in(lines[-1], words, *last), _number_in_object(text)]


def _number_in(line: str, words: Mapping[str, float], *forms: re.Pattern[str]) -> float | None:
    """Return the number of a line that has one of the forms, without what stands about it."""
    bare = bare_line(line)
    worded = _WORDED.fullmatch(bare) if len(bare) < LONGEST_LINE else None
    if worded and words.get(worded["words"].lower()) == float(worded["number"]):
        bare = worded["bare"]
    match = next((match for form in forms if (match := form.fullmatch(bare))), None)
    return None if match is None else float(match["number"])


def _number_in_object(text: str) -> float | None:
    """Return the number in the JSON object that is in an answer's only fence, or that it begins or ends with."""
    fences = _FENCED.findall(text)
    written = (fences[0] if fences else text).strip()
    begins = re.search(r"^[^\S\n]*\{", written, re.MULTILINE)
    if begins is None or len(fences) > 1:
        return None
    try:  # objects are tuples: a field that is written twice stays twice, and an array is no object
        held, ends = json.JSONDecoder(object_pairs_hook=tuple).raw_decode(written, begins.end() - 1)
    except (ValueError, RecursionError):
        return None
    if (written[: begins.start()].strip() and written[ends:].strip()) or "{" in written[ends:]:
        return None
    called = [value for name, value in held if name in ("arguments", "parameters") and isinstance(value, tuple)]
    values = [value for name, value in (called or [held])[0] if _FIELD.fullmatch(name.strip())]
    value = values[0] if len(values) == 1 else None
    if isinstance(value, str):
        number = _LONE.fullmatch(value.strip())
        return float(number[1]) if number else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _written(message: Mapping[str, Any]) -> str:
    """Return the text of a message, joined if it comes in parts."""
    written = message.get("content")
    if isinstance(written, list):
        return "".join(
            str(part.get("text") or "") for part in _parts(message) if part.get("type", "text") in TEXT_PARTS
        )
    return written if isinstance(written, str) else ""


def _parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    parts = message.get("content")
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []


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
    """Return the probability of each grade at the token of the grade, among the tokens that are grades.

    Of several such tokens it is the last that has a label, or else the last of all.
    """
    word, said, held = f"{grade:g}", "", list[tuple[bool, int, Any]]()
    for number, token in enumerate(logprobs_of(choice)):
        if str(token.get("token", "")).strip() == word:
            held.append((_BEFORE.search(said) is not None, number, token.get("top_logprobs")))
        said += str(token.get("token", ""))
    rivals = max(held)[2] if held else None
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
