"""What a model's answers come to: a grade for each pair, probabilities of grades, and how it went."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

import rankgauge
from rankgauge import files
from rankgauge.errors import InputError, RankGaugeError
from rankgauge.files.output import writing
from rankgauge.files.reading import written_format
from rankgauge.judgments.llm.asking.answers import Answer
from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.judgments.llm.asking.question import Question
from rankgauge.judgments.pairwise import Choices

INTERRUPTED = "interrupted"
"""Why a session ended that Ctrl-C ended."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """The grades that a model gave, and what they took.

    `frame` has the columns query, document, grade, p_0, p_1 … (one for each grade, if there were several answers or
    log-probabilities) and samples (how many answers the row rests on); pairs without a grade are not in it. If the
    model compared documents, `choices` are what it said, and `frame` has the worths that were fitted to it.

    Of the `pairs` (or what `noun` names: windows of long texts, lists of documents) `cached` had all their answers
    before, a grade among them; `refused` have no grade because the model's answers were in no agreed form, `failed`
    because the endpoint did not answer (they are asked again next time), and `left` because the session ended before.
    Of this session's answers `graded` are grades; `refusals` say why others were refused, or why those of earlier
    sessions were if there are none. `requests` counts tries that failed too.
    """

    frame: pl.DataFrame
    choices: Choices | None = None
    noun: str = "pair"
    pairs: int
    cached: int
    graded: int
    requests: int
    refused: int
    refusals: Sequence[str]
    failed: int
    left: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    whole: Mapping[str, Any]
    """What all answers took, those of earlier sessions too, and what the endpoint called the model."""
    seconds: float
    stopped: str | None = None
    """Why the session ended early, if it did."""
    caps: str = ""
    """How much of the caps is spent, earlier sessions included; empty without caps."""
    error: RankGaugeError | None = None
    """The error that ended it."""
    notes: Sequence[str] = ()
    models: frozenset[str] = frozenset()
    """What the endpoint called the models that answered in this session."""
    faults: Sequence[tuple[str, int]] = ()
    """What went wrong with requests, and how often."""
    provenance: Provenance

    @property
    def has_chances(self) -> bool:
        """Whether the grades come with probabilities."""
        return any(name.startswith("p_") for name in self.frame.columns)

    @property
    def is_complete(self) -> bool:
        """Whether every pair has a grade."""
        return not self.failed and not self.left and not self.refused

    def write(self, path: str | Path) -> None:
        """Write the grades into a file, in the format of its suffix, and beside it where they come from.

        TREC's format has no room for probabilities.
        """
        if self.frame.is_empty():
            raise InputError("there are no grades to write", path=path)
        chosen = written_format(path, None, "write_judgments")
        if chosen.read_table is None or chosen.write_judgments is None:
            files.write_judgments(self.frame, os.fspath(path))
        else:
            with writing(path) as file:
                chosen.write_judgments(self.frame, file)
        with writing(beside(Path(path))) as file:
            told = self.provenance.describe(self) | dict(self.whole)
            file.write((json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode())


def graded_frame(pairs: TextPairs, graded: Sequence[Sequence[Answer]], question: Question) -> pl.DataFrame:
    """Return the rows of the pairs that have a grade: the most probable by their answers' own chances, or shares."""
    grades, rows, keys = question.prompt.grades, [], ["query", "document"]
    names = [f"p_{grade:g}" for grade in grades]
    for (query, document), used in zip(pairs.frame.select(keys).iter_rows(), graded, strict=True):
        if used:
            each = [one.chances or tuple(float(grade == one.grade) for grade in grades) for one in used]
            likely = [(sum(column) / len(used), grade) for grade, *column in zip(grades, *each, strict=True)]
            mean = sum(grade * chance for chance, grade in likely)
            # Of equally probable grades the one nearest to the mean, then the lower.
            best = min((-round(chance, 9), abs(grade - mean), grade) for chance, grade in likely)[2]
            rows.append((query, document, best, *(chance for chance, _ in likely), len(used)))
    kinds = dict.fromkeys(keys, pl.String) | dict.fromkeys(["grade", *names], pl.Float64)
    frame = pl.DataFrame(rows, schema=kinds | {"samples": pl.Int64}, orient="row")
    if all(float(grade).is_integer() for grade in grades):
        frame = frame.with_columns(pl.col("grade").cast(pl.Int64))
    frame = frame.with_columns(pl.col(names).round(6)) if question.has_chances else frame.drop(names)
    if not pairs.windows:
        return frame
    # The best window of a document counts; a document with a window that has no grade is left out.
    best, wanted = pl.col("grade").arg_max(), pairs.frame.group_by(keys).agg(windows=pl.len())
    kept = frame.group_by(keys, maintain_order=True).agg(pl.exclude("samples").get(best), pl.len(), pl.sum("samples"))
    whole = kept.join(wanted, on=keys, maintain_order="left").filter(pl.col("len") == pl.col("windows"))
    return whole.drop("len", "windows")


SAME = ("model", "prompt_sha256", "parameters")
"""What tells the grades of one question from those of another."""


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What decided a file's grades."""

    model: str
    prompt_name: str
    prompt_sha256: str
    prompt: dict[str, Any]
    parameters: dict[str, Any]
    url: str

    @classmethod
    def from_question(cls, question: Question, url: str) -> Provenance:
        """Describe a question before it is asked."""
        asked, words = question.prompt, question.prompt.words
        prompt: dict[str, Any] = {"role": words.role, "template": words.template}
        prompt["grades"] = [list(level) for level in asked.scale.levels]
        if asked.examples:
            prompt["examples"] = [[example.query, example.document, example.grade] for example in asked.examples]
        written = json.dumps(prompt, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
        named = ["temperature", "samples", "logprobs", "answer_tokens", "form", "answer", *["images"] * question.images]
        parameters = {name: getattr(question, name) for name in named}
        return cls(
            model=question.model,
            prompt_name=words.name,
            prompt_sha256=hashlib.sha256(written).hexdigest(),
            prompt=prompt,
            parameters={**parameters, "extra": dict(question.extra)},
            url=url.partition("?")[0],
        )

    def describe(self, asked: Asked) -> dict[str, Any]:
        """Return everything that is known of grades after they were asked for."""
        made = {"written": datetime.now(UTC).isoformat(timespec="seconds"), "rankgauge": rankgauge.__version__}
        counts = {"model_as_reported": sorted(asked.models), "pairs": asked.pairs, "cached": asked.cached}
        counts |= {"graded": len(asked.frame), "refused": asked.refused}
        taken = {"tokens_in": asked.tokens_in, "tokens_out": asked.tokens_out, "cost": asked.cost}
        return {**vars(self), **made, **counts, **taken}

    def check(self, grades: Path) -> None:
        """Refuse to overwrite a file of grades that another model gave, or that another prompt or parameters led to."""
        if not beside(grades).is_file() or not grades.exists():
            return
        former = former_provenance(grades)
        differing = next((name for name in SAME if former.get(name) != getattr(self, name)), None)
        if differing is not None:
            what = f"the model {former.get('model')}" if differing == "model" else "another prompt or other parameters"
            problem, hint = f"holds grades from {what}, which would be overwritten", "Name another file with -o, or"
            raise InputError(problem, path=grades, hint=f"{hint} delete this one first.")


def shown_examples(grades: Path) -> list[tuple[str, str]]:
    """Return the pairs that the model behind a file of grades was shown as examples, by the file's provenance."""
    try:
        examples = former_provenance(grades)["prompt"].get("examples", ())
        return [(str(query), str(document)) for query, document, _ in examples]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []


def cost_of_thousand(grades: Path) -> float | None:
    """Return what a thousand graded pairs cost, by the file's provenance; None if it does not say."""
    held = former_provenance(grades)
    try:
        cost = 1000 * float(held["cost"]) / int(held["graded"])
        return cost if cost >= 0 else None  # windows and lists are counted otherwise than documents
    except (ValueError, KeyError, TypeError, ZeroDivisionError):
        return None


def former_provenance(grades: Path) -> dict[str, Any]:
    """Return what the file beside a file of grades says of them; nothing if there is none that can be read."""
    try:
        held = json.loads(beside(grades).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


def beside(grades: Path) -> Path:
    """Return the path of the provenance of a file of grades."""
    return grades.with_name(grades.name + ".provenance.json")
