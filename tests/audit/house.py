"""Dialects made for the tests of the audit."""

from __future__ import annotations

from dataclasses import replace

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.policies import LEAVE_OUT, IdealPool, MissingQuery, NegativeGrade, ShortList, Ties, Unjudged

STANDARD = dialects.get("standard")
LETOR = replace(STANDARD, name="like letor", gain="letor", discount="letor", short=ShortList.ZERO, ties=Ties.INPUT)
RANKLIB = replace(STANDARD, name="like ranklib", gain="exp", ties=Ties.INPUT, negative=NegativeGrade.KEEP)
YAHOO = replace(RANKLIB, name="like yahoo", discount="ln", empty=1.0)
GDEVAL = replace(STANDARD, name="like gdeval", gain="exp", ties=Ties.DOCID, empty=LEAVE_OUT, missing=MissingQuery.SKIP)
POOLED = replace(STANDARD, name="pooled", ideal=IdealPool.RETRIEVED, unjudged=Unjudged.SKIP, ties=Ties.WORST, depth=12)
HOUSE = (STANDARD, LETOR, RANKLIB, YAHOO, GDEVAL, POOLED)
"""Dialects that together differ in every field that can move a mean of nDCG."""


def every() -> tuple[Dialect, ...]:
    """All dialects that there are, and those of this file."""
    return (*HOUSE, *(dialect for dialect in dialects.DIALECTS.values() if dialect != STANDARD))
