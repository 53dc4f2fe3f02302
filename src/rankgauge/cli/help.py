"""Texts for --help: examples and the choices of a policy."""

from __future__ import annotations

from rankgauge.policies import Policy

__all__ = ["choices", "example"]


def example(*commands: str) -> str:
    """The commands as the last paragraph of a help text, each on its own line."""
    head = "Example:" if len(commands) == 1 else "Examples:"
    return "\b\n" + "\n".join([head, *(f"  {command}" for command in commands)])


def choices(policy: type[Policy]) -> str:
    """The names of a policy's choices."""
    return ", ".join(member.value for member in policy)
