"""What asking will take, before anything is asked: requests, tokens, time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankgauge.judgments.llm.asking.prompt import FIXED_BOUNDARY
from rankgauge.judgments.llm.asking.question import Question
from rankgauge.judgments.llm.asking.requests import BYTES
from rankgauge.judgments.llm.asking.store import StoredAnswer


def estimated_tokens(question: Question, texts: Mapping[str, str]) -> int:
    """How many tokens a prompt has, by its length."""
    messages = question.prompt.messages(texts, FIXED_BOUNDARY)
    return sum(len(message["content"].encode("utf-8", "replace")) for message in messages) // BYTES


@dataclass(frozen=True, kw_only=True)
class AskingForecast:
    """What is to be asked, and what it will take."""

    pairs: int
    queries: int
    cached: int
    """How many pairs have all their answers already."""
    tokens_in: int
    """About how many tokens the prompts have that are still to be sent."""
    tokens_out: int
    """How many tokens the answers may have: about, if some were counted, else at most."""
    is_counted: bool
    """Whether the endpoint's own counts of earlier answers were used."""
    seconds: float | None
    """About how long it takes; None before the first answer."""

    @classmethod
    def of(
        cls,
        *,
        pairs: int,
        queries: int,
        cached: int,
        sizes: Sequence[int],
        question: Question,
        jobs: int,
        stored: Sequence[StoredAnswer],
        measured: int,
    ) -> AskingForecast:
        """The forecast for prompts of these sizes; earlier answers to prompts of `measured` tokens correct it."""
        asked, requests = sum(sizes), sum(one.seconds > 0 for one in stored)
        counted = sum(one.tokens_in for one in stored)
        answered = sum(one.tokens_out for one in stored)
        has = bool(requests and measured and counted)
        return cls(
            pairs=pairs,
            queries=queries,
            cached=cached,
            tokens_in=round(asked * counted / measured) if has else asked,
            tokens_out=round(len(sizes) * question.samples * answered / len(stored))
            if has
            else len(sizes) * question.samples * question.answer_tokens,
            is_counted=has,
            seconds=len(sizes) * sum(one.seconds for one in stored) / requests / jobs if has else None,
        )


def spelled(seconds: float) -> str:
    """A duration in words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
