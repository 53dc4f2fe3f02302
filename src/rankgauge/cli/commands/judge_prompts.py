"""rankgauge judge prompts: the prompts that a judge may be asked by, and the words of each."""

from __future__ import annotations

import sys

from rankgauge.cli import choices
from rankgauge.cli.command import command, group

group(
    "judge prompts",
    "List the prompts that `judge --prompt` knows, or show one.",
    "rankgauge judge prompts",
    "rankgauge judge prompts show umbrela",
    alone="prompts",
    page="llm-judge.md#prompts",
)


@command("judge prompts show", "rankgauge judge prompts show umbrela", "rankgauge judge prompts show rubric")
def show(
    name: str = choices.argument("PROMPT", "The prompt to show.", "rankgauge.judgments.llm.asking.prompt:PROMPTS"),
) -> None:
    """Show a prompt: where it comes from, and its words."""
    from rankgauge.reference import screens

    screens.prompt(name, sys.stdout)
