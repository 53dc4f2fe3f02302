"""Causes in the lines of a file: documents that are listed twice, queries that are torn apart."""

from __future__ import annotations

from rankgauge.audit.advice import same_on_any_data
from rankgauge.audit.cause import Cause, policy

__all__ = ["DUPLICATES", "GROUPING"]


DUPLICATES = Cause(
    name="duplicates",
    fields=("duplicates",),
    subject="documents that are listed twice in a query",
    setting=policy("duplicates"),
    remedy=same_on_any_data(
        "List each document once in a query",
        "Of a document that is listed twice, some tools take the last line, others count every line as a document.",
    ),
    place=150,
).register()


GROUPING = Cause(
    name="grouping",
    fields=("grouping",),
    subject="queries whose lines are not together",
    setting=policy("grouping"),
    remedy=same_on_any_data(
        "Keep the lines of a query together",
        "If they are torn apart, some tools see several queries.",
    ),
    place=160,
).register()
