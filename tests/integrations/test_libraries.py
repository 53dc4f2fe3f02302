"""The measures inside other libraries give what they give here."""

from __future__ import annotations

import importlib
import warnings
from types import ModuleType

import numpy as np
import pytest

from rankgauge import score_arrays
from rankgauge.errors import InputError, InputWarning, ParameterError


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 5))
    grades = np.clip(np.round(X[:, 0] + rng.normal(0, 0.7, 300)), 0, 2)
    return X, grades, np.repeat(np.arange(30), 10)


def test_lightgbm_watches_the_measure(data: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """The last value that LightGBM recorded is that of the model's own scores."""
    lightgbm = pytest.importorskip("lightgbm")
    from rankgauge.integrations.lightgbm import metric

    X, y, qid = data
    train = lightgbm.Dataset(X, y, group=np.full(30, 10), free_raw_data=False)
    watched: dict[str, dict[str, list[float]]] = {}
    model = lightgbm.train(
        {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_leaves": 4, "num_threads": 1},
        train,
        num_boost_round=4,
        valid_sets=[train],
        valid_names=["train"],
        feval=metric("nDCG@5", dialect="ranklib"),
        callbacks=[lightgbm.record_evaluation(watched)],
    )
    expected = np.nanmean(score_arrays(y, model.predict(X), "nDCG@5", qid=qid, dialect="ranklib"))
    assert watched["train"]["nDCG@5 (ranklib)"][-1] == pytest.approx(expected, abs=1e-12)
    with pytest.raises(InputError, match="no queries"):
        metric()(np.zeros(300), lightgbm.Dataset(X, y).construct())


def test_xgboost_watches_the_measure(data: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """The last value that XGBoost recorded is that of the model's own scores."""
    xgboost = pytest.importorskip("xgboost")
    from rankgauge.integrations.xgboost import metric

    X, y, qid = data
    train = xgboost.DMatrix(X, y, qid=qid)
    watched: dict[str, dict[str, list[float]]] = {}
    model = xgboost.train(
        {"objective": "rank:ndcg", "max_depth": 2, "nthread": 1, "disable_default_eval_metric": 1},
        train,
        num_boost_round=4,
        evals=[(train, "train")],
        custom_metric=metric("ERR@5"),
        maximize=True,
        evals_result=watched,
        verbose_eval=False,
    )
    expected = np.nanmean(score_arrays(y, model.predict(train), "ERR@5", qid=qid))
    assert watched["train"]["ERR@5"][-1] == pytest.approx(expected, abs=1e-6)
    with pytest.raises(InputError, match="no queries"):
        metric()(np.zeros(300), xgboost.DMatrix(X, y))


@pytest.mark.filterwarnings("ignore::UserWarning")  # CatBoost says that a metric of one's own is slow
def test_catboost_watches_the_measure(data: tuple[np.ndarray, np.ndarray, np.ndarray], tmp_path: object) -> None:
    """The last value that CatBoost recorded is that of the model's own scores."""
    catboost = pytest.importorskip("catboost")
    from rankgauge.integrations.catboost import Metric

    X, y, qid = data
    pool = catboost.Pool(X, y, group_id=qid)
    model = catboost.CatBoost(
        {
            "loss_function": "YetiRank",
            "iterations": 4,
            "depth": 2,
            "thread_count": 1,
            "eval_metric": Metric("nDCG@5", qid=qid),
            "allow_writing_files": False,
            "logging_level": "Silent",
        }
    )
    model.fit(pool, eval_set=pool)
    watched = model.get_evals_result()["validation"]["Metric"]
    expected = np.nanmean(score_arrays(y, model.predict(pool), "nDCG@5", qid=qid))
    assert max(watched) == pytest.approx(expected, abs=1e-9)


@pytest.mark.filterwarnings("ignore:Can't optimze")
def test_catboost_hears_of_pools_without_queries(data: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """A pool whose queries nobody gave shows 0, as CatBoost takes no NaN; a warning says once that it is no value."""
    catboost = pytest.importorskip("catboost")
    from rankgauge.integrations.catboost import Metric

    X, y, qid = data
    half = len(X) // 2
    train, test = (catboost.Pool(X[part], y[part], group_id=qid[part]) for part in (slice(half - 1), slice(half, None)))
    settings = {"loss_function": "YetiRank", "iterations": 2, "depth": 2, "thread_count": 1, "logging_level": "Silent"}
    metric = Metric("nDCG@5", qid=qid[half:])
    model = catboost.CatBoost(settings | {"eval_metric": metric, "allow_writing_files": False})
    with pytest.warns(InputWarning, match=rf"the 0 that .* nDCG@5 on a pool of {half - 1} documents is no") as warned:
        model.fit(train, eval_set=test)
    assert len([one for one in warned if one.category is InputWarning]) == 1


def test_scikit_learn_searches_by_the_measure(data: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """A grid search chooses by the measure, each query whole in one fold; the scores are those of the test parts."""
    import sklearn
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

    from rankgauge.integrations.sklearn import scorer

    X, y, qid = data
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(Ridge(), {"alpha": [0.1, 1e4]}, scoring=scorer("nDCG@5"), cv=GroupKFold(3))
        search.fit(X, y, groups=qid, qid=qid)
        scores = cross_val_score(
            Ridge(0.1), X, y, scoring=scorer("nDCG@5"), cv=GroupKFold(3), params={"groups": qid, "qid": qid}
        )
    for (train, test), score in zip(GroupKFold(3).split(X, y, qid), scores, strict=True):
        predicted = Ridge(0.1).fit(X[train], y[train]).predict(X[test])
        assert score == pytest.approx(np.nanmean(score_arrays(y[test], predicted, "nDCG@5", qid=qid[test])), abs=1e-12)
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(scores.mean(), abs=1e-12)
    with pytest.raises(InputError, match="enable_metadata_routing"):
        scorer("AP")


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")  # which older versions need
def test_lightgbm_rankers_take_the_metric(data: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """LGBMRanker hands over labels, scores, weights and sizes, not scores and a data set."""
    lightgbm = pytest.importorskip("lightgbm")
    from rankgauge.integrations.lightgbm import metric

    X, y, qid = data
    sizes = np.full(30, 10)
    model = lightgbm.LGBMRanker(n_estimators=2, num_leaves=4, n_jobs=1, verbose=-1)
    model.fit(X, y, group=sizes, eval_set=[(X, y)], eval_group=[sizes], eval_metric=metric("AP"))
    expected = np.nanmean(score_arrays(y, model.booster_.predict(X), "AP", qid=qid))
    (watched,) = model.evals_result_.values()  # "training": the data set is the same
    assert watched["AP"][-1] == pytest.approx(expected, abs=1e-12)


def test_names_for_xgboost_have_no_spaces(data: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """XGBoost cuts its log at spaces; choices that are replaced are part of the name."""
    xgboost = pytest.importorskip("xgboost")
    from rankgauge.integrations.xgboost import metric

    X, y, qid = data
    train = xgboost.DMatrix(X, y, qid=qid)
    for choices, name in (
        ({"dialect": "xgboost"}, "nDCG@5(xgboost)"),
        ({"dialect": "trec_eval", "ties": "expected"}, "nDCG@5(trec_eval,ties=expected)"),
    ):
        watched: dict[str, dict[str, list[float]]] = {}
        xgboost.train(
            {"objective": "rank:ndcg", "max_depth": 2, "nthread": 1, "disable_default_eval_metric": 1},
            train,
            num_boost_round=1,
            evals=[(train, "train")],
            custom_metric=metric("nDCG@5", **choices),
            maximize=True,
            evals_result=watched,
            verbose_eval=False,
        )
        assert list(watched["train"]) == [name]


def test_what_a_metric_lacks_is_said(data: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """A metric of two measures, a ranker that hands no queries over and a scorer that gets none are errors of ours."""
    sklearn, xgboost = pytest.importorskip("sklearn"), pytest.importorskip("xgboost")
    from sklearn.linear_model import Ridge

    from rankgauge.integrations import lightgbm as ours
    from rankgauge.integrations.sklearn import scorer
    from rankgauge.integrations.xgboost import metric

    with pytest.raises(ParameterError, match="must be one measure"):
        ours.metric(["AP", "RR"])  # type: ignore[arg-type]
    X, y, qid = data
    ranker = xgboost.XGBRanker(n_estimators=1, n_jobs=1, eval_metric=metric("nDCG@5"))
    with pytest.raises(InputError, match="XGBRanker does not tell a metric"):
        ranker.fit(X, y, qid=qid, eval_set=[(X, y)], eval_qid=[qid], verbose=False)
    with sklearn.config_context(enable_metadata_routing=True), pytest.raises(InputError, match="queries are not known"):
        scorer("nDCG@5")(Ridge().fit(X, y), X, y)


def test_ties_by_ids_are_refused_before_training() -> None:
    """Documents have no ids there: the error says what to give."""
    from rankgauge.integrations.catboost import Metric

    with pytest.raises(ParameterError, match=r"(?s)ties='expected'.*no ids"):
        Metric("AP", qid=[1, 1], dialect="trec_eval")
    assert Metric("AP", qid=[1, 1], dialect="trec_eval", ties="expected").evaluate([[1, 2]], [0, 1], None) == (1, 1)


def test_scikit_learn_classifiers_rank_by_their_scores(data: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Not by the labels that they predict, which tie most documents; several classes are refused."""
    import sklearn
    from sklearn.linear_model import LogisticRegression

    from rankgauge.integrations.sklearn import scorer

    X, y, qid = data
    model = LogisticRegression().fit(X, y > 0)
    with sklearn.config_context(enable_metadata_routing=True):
        found = scorer("nDCG@5")(model, X, y > 0, qid=qid)
        with pytest.raises(InputError, match="several classes"):
            scorer("nDCG@5")(LogisticRegression().fit(X, y), X, y, qid=qid)
    expected = score_arrays(y > 0, model.decision_function(X), "nDCG@5", qid=qid).mean()
    assert found == pytest.approx(expected, abs=1e-12)


def test_libraries_know_which_way_is_better() -> None:
    """A search or an early stop by a measure that is better if lower does not take the worst for the best."""
    catboost = pytest.importorskip("rankgauge.integrations.catboost")
    lightgbm = pytest.importorskip("rankgauge.integrations.lightgbm")
    grades, scores = np.array([0.0, 1.0, 0.0]), np.array([3.0, 2.0, 1.0])
    for measure, more in (("nDCG@10", True), ("Unjudged@5", False)):
        assert catboost.Metric(measure, qid=[1, 1, 1]).is_max_optimal() is more
        assert lightgbm.metric(measure)(grades, scores, None, [3])[2] is more


def test_catboosts_pools_are_told_apart_or_refused() -> None:
    """Two pools of one length cannot be told apart: the second was taken for both."""
    catboost = pytest.importorskip("rankgauge.integrations.catboost")
    assert catboost.Metric("RR", qid=[np.array([1, 1, 2]), np.array([5, 6])]).evaluate([[1, 2]], [0, 1], None)[1] == 1
    with pytest.raises(InputError, match="told apart by their length"):
        catboost.Metric("RR", qid=[np.array([1, 1, 2]), np.array([5, 6, 6])])


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "catboost"])
@pytest.mark.filterwarnings("ignore:Can't optimze")
def test_weights_that_the_library_uses_are_told_of(
    data: tuple[np.ndarray, np.ndarray, np.ndarray], library: str
) -> None:
    """Libraries weigh queries in their own metrics; these do not, and a warning says so once, unless all are equal."""
    module = pytest.importorskip(library)
    X, y, qid = data
    for weights, told in ((np.arange(1.0, 31.0), 1), (np.full(30, 2.0), 0), (None, 0)):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            _train_weighted(module, X, y, qid, weights)
        said = [str(one.message) for one in warned if one.category is InputWarning]
        assert len(said) == told
        assert all("its mean counts every query alike" in words for words in said)


def _train_weighted(
    library: ModuleType, X: np.ndarray, y: np.ndarray, qid: np.ndarray, weights: np.ndarray | None
) -> None:
    rows = None if weights is None else weights[qid]
    ours = importlib.import_module(f"rankgauge.integrations.{library.__name__}")
    if library.__name__ == "lightgbm":
        train = library.Dataset(X, y, group=np.full(30, 10), weight=rows)
        settings = {"objective": "lambdarank", "num_leaves": 4, "num_threads": 1, "verbose": -1}
        library.train(settings, train, num_boost_round=2, valid_sets=[train], feval=ours.metric("nDCG@5"))
    elif library.__name__ == "xgboost":
        matrix = library.DMatrix(X, y, qid=qid, weight=weights)
        settings = {"objective": "rank:ndcg", "max_depth": 2, "nthread": 1, "disable_default_eval_metric": 1}
        watched = {"evals": [(matrix, "train")], "custom_metric": ours.metric("nDCG@5"), "verbose_eval": False}
        library.train(settings, matrix, num_boost_round=2, **watched)
    else:
        pool = library.Pool(X, y, group_id=qid, group_weight=rows)
        settings = {"loss_function": "YetiRank", "iterations": 2, "depth": 2, "thread_count": 1}
        settings |= {"logging_level": "Silent", "allow_writing_files": False}
        library.CatBoost(settings | {"eval_metric": ours.Metric("nDCG@5", qid=qid)}).fit(pool)
