"""Where collections come from: a board in TOML, a folder of collections, results of MTEB, or values in Python.

board.toml                    a folder                          results of MTEB
folder = "beir"               beir/fiqa/qrels/test.tsv          results/MODEL/REVISION/TASK.json
[collections.fiqa]            beir/fiqa/runs/bm25.txt
judgments = "fiqa/qrels.txt"  beir/scifact/qrels.txt
runs = {bm25 = "fiqa/a.txt"}  beir/scifact/runs/bm25.run.gz
weight = 2
group = "finance"
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgauge.comparison.collections.board import Collection, CollectionsComparison
from rankgauge.comparison.judging import TRUSTING, JudgedRule
from rankgauge.comparison.tables import refuse_unpaired
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.evaluation.evaluation import apply_spelling, evaluate_runs, override_choices
from rankgauge.evaluation.judged_hits import judged_as
from rankgauge.input_notes import collecting_notes
from rankgauge.measures import Measure
from rankgauge.records import record

if TYPE_CHECKING:
    from rankgauge.evaluation.evaluation import Names

KEYS = ("judgments", "runs", "weight", "group")
"""What the board may say of a collection."""

SPLITS = ("test", "dev", "validation", "train")
"""The splits of BEIR's folders, the one to take first."""

MAIN = "main_score"
"""What MTEB calls the score of a task."""

MTEB_NAMES = {"nDCG": "ndcg", "AP": "map", "R": "recall", "P": "precision", "RR": "mrr", "Success": "hit_rate"}
"""What MTEB calls measures: nDCG@10 is ndcg_at_10."""


@record
class CollectionSource:
    """Where one collection is: its judgments and its runs by name, or the scores of its runs by MTEB's names."""

    name: str
    judgments: Path | None = None
    runs: Mapping[str, Path] = field(default_factory=dict)
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    weight: float | None = None
    group: str = ""

    def by_scores(self, measures: Iterable[str]) -> Collection:
        """Make a collection of the scores by these measures."""
        rows = {}
        for run, known in self.scores.items():
            missing = [name for name in measures if mteb_name(name) not in known]
            if missing:
                raise UnknownNameError(f"score of {run} in {self.name}", mteb_name(missing[0]), known)
            rows[run] = [known[mteb_name(name)] for name in measures]
        return Collection.from_scores(self.name, rows, weight=self.weight, group=self.group)


def mteb_name(measure: str) -> str:
    """Return what MTEB calls a measure; a name of its own stays as it is."""
    name, at, depth = measure.partition("@")
    return f"{MTEB_NAMES[name]}_at_{depth}" if at and name in MTEB_NAMES else measure


def read_board(path: Path) -> list[CollectionSource]:
    """Read a board in TOML, or list the collections of a folder."""
    if path.is_dir():
        return folder_sources(path)
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"is neither a folder nor valid TOML: {error}", path=path) from None
    if unknown := sorted(said.keys() - {"folder", "collections"}):
        raise InputError(f"the key '{unknown[0]}' is not known", path=path, hint="Known: folder, collections")
    folder, tables = said.get("folder"), said.get("collections", {})
    if not isinstance(tables, dict) or not isinstance(folder, str | None) or (folder is None and not tables):
        raise InputError('needs folder = "PATH", or a table [collections.NAME] for each collection', path=path)
    listed = {} if folder is None else {source.name: source for source in folder_sources(path.parent / folder)}
    for name, table in tables.items():
        listed[name] = _read_description(path, name, table, listed.get(name))
    return list(listed.values())


def board_files(path: Path) -> list[str]:
    """List the files and the folder that a board names, as it names them; none of a folder, or of what is no board."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        tables = list(said.get("collections", {}).values())
        runs = [table.get("runs", ()) for table in tables]
        files = [run for one in runs for run in (one.values() if isinstance(one, dict) else one)]
        return [
            str(file) for file in (*files, *(table.get("judgments") for table in tables), said.get("folder")) if file
        ]
    except (OSError, ValueError, TypeError, AttributeError):
        return []


def _read_description(path: Path, name: str, table: Any, known: CollectionSource | None) -> CollectionSource:
    """Read what the board says of one collection, which the folder may know already."""
    where = f"[collections.{name}]"
    if not isinstance(table, dict) or (unknown := sorted(table.keys() - set(KEYS))):
        what = f"knows no key '{unknown[0]}'" if isinstance(table, dict) else "must be a table"
        raise InputError(f"{where} {what}", path=path, hint=f"Known: {', '.join(KEYS)}")
    source = known or CollectionSource(name=name)
    if "weight" in table:
        source = replace(source, weight=_read_weight(table["weight"], where, path))
    for key in ("group", "judgments"):
        if not isinstance(table.get(key, ""), str):
            raise InputError(f"{where}: {key} must be a text; it is {table[key]!r}", path=path)
    source = replace(source, group=table.get("group", source.group))
    if "judgments" in table:
        judgments = path.parent / table["judgments"]
        source = replace(source, judgments=_split_file(judgments) if judgments.is_dir() else judgments)
    if "runs" in table:
        runs = table["runs"]
        if isinstance(runs, list):
            runs = {_run_name(Path(str(run))): run for run in runs}
        if not isinstance(runs, dict) or not runs:
            raise InputError(f'{where}: runs must be a table such as {{bm25 = "bm25.txt"}}, or a list', path=path)
        source = replace(source, runs={run: path.parent / str(file) for run, file in runs.items()})
    if not source.scores and (source.judgments is None or not source.runs):
        raise InputError(f"{where} needs judgments and runs, or a folder that has them", path=path)
    return source


def folder_sources(folder: Path) -> list[CollectionSource]:
    """List the collections of a folder: those with judgments and runs, or the tasks of MTEB's results."""
    if not folder.is_dir():
        raise InputError("is no folder", path=folder)
    listed = [source for path in _visible(folder) if path.is_dir() and (source := _folder_source(path)) is not None]
    if listed:
        return listed
    if tasks := _mteb_sources(folder):
        return tasks
    raise InputError(
        "has no collections",
        path=folder,
        hint="Expected a folder for each, with qrels* (or qrels/test.tsv) and runs/NAME*; or results of MTEB.",
    )


def _visible(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")))


def _folder_source(folder: Path) -> CollectionSource | None:
    """Find a collection in its own folder; None if there are no judgments."""
    judged = [path for path in _visible(folder) if path.name.startswith("qrels")]
    if not judged:
        return None
    if len(judged) > 1:
        raise InputError(f"has several judgments: {', '.join(path.name for path in judged)}", path=folder)
    judgments = _split_file(judged[0]) if judged[0].is_dir() else judged[0]
    if not (folder / "runs").is_dir():
        raise InputError("has judgments and no folder called runs", path=folder)
    runs: dict[str, Path] = {}
    for run in _visible(folder / "runs"):
        if (name := _run_name(run)) in runs:
            raise InputError(f"two files are the run {name}: {runs[name].name} and {run.name}", path=folder / "runs")
        runs[name] = run
    if not runs:
        raise InputError("holds no run", path=folder / "runs")
    return CollectionSource(name=folder.name, judgments=judgments, runs=runs)


def _split_file(folder: Path) -> Path:
    """Choose the judgments among BEIR's splits: those of the test, if there are any."""
    files = {_run_name(path): path for path in _visible(folder)}
    wanted = next((name for name in SPLITS if name in files), None)
    if wanted is None and len(files) != 1:
        raise InputError(f"expected {SPLITS[0]}.tsv among the judgments, and there is {list(files)}", path=folder)
    return files[wanted] if wanted is not None else next(iter(files.values()))


def _run_name(path: Path) -> str:
    """Name a run for its file: up to the first dot that a letter follows, so that e5-v1.5.txt.gz is e5-v1.5."""
    return re.split(r"\.(?=[A-Za-z])", path.name, maxsplit=1)[0]


def _mteb_sources(folder: Path) -> list[CollectionSource]:
    """Read MTEB's results, MODEL/REVISION/TASK.json: a collection for each task, with the scores of its models."""
    tasks: dict[str, dict[str, Mapping[str, float]]] = {}
    for file in sorted(folder.rglob("*.json")):
        try:
            said = json.loads(file.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError) as error:
            raise InputError(f"is not valid JSON: {error}", path=file) from None
        if not isinstance(said, dict) or not isinstance(said.get("scores"), dict) or "task_name" not in said:
            continue  # the facts of a model, model_meta.json
        parts = file.relative_to(folder).parts
        model = parts[0].replace("__", "/") if len(parts) > 1 else folder.name
        scores = tasks.setdefault(str(said["task_name"]), {})
        if model in scores:
            raise InputError(
                f"{model} has results of {said['task_name']} twice",
                path=file,
                hint="Keep one revision of each model in the folder.",
            )
        scores[model] = _task_scores(said["scores"], file)
    return [CollectionSource(name=name, scores=scores) for name, scores in tasks.items()]


def _task_scores(splits: Mapping[str, Any], file: Path) -> dict[str, float]:
    """Return every score of a task: the mean over its splits and subsets, as MTEB's own `get_score`."""
    entries = [one for listed in splits.values() if isinstance(listed, list) for one in listed if isinstance(one, dict)]
    if not entries or any(MAIN not in entry for entry in entries):
        raise InputError(f"a result of MTEB without {MAIN}", path=file)
    scores = {}
    for name in entries[0]:
        values = [entry.get(name) for entry in entries]
        numbers = [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
        if len(numbers) == len(entries) and all(map(math.isfinite, numbers)):
            scores[name] = sum(numbers) / len(numbers)
    if MAIN not in scores:
        raise InputError(f"{MAIN} is not a number in every subset", path=file)
    return scores


def described_measures(measures: Iterable[Measure]) -> dict[str, Any]:
    """Return what a comparison must know of measures: their names, bounds, and of which more is not better."""
    listed = list(measures)
    refuse_unpaired(listed)
    return {
        "measures": tuple(map(str, listed)),
        "bounds": {str(measure): measure.facts.bounds for measure in listed},
        "ascending": frozenset(str(measure) for measure in listed if not measure.facts.more_is_better),
    }


def compare_collections(
    collections: Mapping[str, tuple[Any, Mapping[str, Any]]],
    measures: Names,
    *,
    weights: str | Mapping[str, float],
    groups: Mapping[str, str] | None,
    dialect: str | Dialect,
    said: Mapping[str, Any],
    overrides: Mapping[str, Any],
    **choices: Any,
) -> CollectionsComparison:
    """Evaluate runs on each of the collections, and compare them over all by the choices of such a comparison."""
    from rankgauge import compare, files

    spoken = override_choices(dialect, overrides, compare).on_chunks(said.get("chunks"))
    spoken = spoken.on_scale(said.get("scale"), measures, rel="rel" not in overrides)
    wanted = spoken.select(measures)
    for name in (*(weights if isinstance(weights, Mapping) else ()), *(groups or ())):
        if name not in collections:
            raise UnknownNameError("collection", name, collections)
    described = described_measures(wanted)
    listed = []
    for name, (judgments, runs) in collections.items():
        with collecting_notes() as notes, judged_as(spoken):
            judged, named = apply_spelling(judgments, files.named_runs("compare", runs), **said)
        results = {run: one.noted(notes) for run, one in evaluate_runs(judged, named, wanted, spoken)}
        given = {"weight": weights.get(name)} if isinstance(weights, Mapping) else {}
        listed.append(Collection.from_results(name, results, group=(groups or {}).get(name, ""), **given))
    choices["judged_rule"] = TRUSTING if "unjudged" in overrides else JudgedRule()
    choices |= {"weights": "given" if isinstance(weights, Mapping) else weights, **described}
    return CollectionsComparison(given=tuple(listed), **choices)


def are_collections(judgments: Any) -> bool:
    """Say whether these are collections by name, each with judgments and runs."""
    return (
        isinstance(judgments, Mapping)
        and bool(judgments)
        and all(isinstance(judgment, tuple) and len(judgment) == 2 for judgment in judgments.values())
    )


def read_weights(path: Path) -> dict[str, tuple[float | None, str]]:
    """Read the weight and the group of each collection from a table with a column weight, or group, or both."""
    from rankgauge import files

    frame = files.read_table(path)
    names = {str(name).strip().lower(): name for name in frame.columns}
    if "collection" not in names or not {"weight", "group"} & names.keys():
        raise InputError("needs a column collection, and weight or group", path=path)
    weights: dict[str, tuple[float | None, str]] = {}
    for row in frame.iter_rows(named=True):
        name = str(row[names["collection"]])
        if name in weights:
            raise InputError(f"has the collection {name} twice", path=path)
        weight = _read_weight(row[names["weight"]], name, path) if "weight" in names else None
        weights[name] = weight, str(row[names["group"]] or "") if "group" in names else ""
    return weights


def _read_weight(value: Any, of: str, path: Path) -> float:
    try:
        weight = math.nan if isinstance(value, bool | None) else float(value)
    except (TypeError, ValueError):
        weight = math.nan
    if not 0 <= weight < math.inf:
        what = "missing" if value is None else f"'{value}'"
        raise InputError(f"{of}: weight must be a number, 0 or more; it is {what}", path=path)
    return weight
