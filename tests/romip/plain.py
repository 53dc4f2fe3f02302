"""A second implementation of ROMIP's appendix: plain loops over files that Python's own XML parser reads.

It shares no code with the package; the tests compare the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

GRADES = {"vital": 3, "relevant-plus": 2, "relevant-minus": 1, "notrelevant": 0, "cantbejudged": 0}
LEVELS = {"relevant-minus": 1, "relevant-plus": 2, "vital": 3}

Grades = dict[str, dict[str, float]]
Lists = dict[str, list[str]]


def assessed(folder: Path) -> dict[str, dict[str, list[int]]]:
    """Query → document → the grades that the assessors gave, from a file per assessor."""
    found: dict[str, dict[str, list[int]]] = {}
    for path in sorted(folder.iterdir()):
        for task in ElementTree.parse(path).getroot():
            for document in task:
                grades = found.setdefault(task.attrib["id"], {}).setdefault(document.attrib["id"], [])
                grades.append(GRADES[document.attrib["relevance"]])
    return found


def tables(judged: dict[str, dict[str, list[int]]]) -> dict[str, Grades]:
    """The six binary tables and the graded one, without queries that have nothing relevant."""
    rules: dict[str, Callable[[list[int]], float]] = {"graded": lambda grades: sum(grades) / len(grades)}
    for level, least in LEVELS.items():
        rules[f"and_{level}"] = lambda grades, least=least: float(all(grade >= least for grade in grades))
        rules[f"or_{level}"] = lambda grades, least=least: float(any(grade >= least for grade in grades))
    made: dict[str, Grades] = {}
    for name, rule in rules.items():
        whole = {query: {d: rule(grades) for d, grades in docs.items()} for query, docs in judged.items()}
        made[name] = {query: docs for query, docs in whole.items() if max(docs.values()) > 0}
    return made


def run(path: Path) -> Lists:
    """Query → documents in their order, of either year's form."""
    found: Lists = {}
    for doclist in ElementTree.parse(path).getroot().iter("doclist"):
        task = doclist.attrib.get("taskID") or doclist.findtext("taskID")
        assert task is not None
        found[task] = [element.text or "" for element in doclist.iter("docID")]
    return found


def binary(judged: dict[str, float], ranked: list[str], cutoffs: tuple[int, ...]) -> dict[str, float]:
    """Every binary metric of one query."""
    relevant = {d for d, grade in judged.items() if grade > 0}
    a = sum(d in relevant for d in ranked)
    b, c = len(ranked) - a, len(relevant) - a
    d = sum(1 for document in judged if document not in relevant and document not in ranked)
    p, r = (a / (a + b) if ranked else 0.0), a / (a + c)
    values = {
        "recall": r,
        "precision": p,
        "accuracy": (a + d) / (a + b + c + d),
        "error": (b + c) / (a + b + c + d),
        "F-measure": 2 / (1 / p + 1 / r) if p > 0 and r > 0 else 0.0,
        "R-precision": sum(x in relevant for x in ranked[: len(relevant)]) / len(relevant),
        "bpref": _bpref(judged, ranked, len(relevant)),
        "bpref-10": _bpref(judged, ranked, len(relevant) + 10),
    }
    for n in cutoffs:
        values[f"precision({n})"] = sum(x in relevant for x in ranked[:n]) / n
    places = [place for place, x in enumerate(ranked, start=1) if x in relevant]
    values["average precision"] = sum(k / place for k, place in enumerate(places, start=1)) / len(relevant)
    values["ReciprocalRank"] = 1 / places[0] if places else 0.0
    values["TrecReciprocalRank"] = (
        dict(enumerate([1, 0.5, 0.33, 0.2, 0.1], start=1)).get(places[0], 0.0) if places else 0.0
    )
    values["RomipReciprocalRank"] = max(11 - places[0], 0) / 10 if places else 0.0
    return values


def _bpref(judged: dict[str, float], ranked: list[str], counted: int) -> float:
    worth, before = 0.0, 0
    for document in ranked:
        if judged.get(document, 0) > 0:
            worth += 1 - min(before, counted) / counted
        elif document in judged:
            before += 1
    return worth / sum(grade > 0 for grade in judged.values())


def curve(judged: dict[str, float], ranked: list[str]) -> list[float | None]:
    """The greatest precision from the least n with recall ≥ 0, .1, …, 1 on; None where the level is not reached."""
    relevant = {d for d, grade in judged.items() if grade > 0}
    found = [sum(x in relevant for x in ranked[:n]) for n in range(len(ranked) + 1)]
    points: list[float | None] = []
    for tenth in range(11):
        enough = [n for n in range(len(found)) if Fraction(found[n], len(relevant)) >= Fraction(tenth, 10)]
        precisions = [found[n] / n for n in enough if n > 0]
        points.append(max(precisions, default=0.0) if enough else None)
    return points


def graded(judged: dict[str, float], ranked: list[str], cutoffs: tuple[int, ...]) -> dict[str, float]:
    """Every graded metric of one query."""
    grades = [judged.get(d, 0.0) for d in ranked]
    best = sorted(judged.values(), reverse=True)
    values = {}
    for mark, shift in (("", 2), (" 1+p", 1)):
        for n in cutoffs:
            values[f"Graded_DCG@{n}{mark}"] = _dcg(grades[:n], shift)
            values[f"Graded_NDCG@{n}{mark}"] = _dcg(grades[:n], shift) / _dcg(best[:n], shift)
    look, found = 1.0, 0.0
    going, expected = 1.0, 0.0
    for place, grade in enumerate(grades, start=1):
        relevant = 0.5 * 2 ** (grade - 3) if grade > 0 else 0.0
        found += look * relevant
        look *= (1 - relevant) * (1 - 0.15)
        stop = (2**grade - 1) / 2**3
        expected += going * stop / place
        going *= 1 - stop
    return values | {"PFound": found, "Graded Mean Reciprocal Rank": expected}


def _dcg(grades: list[float], shift: int) -> float:
    return sum((2**grade - 1) / math.log2(shift + p) for p, grade in enumerate(grades, start=1))


def mean(values: list[float]) -> float:
    """The plain mean."""
    return math.fsum(values) / len(values)


def decisions(a: int, b: int, c: int, d: int) -> dict[str, float]:
    """The metrics of a 2×2 table."""
    p, r = (a / (a + b) if a + b else 0.0), (a / (a + c) if a + c else 0.0)
    return {
        "recall": r,
        "precision": p,
        "accuracy": (a + d) / (a + b + c + d),
        "error": (b + c) / (a + b + c + d),
        "F-measure": 2 / (1 / p + 1 / r) if p > 0 and r > 0 else 0.0,
    }


def classes_2007(path: Path) -> tuple[dict[str, set[str]], set[str]]:
    """Category → documents, and all documents."""
    found: dict[str, set[str]] = {}
    root = ElementTree.parse(path).getroot()
    for document in root:
        for topic in document:
            found.setdefault(topic.text or "", set()).add(document.attrib["name"])
    return found, {document.attrib["name"] for document in root}


def classes_2008(path: Path) -> dict[str, set[str]]:
    """Category → documents."""
    root = ElementTree.parse(path).getroot()
    return {doclist.attrib["topicID"]: {element.text or "" for element in doclist} for doclist in root}


def averages(squares: list[tuple[int, int, int, int]], metric: str) -> dict[str, float]:
    """A metric on the sum of 2×2 tables and its mean over them."""
    whole = decisions(*(sum(square[k] for square in squares) for k in range(4)))
    return {"micro": whole[metric], "macro": mean([decisions(*square)[metric] for square in squares])}
