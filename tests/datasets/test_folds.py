"""Folds: which parts each trains on, validates on and is tested on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankgauge.demo.folds import CYCLE, folds_of, read_folds
from rankgauge.errors import InputError
from rankgauge.files.formats.letor import FeatureTable
from tests.shared import shared

PLAN = "Fold\tTraining.txt\tValidation.txt Test.txt\nFold1\tS1, S2, S3\tS4\tS5\nFold2\tS5, S4, S3\tS2\tS1\n"


def parts(folder: Path) -> Path:
    """A folder of five parts; part n has one query, n, with n documents."""
    for n in range(1, 6):
        lines = [f"{place % 2} qid:{n} 1:{n} 2:{place} #docid = d{n}-{place}\n" for place in range(n)]
        (folder / f"S{n}.txt").write_text("".join(lines))
    return folder


def queries(data: FeatureTable) -> list[str]:
    """The queries of the documents, each once."""
    return list(dict.fromkeys(data.queries))


def test_letor_folds(tmp_path: Path) -> None:
    """Without folds.txt a fold trains on three parts, validates on the fourth and tests on the fifth, in a circle."""
    folds = read_folds(parts(tmp_path))
    assert [fold.name for fold in folds] == [f"Fold{n}" for n in range(1, 6)]
    assert [queries(fold.test) for fold in folds] == [["5"], ["1"], ["2"], ["3"], ["4"]]
    assert [queries(fold.validation) for fold in folds] == [["4"], ["5"], ["1"], ["2"], ["3"]]
    assert queries(folds[3].train) == ["4", "5", "1"]
    assert folds[3].train.matrix[:, 0].tolist() == [4] * 4 + [5] * 5 + [1]


def test_plan_in_a_file(tmp_path: Path) -> None:
    """folds.txt decides where it is there."""
    (parts(tmp_path) / "folds.txt").write_text(PLAN)
    first, second = read_folds(tmp_path)
    assert [queries(data) for data in (first.train, first.validation, first.test)] == [["1", "2", "3"], ["4"], ["5"]]
    assert [queries(data) for data in (second.train, second.validation, second.test)] == [["5", "4", "3"], ["2"], ["1"]]


def test_folders_of_folds(tmp_path: Path) -> None:
    """Fold1 to Fold5 hold their three sets as files; a feature that a set does not name is 0 in it."""
    for n in range(1, 6):
        (tmp_path / f"Fold{n}").mkdir()
        for name, features in (("train", "1:1 3:2"), ("vali", "1:1"), ("test", "2:1")):
            (tmp_path / f"Fold{n}" / f"{name}.txt").write_text(f"1 qid:{n} {features}\n")
    folds = read_folds(tmp_path)
    assert len(folds) == 5
    assert folds[0].train.matrix.tolist() == [[1, 0, 2]]
    assert folds[0].validation.matrix.tolist() == [[1, 0, 0]]
    assert folds[0].test.matrix.tolist() == [[0, 1, 0]]


@pytest.mark.parametrize(
    ("plan", "words"),
    [("Fold1 S1 S2 S3 S4\n", r"folds\.txt:1: .*Fold1"), ("Fold1 S1 S2 S3 S4 S6\n", ":1:"), ("nothing\n", "no line")],
)
def test_broken_plans(tmp_path: Path, plan: str, words: str) -> None:
    """A plan that does not name five parts for each fold is refused with its line."""
    (parts(tmp_path) / "folds.txt").write_text(plan)
    with pytest.raises(InputError, match=words):
        read_folds(tmp_path)


def test_missing_files(tmp_path: Path) -> None:
    """A folder without the parts or a fold without its files is refused, with what is expected."""
    with pytest.raises(InputError, match=r"S1\.txt[\s\S]*Fold1 to Fold5"):
        read_folds(tmp_path)
    (tmp_path / "Fold1").mkdir()
    with pytest.raises(InputError, match=r"train\.txt: is not there"):
        read_folds(tmp_path)


def test_every_query_is_tested_once() -> None:
    """On MQ2008 the folds test 784 queries, each once, and train on none that they test."""
    folds = read_folds(shared("data/mq2008"))
    tested = [query for fold in folds for query in queries(fold.test)]
    assert len(tested) == len(set(tested)) == 784
    for fold in folds:
        sets = [set(queries(data)) for data in (fold.train, fold.validation, fold.test)]
        assert len(set.union(*sets)) == sum(map(len, sets)) == 784


def test_cycle() -> None:
    """Each part is tested once, validated on once and trained on three times."""
    assert sorted(plan[-1] for plan in CYCLE) == sorted(plan[-2] for plan in CYCLE) == [1, 2, 3, 4, 5]
    assert np.bincount([part for plan in CYCLE for part in plan[:3]]).tolist() == [0, 3, 3, 3, 3, 3]
    assert len(folds_of([FeatureTable(np.zeros(1), np.array(["q"]), np.array(["d"]), np.zeros((1, 1)))] * 5)) == 5
