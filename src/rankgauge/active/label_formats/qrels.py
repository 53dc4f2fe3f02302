"""qrels: TREC's judgments, a line each: query, iteration, document, grade. The iteration is ignored."""

from __future__ import annotations

from rankgauge.active.label_format import LabelFile, LabelFormat
from rankgauge.active.labels import Label
from rankgauge.errors import InputError
from rankgauge.io.source import Source

FIELDS = 4


def _read(source: Source, assessor: str) -> LabelFile:
    labels = []
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
        labels.append(
            Label(query=query, document=document, grade=grade, assessor=assessor, line=line, text=text.rstrip("\r"))
        )
    return LabelFile(labels=tuple(labels))


QRELS = LabelFormat(
    name="qrels",
    title="TREC qrels",
    endings=(".qrels",),
    place=9,  # any file may be qrels: the last resort
    recognise=lambda head: True,
    read=_read,
).register()
