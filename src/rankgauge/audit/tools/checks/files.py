"""Checks of a LETOR file: queries in one piece, features that say something."""

from __future__ import annotations

from rankgauge.audit.tools.check import Check, Finding, Subject


def _torn(subject: Subject) -> Finding | None:
    if subject.lines is None:
        return None
    query = subject.lines.rows["query"]
    opened = query.filter((query != query.shift(1)).fill_null(True))
    torn = opened.filter(opened.is_duplicated()).unique(maintain_order=True)
    return Finding.of_queries(torn, opened.n_unique())


TORN = Check(
    name="torn",
    place=170,
    title="queries whose lines are not together",
    effect="RankLib begins a new list at each change of the query, so one query counts as several; the others collect "
    "its lines.",
    find=_torn,
).register()


def _features(subject: Subject, names: tuple[int, ...]) -> Finding:
    assert subject.lines is not None
    shown = tuple(str(name) for name in names[:10])
    return Finding(count=len(names), of=len(subject.lines.features), things="features", examples=shown)


CONSTANT = Check(
    name="constant",
    place=180,
    title="features with one value in the whole file",
    effect="They tell no documents apart; a ranker that is scored by one of them ties everything.",
    find=lambda subject: None if subject.lines is None else _features(subject, subject.lines.constant),
).register()

IDLE = Check(
    name="idle",
    place=190,
    title="features that never differ within a query",
    effect="They describe the query, not the document: alone they rank nothing.",
    find=lambda subject: None if subject.lines is None else _features(subject, subject.lines.idle),
).register()
