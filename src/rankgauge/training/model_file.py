"""The JSON file of a ranker: loads what `Ranker.save` wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from rankgauge import dialects
from rankgauge.errors import InputError, RankGaugeError
from rankgauge.files.source import Source
from rankgauge.training.ranker import FORMAT, RANKERS, VERSION, Ranker

MAKE = "Make a ranker's file: rankgauge train … -o model.json"
"""What to do where a file holds no ranker."""

MOST_FEATURES = 1_000_000
"""More than any data set has, but few enough for memory."""


def load(path: str | PathLike[str]) -> Ranker:
    """The ranker in a file; it predicts exactly what the saved ranker did."""
    found = _document(fspath(path))
    try:
        return _ranker(found)
    except RankGaugeError as error:
        raise InputError(f"the ranker in it cannot be made: {error}", path=fspath(path)) from None
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise InputError(f"the ranker in it is damaged: {type(error).__name__}: {error}", path=fspath(path)) from None


def _document(path: str) -> Mapping[str, Any]:
    try:
        found = json.loads(Source.of(path).read())
    except UnicodeDecodeError:
        raise InputError("is not a text file; a ranker's JSON file was expected", path=path, hint=MAKE) from None
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg}", path=path, line=error.lineno, hint=MAKE) from None
    except ValueError as error:  # a number of thousands of digits
        raise InputError(f"is not JSON: {error}", path=path) from None
    except RecursionError:
        raise InputError("is nested too deeply for a ranker's file", path=path) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError("is not a ranker's file", path=path, hint=MAKE)
    if found.get("version") != VERSION:
        raise InputError(
            f"has version {found.get('version')} of the format; this program reads version {VERSION}",
            path=path,
            hint="Use the release of rankgauge that wrote it, or train again.",
        )
    return found


def _ranker(found: Mapping[str, Any]) -> Ranker:
    parameters: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in found["parameters"].items()
    }
    if isinstance(parameters.get("dialect"), dict):
        changed = dict(parameters["dialect"])
        parameters["dialect"] = dialects.get(changed.pop("name")).changed(**changed)
    if isinstance(parameters.get("n_jobs"), int):  # a file must not decide how many threads run
        parameters["n_jobs"] = min(parameters["n_jobs"], os.cpu_count() or 1)
    ranker = RANKERS.find(found["ranker"])(**parameters)
    ranker.check()
    ranker.n_features_in_ = int(found["features"])
    if not 0 < ranker.n_features_in_ <= MOST_FEATURES:
        raise ValueError(f"{ranker.n_features_in_} features")
    ranker.curve_, ranker.best_round_ = [dict(point) for point in found.get("curve") or []], found.get("best_round")
    if names := found.get("names"):
        if len(names) != ranker.n_features_in_:
            raise ValueError(f"{len(names)} names of {ranker.n_features_in_} features")
        ranker.feature_names_in_ = np.array(names, dtype=object)
    ranker._restore(found["model"])
    # If it cannot score a document, its numbers do not fit together.
    with np.errstate(divide="raise", invalid="raise"):
        scores = ranker.predict(np.zeros((1, ranker.n_features_in_)))
    if not np.isfinite(scores).all():
        raise ValueError("a score is not a number")
    return ranker
