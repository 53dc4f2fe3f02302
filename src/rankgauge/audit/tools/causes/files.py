"""Causes in what tools read and how they calculate: lines, assessors, fractions, the precision of numbers."""

from __future__ import annotations

from rankgauge.audit.tools.cause import Cause

PRECISION = Cause(
    name="precision",
    fields=("single_precision",),
    subject="the precision of scores",
    setting=lambda dialect, measure, conditions: (
        f"scores are compared as {32 if dialect.single_precision else 64}-bit numbers"
    ),
    advice="Keep scores apart in 32 bits",
    why="Scores that differ from the eighth digit on are ties in tools that keep 32 bits; write scores that differ "
    "earlier.",
    place=70,
).register()


ARITHMETIC = Cause(
    name="arithmetic",
    fields=("single_arithmetic", "decimals"),
    subject="the precision of sums and quotients",
    setting=lambda dialect, measure, conditions: (
        f"values and means are {32 if dialect.single_arithmetic else 64}-bit numbers"
        + ("" if dialect.decimals is None else f", values rounded to {dialect.decimals} decimals")
    ),
    advice="Compare no more than five digits",
    why="Some tools add up in 32 bits, which changes the digits after these.",
    place=80,
).register()


FRACTIONS = Cause(
    name="fractions",
    fields=("fractional",),
    subject="fractional grades",
    advice="Write grades as whole numbers",
    why="A grade such as 1.5, or 1 written as 1.0, is not a grade to every tool.",
    place=140,
).register()


DUPLICATES = Cause(
    name="duplicates",
    subject="documents that are listed twice in a query",
    advice="List each document once in a query",
    why="Of a document that is listed twice, some tools take the last line, others count every line as a document.",
    place=150,
).register()


GROUPING = Cause(
    name="grouping",
    subject="queries whose lines are not together",
    advice="Keep the lines of a query together",
    why="If they are split up, some tools see several queries.",
    place=160,
).register()


ORDER = Cause(
    name="order",
    subject="what puts the documents of a run in order",
    advice="Let ranks and scores say the same",
    why="Some tools order a run by its scores, others by the ranks that it states.",
    place=175,
).register()


ASSESSORS = Cause(
    name="assessors",
    subject="how assessors are combined",
    advice="Combine the grades of several assessors first",
    why="Tools that are given more than one grade for a document each combine them differently.",
    place=190,
).register()
