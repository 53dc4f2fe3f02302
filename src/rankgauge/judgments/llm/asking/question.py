"""Everything that decides what a model answers about a pair: the model, the prompt and the parameters."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rankgauge.errors import ParameterError
from rankgauge.judgments.llm.asking.prompt import FIXED_BOUNDARY, Prompt

TOP = 20
"""How many tokens' log-probabilities are asked for: the most that endpoints commonly give."""

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
    extra: Mapping[str, Any] = field(default_factory=dict)
    """More fields of the request."""

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ParameterError("judge", "samples", "1 or more", self.samples)
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ParameterError("judge", "temperature", "between 0 and 2", self.temperature)
        if self.answer_tokens < 1:
            raise ParameterError("judge", "answer_tokens", "1 or more", self.answer_tokens)
        if taken := sorted(set(self.extra) & set(OURS)):
            raise ParameterError("judge", "extra", "fields that no option sets", ", ".join(taken))
        if self.logprobs and not all(grade in range(10) for grade in self.prompt.grades):
            raise ParameterError("judge", "logprobs", "with grades of one digit, 0 to 9", self.prompt.grades)

    @property
    def has_chances(self) -> bool:
        """Whether the answers give probabilities of grades: one answer alone has none."""
        return self.logprobs or self.samples > 1

    def request(self, texts: Mapping[str, str], n: int) -> dict[str, Any]:
        """The body of a request for n answers about a pair."""
        body: dict[str, Any] = {"model": self.model, "messages": self.prompt.messages(texts)}
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.logprobs:
            body |= {"logprobs": True, "top_logprobs": TOP}
        if n > 1:
            body["n"] = n
        return body | {"max_tokens": self.answer_tokens, **self.extra}

    def digest(self, texts: Mapping[str, str]) -> bytes:
        """What identifies the pair's texts with this question; how many answers are wanted does not matter."""
        parts = {
            "model": self.model,
            "messages": self.prompt.messages(texts, FIXED_BOUNDARY),
            "grades": self.prompt.grades,
            "temperature": self.temperature,
            "logprobs": self.logprobs,
            "answer_tokens": self.answer_tokens,
            "extra": dict(self.extra),
        }
        written = json.dumps(parts, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(written.encode("utf-8", "surrogatepass")).digest()
