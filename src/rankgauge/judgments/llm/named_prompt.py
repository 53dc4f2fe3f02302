"""The contract of a prompt with a name: its words, where they come from, and what it needs of the endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rankgauge.errors import InputError
from rankgauge.judgments import Scale
from rankgauge.judgments.llm.asking.prompt import Prompt
from rankgauge.registry import Registered, Registry

PROMPTS: Registry[NamedPrompt] = Registry("prompt", "rankgauge.judgments.llm.prompts")


@dataclass(frozen=True, kw_only=True)
class NamedPrompt(Registered):
    """A prompt that is asked for by name."""

    registry: ClassVar[Registry[NamedPrompt]] = PROMPTS

    name: str
    title: str
    source: str
    """Where the method was published, and whose words these are."""
    template: str
    role: str | None = None
    answer_tokens: int = 32
    """How much room its answers need."""
    example: str = "{grade}"
    """The form of an answer, for examples."""
    compares: int = 0
    """How many documents are shown to be compared; 0: one is shown to be graded."""

    def prompt(self, scale: Scale) -> Prompt:
        """Return the prompt with the grades of a scale."""
        return Prompt(template=self.template, scale=scale, role=self.role, compares=self.compares, example=self.example)


def find_prompt(name: str | Path | None, scale: Scale) -> Prompt:
    """Return the prompt of that name, or in that file; the standard one if there is none."""
    if name is None or str(name) in PROMPTS:
        return PROMPTS[str(name or "standard")].prompt(scale)
    if not Path(name).exists():
        hint = f"Name a file, or one of {', '.join(PROMPTS)}."
        raise InputError("there is neither a prompt nor a file of that name", path=name, hint=hint)
    return Prompt.read(name, scale)
