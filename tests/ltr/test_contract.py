"""What every ranker keeps to; a new file in `ltr` is tested here without a line more."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankgauge import dialects, training
from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.training import Documents, Ranker
from rankgauge.training.objective import Objective
from rankgauge.training.ranker import RelevanceModel
from tests.ltr.small import small

TRAIN, HELD = small(seed=0), small(seed=1, queries=6)


def made(name: str, **parameters: Any) -> Ranker:
    """The ranker with parameters that make it learn in a moment."""
    kind = training.get(name)
    return kind(**{**kind.quick, **parameters})


def learned(name: str, **parameters: Any) -> Ranker:
    """The ranker after it has learned from the small set."""
    return made(name, **parameters).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, validation=tuple(HELD))


every = pytest.mark.parametrize("name", training.RANKERS)


@pytest.fixture
def routing() -> Iterator[None]:
    """scikit-learn hands metadata on for the length of a test."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_names() -> None:
    """A ranker is found by its name, its class's name, and with either hyphen; a near miss is answered with names."""
    assert training.get("coordinate-ascent") is training.get("coordinate_ascent") is training.CoordinateAscent
    assert training.get("AdaRank").name == "adarank"
    with pytest.raises(UnknownNameError, match="Did you mean adarank"):
        training.get("adarnk")
    with pytest.raises(AttributeError):
        _ = training.NoRanker


@every
def test_parameters(name: str) -> None:
    """Parameters are stored as given, can be read and set, and pass to a clone; what rules name are parameters."""
    ranker = made(name, metric="nDCG@5", rng=3)
    assert ranker.get_params()["metric"] == "nDCG@5"
    assert ranker.set_params(metric="AP") is ranker
    twin = clone(ranker)
    assert twin.get_params() == ranker.get_params()
    assert {*type(ranker).constraints, *type(ranker).quick} <= set(ranker.get_params())
    with pytest.raises(ValueError, match="nonsense"):
        ranker.set_params(nonsense=1)
    with pytest.raises(NotFittedError):
        ranker.predict(TRAIN.X)


@every
def test_refused_parameters(name: str, tmp_path: Path) -> None:
    """A parameter that makes no sense is refused before anything is learned."""
    for wrong, error in (
        ({"metric": "nDGC@5"}, UnknownNameError),
        ({"dialect": "lettor"}, UnknownNameError),
        ({"rng": "seven"}, ParameterError),
        *(({parameter: "many"}, ParameterError) for parameter in training.get(name).constraints),
    ):
        with pytest.raises(error):
            made(name, **wrong).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    with pytest.raises(ParameterError, match="validation"):
        made(name).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, validation=TRAIN.X)


@every
def test_learns(name: str) -> None:
    """A learned ranker beats chance, on what it learned from and on the rest, by its own score and by its metric."""
    ranker = learned(name, metric="nDCG@5")
    for part in (TRAIN, HELD):
        objective = Objective.of(Documents.of(*part), "nDCG@5")
        found = ranker.score(part.X, part.y, qid=part.qid)
        assert found == objective.mean(ranker.predict(part.X))
        assert found > objective.mean(np.zeros(len(part.y))) + 0.02


@every
def test_seed(name: str) -> None:
    """The same seed gives the same ranker, as a number or as a generator; fitting again forgets the first time."""
    first = learned(name, rng=7)
    scores = first.predict(HELD.X)
    np.testing.assert_array_equal(learned(name, rng=7).predict(HELD.X), scores)
    np.testing.assert_array_equal(learned(name, rng=np.random.default_rng(7)).predict(HELD.X), scores)
    first.fit(HELD.X, HELD.y, qid=HELD.qid)
    first.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, validation=tuple(HELD))
    np.testing.assert_array_equal(first.predict(HELD.X), scores)


@every
def test_watch(name: str) -> None:
    """Whoever watches sees rounds that rise, and the curve keeps them; the best round is one of these."""
    seen: list[tuple[int, int, float, float]] = []
    ranker = made(name).fit(
        TRAIN.X, TRAIN.y, qid=TRAIN.qid, validation=tuple(HELD), watch=lambda *round_: seen.append(round_)
    )
    rounds = [round_[0] for round_ in seen]
    assert rounds == sorted(set(rounds)) == [row["round"] for row in ranker.curve_]
    assert all(1 <= round_ <= most for round_, most, _, _ in seen)
    assert [row["validation"] for row in ranker.curve_] == [round_[3] for round_ in seen]
    assert ranker.best_round_ is None or ranker.best_round_ in rounds


@every
def test_scattered_queries(name: str) -> None:
    """Documents of a query need not stand together: scores come back in the order of the rows."""
    place = np.arange(len(TRAIN.y)) % 7
    mixed = TRAIN.rows(np.argsort(place, kind="stable"))
    assert len(np.flatnonzero(np.diff(mixed.qid))) > 50
    ranker = made(name).fit(*mixed[:2], qid=mixed.qid, validation=tuple(HELD))
    assert ranker.score(*mixed[:2], qid=mixed.qid) == pytest.approx(ranker.score(*TRAIN[:2], qid=TRAIN.qid))
    if not isinstance(ranker, RelevanceModel):  # which knows of no queries, but of an order of rows
        np.testing.assert_allclose(ranker.predict(HELD.X), learned(name).predict(HELD.X), rtol=1e-9, atol=1e-12)


@every
def test_nan_and_constant_features(name: str) -> None:
    """NaN among features counts as 0, unless the ranker knows better; a column of NaN or of one number is harmless."""
    X = TRAIN.X.copy()
    X[::3, 1] = np.nan
    X = np.column_stack([X, np.full(len(X), np.nan)])
    ranker = made(name).fit(X, TRAIN.y, qid=TRAIN.qid)
    scores = ranker.predict(X)
    assert np.isfinite(scores).all()
    if not ranker.keeps_nan:
        zeros = np.nan_to_num(X)
        np.testing.assert_array_equal(made(name).fit(zeros, TRAIN.y, qid=TRAIN.qid).predict(zeros), scores)
    flat = made(name).fit(np.ones((6, 2)), [0, 1, 2, 0, 1, 0], qid=[1, 1, 1, 2, 2, 2])
    assert len(set(flat.predict(np.ones((4, 2))).tolist())) == 1


@every
@pytest.mark.parametrize("dialect", ["standard", "yahoo", "letor4"])
def test_queries_that_teach_nothing(name: str, dialect: str) -> None:
    """Queries with one document, and sets in which nothing is relevant, are learned from without complaint."""
    X, rng = TRAIN.X[:12], np.random.default_rng(0)
    single = made(name, dialect=dialect).fit(X, rng.integers(0, 3, 12), qid=np.arange(12), validation=tuple(HELD))
    empty = made(name, dialect=dialect).fit(X, np.zeros(12), qid=np.repeat([3, 1, 2], 4))
    for ranker in (single, empty):
        assert np.isfinite(ranker.predict(X)).all()
        assert ranker.predict(X).shape == (12,)


@every
def test_save_and_load(name: str, tmp_path: Path) -> None:
    """A loaded ranker has the parameters, the curve and, to the last bit, the scores of the saved one."""
    dialect = dialects.get("ranklib").changed(short="zero", empty=1.0)
    ranker = learned(name, dialect=dialect, metric="nDCG@3")
    ranker.save(tmp_path / "model.json")
    found = training.load(tmp_path / "model.json")
    assert type(found) is type(ranker)
    assert found.get_params() == ranker.get_params()
    assert (found.curve_, found.best_round_) == (ranker.curve_, ranker.best_round_)
    np.testing.assert_array_equal(found.predict(HELD.X), ranker.predict(HELD.X))
    assert found.score(HELD.X, HELD.y, qid=HELD.qid) == ranker.score(HELD.X, HELD.y, qid=HELD.qid)
    found.save(tmp_path / "again.json.gz")
    np.testing.assert_array_equal(training.load(tmp_path / "again.json.gz").predict(HELD.X), ranker.predict(HELD.X))


@every
def test_broken_files(name: str, tmp_path: Path) -> None:
    """A file that is no ranker, of another version, or damaged is one error that names the file."""
    path = tmp_path / "model.json"
    learned(name).save(path)
    whole = json.loads(path.read_text())
    assert {"format", "version", "ranker", "parameters", "features", "model"} <= set(whole)
    for text, words in (
        (path.read_text()[:-20], "not JSON"),
        ("[1, 2]", "not a ranker's file"),
        (json.dumps({**whole, "version": 99}), "version 99"),
        (json.dumps({**whole, "ranker": "oracle"}), "no ranker called"),
        (json.dumps({**whole, "parameters": {"nonsense": 1}}), "nonsense"),
        (json.dumps({**whole, "model": {}}), "damaged"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=words) as caught:
            training.load(path)
        assert "model.json" in str(caught.value)
    path.write_bytes(b"\x89PNG\x00\xff")
    with pytest.raises(InputError, match="not a text file"):
        training.load(path)


def lists(state: Any) -> Iterator[list[Any]]:
    """Every list in a ranker's state, at any depth."""
    if isinstance(state, dict | list):
        if isinstance(state, list) and state:
            yield state
        for inner in state.values() if isinstance(state, dict) else state:
            yield from lists(inner)


@every
def test_numbers_that_do_not_fit(name: str, tmp_path: Path) -> None:
    """A file with a number too few, too large, or none at all is one clear error, or a ranker that still scores."""
    path = tmp_path / "model.json"
    learned(name).save(path)
    text, rng = path.read_text(), np.random.default_rng(0)
    for _ in range(60):
        whole = json.loads(text)
        found = list(lists(whole["model"]))
        chosen = found[rng.integers(len(found))]
        place = int(rng.integers(len(chosen)))
        change = rng.integers(6)
        if change == 0:
            chosen.pop(place)
        else:
            chosen[place] = (None, -7, 10**9, float("nan"), "text", 0)[change]
        path.write_text(json.dumps(whole))
        with contextlib.suppress(InputError):
            assert training.load(path).predict(HELD.X).shape == (len(HELD.X),)


@pytest.mark.parametrize("features", [0, -1, 10**12, float("inf"), None])
def test_a_count_of_features_that_is_none(features: Any, tmp_path: Path) -> None:
    """No memory is taken for features that nobody has."""
    path = tmp_path / "model.json"
    learned("lambdamart").save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "features": features}))
    with pytest.raises(InputError, match="damaged"):
        training.load(path)


def test_a_file_does_not_decide_on_threads(tmp_path: Path) -> None:
    """A file that asks for more threads than there are processors gets as many as these."""
    path = tmp_path / "model.json"
    learned("lambdamart").save(path)
    whole = json.loads(path.read_text())
    whole["parameters"]["n_jobs"] = 60_000
    path.write_text(json.dumps(whole))
    assert training.load(path).get_params()["n_jobs"] <= (os.cpu_count() or 1)


@pytest.mark.parametrize(
    "change",
    [{"names": ["a"]}, {"curve": "abc"}, {"model": {"trees": [{"leaf": [1.7e308]}, {"leaf": [1.7e308]}]}}],
    ids=["names", "curve", "infinite"],
)
def test_parts_that_do_not_fit(change: dict[str, Any], tmp_path: Path) -> None:
    """Names, curves and scores that make no sense are one clear error."""
    path = tmp_path / "model.json"
    learned("lambdamart").save(path)
    for tree in change.get("model", {}).get("trees", []):
        tree |= {name: [] for name in ("feature", "threshold", "decision", "left", "right")}
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(InputError, match="damaged"):
        training.load(path)


def test_a_number_of_thousands_of_digits(tmp_path: Path) -> None:
    """A number that Python itself refuses to read is one clear error."""
    (tmp_path / "model.json").write_text('{"format": "rankgauge-ranker", "x": ' + "1" * 5000 + "}")
    with pytest.raises(InputError, match="not JSON"):
        training.load(tmp_path / "model.json")


def test_a_file_nested_too_deeply(tmp_path: Path) -> None:
    """A file of nothing but brackets is one clear error."""
    (tmp_path / "model.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match="nested too deeply"):
        training.load(tmp_path / "model.json")


@pytest.mark.parametrize(("name", "nodes"), [("lambdamart", ("trees", 0)), ("forest-regression", ("trees",))])
def test_trees_that_lead_round(name: str, nodes: tuple[Any, ...], tmp_path: Path) -> None:
    """A node whose way leads back to itself is refused: nobody would ever reach a leaf."""
    path = tmp_path / "model.json"
    learned(name).save(path)
    whole = json.loads(path.read_text())
    state = whole["model"]
    for key in nodes:
        state = state[key]
    state["left"][0] = state["right"][0] = 0
    path.write_text(json.dumps(whole))
    with pytest.raises(InputError, match="not form"):
        training.load(path)


def test_dialects_of_ones_own(tmp_path: Path) -> None:
    """A dialect that a file cannot name is refused when the ranker is saved, not when it is loaded."""
    dialect = dialects.get("ranklib").changed(readings={"P": {"padded": True}})
    ranker = learned("adarank", dialect=dialect)
    with pytest.raises(ParameterError, match="dialect"):
        ranker.save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


@every
def test_refused_documents(name: str) -> None:
    """Documents that do not fit are refused with what was expected."""
    X, y, qid = TRAIN
    ranker = learned(name)
    if not isinstance(ranker, RelevanceModel):
        with pytest.raises(InputError, match="without queries"):
            made(name).fit(X, y)
    with pytest.raises(ParameterError, match="queries count alike"):
        ranker.score(X, y, qid=qid, sample_weight=y)
    for call, words in (
        (lambda: ranker.predict(X[:, :3]), "3 features.* learned from 5"),
        (lambda: ranker.score(np.column_stack([X, X]), y, qid=qid), "10 features"),
        (lambda: made(name).fit(X, qid=qid), "without grades"),
        (lambda: made(name).fit(X, y[1:], qid=qid), "111 grades for 112"),
        (lambda: made(name).fit(X, y, qid=qid[1:]), "111 query ids for 112"),
        (lambda: made(name).fit(X, y, qid=qid, validation=(HELD.X[:, :2], HELD.y, HELD.qid)), "2 features"),
        (lambda: made(name).fit(X[:0], y[:0], qid=qid[:0]), "shape"),
        (lambda: made(name).fit(X[0], y[:1], qid=qid[:1]), "shape"),
        (lambda: made(name).fit(np.where(X > 2.9, np.inf, X), y, qid=qid), "infinite"),
        (lambda: made(name).fit(X, np.where(y > 1, np.nan, y), qid=qid), "grade of document"),
        (lambda: made(name).fit(X.astype(str).astype(object) + "a", y, qid=qid), "not numbers"),
    ):
        with pytest.raises(InputError, match=words):
            call()


@every
def test_tables_and_files(name: str, tmp_path: Path) -> None:
    """Arrays, frames of polars and pandas, sparse matrices and LETOR files are the same documents."""
    scores = learned(name).predict(HELD.X)
    columns = [f"f{n}" for n in range(1, 6)]
    train, held = TRAIN.write(tmp_path / "train.txt"), HELD.write(tmp_path / "vali.txt")
    from_file = made(name).fit(train, validation=held)
    np.testing.assert_array_equal(from_file.predict(held), scores)
    assert from_file.score(str(held)) == learned(name).score(HELD.X, HELD.y, qid=HELD.qid)
    for frame, series in ((pl.DataFrame, pl.Series), (pd.DataFrame, pd.Series)):
        tables = [
            (
                pl.DataFrame(part.X, schema=columns)
                if frame is pl.DataFrame
                else pd.DataFrame(part.X, columns=columns),
                series(part.y.tolist()),
                series([f"q{query}" for query in part.qid]),
            )
            for part in (TRAIN, HELD)
        ]
        ranker = made(name).fit(tables[0][0], tables[0][1], qid=tables[0][2], validation=tables[1])
        np.testing.assert_array_equal(ranker.predict(tables[1][0]), scores)
        with pytest.raises(InputError, match="called 'f5', in training it was 'f1'"):
            ranker.predict(tables[1][0][columns[::-1]])
        ranker.save(tmp_path / "named.json")
        with pytest.raises(InputError, match="called 'f5'"):
            training.load(tmp_path / "named.json").predict(tables[1][0][columns[::-1]])
    thin = made(name).fit(sparse.csr_matrix(TRAIN.X), TRAIN.y, qid=TRAIN.qid, validation=tuple(HELD))
    np.testing.assert_array_equal(thin.predict(sparse.csr_matrix(HELD.X)), scores)


@every
@pytest.mark.usefixtures("routing")
def test_pipeline_and_search(name: str) -> None:
    """In a pipeline with a search over folds of whole queries, the queries reach the ranker without being asked for."""
    pipeline = make_pipeline(StandardScaler(), made(name))
    pipeline.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    direct = made(name).fit(StandardScaler().fit_transform(TRAIN.X), TRAIN.y, qid=TRAIN.qid)
    scaled = StandardScaler().fit(TRAIN.X).transform(HELD.X)
    np.testing.assert_array_equal(pipeline.predict(HELD.X), direct.predict(scaled))
    step = pipeline.steps[-1][0]
    search = GridSearchCV(pipeline, {f"{step}__metric": ["nDCG@2", "nDCG@10"]}, cv=GroupKFold(2))
    search.fit(TRAIN.X, TRAIN.y, groups=TRAIN.qid, qid=TRAIN.qid)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.score(HELD.X, HELD.y, qid=HELD.qid) > 0.5


def test_files_that_lack_the_last_features(tmp_path: Path) -> None:
    """A feature that no line of a file has is 0 in it, also where it is the last; one more than in training is not."""
    ranker = learned("adarank")
    path = tmp_path / "few.txt"
    path.write_text("1 qid:1 1:0.5 2:1\n0 qid:1 1:0.25\n")
    np.testing.assert_array_equal(ranker.predict(path), ranker.predict([[0.5, 1, 0, 0, 0], [0.25, 0, 0, 0, 0]]))
    path.write_text("1 qid:1 6:0.5\n")
    with pytest.raises(InputError, match="6 features"):
        ranker.predict(path)


@every
def test_a_validation_set_without_values_keeps_no_ranker_from_learning(name: str) -> None:
    """Where the dialect leaves every validation query out, no round is better than another, and the first stays."""
    held = (HELD.X, np.zeros_like(HELD.y), HELD.qid)
    model = made(name, dialect="gdeval").fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, validation=held)
    assert np.ptp(model.predict(TRAIN.X)) > 0
