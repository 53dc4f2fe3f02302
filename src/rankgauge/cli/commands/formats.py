"""rankgauge formats: the files that are read and written, the scales of their grades, and prompts for judges."""

from __future__ import annotations

import sys

from rankgauge.cli import choices
from rankgauge.cli.command import command, group


def list_formats() -> None:
    """Every format with its title."""
    from rankgauge.reference import screens

    screens.formats(sys.stdout)


group(
    "formats",
    "List the formats of files that are read and written, the scales of grades, or the prompts for judges.",
    "rankgauge formats",
    "rankgauge formats scales",
    place=120,
    alone=list_formats,
    page="formats.md",
)


@command("formats scales", "rankgauge formats scales", page="formats.md")
def scales() -> None:
    """List the scales that --scale knows, each with its words and their grades."""
    from rankgauge.reference import screens

    screens.scales(sys.stdout)


@command("formats prompts", "rankgauge formats prompts", "rankgauge formats prompts umbrela", page="llm-judge.md")
def prompts(
    name: str | None = choices.argument(
        "PROMPT", "The prompt to show.", "rankgauge.judgments.llm.asking.prompt:PROMPTS", required=False
    ),
) -> None:
    """List the prompts that `judge --prompt` knows, or show one with its source."""
    from rankgauge.reference import screens

    screens.prompts(sys.stdout) if name is None else screens.prompt(name, sys.stdout)
