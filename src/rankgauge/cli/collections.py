"""rankgauge compare --collections: runs over many collections, and their gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgauge.cli.comparison import (
    DEFAULT_MEASURES,
    CompareOptions,
    check_formats,
    chosen_tables,
    close_gate,
    find_baseline,
    gate_rules,
    judged_rule,
)
from rankgauge.cli.evaluation import RunsEvaluation
from rankgauge.cli.options import names
from rankgauge.cli.streams import find_outputs, refuse_overwriting, show_progress, write_report
from rankgauge.comparison.collections import Collection, CollectionsComparison
from rankgauge.comparison.collections.board import WEIGHTS
from rankgauge.comparison.collections.report import FRAMES, TABLES, CollectionsReport
from rankgauge.comparison.collections.sources import (
    MAIN,
    CollectionSource,
    described_measures,
    read_board,
    read_weights,
)
from rankgauge.comparison.gate import CollectionsGate, GateRule
from rankgauge.comparison.gate_files import GateLook
from rankgauge.comparison.settings import ComparisonSettings, SegmentTolerance
from rankgauge.errors import InputError, OptionError, UnknownNameError
from rankgauge.measures.output import measures_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

UNFIT = (
    "by",
    "similarity",
    "risk",
    "floor",
    "segment_tolerance",
    "per_query",
    "measures_agree",
    "intents",
)
"""Options that are about a single collection."""

ALONE = {"test": "t", "correction": "holm", "interval": "t"}
"""Choices that a comparison over collections makes itself, and their defaults."""


def collections_compared(options: CompareOptions, *, store: bool = False) -> None:
    """Compare the runs over the collections and write the report; a gate ends the command with its exit code."""
    if problems := [*_misfits(options, store=store)]:
        raise OptionError(*problems)
    outputs = find_outputs(CollectionsReport, options.output)
    assert options.collections is not None
    refuse_overwriting([options.collections], [path for _, path in outputs])
    sources, weights = _apply_weights(options, read_board(options.collections))
    settings = ComparisonSettings(alpha=options.alpha, seed=options.seed, draws=options.draws)
    chosen, rules = chosen_tables(options, TABLES), gate_rules(options)
    check_formats([format_ for format_, _ in outputs], chosen, FRAMES, gated=bool(rules))
    collections, said, rules = _evaluate_collections(options, sources, rules)
    known = {run: None for collection in collections for run in collection.runs}
    comparison = CollectionsComparison(
        given=tuple(collections),
        **said,
        bases=tuple(dict.fromkeys(find_baseline(one, known) for one in options.baseline or ())),
        weights=weights,
        holes=options.holes or "common",
        settings=settings,
        judged_rule=judged_rule(options),
    )
    tolerances = tuple(SegmentTolerance.parse(text) for text in options.collection_tolerance or ())
    gate = None
    if rules:
        gaps = [
            collection.values[..., comparison.paired]
            for collection in comparison.collections
            if collection.values is not None
        ]
        look = None if options.looks is None else GateLook.take(options.looks, options.alpha, rules, gaps)
        gate = CollectionsGate(comparison=comparison, rules=rules, tolerances=tolerances, look=look)
    report = CollectionsReport(comparison=comparison, chosen=chosen, gate=gate, digits=options.digits)
    write_report(report, outputs)
    close_gate(gate, outputs)


def _misfits(options: CompareOptions, *, store: bool) -> Iterator[str]:
    """Say which options do not go with many collections, or lack another one."""
    if options.judgments is not None or options.runs:
        yield "--collections takes the place of JUDGMENTS and RUN: leave one of them out."
    for name in UNFIT:
        if getattr(options, name) not in (None, False, []):
            flag = {"floor": "min"}.get(name, name.replace("_", "-"))
            yield f"--{flag} is about a single collection: leave it out with --collections."
    for name, usual in ALONE.items():
        if getattr(options, name) != usual:
            yield f"--{name} is about a single collection: over many, pairs are corrected by resampling them all."
    if options.fail_if_worse and not options.baseline:
        yield "--fail-if-worse needs --baseline, the run that the others must not fall below, e.g. --baseline main."
    if options.looks and not options.fail_if_worse:
        yield "--looks needs --fail-if-worse, e.g. --fail-if-worse nDCG@10."
    if options.collection_tolerance and not options.fail_if_worse:
        yield "--collection-tolerance needs --fail-if-worse, e.g. --fail-if-worse nDCG@10."
    if store:
        yield "--store-baseline is about a single collection."


def _apply_weights(options: CompareOptions, sources: list[CollectionSource]) -> tuple[list[CollectionSource], str]:
    """Return the collections with the weights or groups of a file, and the rule for weights."""
    if options.weights is None or options.weights in WEIGHTS:
        return sources, options.weights or "each"
    if not Path(options.weights).suffix:
        raise UnknownNameError("rule for weights", options.weights, WEIGHTS)
    said = read_weights(Path(options.weights))
    if unknown := [one.name for one in sources if one.name not in said]:
        raise InputError(f"says nothing of the collection {unknown[0]}", path=options.weights)
    weighted = [replace(one, weight=said[one.name][0], group=said[one.name][1]) for one in sources]
    return weighted, "groups" if all(source.weight is None for source in weighted) else "given"


def _evaluate_collections(
    options: CompareOptions, sources: list[CollectionSource], rules: tuple[GateRule, ...]
) -> tuple[list[Collection], dict[str, Any], tuple[GateRule, ...]]:
    """Evaluate every collection; those of scores alone have no queries.

    Also what is known of the measures, and the rules with their measures' own names.
    """
    measures = list(dict.fromkeys([*names(options.measure or ()), *(rule.measure for rule in rules)]))
    if all(one.scores for one in sources):
        asked = measures or [MAIN]
        return [one.by_scores(asked) for one in sources], {"measures": tuple(asked)}, rules
    if bare := [one.name for one in sources if one.scores]:
        raise InputError(f"{bare[0]} has scores alone, and other collections have runs: compare them apart")
    evaluated, said, selected = [], {}, {}
    with show_progress() as tell:
        for place, source in enumerate(sources):
            tell(place, len(sources), source.name)
            files = [Path(f"{run}={path}") for run, path in source.runs.items()]
            asked_here = options.but(judgments=source.judgments, runs=files, measure=measures or None)
            evaluation = RunsEvaluation.of(asked_here, DEFAULT_MEASURES[:1])
            said = described_measures(measures_of(evaluation.printed))
            selected = {rule.measure: evaluation.dialect.select(rule.measure) for rule in rules}
            results = evaluation.results()
            evaluated.append(Collection.from_results(source.name, results, weight=source.weight, group=source.group))
        tell(len(sources), len(sources), "")
    spelled = {name: str(those[0]) for name, those in selected.items() if len(those) == 1}
    return evaluated, said, tuple(replace(one, measure=spelled.get(one.measure, one.measure)) for one in rules)
