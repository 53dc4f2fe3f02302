"""Judgments of five fields: of a sample of the pool (prels), and preferences (prefs).

    sampled qrels   query  iteration  document  stratum  grade          as sample_eval reads them (xinfAP, infNDCG)
    prels           query  document  grade  method  probability         the Million Query and Web tracks' (statAP)
    prefs           query  group  subgroup  document  level             trec_eval -R prefs

Measures that ask for a sample (xinfAP, xinfNDCG, statAP) are told the strata and probabilities; others read the grades
alone, and count what was judged as if it were all. A grade of −1 means that the document is in the pool and was not
judged.

Prels are read as the tracks' script statAP_MQ_eval.pl (versions 3 and 4) reads them. Documents of the methods 0 and 2
were chosen for what they tell of runs, not at random, or both ways: they stand for themselves, with a probability of 1.
A query with documents of method 0 alone has no sample and is left out, and so are lines with the grade −999 or the
probability NA.

In prefs a document of a higher level is preferred within a subgroup. A group is what one assessor says, and its
subgroups are the sets of documents that were compared. Measures of preferences read such a file; to any other measure
it says nothing.
"""

from __future__ import annotations

import itertools
from collections import Counter
from graphlib import CycleError, TopologicalSorter

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, lines
from rankgauge.files.columns import is_number
from rankgauge.files.format import Format, Head, Kind, SampleFile
from rankgauge.files.lines import BLANK, FIRST, START, WORD
from rankgauge.files.source import Source
from rankgauge.input_notes import note
from rankgauge.policies import JudgmentKind

_GAP = f"{BLANK}+"
_SAMPLED = (
    rf"{START}(?<query>{FIRST}){_GAP}{WORD}+{_GAP}(?<document>{WORD}+){_GAP}{WORD}+{_GAP}(?<grade>{WORD}+){BLANK}*$",
    "five fields: query, iteration, document, stratum, grade",
)
_PRELS = (
    rf"{START}(?<query>{FIRST}){_GAP}(?<document>{WORD}+){_GAP}(?<grade>{WORD}+){_GAP}{WORD}+{_GAP}{WORD}+{BLANK}*$",
    "five fields: query, document, grade, method, probability",
)
SAMPLED = "1 0 3824231 1 2\n1 0 3148967 1 0\n1 0 2713445 2 -1\n1 0 3011789 2 1\n"
PRELS = "10002 GX000-00-13923627 0 1 0.4286\n10002 GX000-24-4683027 1 2 1.0\n10002 GX000-43-4801502 0 0 0.0\n"

_GRADES = frozenset(str(grade) for grade in (-999, *range(-2, 11)))
_METHODS = frozenset("01234")

_CHOSEN = ("0", "2")
"""The methods whose documents were not drawn at random, or not only."""

_UNDRAWN = rf"{_GAP}-999{_GAP}{WORD}+{_GAP}{WORD}+{BLANK}*$|{_GAP}NA{BLANK}*$"
"""A line of a document that was not judged, or has no probability."""


def is_sampled(head: Head) -> bool:
    """Say whether the lines are those of sample_eval: a run's ranks would not repeat, and Q0 marks a run."""
    if not _is_five(head) or len({fields[1].lower() for fields in head.fields} - {"q0"}) != 1:
        return False
    graded = all(is_number(fields[4]) for fields in head.fields)
    documents, strata = ({(fields[0], fields[at]) for fields in head.fields} for at in (2, 3))
    return graded and len(strata) < len(documents) == len(head.fields)


def is_prels(head: Head) -> bool:
    """Say whether the lines are those of statAP: a grade, the method that chose the document, and its probability.

    Some probabilities may be above 1: it is for the reader to tell which.
    """
    if not _is_five(head):
        return False
    chances = all(fields[4] == "NA" or (is_number(fields[4]) and float(fields[4]) >= 0) for fields in head.fields)
    marks = chances and all(fields[2] in _GRADES and fields[3] in _METHODS for fields in head.fields)
    shares = sum(fields[4] == "NA" or float(fields[4]) <= 1 for fields in head.fields) if marks else 0
    return 2 * shares >= len(head.fields) and len({(fields[0], fields[1]) for fields in head.fields}) == len(
        head.fields
    )


def _is_five(head: Head) -> bool:
    return len(head.fields) > 1 and all(len(fields) == 5 for fields in head.fields)


_WITH_STRATA = (
    _SAMPLED[0].replace(f"(?<document>{WORD}+){_GAP}{WORD}+", f"(?<document>{WORD}+){_GAP}(?<stratum>{WORD}+)"),
    _SAMPLED[1],
)
_WITH_CHANCES = (_PRELS[0].removesuffix(f"{WORD}+{BLANK}*$") + f"(?<probability>{WORD}+){BLANK}*$", _PRELS[1])


def _read_sample(source: Source) -> pl.DataFrame:
    """Return the judgments with the stratum of each document; of prels, those of one probability are a stratum."""
    if not is_prels(Head(source=source)):
        return lines.read(source, JUDGMENTS, *_WITH_STRATA)
    rows = _drawn_lines(source)
    method = rows["line"].str.extract(rf"({WORD}+){_GAP}{WORD}+{BLANK}*$").alias("method")
    sample = _sample_rows(lines.records(rows, JUDGMENTS, *_WITH_CHANCES, source).with_columns(method), source)
    beyond = sample.filter(~pl.col("probability").is_between(0.0, 1.0))
    if len(beyond):
        row = beyond.row(0, named=True)
        raise InputError(
            f"document {row['document']} of query {row['query']} has a probability of {row['probability']:g}",
            path=source.name,
            hint="The chance to be in the sample is a number from 0 to 1.",
        )
    drawn = pl.col("probability") > 0
    return sample.with_columns(
        stratum=pl.col("probability").cast(pl.String),
        grade=pl.when(drawn).then(pl.col("grade")).otherwise(-1.0),
        probability=pl.when(drawn).then(pl.col("probability")).otherwise(1.0),
    )


def _drawn_lines(source: Source) -> pl.DataFrame:
    """Return the numbered lines of prels, but for documents that were not judged or have no probability."""
    rows = lines.content(source)
    drawn = rows.filter(~pl.col("line").str.contains(_UNDRAWN))
    if left := len(rows) - len(drawn):
        note(f"{left} lines with the grade -999 or the probability NA were left out", source.name)
    return drawn


def _sample_rows(rows: pl.DataFrame, source: Source) -> pl.DataFrame:
    """The judgments of queries of which documents were drawn at random; chosen documents have a probability of 1."""
    sampled = rows.filter((pl.col("method") != _CHOSEN[0]).any().over("query"))
    if left := rows["query"].n_unique() - sampled["query"].n_unique():
        note(f"{left} queries were judged by method 0 alone, which is no sample, and left out", source.name)
    chance = pl.when(pl.col("method").is_in(_CHOSEN)).then(1.0).otherwise("probability")
    return sampled.with_columns(probability=chance).drop("method")


def _read(source: Source) -> pl.DataFrame:
    """Return the judgments alone, of the documents that were drawn."""
    if is_prels(Head(source=source)):
        rows = lines.records(_drawn_lines(source), JUDGMENTS, *_PRELS, source)
        return rows.filter(pl.col("grade") >= 0)
    return lines.read(source, JUDGMENTS, *_WITH_STRATA)


PRELS_FORMAT = Format(
    name="prels",
    title="judgments of a sampled pool: sample_eval's qrels and TREC's prels",
    suffixes=(".prels", ".qrels", ".qrel"),
    recognise=lambda head: (Kind.JUDGMENTS,) if is_sampled(head) or is_prels(head) else (),
    sureness=2,
    read_judgments=_read,
    readers={JudgmentKind.SAMPLES: _read_sample},
    locate=lines.locate,
    samples=(
        SampleFile(title="sampled qrels of sample_eval", kind=Kind.JUDGMENTS, text=SAMPLED),
        SampleFile(title="prels of the Million Query track", kind=Kind.JUDGMENTS, text=PRELS),
    ),
).register()

_PREFS = (
    rf"{START}(?<query>{FIRST}){_GAP}(?<subtopic>{WORD}+{_GAP}{WORD}+){_GAP}(?<document>{WORD}+){_GAP}"
    rf"(?<grade>{WORD}+){BLANK}*$",
    "five fields: query, group, subgroup, document, level",
)


def is_prefs(head: Head) -> bool:
    """Say whether a document's name stands where a run has the rank, or lines share what would be a run's document."""
    if len(head.fields) < 2 or any(len(fields) != 5 for fields in head.fields):
        return False
    if is_prels(head) or is_sampled(head):
        return False
    if any(fields[1].lower() == "q0" or not is_number(fields[4]) for fields in head.fields):
        return False
    named = not any(is_number(fields[3]) for fields in head.fields)
    shared = max(Counter((fields[0], fields[2]) for fields in head.fields).values()) > 1
    return named or (shared and len({tuple(fields[:4]) for fields in head.fields}) == len(head.fields))


def _read_preferences(source: Source) -> pl.DataFrame:
    """Return the levels by group and subgroup, which together name the facet."""
    rows = lines.read(source, JUDGMENTS, *_PREFS)
    rows = rows.with_columns(pl.col("subtopic").str.replace_all(r"\s+", " "))
    _refuse_circles(rows, source)
    return rows


def _refuse_circles(preferences: pl.DataFrame, source: Source) -> None:
    """An error if what a group says in its subgroups prefers a document to itself; it names the group and the query."""
    group = pl.col("subtopic").str.split(" ").list.first()
    several = preferences.filter(pl.col("subtopic").n_unique().over("query", group) > 1)
    for (query, name), rows in several.group_by("query", group.alias("group"), maintain_order=True):
        circle = _circle(rows)
        if circle:
            raise InputError(
                f"the preferences of group {name} for query {query} contradict each other: {' over '.join(circle)}",
                path=source.name,
                hint="Contradictions between people are fine: give each of them a group.",
            )


def _circle(rows: pl.DataFrame) -> list[str]:
    """Return documents that are preferred to one another in a circle; none if there is no such."""
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


def _refuse_preferences(source: Source) -> pl.DataFrame:
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
    read_judgments=_refuse_preferences,
    readers={JudgmentKind.PREFERENCES: _read_preferences},
    locate=lines.locate,
).register()
