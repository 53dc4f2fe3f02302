"""A scorer for scikit-learn's searches and cross-validation.

import sklearn
from rankgauge.integrations.sklearn import scorer

sklearn.set_config(enable_metadata_routing=True)
GridSearchCV(ranker, grid, scoring=scorer("nDCG@10"), cv=GroupKFold()).fit(X, y, qid=qid, groups=qid)
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy.typing as npt
import sklearn
from sklearn.metrics import make_scorer

from rankgauge.arrays import ArrayMean
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.measures import Measure


def scorer(measure: str | Measure = "nDCG@10", *, dialect: str | Dialect = "standard") -> Any:
    """A scorer that takes the query of each document as `qid`; higher is better.

    It asks for `qid` through metadata routing, which has to be on when it is made and used.
    """
    if not sklearn.get_config()["enable_metadata_routing"]:
        raise InputError(
            "scikit-learn does not hand the queries over",
            hint="First call sklearn.set_config(enable_metadata_routing=True).",
        )
    return make_scorer(partial(_score, mean=ArrayMean(measure, dialect))).set_score_request(qid=True)


def _score(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, qid: npt.ArrayLike, mean: ArrayMean) -> float:
    return mean(y_true, y_pred, qid=qid)
