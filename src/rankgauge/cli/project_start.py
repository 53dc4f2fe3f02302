"""A first rankgauge.toml for a folder: `rankgauge check --init` looks for judgments and runs and writes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import TypeAlias

import numpy as np

from rankgauge.cli.comparison import DEFAULT_MEASURES, gate_rules
from rankgauge.cli.evaluation import RunsEvaluation
from rankgauge.cli.project import NAME, SHARED, ProjectFile
from rankgauge.cli.runs import run_git
from rankgauge.comparison import Comparison
from rankgauge.comparison.gate import Gate, GateRule
from rankgauge.errors import InputError
from rankgauge.input_notes import collecting_notes
from rankgauge.statistics.effects import detectable_effect, queries_needed

MOST = 200
"""How many files are looked at."""

JUDGED = ("qrel", "judgment", "judgement", "rating", "label")
"""What is in the names of files with judgments, where several could be."""

ASKED = ("queries", "topics", "requests")
"""How the names of files begin that list the queries of responses."""

BASES = ("main", "base", "prod", "control", "before", "old", "bm25")
"""What is in the name of a run that others are compared with, the surest first."""

OTHERS = (".py", ".md", ".toml", ".html", ".svg", ".png", ".pdf", ".lock", ".yml", ".yaml", ".ipynb")
"""Endings of files that are neither judgments nor runs, so that nobody has to look into them."""


FoundFiles: TypeAlias = Mapping[str, list[str]]
"""Paths by what the files hold: judgments, runs, segments, queries, and responses, the runs that name no queries."""


def find_files(folder: Path) -> FoundFiles:
    """Find what the files of the folder and of those directly in it hold, by their beginnings."""
    files: FoundFiles = {kind: [] for kind in ("judgments", "runs", "segments", "queries", "responses")}
    for path in sorted(_files(folder), key=lambda path: (len(path.parts), path.name))[:MOST]:
        for kind in _kinds(path):
            files[kind].append(path.relative_to(folder).as_posix())
    return files


def start(folder: Path) -> tuple[Path, FoundFiles]:
    """Write the file, which must not exist; return its path, and what was found."""
    path = folder / NAME
    if path.exists():
        raise InputError("is there already, and is not overwritten", path=path)
    shared = folder / SHARED
    if shared.is_file() and ProjectFile.read(shared).settings:
        raise InputError("describes the gate already, in [tool.rankgauge]", path=shared)
    files = find_files(folder)
    if not files["judgments"] or not files["runs"]:
        lacking = "no judgments" if not files["judgments"] else "no run"
        raise InputError(
            f"{lacking} found here or in a folder below",
            path=folder,
            hint="'rankgauge formats' lists what is read. Judgments and a run are needed to begin.",
        )
    from rankgauge.files.output import writing

    with writing(path) as file:
        file.write(_text(folder, files).encode())
    return path, files


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(".") or path.suffix.lower() in OTHERS:
            continue
        if path.is_file():
            yield path
        elif path.is_dir():
            yield from (inner for inner in path.iterdir() if inner.is_file() and not inner.name.startswith("."))


def _kinds(path: Path) -> tuple[str, ...]:
    """Return which of the lists a file belongs to."""
    from rankgauge.files import find
    from rankgauge.files.detection import JSON_LINES, recognise
    from rankgauge.files.format import Head, Kind
    from rankgauge.files.queries import search_texts
    from rankgauge.files.source import Source
    from rankgauge.files.tabular import header, objects

    if path.name.lower().startswith(ASKED) or ".queries." in path.name.lower():
        return ("queries",)
    try:
        source = Source.of(path)
        read = [detection for detection in recognise(source) if detection.kind is not Kind.COMPANION]
        kinds = [detection.kind for detection in read]
        if kinds and not (kinds[0] is Kind.JUDGMENTS and Kind.RUN in kinds):  # JSON lines may be anything
            runs = ("runs",) if read[0].format.names_queries else ("runs", "responses")
            return {Kind.JUDGMENTS: ("judgments",), Kind.RUN: runs}.get(kinds[0], ())
        if source.suffix in JSON_LINES and search_texts(list(objects(source)), source.name):
            return ("queries",)
        names, _ = header(Head(source=source))
    except (InputError, OSError):
        return ()
    return ("segments",) if len(names) > 1 and find(names, "query") and source.suffix in (".csv", ".tsv") else ()


def _text(folder: Path, files: FoundFiles) -> str:
    (judgments, *others), segments = sorted(files["judgments"], key=_unlikely), files["segments"]
    runs, base = _runs(folder, files["runs"])
    listed = ", ".join(f"{_key(name)} = {_quote(path)}" for name, path in runs.items())
    lines = [
        "# The gate of this project: 'rankgauge check' reads it. docs/pipeline.md explains every key.",
        "",
        "# Who judged what." + (f" Also found: {', '.join(others)}." if others else ""),
        f"judgments = {_quote(judgments)}",
        "",
        "# The runs by name; git:REF:PATH is a file as it is at another commit.",
        f"runs = {{{listed}}}",
        "# The run that the others must not fall below.",
        f"baseline = {_quote(base)}",
        "",
        *_query_lines(files),
        "# What is measured, and what fails the gate: a loss of more than 0.01 that is more than luck.",
        'measures = ["nDCG@10", "AP"]',
        'fail-if-worse = ["nDCG@10:0.01"]',
        "",
        "# Groups of queries, each of which must not be worse either: a table with a column of queries.",
        f"{'' if segments else '# '}by = {_quote([*segments, 'segments.csv'][0])}",
    ]
    return "\n".join(lines) + "\n"


def _query_lines(files: FoundFiles) -> list[str]:
    """Return the lines on the list of queries, where a run is made of responses, which do not name theirs."""
    queries = files["queries"]
    if not files["responses"]:
        return []
    words = "# The queries that the responses answer, one per line, in the order of the requests."
    return [words, f"{'' if queries else '# '}queries = {_quote([*queries, 'queries.txt'][0])}", ""]


def _runs(folder: Path, paths: list[str]) -> tuple[Mapping[str, str], str]:
    """The runs by name, and the baseline: of a run that is alone, what it was at the last commit, or on the remote."""
    from rankgauge.files.source import stem_of

    stems = [stem_of(path) for path in paths]
    names = [stem if stems.count(stem) == 1 else path for stem, path in zip(stems, paths, strict=True)]
    runs = dict(zip(names, paths, strict=True))
    if len(paths) == 1:
        return {"main": f"git:{_ref(folder)}:{paths[0]}", "new": paths[0]}, "main"
    return runs, next((name for mark in BASES for name in names if mark in name.lower()), names[0])


def _ref(folder: Path) -> str:
    """Return the remote's main branch if the repository has one, else the last commit."""
    try:
        for ref in ("origin/HEAD", "origin/main", "origin/master"):
            if run_git("rev-parse", "--verify", "--quiet", ref, folder=folder).returncode == 0:
                return ref
    except InputError:  # git is not installed
        pass
    return "HEAD"


def _unlikely(name: str) -> tuple[bool, bool]:
    """Return judgments whose name begins as that of judgments come first, then those that have it anywhere."""
    plain = Path(name).name.lower()
    return not plain.startswith(JUDGED), not any(mark in plain for mark in JUDGED)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else _quote(name)


def _quote(text: str) -> str:
    """Return a text as TOML writes it: as JSON does."""
    return json.dumps(text, ensure_ascii=False)


SPREADS = (0.1, 0.2, 0.3)
"""Standard deviations of differences to reckon with while nobody knows them."""


def power_words(project: ProjectFile) -> Iterator[str]:
    """Say for each rule of a project's gate which loss it can detect with these queries and runs."""
    options = project.options()
    rules = gate_rules(options)
    asked = options.but(measure=[rule.measure for rule in rules])
    with chdir(project.path.parent), collecting_notes():
        results = RunsEvaluation.of(asked, DEFAULT_MEASURES).results()
    gate = Gate(comparison=Comparison(results=results, baseline=next(iter(options.baseline or ()), None)), rules=rules)
    yield from (_words(gate, rule) for rule in rules)


def _words(gate: Gate, rule: GateRule) -> str:
    """Return the loss of one measure."""
    comparison = gate.comparison
    differences = comparison.differences[comparison.measures.index(gate.measure(rule.measure))]
    spreads = np.nan_to_num(np.nanstd(differences, axis=0, ddof=1))
    count, pair = int((~np.isnan(differences)).sum(axis=0).min()), int(spreads.argmax())
    if count < 2:
        return f"With {count} queries the gate can detect nothing: judge more."
    effect = float(detectable_effect(count, alpha=gate.alpha))
    if not spreads[pair]:
        losses = ", ".join(f"{rule.tolerance + effect * spread:.2g} if it is {spread:g}" for spread in SPREADS)
        return (
            f"With {count:,} queries the loss of {rule.measure} detected in 4 of 5 cases (80 % power) depends "
            f"on the standard deviation of the differences, which equal runs do not show yet: about {losses}."
        )
    run, other = (comparison.runs[side[pair]] for side in comparison.paired)
    loss = rule.tolerance + effect * spreads[pair]
    half = loss / 2 - rule.tolerance
    more = f" For half of it, about {float(queries_needed(half / spreads[pair], alpha=gate.alpha)):,.0f} are needed."
    return (
        f"With {count:,} queries the gate detects a loss of {rule.measure} of about {loss:.2g} in 4 of 5 cases (80 % "
        f"power): differences between {run} and {other} have a standard deviation of {spreads[pair]:.2g}."
        + (more if half > 0 else "")
    )
