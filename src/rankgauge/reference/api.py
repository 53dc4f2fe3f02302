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
    parameters = []
    for parameter in signature.parameters.values():
        stars, default = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, ""), parameter.default
        shown = repr(default.value if isinstance(default, enum.Enum) else default)
        given = "" if default is inspect.Parameter.empty else f" = {shown}"
        parameters.append(f"{stars}{parameter.name}: {parameter.annotation}{given}")
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parameters.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    returned = f" -> {signature.return_annotation}"
    line = f"{name}({', '.join(parameters)}){returned}"
    if len(line) <= 100:
        return line
    return f"{name}(\n" + "".join(f"    {parameter},\n" for parameter in parameters) + f"){returned}"


def _prose(docstring: str) -> str:
    """Write a docstring as Markdown: its examples become fenced blocks."""
    blocks = re.split(r"\n\n+", docstring)
    for place, block in enumerate(blocks):
        plain = textwrap.dedent(block)
        if plain.startswith(">>>") or block.startswith("    "):
            blocks[place] = f"```{'pycon' if plain.startswith('>>>') else 'py'}\n{plain}\n```"
    return "\n\n".join(blocks)


def _members(cls: type) -> Iterator[str]:
    """List the public properties and methods of a class, or the values of an enumeration."""
    if issubclass(cls, enum.Enum):
        yield "Values: " + ", ".join(f"`{member.value}`" for member in cls) + "."
        return
    yield "| | |"
    yield "|---|---|"
    properties, methods = (property, cached_property), (classmethod, staticmethod)
    for name, member in inspect.getmembers_static(cls):
        if not name.startswith("_") and (isinstance(member, (*properties, *methods)) or inspect.isfunction(member)):
            paragraph = (inspect.getdoc(member) or "").partition("\n\n")[0]
            if words := " ".join(paragraph.split()).replace("|", "\\|"):
                yield f"| `{name}{'' if isinstance(member, properties) else '()'}` | {words} |"
