"""prefs: preferences as trec_eval reads them (`-R prefs`): query, group, subgroup, document, level.

    1  judge1  A  doc1  2.0        within a subgroup, a document of a higher level is preferred

A group is what one assessor says, and its subgroups are the sets of documents that were compared. Measures of
preferences read such a file; to any other measure it says nothing.
"""

from __future__ import annotations

import itertools
from collections import Counter
from graphlib import CycleError, TopologicalSorter

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, lines
from rankgauge.files.format import Format, Head, Kind, is_number
from rankgauge.files.formats.prels import is_prels, is_sampled
from rankgauge.files.lines import BLANK, FIRST, START, WORD
from rankgauge.files.source import Source
from rankgauge.policies import JudgmentKind

_GAP = f"{BLANK}+"
_PREFS = (
    rf"{START}(?<query>{FIRST}){_GAP}(?<subtopic>{WORD}+{_GAP}{WORD}+){_GAP}(?<document>{WORD}+){_GAP}"
    rf"(?<grade>{WORD}+){BLANK}*$",
    "five fields: query, group, subgroup, document, level",
)


def is_prefs(head: Head) -> bool:
    """Whether a document's name stands where a run has the rank, or lines share what would be a run's document."""
    if len(head.fields) < 2 or any(len(fields) != 5 for fields in head.fields):
        return False
    if is_prels(head) or is_sampled(head):
        return False
    if any(fields[1].lower() == "q0" or not is_number(fields[4]) for fields in head.fields):
        return False
    named = not any(is_number(fields[3]) for fields in head.fields)
    shared = max(Counter((fields[0], fields[2]) for fields in head.fields).values()) > 1
    return named or (shared and len({tuple(fields[:4]) for fields in head.fields}) == len(head.fields))


def _read(source: Source) -> pl.DataFrame:
    """The levels by group and subgroup, which together name the facet."""
    found = lines.read(source, JUDGMENTS, *_PREFS)
    found = found.with_columns(pl.col("subtopic").str.replace_all(r"\s+", " "))
    _refuse_circles(found, source)
    return found


def _refuse_circles(found: pl.DataFrame, source: Source) -> None:
    """An error if what a group says in its subgroups prefers a document to itself; it names the group and the query."""
    group = pl.col("subtopic").str.split(" ").list.first()
    several = found.filter(pl.col("subtopic").n_unique().over("query", group) > 1)
    for (query, name), rows in several.group_by("query", group.alias("group"), maintain_order=True):
        circle = _circle(rows)
        if circle:
            raise InputError(
                f"the preferences of group {name} for query {query} contradict each other: {' over '.join(circle)}",
                path=source.name,
                hint="Contradictions between people are fine: give each of them a group.",
            )


def _circle(rows: pl.DataFrame) -> list[str]:
    """Documents that are preferred to one another in a circle; none if there is no such."""
    graph: TopologicalSorter[str | tuple[object, ...]] = TopologicalSorter()
    for subgroup, told in rows.group_by("subtopic", maintain_order=True):
        levels = told.group_by("grade").agg("document").sort("grade", descending=True).rows()
        for (_, better), (level, worse) in itertools.pairwise(levels):
            graph.add((*subgroup, level), *better)  # a step between two levels, in place of all their pairs
            for document in worse:
                graph.add(document, (*subgroup, level))
    try:
        graph.prepare()
    except CycleError as error:
        documents = [node for node in error.args[1] if isinstance(node, str)]
        return documents if documents[0] == documents[-1] else [*documents, documents[0]]
    return []


def _refuse(source: Source) -> pl.DataFrame:
    raise InputError(
        "contains preferences (query, group, subgroup, document, level), which only measures of preferences use",
        path=source.name,
        hint="Evaluate by -m Prefs, or as trec_eval does by -m prefs; or give graded judgments: query 0 document grade",
    )


PREFS = Format(
    name="prefs",
    title="preferences of trec_eval",
    suffixes=(".prefs", ".qrels", ".qrel"),
    recognise=lambda head: (Kind.JUDGMENTS,) if is_prefs(head) else (),
    sureness=2,
    read_judgments=_refuse,
    readers={JudgmentKind.PREFERENCES: _read},
    locate=lines.locate,
).register()
