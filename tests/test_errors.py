"""Errors: every one comes whole out of another process."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from rankgauge import errors
from rankgauge.errors import OptionError, ParameterError, RankGaugeError

MADE: list[RankGaugeError] = [
    errors.AmbiguousNameError("measure", "F1", {"SetF": "of the whole list", "F@10": "of the first 10"}),
    errors.AnsweredError("ann has judged document d of query q before", hint="Leave it out."),
    errors.ArchivedError("the campaign is archived"),
    errors.GoneError("somebody has deleted this campaign"),
    errors.InputError("is odd", path=Path("run.txt"), line=3, text="a b", hint="Mend it."),
    errors.JudgmentsError("no subtopic", path="qrels.txt", hint="Name it."),
    errors.MissingExtraError("pandas", "notebooks"),
    errors.NothingToJudgeError("the budget is spent", "60 of 60 spent"),
    errors.OptionError("--at needs --assessors.", "--p needs --similarity."),
    errors.ParameterError("AP", "rel", "a number", "x"),
    errors.PausedError("the campaign is paused"),
    errors.RankGaugeError("something"),
    errors.RefusedError("is not taken now"),
    errors.RepeatedError("q", "d", path="run.txt", line=2, first=1),
    errors.TooFewQueriesError("only one query is judged"),
    errors.UnavailableError("the database does not answer"),
    errors.UncombinedError("3"),
    errors.UndisputedError("no labels differ"),
    errors.UngroupedError("is not grouped", path="run.txt"),
    errors.UnknownNameError("measure", "nDGC", ["nDCG", "AP"]),
    errors.UnknownNamesError([errors.UnknownNameError("measure", name, ["nDCG", "AP"]) for name in ("nDGC", "PA")]),
    errors.UnleasedError("was not handed to ann"),
    errors.UnmatchedError("no query of the run is judged"),
    errors.UsageError(["Missing argument 'RUN'."], "rankgauge evaluate", "Usage: rankgauge evaluate"),
]


def test_every_error_is_here() -> None:
    """A new kind of error is tested here too."""
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, RankGaugeError)}
    assert {type(error).__name__ for error in MADE} == kinds


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_errors_travel(error: RankGaugeError) -> None:
    """An error that was pickled is of the same kind, says the same, and has the same parts."""
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_options_that_do_not_fit_are_listed_together() -> None:
    """An error about options has a sentence for each problem, and is a parameter error with its exit code."""
    error = OptionError("--at needs --assessors, e.g. --assessors mean --at 2.", "--p needs --similarity.")
    assert isinstance(error, ParameterError)
    assert error.exit_code == ParameterError.exit_code
    assert str(error).splitlines() == [
        "--at needs --assessors, e.g. --assessors mean --at 2.",
        "  --p needs --similarity.",
    ]
