"""What a model's answers come to: a grade for each pair, probabilities of grades, and how it went."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
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
from rankgauge.judgments.llm.asking.question import Question
from rankgauge.judgments.pairwise import Choices

INTERRUPTED = "interrupted"
"""Why a session ended that Ctrl-C ended."""


@dataclass(kw_only=True)
class PairAnswers:
    """The answers about one pair so far."""

    answers: list[Answer] = field(default_factory=list)

    @property
    def graded(self) -> list[Answer]:
        """The answers that are grades."""
        return [one for one in self.answers if one.grade is not None]

    @property
    def refused(self) -> int:
        """How many answers were refused."""
        return len(self.answers) - len(self.graded)

    def chances(self, grades: Sequence[float], samples: int) -> list[float]:
        """The probability of each grade: the mean of the answers' own, or its share of the first `samples` answers."""
        used = self.graded[:samples]
        each = [one.chances or tuple(float(grade == one.grade) for grade in grades) for one in used]
        return [sum(column) / len(used) for column in zip(*each, strict=True)]


def likeliest(grades: Sequence[float], chances: Sequence[float]) -> float:
    """Return the most probable grade; of equals the one nearest to the mean, then the lower."""
    mean = sum(grade * chance for grade, chance in zip(grades, chances, strict=True))
    ranked = zip(grades, chances, strict=True)
    return min(ranked, key=lambda one: (-round(one[1], 9), abs(one[0] - mean), one[0]))[0]


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """The grades that a model gave, and what they took.

    `frame` has the columns query, document, grade, p_0, p_1 … (one for each grade, if there were several answers or
    log-probabilities) and samples (how many answers the row rests on). Pairs without a grade are not in it.
    """

    frame: pl.DataFrame
    choices: Choices | None = None
    """What the model said of lists of documents, if it compared them; `frame` has the worths that were fitted to it."""
    noun: str = "pair"
    """What is counted: pairs, windows of long texts, or lists of documents."""
    pairs: int
    cached: int
    """How many pairs had all their answers before, a grade among them."""
    graded: int
    """How many answers of this session are grades."""
    requests: int
    """How many requests were sent in this session, tries that failed included."""
    refused: int
    """How many pairs have no grade because the model's answers were in no agreed form."""
    refusals: int
    """How many answers were refused."""
    failed: int
    """How many pairs the endpoint did not answer; they are asked again next time."""
    left: int
    """How many pairs were not asked: the session was stopped, or a cap reached."""
    tokens_in: int
    tokens_out: int
    cost: float | None
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
    """What decided the grades."""

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
            file.write((json.dumps(self.provenance.told(self), indent=2, ensure_ascii=False) + "\n").encode())


def best_windows(frame: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """Keep the best graded window of each document; a document with a window that has no grade is left out."""
    keys = ["query", "document"]
    wanted = windows.group_by(keys).agg(windows=pl.len())
    best = pl.col("grade").arg_max()
    kept = frame.group_by(keys, maintain_order=True).agg(pl.exclude("samples").get(best), pl.len(), pl.sum("samples"))
    return (
        kept.join(wanted, on=keys, maintain_order="left")
        .filter(pl.col("len") == pl.col("windows"))
        .drop("len", "windows")
    )


def graded_frame(pairs: pl.DataFrame, tallies: Sequence[PairAnswers], question: Question) -> pl.DataFrame:
    """Return the rows of the pairs that have a grade."""
    grades, rows = question.prompt.grades, []
    names = [f"p_{grade:g}" for grade in grades]
    for (query, document), tally in zip(pairs.select("query", "document").iter_rows(), tallies, strict=True):
        if tally.graded:
            chances = tally.chances(grades, question.samples)
            number = min(len(tally.graded), question.samples)
            rows.append((query, document, likeliest(grades, chances), *chances, number))
    kinds = dict.fromkeys(["query", "document"], pl.String) | dict.fromkeys(["grade", *names], pl.Float64)
    frame = pl.DataFrame(rows, schema=kinds | {"samples": pl.Int64}, orient="row")
    if all(float(grade).is_integer() for grade in grades):
        frame = frame.with_columns(pl.col("grade").cast(pl.Int64))
    return frame.with_columns(pl.col(names).round(6)) if question.has_chances else frame.drop(names)


SAME = ("model", "prompt_sha256", "parameters")
"""What tells the grades of one question from those of another."""


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What decided a file's grades, and what they took."""

    model: str
    prompt_name: str
    prompt_sha256: str
    prompt: dict[str, Any]
    parameters: dict[str, Any]
    url: str
    written: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    rankgauge: str = rankgauge.__version__
    model_as_reported: list[str] = field(default_factory=list)
    pairs: int = 0
    cached: int = 0
    """How many pairs were answered before, at a cost that is not counted here."""
    graded: int = 0
    refused: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None

    @classmethod
    def from_question(cls, question: Question, url: str) -> Provenance:
        """Describe a question before it is asked."""
        asked, words = question.prompt, question.prompt.words
        prompt: dict[str, Any] = {"role": words.role, "template": words.template}
        prompt["grades"] = [list(level) for level in asked.scale.levels]
        if asked.examples:
            prompt["examples"] = [[one.query, one.document, one.grade] for one in asked.examples]
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

    def told(self, asked: Asked) -> dict[str, Any]:
        """Return everything that is known of grades after they were asked for."""
        names = ("pairs", "cached", "refused", "tokens_in", "tokens_out", "cost")
        totals = {name: getattr(asked, name) for name in names}
        return asdict(self) | totals | {"graded": len(asked.frame), "model_as_reported": sorted(asked.models)}

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
        cost = 1000 * float(held["cost"]) / (int(held["graded"]) - int(held["cached"]))
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
