"""paragraph: what may be published, in whole sentences: the figures, what they rest on, and what they do not say."""

from __future__ import annotations

from typing import TextIO

from rankgauge.render.format import Report, ReportFormat


def write(report: Report, stream: TextIO) -> None:
    """The paragraph as one line of text, to be set as you like."""
    stream.write(report.paragraph() + "\n")


PARAGRAPH = ReportFormat(
    name="paragraph", title="a paragraph to publish, in whole sentences", needs="paragraph", write=write
).register()
