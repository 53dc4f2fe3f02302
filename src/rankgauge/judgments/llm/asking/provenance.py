"""Where grades come from: model, prompt, parameters, date and cost, written beside the file of grades.

The file `llm.csv` has its `llm.csv.provenance.json`. With it a file of grades is never overwritten by another model's.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import rankgauge
from rankgauge.errors import InputError
from rankgauge.files.output import writing
from rankgauge.judgments.llm.asking.outcome import Asked
from rankgauge.judgments.llm.asking.question import Question

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
    graded: int = 0
    refused: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None

    @classmethod
    def from_question(cls, question: Question, url: str, prompt_name: str) -> Provenance:
        """Describe a question before it is asked."""
        words = question.prompt
        prompt = {
            "role": words.role,
            "template": words.template,
            "grades": [list(level) for level in words.scale.levels],
            **(
                {"examples": [[one.query, one.document, one.grade] for one in words.examples]} if words.examples else {}
            ),
        }
        written = json.dumps(prompt, sort_keys=True, ensure_ascii=False)
        parameters = {
            "temperature": question.temperature,
            "samples": question.samples,
            "logprobs": question.logprobs,
            "answer_tokens": question.answer_tokens,
            "form": question.form,
            "answer": question.answer,
            "extra": dict(question.extra),
        }
        digest = hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(
            model=question.model,
            prompt_name=prompt_name,
            prompt_sha256=digest,
            prompt=prompt,
            parameters=parameters,
            url=url.partition("?")[0],
        )

    def write(self, grades: Path, asked: Asked) -> None:
        """Write the provenance of a file of grades beside it."""
        totals = {name: getattr(asked, name) for name in ("pairs", "refused", "tokens_in", "tokens_out", "cost")}
        told = asdict(self) | totals | {"graded": len(asked.frame), "model_as_reported": sorted(asked.models)}
        with writing(beside(grades)) as file:
            file.write((json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode())

    def check(self, grades: Path) -> None:
        """Refuse to overwrite a file of grades that another model gave, or that another prompt or parameters led to."""
        if not beside(grades).is_file() or not grades.exists():
            return
        try:
            former = json.loads(beside(grades).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            former = {}
        mine = asdict(self)
        differing = next((name for name in SAME if former.get(name) != mine[name]), None)
        if differing is None:
            return
        what = f"the model {former.get('model')}" if differing == "model" else "another prompt or other parameters"
        raise InputError(
            f"holds grades from {what}, which would be overwritten",
            path=grades,
            hint="Name another file with -o, or delete this one first.",
        )


def shown_examples(grades: Path) -> list[tuple[str, str]]:
    """Return the pairs that the model behind a file of grades was shown as examples, by the file's provenance."""
    try:
        held = json.loads(beside(grades).read_text(encoding="utf-8"))
        return [(str(query), str(document)) for query, document, _ in held["prompt"].get("examples", ())]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def beside(grades: Path) -> Path:
    """Return the path of the provenance of a file of grades."""
    return grades.with_name(grades.name + ".provenance.json")
