"""Everything that decides what a model answers about a pair: the model, the prompt and the parameters."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.judgments.llm.asking.answers import Answer, compile_pattern, parse
from rankgauge.judgments.llm.asking.orders import parse_order
from rankgauge.judgments.llm.asking.prompt import FIXED_BOUNDARY, Prompt, listed_texts

TOP = 20
"""How many tokens' log-probabilities are asked for: the most that endpoints commonly give."""

FORMS = ("text", "json", "tool")
"""How a model may be asked to answer."""

TOOL = "record_grade"
"""The function that a model calls if it answers by a tool."""

OURS = (
    "model",
    "messages",
    "n",
    "stream",
    "logprobs",
    "top_logprobs",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
)
"""The fields of a request that options set."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a model is asked about every pair. Answers to the same question about the same texts are interchangeable."""

    model: str
    prompt: Prompt = field(default_factory=Prompt)
    samples: int = 1
    """How many answers are wanted for each pair."""
    temperature: float | None = 0.0
    """The model's own if there is none."""
    logprobs: bool = False
    answer_tokens: int = 32
    form: str = "text"
    """How the model is to answer: in a line of text, as JSON (the endpoint's JSON mode), or by calling a tool."""
    answer: str | None = None
    """A pattern whose first group is the grade in an answer; the usual forms if there is none."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """More fields of the request."""

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ParameterError("judge", "samples", "1 or more", self.samples)
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ParameterError("judge", "temperature", "between 0 and 2", self.temperature)
        if self.answer_tokens < 1:
            raise ParameterError("judge", "answer_tokens", "1 or more", self.answer_tokens)
        if self.form not in FORMS:
            raise UnknownNameError("form of answers", self.form, FORMS)
        if taken := sorted(set(self.extra) & set(OURS)):
            raise ParameterError("judge", "extra", "fields that no option sets", ", ".join(taken))
        if self.prompt.compares and (self.logprobs or self.form != "text" or self.answer is not None):
            raise InputError(
                "a prompt that compares documents takes answers as text",
                hint="Leave out --logprobs, --form and --answer; --samples 3 --temperature 1 asks several times.",
            )
        if self.logprobs and not all(grade in range(10) for grade in self.prompt.grades):
            raise ParameterError("judge", "logprobs", "with grades of one digit, 0 to 9", self.prompt.grades)

        try:
            self.pattern  # noqa: B018 - a pattern that cannot be compiled is an error before anything is asked
        except re.error as error:
            raise InputError(f"--answer is not a regular expression: {error}", text=self.answer) from None

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """The pattern for answers, compiled."""
        return None if self.answer is None else compile_pattern(self.answer)

    @property
    def has_chances(self) -> bool:
        """Whether the answers give probabilities of grades: one answer alone has none."""
        return self.logprobs or self.samples > 1

    def request(self, texts: Mapping[str, str], n: int) -> dict[str, Any]:
        """The body of a request for n answers about a pair."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": self.prompt.messages(texts, form=self.form),
            "stream": False,
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.logprobs:
            body |= {"logprobs": True, "top_logprobs": TOP}
        if n > 1:
            body["n"] = n
        return body | {"max_tokens": self.answer_tokens, **self._form(), **self.extra}

    def read(self, choice: Mapping[str, Any], texts: Mapping[str, str]) -> Answer:
        """Read the answer about a pair, or about a list of documents, in one choice."""
        if self.prompt.compares:
            return parse_order(choice, len(listed_texts(texts)))
        return parse(choice, self.prompt.grades, logprobs=self.logprobs, pattern=self.pattern)

    def _form(self) -> dict[str, Any]:
        """Return the fields that ask for JSON or for the call of a tool."""
        if self.form == "text":
            return {}
        grade = {"type": "number", "enum": list(self.prompt.grades)}
        schema = {
            "type": "object",
            "properties": {"grade": grade},
            "required": ["grade"],
            "additionalProperties": False,
        }
        if self.form == "json":
            return {"response_format": {"type": "json_object"}}
        function = {"name": TOOL, "description": "Record the grade of the document.", "parameters": schema}
        return {
            "tools": [{"type": "function", "function": function}],
            "tool_choice": {"type": "function", "function": {"name": TOOL}},
        }

    def digest(self, texts: Mapping[str, str]) -> bytes:
        """What identifies the pair's texts with this question; how many answers are wanted does not matter."""
        parts = {
            "model": self.model,
            "messages": self.prompt.messages(texts, FIXED_BOUNDARY, form=self.form),
            "grades": self.prompt.grades,
            "temperature": self.temperature,
            "logprobs": self.logprobs,
            "answer_tokens": self.answer_tokens,
            "extra": dict(self.extra),
            **({} if self.form == "text" else {"form": self.form}),
            **({} if self.answer is None else {"answer": self.answer}),
        }
        written = json.dumps(parts, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(written.encode("utf-8", "surrogatepass")).digest()
