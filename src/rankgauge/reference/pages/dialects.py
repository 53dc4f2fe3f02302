"""docs/dialects.md: every dialect, and how it differs from standard."""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.reference import descriptions
from rankgauge.render.formats.md import table
from rankgauge.render.table import ReportTable

HEAD = """# Dialects

Two tools give one ranking two numbers, because each settles in its own way what the papers leave open. A dialect is
one tool's way, said field by field: `rankgauge evaluate … --dialect trec_eval` computes as trec_eval does. Single
choices can be overruled: `--ties expected`, or `evaluate(…, dialect="trec_eval", ties="expected")`. What each choice
means is in [policies](policies.md).
"""


def page() -> str:
    """The page."""
    known = dialects.DIALECTS
    first = known["standard"]
    others = [dialect for dialect in known.values() if dialect is not first]
    return "\n".join([HEAD, *_standard(first), *("\n".join(_dialect(dialect)) for dialect in others)])


def _standard(dialect: Dialect) -> Iterator[str]:
    yield _title(dialect)
    rows = [
        (subject, f"`{name}`", descriptions.setting(dialect, name)) for name, subject in descriptions.SETTINGS.items()
    ]
    yield table(ReportTable(columns=("choice", "setting", "standard"), rows=rows))


def _dialect(dialect: Dialect) -> Iterator[str]:
    yield _title(dialect)
    yield table(ReportTable(columns=("choice", dialect.name, "standard"), rows=[*descriptions.differences(dialect)]))
    if dialect.differs:
        yield f"The tool still differs: {' '.join(dialect.differs)}\n"
    if dialect.printed:
        yield _printed(dialect)
    if measures := descriptions.measures(dialect):
        yield f"Its measures: {measures}. Others are computed by the standard definition, and a note says so.\n"


def _title(dialect: Dialect) -> str:
    return f"## {dialect.name}\n\n{dialect.title}. Reference: {dialect.reference}.\n"


def _printed(dialect: Dialect) -> str:
    names = ", ".join(f"`{printed.name}`" for printed in dialect.printed)
    formats = " or ".join(dict.fromkeys(printed.number.words for printed in dialect.printed))
    return f"The names that it prints with `-m all`, in its order: {names}. Its numbers have {formats}.\n"
