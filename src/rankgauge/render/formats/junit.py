"""junit: the verdicts of a gate as the XML that CI servers show as tests: worse is a failure, undecided is skipped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TextIO
from xml.etree import ElementTree

from rankgauge.render.format import ReportFormat

if TYPE_CHECKING:
    from rankgauge.comparison.report import ComparisonReport

OUTCOMES = {"worse": "failure", "undecided": "skipped"}
"""The element for each verdict; a test that passes has none."""

_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-�\U00010000-\U0010ffff]")
"""Characters that XML cannot hold."""


def write(report: ComparisonReport, stream: TextIO) -> None:
    """A test for each measure and run, each segment, and each floor."""
    cases = report.cases()
    outcomes = [OUTCOMES.get(case.verdict) for case in cases]
    counts = {"tests": len(cases), "failures": outcomes.count("failure"), "errors": 0}
    counts["skipped"] = outcomes.count("skipped")
    numbers = {name: str(count) for name, count in counts.items()}
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "rankgauge", **numbers})
    for case, outcome in zip(cases, outcomes, strict=True):
        named = {"classname": f"rankgauge.{case.group}", "name": _text(case.name)}
        test = ElementTree.SubElement(suite, "testcase", named)
        if outcome:
            ElementTree.SubElement(test, outcome, {"message": _text(f"{case.verdict}: {case.words}")})
        else:
            ElementTree.SubElement(test, "system-out").text = _text(case.words)
    ElementTree.indent(root)
    stream.write('<?xml version="1.0" encoding="utf-8"?>\n')
    stream.write(ElementTree.tostring(root, encoding="unicode") + "\n")


def _text(words: str) -> str:
    return _FORBIDDEN.sub("�", words)


JUNIT = ReportFormat(
    name="junit", title="the gate's verdicts as JUnit's XML", endings=(".xml",), needs="cases", write=write
).register()
