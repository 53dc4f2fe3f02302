"""What a gate can see: the loss that it calls worse in 4 of 5 cases, on the queries that there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from dataclasses import replace

import numpy as np

from rankgauge.cli.comparison import DEFAULT_MEASURES, gate_rules
from rankgauge.cli.evaluation import RunsEvaluation
from rankgauge.cli.project import ProjectFile
from rankgauge.comparison import Comparison
from rankgauge.comparison.gate import Gate, GateRule
from rankgauge.input_notes import heard
from rankgauge.statistics import detectable_effect, queries_needed

SPREADS = (0.1, 0.2, 0.3)
"""Standard deviations of differences to reckon with while nobody knows them."""


def power_words(project: ProjectFile) -> Iterator[str]:
    """Say for each rule of a project's gate which loss it can detect with these queries and runs."""
    options = project.options()
    rules = gate_rules(options)
    asked = replace(options, measure=[rule.measure for rule in rules])
    with chdir(project.path.parent), heard():
        results = RunsEvaluation.of(asked, DEFAULT_MEASURES).results()
    gate = Gate(comparison=Comparison(results=results, baseline=options.baseline), rules=rules)
    yield from (_words(gate, rule) for rule in rules)


def _words(gate: Gate, rule: GateRule) -> str:
    """The loss of one measure."""
    comparison = gate.comparison
    differences = comparison.differences[comparison.measures.index(gate.measure(rule))]
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
