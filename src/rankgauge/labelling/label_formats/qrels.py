"""qrels: TREC's judgments, a line each: query, iteration, document, grade.

An iteration is a number, or Q0, and says nothing. Words in its place are assessors, as in the file assessors.txt that a
judging room exports.
"""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge.errors import InputError
from rankgauge.files.source import Source
from rankgauge.labelling.label_format import LabelFormat
from rankgauge.labelling.labels import Exported, Label, LabelKind

FIELDS = 4
ITERATION = "q0"
"""What runs have in the second field, and some qrels."""


def _read(source: Source, assessor: str) -> Iterator[list[Label]]:
    for line, text in enumerate(source.text().split("\n"), start=1):
        fields = text.split()
        if not fields or text.lstrip().startswith("#"):
            continue
        if len(fields) != FIELDS:
            raise InputError(
                "expected query, iteration, document and grade",
                path=source.name,
                line=line,
                text=text,
                hint="Labels may also be CSV with a header, JSON lines, or an export of Label Studio.",
            )
        query, second, document, grade = fields
        named = second.casefold() != ITERATION and any(map(str.isalpha, second))
        label = Label(
            query=query,
            document=document,
            grade=grade,
            assessor=second if named else assessor,
            exported=Exported(person=None, kind=LabelKind.GRADE, shown=True) if named else None,
            line=line,
            text=text.rstrip("\r"),
        )
        yield [label]


QRELS = LabelFormat(
    name="qrels",
    title="TREC qrels",
    endings=(".qrels",),
    place=9,  # any file may be qrels: the last resort
    recognise=lambda head: True,
    read=_read,
).register()
