"""A scorer for scikit-learn's searches and cross-validation.

import sklearn
from rankgauge.integrations.sklearn import scorer

sklearn.set_config(enable_metadata_routing=True)
GridSearchCV(ranker, grid, scoring=scorer("nDCG@10"), cv=GroupKFold()).fit(X, y, qid=qid, groups=qid)
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.metrics import make_scorer

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.evaluation.arrays import ArrayMean
from rankgauge.measures import Measure

RESPONSES = ("decision_function", "predict_proba", "predict")
"""What a model is asked for, the first that it has: labels of classes alone would tie most documents."""


def scorer(measure: str | Measure = "nDCG@10", *, dialect: str | Dialect = "standard", **overrides: Any) -> Any:
    """A scorer that takes the query of each document as `qid`; of a measure that is better if lower, minus the mean.

    A classifier of two classes ranks by its decision function or probability, any other model by what it predicts.
    `overrides` replace single choices of the dialect, such as `ties="expected"`.
    It asks for `qid` through metadata routing, which has to be on when it is made and used.
    """
    if not sklearn.get_config()["enable_metadata_routing"]:
        raise InputError(
            "scikit-learn does not hand the queries over",
            hint="First call sklearn.set_config(enable_metadata_routing=True).",
        )
    mean = ArrayMean(measure, dialect, **overrides)
    score = partial(_score, mean=mean)
    made = make_scorer(score, response_method=RESPONSES, greater_is_better=mean.more_is_better)
    return made.set_score_request(qid=True)


def _score(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, qid: npt.ArrayLike | None = None, mean: ArrayMean) -> float:
    if qid is None:
        raise InputError(
            "the queries are not known",
            hint="Say which document is of which: search.fit(X, y, qid=qid), cross_validate(…, params={'qid': qid}).",
        )
    if np.ndim(y_pred) > 1:
        raise InputError(
            "a classifier of several classes gives no single score to rank by",
            hint="Take a regressor, or wrap it so that predict gives the expected grade.",
        )
    return mean(y_true, y_pred, qid=qid)
