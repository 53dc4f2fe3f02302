"""The parts of reference pages that registries give, written anew: `python -m rankgauge.reference.reference docs`."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rankgauge import dialects, policies
from rankgauge.dialects import Dialect
from rankgauge.files import FORMATS, Kind
from rankgauge.files.reading import written_format
from rankgauge.judgments import RULES
from rankgauge.measures import FAMILIES, Measure
from rankgauge.measures.names import AT_RANK, MEANINGS, MEANINGS_AT_RANK, OTHER_NAMES
from rankgauge.policies import Policy
from rankgauge.reference import descriptions
from rankgauge.reference.api import describe_names
from rankgauge.render.formats import md
from rankgauge.render.numbers import number
from rankgauge.render.table import ReportTable

FAMILY_WORDS = {
    "set": "Set measures: what was retrieved, whatever its order",
    "binary": "Binary measures: a document is relevant or not",
    "graded": "Graded measures: a higher grade is worth more",
    "cascade": "Cascade measures: a user reads down and stops when satisfied",
    "scalefree": "Scale-free measures: all grades times a factor give the same value",
    "diversity": "Diversity measures: documents are judged for each subtopic of the query",
    "preferences": "Measures of preferences: documents are compared with each other, in groups",
    "sampled": "Estimates from a sample: a part of each stratum of the pool is judged",
}


def table(rows: Iterable[Iterable[str]], *columns: str) -> str:
    """Write rows as a table in Markdown."""
    return md.table(ReportTable(columns=columns, rows=[tuple(row) for row in rows]))


def list_measures() -> str:
    """Describe every measure, under the heading of its family."""
    parts = []
    for family in FAMILIES:
        if kinds := descriptions.kinds(family):
            parts += [f"## {FAMILY_WORDS[family]}\n", *(part for kind in kinds for part in _measure(kind))]
    return "\n".join(parts)


def _measure(kind: type[Measure]) -> Iterator[str]:
    facts = kind.facts
    yield f"### {facts.name}\n\n**{facts.title}.** {descriptions.plain(kind.__doc__ or '')}\n"
    yield f"$$\n{facts.formula}\n$$\n"
    yield f"{facts.reference}.\n"
    yield table(descriptions.traits(kind), "trait", "")
    parameters = [(f"`{name}`", default, words) for name, default, words in descriptions.parameters(kind)]
    yield table(parameters, "parameter", "default", "meaning")
    examples = [
        (
            f"`{example.measure}`",
            descriptions.example_list(example),
            f"`{example.value}` = {number(descriptions.example_value(example))}",
        )
        for example in facts.examples
    ]
    yield table(examples, "worked example", "list", "value")


def list_other_names() -> str:
    """List the names that other tools give to measures, those with several meanings first."""
    meanings: dict[str, list[str]] = {}
    for name, meant in (*MEANINGS.items(), *((f"{name}@k", meant) for name, meant in MEANINGS_AT_RANK.items())):
        words = " or ".join(f"`{ours}` ({words})" for ours, words in meant.items()).format(k="k")
        meanings.setdefault(words, []).append(f"`{name}`")
    names: dict[str, list[str]] = {}
    for theirs, ours in (*OTHER_NAMES.items(), *((f"{name}@k", f"{ours}@k") for name, ours in AT_RANK.items())):
        names.setdefault(f"`{ours}`", []).append(f"`{theirs}`")
    ambiguous = table(((", ".join(known), words) for words, known in meanings.items()), "name", "may be")
    others = table(((ours, ", ".join(known)) for ours, known in names.items()), "measure", "also called")
    return f"{ambiguous}\nThe other names, without signs and in small letters:\n\n{others}"


def list_dialects() -> str:
    """Describe every dialect: standard by all of its choices, any other by how it differs."""
    known = dialects.DIALECTS
    standard = known["standard"]
    settings = [
        (subject, f"`{name}`", descriptions.setting(standard, name)) for name, subject in descriptions.SETTINGS.items()
    ]
    parts = [_title(standard), table(settings, "choice", "setting", "standard")]
    others = (dialect for dialect in known.values() if dialect is not standard)
    return "\n".join([*parts, *(part for dialect in others for part in _dialect(dialect))])


def _title(dialect: Dialect) -> str:
    return f"## {dialect.name}\n\n{dialect.title}. Reference: {dialect.reference}.\n"


def _dialect(dialect: Dialect) -> Iterator[str]:
    yield _title(dialect)
    yield table(descriptions.differences(dialect), "choice", dialect.name, "standard")
    if dialect.differs:
        yield f"The tool still differs: {' '.join(dialect.differs)}\n"
    if dialect.printed:
        names = ", ".join(f"`{printed.name}`" for printed in dialect.printed)
        formats = descriptions.number_formats(dialect)
        yield f"The names that it prints with `-m all`, in its order: {names}. Its numbers have {formats}.\n"
    if measures := descriptions.measures(dialect):
        yield f"Its measures: {measures}. Others are computed by the standard definition, and a note says so.\n"


def list_policies() -> str:
    """Describe every policy, in the order of their file: its choices, and the dialects that made each."""
    kinds = [kind for kind in vars(policies).values() if isinstance(kind, type) and issubclass(kind, Policy)]
    parts = []
    for kind in kinds[1:]:  # the first is Policy itself
        rows = []
        for choice in kind:  # policies are strings too, and `zero` is a choice of several: hence `is`
            users = [d.name for d in dialects.DIALECTS.values() if any(value is choice for value in vars(d).values())]
            rows.append((f"`{choice.value}`", choice.words, ", ".join(users)))
        parts.append(f"## {(kind.__doc__ or '').rstrip('.')}\n\n{table(rows, 'choice', 'means', 'the way of')}")
    return "\n".join(parts)


def list_rules() -> str:
    """List the rules that combine the grades of several assessors."""
    return table(((f"`{rule.name}`", rule.words) for rule in RULES.values()), "rule", "gives")


def list_formats() -> str:
    """List the formats of files, then show a sample of each."""
    rows, parts = [], []
    for form in sorted(FORMATS.values(), key=lambda form: form.name):
        read = {"judgments": form.read_judgments, "runs": form.read_run or form.read_pair}
        endings = form.suffixes if form.write_judgments else ()
        written = [f"`{end}`" for end in endings if written_format(f"file{end}", None, "write_judgments") is form]
        link, reads = f"[`{form.name}`](#{form.name.replace(' ', '-')})", ", ".join(filter(read.get, read))
        rows.append((link, form.title, reads, ", ".join(written)))
        parts.append(f"### {form.name}\n\n{form.title[:1].upper()}{form.title[1:]}.\n")
        for sample in form.samples:
            holds = "judgments" if sample.kind is Kind.JUDGMENTS else "run"
            fence = "json" if sample.text.lstrip().startswith(("{", "[")) else "text"
            title = f"{sample.title[:1].upper()}{sample.title[1:]} ({holds}):"
            parts.append(f"{title}\n\n```{fence}\n{sample.text.rstrip()}\n```\n")
    return "\n".join(["## Formats\n", table(rows, "format", "files", "read", "written"), *parts])


def list_commands() -> str:
    """Show the whole help of every command."""
    return "\n".join(f"## {name}\n\n```text\n{text}\n```\n" for name, text in command_helps())


def command_helps(command: Any = None) -> Iterator[tuple[str, str]]:
    """Yield the name and the whole help text of a command and of all below it; by default of every command."""
    # The command line is a layer above this one; its texts are looked up when the page is made, not imported.
    asked = command or importlib.import_module("rankgauge.cli.command").ROOT
    yield asked.path, importlib.import_module("rankgauge.cli.help").help_text(asked, whole=True, width=80)
    for child in asked.children().values():
        yield from command_helps(child)


PAGES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "measures.md": {"names": list_other_names, "measures": list_measures},
    "dialects.md": {"dialects": list_dialects},
    "policies.md": {"policies": list_policies, "rules": list_rules},
    "cli.md": {"commands": list_commands},
    "api.md": {"names": describe_names},
    "formats.md": {"formats": list_formats},
}
"""By page the parts between marks of that name; the rest of a page is written by people."""


def update(name: str, text: str) -> str:
    """Return the text of a page with its parts made anew."""
    for part, make in PAGES[name].items():
        text = replace_part(text, part, make().strip("\n") + "\n")
    return text


def replace_part(text: str, name: str, made: str) -> str:
    """Return the text with the part of that name, between `<!-- name -->` and `<!-- /name -->`, as it was made."""
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    return marked.sub(lambda marks: f"{marks[1]}\n{made}\n{marks[2]}", text)


if __name__ == "__main__":
    for path in (Path(sys.argv[1] if len(sys.argv) > 1 else "docs") / name for name in PAGES):
        path.write_text(update(path.name, path.read_text(encoding="utf-8")), encoding="utf-8")
        print(path)
