"""Everything that decides what a model answers about a pair: the model, the prompt and the parameters.

Also which documents it is asked to compare, and how the order in such an answer is read. Every list is shown twice, in
one order and in the other, so that a liking for the first place cancels out.
"""

from __future__ import annotations

import base64
import hashlib
import json
import mimetypes
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.judgments.llm.asking.answers import (
    KEPT,
    Answer,
    bare_line,
    bare_lines,
    content,
    parse,
    quote,
    refused_reason,
    unwrapped,
)
from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.judgments.llm.asking.prompt import FIXED_BOUNDARY, IMAGE, NEEDS, Prompt, document_parts, listed_texts
from rankgauge.judgments.pairwise import Choices

TOP = 20
"""How many tokens' log-probabilities are asked for: the most that endpoints commonly give."""

FORMS = ("text", "json", "tool")
"""How a model may be asked to answer."""

TOOL = "record_grade"
"""The function that a model calls if it answers by a tool."""

OURS = {"model", "messages", "n", "stream", "logprobs", "top_logprobs", "temperature"}
OURS |= {"max_tokens", "max_completion_tokens"}
"""The fields of a request that options set."""

IMAGE_BYTES = 4000
"""How many bytes of text a picture is taken to be as dear as."""


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
    """A pattern whose first group, or whole match, is the grade in an answer; the usual forms if there is none."""
    images: bool = False
    """Whether the model is shown the picture of a document that has one."""
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
        if taken := sorted(set(self.extra) & OURS):
            raise ParameterError("judge", "extra", "fields that no option sets", ", ".join(taken))
        if self.prompt.words.compares and (
            self.logprobs or self.form != "text" or self.answer is not None or self.images
        ):
            raise InputError(
                "a prompt that compares documents takes texts, and answers as text",
                hint="Leave out --logprobs, --form, --answer and --images; --samples 3 asks several times.",
            )
        if self.images and self.prompt.examples:
            raise InputError("examples are shown without pictures", hint="Leave out --examples or --images.")
        if self.logprobs and not all(grade in range(10) for grade in self.prompt.grades):
            raise ParameterError("judge", "logprobs", "with grades of one digit, 0 to 9", self.prompt.grades)
        try:
            re.compile(self.answer or "")
        except re.error as error:
            raise InputError(f"--answer is not a regular expression: {error}", text=self.answer) from None

    @property
    def has_chances(self) -> bool:
        """Whether the answers give probabilities of grades: one answer alone has none."""
        return self.logprobs or self.samples > 1

    def request(self, texts: Mapping[str, str], n: int) -> dict[str, Any]:
        """Return the body of a request for n answers about a pair."""
        messages: list[dict[str, Any]] = [*self.prompt.messages(texts, form=self.form)]
        if self.images and texts.get(IMAGE):
            picture = {"type": "image_url", "image_url": {"url": image_address(texts[IMAGE])}}
            messages[-1]["content"] = [{"type": "text", "text": messages[-1]["content"]}, picture]
        body: dict[str, Any] = {"model": self.model, "messages": messages, "stream": False}
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.logprobs:
            body |= {"logprobs": True, "top_logprobs": TOP}
        if n > 1:
            body["n"] = n
        body["max_tokens"] = self.answer_tokens
        if self.form == "json":
            body["response_format"] = {"type": "json_object"}
        if self.form == "tool":
            grade = {"type": "number", "enum": list(self.prompt.grades)}
            only = {"required": ["grade"], "additionalProperties": False}
            schema = {"type": "object", "properties": {"grade": grade}, **only}
            function = {"name": TOOL, "description": "Record the grade of the document.", "parameters": schema}
            body["tools"] = [{"type": "function", "function": function}]
            body["tool_choice"] = {"type": "function", "function": {"name": TOOL}}
        return {**body, **self.extra}

    def read(self, choice: Mapping[str, Any], texts: Mapping[str, str]) -> Answer:
        """Read the answer about a pair, or about a list of documents, in one choice."""
        if self.prompt.words.compares:
            return parse_order(choice, len(listed_texts(texts)))
        words = {label.lower(): grade for label, grade in self.prompt.scale.levels}
        return parse(choice, self.prompt.grades, logprobs=self.logprobs, pattern=self.answer, words=words)

    def digest(self, texts: Mapping[str, str]) -> bytes:
        """Return what identifies the pair's texts with this question; how many answers are wanted does not matter."""
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
            **({IMAGE: image_address(texts[IMAGE])} if self.images and texts.get(IMAGE) else {}),
        }
        written = json.dumps(parts, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(written.encode("utf-8", "surrogatepass")).digest()


def image_address(image: str) -> str:
    """Return the address of a picture; a file's is one that holds the picture itself."""
    if image.startswith(("https://", "http://", "data:")):
        return image
    kind = mimetypes.guess_type(image)[0] or ""
    if not kind.startswith("image/"):
        raise InputError("is no picture", path=image, hint="Name .png, .jpg, .gif or .webp files, or addresses.")
    try:
        return f"data:{kind};base64,{base64.b64encode(Path(image).read_bytes()).decode()}"
    except OSError as error:
        raise InputError(f"the picture cannot be read: {error.strerror}", path=image) from None


def text_bytes(messages: Sequence[Mapping[str, Any]]) -> int:
    """Return how long messages are, each picture taken for a text that is as dear."""
    total = 0
    for message in messages:
        content = message["content"]
        for part in content if isinstance(content, list) else [{"text": content}]:
            total += len(part["text"].encode("utf-8", "replace")) if "text" in part else IMAGE_BYTES
    return total


OTHERS = 8
"""With how many others a document is compared, unless it is said."""

_NAME = re.compile("[1-9A-Za-z]")
_RANKING = re.compile(rf"\[?{_NAME.pattern}\]?(?:\s*[>=]\s*\[?{_NAME.pattern}\]?)+")
_VERDICT = re.compile(
    r"(?:(?:the|my)\s+)?(?:(?:final\s+)?(?:answer|verdict|winner|output|better(?:\s+(?:document|passage))?)"
    r"\s*(?:is\s*)?[:=]?\s*)?(?:(?:passage|document)\s+)?[\[(]?(a|b|tie)[\])]?(?:\s+is\s+better)?\.?",
    re.IGNORECASE,
)


def compared_lists(pairs: TextPairs, *, size: int, others: int = OTHERS, seed: int = 0) -> TextPairs:
    """Return lists of documents to compare in place of the pairs, each in both orders.

    Rounds of random lists show each document beside about `others` others. What is drawn for a query depends on its
    documents and the seed alone.
    """
    rows: list[dict[str, Any]] = []
    shared = [name for name in ("query", "query_text", *NEEDS) if name in pairs.frame.columns]
    for part in pairs.frame.partition_by("query", maintain_order=True):
        texts = part.to_dicts()
        rng = np.random.default_rng([seed, zlib.crc32(str(texts[0]["query"]).encode())])
        for chosen in drawn_lists(len(texts), size, others, rng):
            for order in (chosen, chosen[::-1]):
                row = {name: texts[0][name] for name in shared}
                row["document"] = json.dumps([texts[place]["document"] for place in order])
                for n, place in enumerate(order, 1):
                    row[f"text_{n}"] = "\n".join(document_parts(texts[place]))
                rows.append(row)
    if not rows:
        raise InputError("no query has two documents to compare")
    names = list(dict.fromkeys(name for row in rows for name in row))
    return TextPairs(frame=pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String)), cut=pairs.cut)


def drawn_lists(documents: int, size: int, others: int, rng: np.random.Generator) -> Iterator[tuple[int, ...]]:
    """Yield lists of places: rounds in which each document is in one list, none of them twice."""
    size, known = min(size, documents), set()
    rounds = -(-min(others, documents - 1) // max(size - 1, 1))
    if size == 2 and others >= documents - 1:
        yield from ((i, j) for i in range(documents) for j in range(i + 1, documents))
        return
    for _ in range(rounds if size > 1 else 0):
        order = rng.permutation(documents)
        filled = np.concatenate([order, order[: -documents % size]])
        for chosen in filled.reshape(-1, size):
            if (key := frozenset(chosen.tolist())) not in known:
                known.add(key)
                yield tuple(chosen.tolist())


def parse_order(choice: Mapping[str, Any], size: int) -> Answer:
    """Read the order of so many documents in an answer's last line; its `grade` has the place of each as its digits."""
    text, place = content(choice), dict[int, int]()
    line = bare_line((bare_lines(unwrapped(text)) or [""])[-1])
    ranking = re.sub(r"^(?:answer|ranking|order)\s*:\s*", "", line, flags=re.IGNORECASE).rstrip(".")
    if size == 2 and (verdict := _VERDICT.fullmatch(line)):
        place = {"a": {1: 1, 2: 2}, "b": {1: 2, 2: 1}, "tie": {1: 1, 2: 1}}[verdict[1].lower()]
    elif _RANKING.fullmatch(ranking):
        levels = [
            [int(n) if n.isdigit() else int(n, 36) - 9 for n in _NAME.findall(part)] for part in ranking.split(">")
        ]
        if sorted(chain(*levels)) == list(range(1, size + 1)):
            place = {number: n for n, level in enumerate(levels, 1) for number in level}
    reason = refused_reason(choice)
    if reason is None and not place:
        reason = f"not an order of the {size} documents: {quote(text)}" if text.strip() else "empty"
    grade = float("".join(str(place[number]) for number in sorted(place))) if reason is None else None
    return Answer(grade=grade, refused=reason, text=text[-KEPT:])


def choices_of(pairs: TextPairs, answers: Sequence[Sequence[Answer]]) -> Choices:
    """Return the choices that answers about lists come to, in the order of the lists."""
    rows = [
        (query, json.loads(shown), [int(digit) for digit in f"{answer.grade:.0f}"])
        for (query, shown), each in zip(pairs.frame.select("query", "document").iter_rows(), answers, strict=True)
        for answer in each
    ]
    query, shown, places = zip(*rows, strict=True) if rows else ((), (), ())
    return Choices(query=query, shown=shown, places=places)
