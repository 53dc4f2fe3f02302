"""The baseline of a gate in a file: which of the options name one, how it is read, and how it is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rankgauge.errors import InputError, OptionError

if TYPE_CHECKING:
    from rankgauge.cli.evaluation import RunsEvaluation
    from rankgauge.evaluation.result import Result

ENDING = ".json"


def baseline_file(baselines: Sequence[str] | None, runs: Iterable[str]) -> Path | None:
    """Return the file that a baseline names, unless it names a run; it need not exist yet."""
    stored = [
        baseline
        for baseline in baselines or ()
        if Path(baseline).suffix == ENDING and not {baseline, Path(baseline).name} & {*runs}
    ]
    if stored and len(baselines or ()) > 1:
        raise OptionError(f"--baseline {stored[0]} is a stored one, which is the only baseline: leave out the others.")
    return Path(stored[0]) if stored else None


def with_baseline(path: Path, asked: RunsEvaluation, results: dict[str, Result]) -> tuple[str, dict[str, Result]]:
    """Put the stored baseline before the results of the runs; give its name too, that of its file."""
    from rankgauge.comparison.gate_files import StoredBaseline

    try:
        stored = StoredBaseline.parse(path.read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        hint = "'rankgauge check --store-baseline' writes it from the run that rankgauge.toml names."
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", path=path, hint=hint) from None
    result = next(iter(results.values()))
    stored.check(path, result, asked.fingerprint())
    name = path.stem if path.stem not in results else path.name
    return name, {name: stored.result(result.measures, result.dialect), **results}


def store_baseline(path: Path | None, asked: RunsEvaluation, *, trusting: bool = False) -> None:
    """Evaluate the one run and write its values into the file that the baseline names.

    A run of which hardly anything is judged is refused unless a user is `trusting`, and so is one with failed searches.
    """
    from rankgauge.cli.streams import open_output
    from rankgauge.comparison.gate_files import StoredBaseline
    from rankgauge.input_notes import failures

    if path is None or len(asked.runs) != 1:
        raise InputError(
            f"--store-baseline needs one run and a file for it, and there are {len(asked.runs)} runs"
            if path is not None
            else "--store-baseline needs a file, and the baseline is a run",
            hint='In rankgauge.toml: runs = {new = "run.txt"} and baseline = "baseline.json"',
        )
    asked.refuse_overwriting(path)
    with failures() as failed:
        ((name, result),) = asked.results().items()
    _refuse_poor(name, result, failed, trusting=trusting)
    stored = StoredBaseline.from_result(name, result, asked.fingerprint())
    with open_output(path) as stream:
        stream.write(stored.text())
    print(f"stored {name} in {path}: {len(result.names):,} queries, {', '.join(map(str, result.measures))}")


def _refuse_poor(name: str, result: Result, failed: Sequence[str], *, trusting: bool) -> None:
    """Raise an error for a run against which nothing could be compared later."""
    from rankgauge.evaluation import judged_share as judging
    from rankgauge.render.numbers import count

    if failed:
        raise InputError(
            f"{count(len(failed), 'search', 'searches')} of {name} failed ({', '.join(failed[:3])}): nothing is stored",
            hint='Search again, or count them as empty lists: on-failure = "empty"',
        )
    poor = next(judging.warnings({name: result}), None)
    if poor is not None and not trusting:
        hint = 'If documents that nobody judged are known to be not relevant: unjudged = "not-relevant".'
        raise InputError(f"{poor}. Nothing is stored", hint=hint)
