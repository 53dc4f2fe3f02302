"""Screens for a terminal: the lists of measures, dialects and formats, and a card for each."""

from __future__ import annotations

import re
from typing import TextIO

from rankgauge import dialects as _dialects
from rankgauge import files
from rankgauge.evaluation.notes import lowest_relevant
from rankgauge.files.scales import SCALES
from rankgauge.judgments.llm.asking.prompt import PROMPTS
from rankgauge.labelling.label_format import LABEL_FORMATS, LabelFormat
from rankgauge.measures import FAMILIES, MEASURES, Measure, parse
from rankgauge.reference import descriptions
from rankgauge.render.format import FORMATS
from rankgauge.render.formulas import readable
from rankgauge.render.numbers import number
from rankgauge.render.table import Column, ReportTable
from rankgauge.render.terminal import Screen, bold


def measures(stream: TextIO) -> None:
    """List every measure: its family, name and title."""
    out = Screen(stream)
    rows = [(family, kind.facts.name, kind.facts.title) for family in FAMILIES for kind in descriptions.kinds(family)]
    strong = frozenset((line, 1) for line in range(len(rows)))
    columns = (Column("family", once=True), "measure", "title")
    out.table(ReportTable(columns=columns, rows=rows, strong=strong))
    _hint(out, "rankgauge measures show nDCG", "shows one with its formula and a worked example")


def measure(name: str, stream: TextIO) -> None:
    """Show a measure's card."""
    kind = _kind(name)
    out = Screen(stream)
    facts = kind.facts
    out.show(f"{bold(facts.name)}  {facts.title}\n")
    known = [("what", descriptions.plain(kind.__doc__ or "")), ("formula", readable(facts.formula))]
    out.pairs(
        [*known, ("reference", facts.reference), ("family", descriptions.family(kind)), *descriptions.traits(kind)]
    )
    out.show(f"\n{bold('parameters')}")
    out.pairs([(f"  {n}", f"{words} (default: {default})") for n, default, words in descriptions.parameters(kind)])
    for example in facts.examples:
        value = f"{example.value} = {number(descriptions.example_value(example))}"
        out.show(f"\n{bold('example')}  {example.measure}")
        out.pairs([("  list", descriptions.example_list(example)), ("  value", value)])


def dialects(stream: TextIO) -> None:
    """List every dialect: its name and title."""
    out = Screen(stream)
    out.pairs([(known.name, known.title) for known in _dialects.DIALECTS.values()])
    _hint(out, "rankgauge dialects show trec_eval", "shows how one differs from standard")


def dialect(name: str, stream: TextIO) -> None:
    """Show how a dialect differs from standard; for standard itself, every choice."""
    known = _dialects.get(name)
    out = Screen(stream)
    out.show(f"{bold(known.name)}  {known.title}\n{known.reference}\n")
    differences = list(descriptions.differences(known))
    if not differences:
        out.pairs([(subject, descriptions.setting(known, field)) for field, subject in descriptions.SETTINGS.items()])
        return
    rows = [((subject, here), ("", f"standard: {there}"), ("", "")) for subject, here, there in differences]
    told = [("still differs", words) for words in known.differs]
    told += [("printed", descriptions.describe_printing(known))] if known.printed else []
    told += [("measures", had)] if (had := descriptions.measures(known)) else []
    out.pairs([*(row for group in rows for row in group), *told])


def formats(stream: TextIO) -> None:
    """List the formats of files that are read, those of results, and those of labels in active evaluation."""
    out = Screen(stream)
    out.show(f"{bold('read')} (recognised by their first lines; packed with gzip, bzip2, xz or zstd as well)")
    out.pairs([(f"  {known.name}", known.title) for known in files.FORMATS.values()])
    out.show(f"\n{bold('written')} (-o NAME, or -o FILE with such an ending)")
    out.pairs([(f"  {known.name}", f"{known.title} ({', '.join(known.endings)})") for known in FORMATS.values()])
    out.show(f"\n{bold('labels')} (rankgauge active next writes tasks, rankgauge active record reads labels)")
    out.pairs([(f"  {known.name}", f"{known.title} ({_direction(known)})") for known in LABEL_FORMATS.values()])
    _hint(out, "rankgauge formats scales", "lists the words for grades that --scale knows")


def scales(stream: TextIO) -> None:
    """List the scales of grades: their words, what each is worth, which are relevant, and where they come from."""
    out = Screen(stream)
    rows = []
    for known in SCALES.values():
        levels = ", ".join(f"{label}={grade:g}" for label, grade in known.levels)
        relevant = [] if known.rel is None else [("", f"{lowest_relevant(known.rel)} counts as relevant")]
        rows += [(known.name, levels), *relevant, ("", known.reference)]
    out.pairs(rows)
    _hint(out, "--scale NAME", "gives words these grades; --scale good=2,fair=1,bad=0 is one of your own")


def prompts(stream: TextIO) -> None:
    """List the prompts for language models that judge."""
    out = Screen(stream)
    out.pairs([(known.name, known.title) for known in PROMPTS.values()])
    _hint(out, "rankgauge judge prompts show NAME", "shows a prompt and where it comes from")


def prompt(name: str, stream: TextIO) -> None:
    """Show a prompt for language models that judge: its source, its role and its template."""
    known = PROMPTS.find(name)
    out = Screen(stream)
    out.show(f"{bold(known.name)}  {known.title}\n{known.source}\n")
    out.show(
        "".join(
            f"--- {role} ---\n{text}\n\n" for role, text in (("system", known.role), ("user", known.template)) if text
        ).rstrip()
    )


def _direction(known: LabelFormat) -> str:
    endings = ", ".join(known.endings)
    return endings if known.write else f"{endings}; labels only"


def _kind(name: str) -> type[Measure]:
    """Return the measure, also where the name has parameters or a cutoff."""
    bare = re.split(r"[(@]", name, maxsplit=1)[0].strip()
    return MEASURES[bare] if bare in MEASURES else type(parse(name))


def _hint(out: Screen, command: str, words: str) -> None:
    out.show(f"\n{bold(command)} {words}.")
