"""Screens for a terminal: the lists of measures, dialects and formats, and a card for each."""

from __future__ import annotations

import re
from typing import TextIO

from rich.console import Console

from rankgauge import dialects as _dialects
from rankgauge import io
from rankgauge.active.label_format import LABEL_FORMATS, LabelFormat
from rankgauge.measures import FAMILIES, MEASURES, Measure
from rankgauge.measures.names import unknown
from rankgauge.report import descriptions
from rankgauge.report.format import FORMATS
from rankgauge.report.formulas import readable
from rankgauge.report.numbers import number
from rankgauge.report.terminal import console, escaped, pairs, ruled


def measures(stream: TextIO) -> None:
    """Every measure: its family, name and title."""
    out = console(stream)
    table = ruled("family", "measure", "title")
    for family in FAMILIES:
        for place, kind in enumerate(descriptions.kinds(family)):
            table.add_row("" if place else family, f"[bold]{kind.facts.name}[/bold]", escaped(kind.facts.title))
    out.print(table)
    _hint(out, "rankgauge measures show nDCG", "shows one with its formula and a worked example")


def measure(name: str, stream: TextIO) -> None:
    """A measure's card."""
    kind = _kind(name)
    out = console(stream)
    facts = kind.facts
    out.print(f"[bold]{facts.name}[/bold]  {escaped(facts.title)}\n")
    known = [("what", descriptions.plain(kind.__doc__ or "")), ("formula", readable(facts.formula))]
    pairs(
        [*known, ("reference", facts.reference), ("family", descriptions.family(kind)), *descriptions.traits(kind)], out
    )
    out.print("\n[bold]parameters[/bold]")
    pairs([(f"  {n}", f"{words} (default: {default})") for n, default, words in descriptions.parameters(kind)], out)
    for example in facts.examples:
        value = f"{example.value} = {number(descriptions.example_value(example))}"
        out.print(f"\n[bold]example[/bold]  {escaped(example.measure)}")
        pairs([("  list", descriptions.example_list(example)), ("  value", value)], out)


def dialects(stream: TextIO) -> None:
    """Every dialect: its name and title."""
    out = console(stream)
    pairs([(known.name, known.title) for known in _dialects.DIALECTS.values()], out)
    _hint(out, "rankgauge dialects show trec_eval", "shows how one differs from standard")


def dialect(name: str, stream: TextIO) -> None:
    """How a dialect differs from standard; for standard itself, every choice."""
    known = _dialects.get(name)
    out = console(stream)
    out.print(f"[bold]{known.name}[/bold]  {escaped(known.title)}\n{escaped(known.reference)}\n")
    differences = list(descriptions.differences(known))
    if not differences:
        pairs([(subject, descriptions.setting(known, field)) for field, subject in descriptions.SETTINGS.items()], out)
        return
    rows = [((subject, here), ("", f"standard: {there}"), ("", "")) for subject, here, there in differences]
    told = [("printed", descriptions.printed(known))] if known.printed else []
    pairs([*(row for group in rows for row in group), *told], out)


def formats(stream: TextIO) -> None:
    """The formats of files that are read, those of results, and those of labels in active evaluation."""
    out = console(stream)
    out.print("[bold]read[/bold] (recognised by their first lines; packed with gzip, bzip2, xz or zstd as well)")
    pairs([(f"  {known.name}", known.title) for known in io.FORMATS.values()], out)
    out.print("\n[bold]written[/bold] (-o NAME, or -o FILE with such an ending)")
    pairs([(f"  {known.name}", f"{known.title} ({', '.join(known.endings)})") for known in FORMATS.values()], out)
    out.print("\n[bold]labels[/bold] (rankgauge active next writes tasks, rankgauge active record reads labels)")
    pairs([(f"  {known.name}", f"{known.title} ({_direction(known)})") for known in LABEL_FORMATS.values()], out)


def _direction(known: LabelFormat) -> str:
    endings = ", ".join(known.endings)
    return endings if known.write else f"{endings}; labels only"


def _kind(name: str) -> type[Measure]:
    """The measure, also where the name has parameters or a cutoff."""
    bare = re.split(r"[(@]", name, maxsplit=1)[0].strip()
    if bare not in MEASURES:
        raise unknown(name)
    return MEASURES[bare]


def _hint(out: Console, command: str, words: str) -> None:
    out.print(f"\n[bold]{command}[/bold] {words}.")
