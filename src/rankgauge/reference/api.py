"""The names of `rankgauge` for Python, with their types, docstrings and examples, for docs/api.md."""

from __future__ import annotations

import enum
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Evaluate and compare": ("evaluate", "Result", "compare", "Comparison", "score_arrays", "audit", "plot"),
    "Measures and dialects": ("measure", "define", "Measure", "dialect", "Dialect", "Ties"),
    "Fuse runs": ("fuse", "tune_fusion", "fusion_gain"),
    "Files": ("read_judgments", "read_run", "read_letor", "write_judgments", "write_run", "scale"),
    "Several assessors": ("agreement", "combine", "binarise"),
    "How alike rankings are": ("kendall_tau", "tau_ap", "rbo"),
    "Errors": ("RankGaugeError", "InputError", "ParameterError", "UnknownNameError", "MissingExtraError"),
}
"""The public names by what a reader wants to do; a test asks that each name is here."""


def describe_names() -> str:
    """Describe every public name, in its section."""
    package = importlib.import_module("rankgauge")
    parts = []
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        # Not by getattr: once it is imported, the package rankgauge.audit hides the function of its name.
        parts += [_entry(name, package.__getattr__(name)) for name in names]
    return "\n".join(parts)


def _entry(name: str, thing: Any) -> str:
    """Describe one public name: its signature, its docstring, and the members of a class."""
    lines = [f"### rankgauge.{name}", ""]
    if inspect.isfunction(thing):
        lines += ["```py", _signature(name, thing), "```", ""]
    lines += [_prose(inspect.getdoc(thing) or ""), ""]
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        lines += [*_members(thing), ""]
    return "\n".join(lines)


def _signature(name: str, function: Any) -> str:
    """Write a function's signature over as many lines as it needs."""
    signature = inspect.signature(function)
    parameters = [_parameter(parameter) for parameter in signature.parameters.values()]
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parameters.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    returned = f" -> {signature.return_annotation}"
    line = f"{name}({', '.join(parameters)}){returned}"
    if len(line) <= 100:
        return line
    return f"{name}(\n" + "".join(f"    {parameter},\n" for parameter in parameters) + f"){returned}"


def _parameter(parameter: inspect.Parameter) -> str:
    """Write a parameter with its type and its default."""
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
    default = parameter.default
    if default is inspect.Parameter.empty:
        return f"{stars}{parameter.name}: {parameter.annotation}"
    shown = repr(default.value if isinstance(default, enum.Enum) else default)
    return f"{parameter.name}: {parameter.annotation} = {shown}"


def _prose(docstring: str) -> str:
    """Write a docstring as Markdown: its examples become fenced blocks."""
    blocks = re.split(r"\n\n+", docstring)
    return "\n\n".join(_block(block) for block in blocks)


def _block(block: str) -> str:
    """Fence a block that is an example; leave a paragraph as it is."""
    plain = textwrap.dedent(block)
    if plain.startswith(">>>"):
        return f"```pycon\n{plain}\n```"
    return f"```py\n{plain}\n```" if block.startswith("    ") else block


def _members(cls: type) -> Iterator[str]:
    """List the public properties and methods of a class, or the values of an enumeration."""
    if issubclass(cls, enum.Enum):
        yield "Values: " + ", ".join(f"`{member.value}`" for member in cls) + "."
        return
    yield "| | |"
    yield "|---|---|"
    for name, member in inspect.getmembers_static(cls):
        if not name.startswith("_") and (words := _first_sentence(member)):
            call = "" if isinstance(member, (property, cached_property)) else "()"
            yield f"| `{name}{call}` | {words} |"


def _first_sentence(member: Any) -> str:
    """Return the first paragraph of a member's docstring on one line; empty for what is not a property or a method."""
    if not isinstance(member, (property, cached_property, classmethod, staticmethod)) and not inspect.isfunction(
        member
    ):
        return ""
    paragraph = (inspect.getdoc(member) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).replace("|", "\\|")
