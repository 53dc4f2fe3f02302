"""What the tools of learning to rank printed, and what we give for the same files."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgauge.errors import InputError
from rankgauge.evaluation.result import Result
from rankgauge.evaluation.topic_lines import ALL, lines
from tests.engines import Evaluate
from tests.golden import CASES, Case, printed
from tests.shared import shared

Expected = dict[tuple[str, str], str]
LEARNING = [case for case in CASES if (case.path / "input.txt").exists()]
"""The cases that have files for the tools of learning to rank."""

cases = pytest.mark.parametrize("case", LEARNING, ids=str)
FEATURE = 40
"""The feature of MQ2008 that its golden values rank by."""


def letor_files(case: Case) -> tuple[Path, Path]:
    """A LETOR file and its scores."""
    return case.path / "input.txt", case.path / "scores.txt"


def letor_inputs() -> list[tuple[Path, Path]]:
    """The LETOR files of all cases."""
    return [letor_files(case) for case in LEARNING]


def yahoo_files(case: Case) -> tuple[Path, Path]:
    """Labels and ranks."""
    return case.path / "yahoo_labels.txt", case.path / "yahoo_ranks.txt"


def queries(path: Path) -> list[str]:
    """The queries of a LETOR file, in the order of their first lines."""
    return list(dict.fromkeys(line.split()[1].removeprefix("qid:") for line in path.read_text().splitlines()))


def golden(case: Case, tool: str) -> Expected | None:
    """What the tool printed; None where it refused the files."""
    expected = case.expected(tool)[""]
    return None if ("-", "ERROR") in expected else expected


def refuses(evaluate: Evaluate, files: tuple[Path, Path], dialect: str) -> None:
    """The dialect refuses the files that its tool refused."""
    with pytest.raises(InputError):
        evaluate(*files, "all", dialect=dialect)


def texts(result: Result) -> Expected:
    """Every line that we print, in the order in which we print it."""
    return {(line.query, line.measure): line.value for line in lines(result)}


def values(result: Result) -> dict[tuple[str, str], float]:
    """Every value under the tool's names, in full precision."""
    found: dict[tuple[str, str], float] = {}
    for told in result.dialect.printed:
        column = result.matrix[:, result.measures.index(told.measure)]
        found |= {(query, told.name): value for query, value in zip(result.queries, column.tolist(), strict=True)}
        found[ALL, told.name] = result[told.measure]
    return found


def near(expected: Expected) -> dict[tuple[str, str], object]:
    """The expected doubles, to twelve digits."""
    return {key: pytest.approx(float(value), rel=1e-12, abs=0) for key, value in expected.items()}


def mq2008(tool: str) -> Expected:
    """What the tool printed for the first part of MQ2008, ranked by one feature."""
    return printed(shared("golden/mq2008_S1_feature40.expected.tsv.xz"))[tool][""]


def mq2008_files(folder: Path) -> tuple[Path, Path]:
    """The first part of MQ2008, and the scores that the feature gives."""
    source = shared("data/mq2008/S1.txt")
    features = (line.split()[FEATURE + 1] for line in source.read_text().splitlines())
    scores = folder / "scores.txt"
    scores.write_text("".join(feature.partition(":")[2] + "\n" for feature in features))
    return source, scores


def feature_scores(path: Path, folder: Path, feature: int = 1) -> Path:
    """A file of the scores that a feature gives, which is what RankLib ranked by."""
    found = (line.split()[feature + 1].partition(":")[2] for line in path.read_text().splitlines())
    scores = folder / "feature.txt"
    scores.write_text("\n".join(found) + "\n")
    return scores
