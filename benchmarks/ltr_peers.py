"""Other learners of rankings on a fold: linear SVMs on explicit pairs, and three libraries of boosted trees.

Each trains on one processor with early stopping, or a choice of C, by NDCG@10 on the validation documents.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from rankgauge.demo.folds import Fold
from rankgauge.files.formats.letor import FeatureTable
from rankgauge.labelling.simulations.jobs import ExperimentJob
from rankgauge.numeric import FloatArray
from rankgauge.papers.published.ndcg_tools.training import READINGS
from rankgauge.training import Documents, Objective

__all__ = ["PEERS", "train"]

ROUNDS, PATIENCE = 1000, 100
COSTS = 10.0 ** np.arange(-6, 5)


def train(folds: tuple[Fold, ...], job: ExperimentJob) -> dict[str, Any]:
    """The scores of the fold's test documents, and the seconds of the processor that training took."""
    (fold,) = (fold for fold in folds if fold.name == job.settings["fold"])
    sets = [_documents(data) for data in (fold.train, fold.validation)]
    test = np.asarray(fold.test.matrix, dtype=np.float64)
    with threadpool_limits(1):
        clock, processor = time.perf_counter(), time.process_time()
        predict = PEERS[job.settings["ranker"]][1](*sets)
        seconds = {"wall": time.perf_counter() - clock, "cpu": time.process_time() - processor}
        found = np.asarray(predict(test), dtype=np.float64).tolist()
    return {"scores": found, **seconds}


def _documents(data: FeatureTable) -> Documents:
    return Documents.of(data.matrix, data.grades, data.queries)


def _linear_svc(train: Documents, held: Documents) -> Callable[[FloatArray], Any]:
    """scikit-learn's LinearSVC on the differences of all pairs of a query with different grades."""
    from sklearn.svm import LinearSVC

    pairs = _differences(train)
    signs = np.where(np.arange(len(pairs)) % 2, 1, -1)  # half of the pairs turned round, so that there are two classes
    pairs *= signs[:, np.newaxis]
    objective = Objective.of(held, "nDCG@10", READINGS["std"])
    best, weights = -np.inf, np.zeros(pairs.shape[1])
    for cost in COSTS:
        model = LinearSVC(C=cost, fit_intercept=False, tol=1e-3, random_state=0).fit(pairs, signs)
        reached = objective.mean(held.matrix @ model.coef_[0])
        if reached > best:
            best, weights = reached, model.coef_[0]
    return lambda matrix: matrix @ weights


def _differences(documents: Documents) -> FloatArray:
    """The better document's features less the worse one's, for each pair of a query."""
    found = []
    for start, size in zip(documents.starts, documents.sizes, strict=True):
        grades, matrix = documents.grades[start : start + size], documents.matrix[start : start + size]
        better, worse = np.nonzero(grades[:, np.newaxis] > grades)
        found.append(matrix[better] - matrix[worse])
    return np.concatenate(found)


def _lightgbm(train: Documents, held: Documents) -> Callable[[FloatArray], Any]:
    return _boosted(train, held, learning_rate=0.1, min_data_in_leaf=20)


def _lightgbm_regularised(train: Documents, held: Documents) -> Callable[[FloatArray], Any]:
    slow = {"learning_rate": 0.03, "min_data_in_leaf": 50, "feature_fraction": 0.5, "lambda_l2": 5}
    return _boosted(train, held, **slow, bagging_fraction=0.7, bagging_freq=1)


def _boosted(train: Documents, held: Documents, **settings: Any) -> Callable[[FloatArray], Any]:
    import lightgbm

    known = lightgbm.Dataset(train.matrix, train.grades, group=train.sizes)
    validation = lightgbm.Dataset(held.matrix, held.grades, group=held.sizes, reference=known)
    shared = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "num_leaves": 10, "num_threads": 1}
    model = lightgbm.train(
        {**shared, "seed": 0, "verbosity": -1, **settings},
        known,
        ROUNDS,
        valid_sets=[validation],
        callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
    )
    return model.predict


def _xgboost(train: Documents, held: Documents) -> Callable[[FloatArray], Any]:
    import xgboost

    model = xgboost.XGBRanker(
        objective="rank:ndcg",
        eval_metric="ndcg@10",
        max_depth=4,
        learning_rate=0.1,
        n_estimators=ROUNDS,
        early_stopping_rounds=PATIENCE,
        lambdarank_pair_method="topk",
        lambdarank_num_pair_per_sample=10,
        n_jobs=1,
        random_state=0,
    )
    model.fit(
        train.matrix,
        train.grades,
        qid=train.query,
        eval_set=[(held.matrix, held.grades)],
        eval_qid=[held.query],
        verbose=False,
    )
    return model.predict


def _catboost(train: Documents, held: Documents) -> Callable[[FloatArray], Any]:
    import catboost

    model = catboost.CatBoostRanker(
        loss_function="YetiRank",
        eval_metric="NDCG:top=10;type=Exp",
        depth=4,
        learning_rate=0.1,
        iterations=ROUNDS,
        early_stopping_rounds=PATIENCE,
        thread_count=1,
        random_seed=0,
        logging_level="Silent",
        allow_writing_files=False,
    )
    known = catboost.Pool(train.matrix, train.grades, group_id=train.query)
    model.fit(known, eval_set=catboost.Pool(held.matrix, held.grades, group_id=held.query))
    return model.predict


Learn: TypeAlias = Callable[[Documents, Documents], Callable[[FloatArray], Any]]

PEERS: Mapping[str, tuple[str, Learn]] = {
    "linearsvc": ("LinearSVC on pairs", _linear_svc),
    "lightgbm": ("LightGBM lambdarank", _lightgbm),
    "lightgbm-regularised": ("LightGBM, regularised", _lightgbm_regularised),
    "xgboost": ("XGBoost rank:ndcg", _xgboost),
    "catboost": ("CatBoost YetiRank", _catboost),
}
"""What each is called, and how it learns a function that scores documents."""
