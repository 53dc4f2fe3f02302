"""qrels: TREC's judgments, a line each: query, iteration, document, grade. The iteration is ignored."""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge.errors import InputError
from rankgauge.files.source import Source
from rankgauge.labelling.label_format import LabelFormat
from rankgauge.labelling.labels import Label

FIELDS = 4


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
        query, _, document, grade = fields
        text = text.rstrip("\r")
        yield [Label(query=query, document=document, grade=grade, assessor=assessor, line=line, text=text)]


QRELS = LabelFormat(
    name="qrels",
    title="TREC qrels",
    endings=(".qrels",),
    place=9,  # any file may be qrels: the last resort
    recognise=lambda head: True,
    read=_read,
).register()
