"""What `rankgauge compare` and `rankgauge check` share: the options, the comparison, the gate and its exit code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from rankgauge.cli import choices
from rankgauge.cli.options import COLLECTIONS, GATE, JUDGMENTS, PRINTING, RUNS, TESTING, EvaluationOptions, names
from rankgauge.cli.parser import option
from rankgauge.errors import InputError, OptionError, RankGaugeError, UnknownNameError

if TYPE_CHECKING:
    from rankgauge.comparison.gate import GateRule
    from rankgauge.comparison.gate_report import AnyGate
    from rankgauge.comparison.judging import JudgedRule
    from rankgauge.comparison.similarity import SimilaritySettings
    from rankgauge.render.format import ReportFormat

DEFAULT_MEASURES = ("nDCG@10", "AP")


class CompareOptions(EvaluationOptions):
    """The options that evaluations have too, and those of comparisons alone."""

    output: list[str] | None = choices.output(
        "rankgauge.comparison.report:ComparisonReport.formats", several=True, group=PRINTING
    )
    per_query: bool = option(
        "-q", "--per-query", help="Show both values and the difference of every query.", group=PRINTING
    )
    judgments: Path = JUDGMENTS.but(unless="collections")
    runs: list[Path] = RUNS.but(unless="collections")
    collections: Path | None = option(
        "--collections",
        help="Compare runs over many collections: a board.toml, a folder with a folder for each (qrels*, runs/NAME*), "
        "or a folder of MTEB's results; in the place of JUDGMENTS and RUN.",
        metavar="BOARD|FOLDER",
        group=COLLECTIONS,
    )
    weights: str | None = choices.option(
        "--weights",
        registry="rankgauge.comparison.collections.board:WEIGHTS",
        help="What collections count: {choices}; or a table with the columns collection and weight or group "
        "[default: each].",
        metavar="NAME|FILE",
        group=COLLECTIONS,
    )
    holes: str | None = choices.option(
        "--holes",
        registry="rankgauge.comparison.collections.board:HOLES",
        help="Runs that lack a collection: {choices} [default: common].",
        group=COLLECTIONS,
    )
    baseline: list[str] | None = option(
        "--baseline",
        help="Compare the others with this run; repeatable.",
        metavar="RUN",
        group=TESTING,
    )
    test: str = choices.option(
        "--test",
        registry="rankgauge.statistics.paired_test:TESTS",
        help="The paired test: {choices}.",
        default="t",
        group=TESTING,
    )
    correction: str = choices.option(
        "--correction",
        registry="rankgauge.statistics.paired_test:CORRECTIONS",
        help="The correction for many pairs: {choices}. (tukey is a randomisation test itself and ignores --test.)",
        default="holm",
        group=TESTING,
    )
    alpha: float = option(
        "--alpha",
        help="The level below which a corrected p-value separates two runs.",
        metavar="P",
        default=0.05,
        group=TESTING,
    )
    draws: int | None = option(
        "--draws",
        help="Random draws of a test; by default as many as the correction needs.",
        metavar="N",
        least=1,
        group=TESTING,
    )
    measures_agree: bool | None = option(
        "--measures-agree/--no-measures-agree",
        help="Show how measures agree on the runs' order, and the pairs each separates; by default from 3 runs.",
        group=PRINTING,
    )
    tables: str | None = choices.option(
        "--tables",
        registry="rankgauge.comparison.report:TABLES",
        help="The tables to write, separated by commas: {choices}. By default all; in LaTeX the means.",
        metavar="NAMES",
        several=True,
        group=PRINTING,
    )
    digits: int = option(
        "--digits", help="The decimals of the means in LaTeX.", metavar="N", least=1, most=15, default=4, group=PRINTING
    )
    similarity: str | None = choices.option(
        "--similarity",
        registry="rankgauge.statistics.similarity:SIMILARITIES",
        help="Also show how alike the runs' lists are, and by the same coefficient how alike measures order the "
        "runs: {choices}.",
        group=PRINTING,
    )
    p: float | None = option(
        "--p",
        help="For --similarity rbo: the chance that a reader goes on to the next rank [default: 0.9].",
        metavar="P",
        group=PRINTING,
    )
    shared_only: bool = option(
        "--shared-only", help="For --similarity: take out documents that only one of two lists has.", group=PRINTING
    )
    risk: float | None = option(
        "--risk",
        help="Also show what each run risks against the baseline (URisk, TRisk, GeoRisk): losses weigh 1 + RISK "
        "times as much as gains.",
        metavar="RISK",
        least=0,
        group=PRINTING,
    )
    fail_if_worse: list[str] | None = option(
        "--fail-if-worse",
        help="A gate, repeatable. Exit 1: the 95 % interval of the difference lies below 0, or below −LOSS. Exit 0: "
        "the mean is not below, or the interval lies above −LOSS. Exit 3: undecided.",
        metavar="MEASURE[:LOSS]",
        offer=choices.list_of(choices.measures),
        group=GATE,
    )
    floor: list[str] | None = option(
        "--min",
        help="A gate: exit with 1 if the mean of a run other than the baseline is below VALUE; without a measure, "
        "that of every measure of --fail-if-worse. Repeatable.",
        metavar="[MEASURE:]VALUE",
        group=GATE,
    )
    segment_tolerance: list[str] | None = option(
        "--segment-tolerance",
        help="With --by and --fail-if-worse: the loss tolerated in a segment, such as brand:0.02 or, with its "
        "column, kind=brand:0.02; elsewhere that of the rule. Repeatable.",
        metavar="SEGMENT:LOSS",
        group=GATE,
    )
    collection_tolerance: list[str] | None = option(
        "--collection-tolerance",
        help="With --collections and --fail-if-worse: the loss tolerated in a collection, such as fiqa:0.02; elsewhere "
        "that of the rule. Repeatable.",
        metavar="NAME:LOSS",
        group=GATE,
    )
    looks: Path | None = option(
        "--looks",
        help="A gate that is looked at again and again: a small file that counts the looks. Each spends a part of "
        "--alpha, so that the chance of any false alarm stays below it.",
        metavar="FILE",
        group=GATE,
    )
    min_judged: float | None = option(
        "--min-judged",
        help="The share of a run's top k that must be judged for a verdict [default: 0.2].",
        metavar="SHARE",
        least=0,
        most=1,
        group=GATE,
    )


def write_comparison(options: CompareOptions, *, store: bool = False) -> None:
    """Compare the runs and write the report; a gate ends the command with its exit code.

    With `store`, store the one run as the baseline instead.
    """
    if options.collections is not None:
        from rankgauge.cli.collections import collections_compared

        collections_compared(options, store=store)
        return
    from rankgauge.cli.baseline_file import baseline_file, store_baseline, with_baseline
    from rankgauge.cli.evaluation import RunsEvaluation
    from rankgauge.cli.streams import find_outputs, is_page, show_progress, write_report
    from rankgauge.comparison import Comparison, ComparisonSettings
    from rankgauge.comparison.gate import Gate
    from rankgauge.comparison.gate_files import GateLook
    from rankgauge.comparison.report import FRAMES, TABLES, ComparisonReport
    from rankgauge.comparison.risk import check_risk
    from rankgauge.comparison.settings import GateFloor, SegmentTolerance
    from rankgauge.measures.output import measures_of

    outputs = find_outputs(ComparisonReport, options.output)
    formats = [format_ for format_, _ in outputs]
    if problems := [*_misfits(options)]:
        raise OptionError(*problems)
    rules = gate_rules(options)
    limits: dict[str, Any] = {
        "floors": tuple(GateFloor.parse(text) for text in names(options.floor or ())),
        "tolerances": tuple(SegmentTolerance.parse(text) for text in options.segment_tolerance or ()),
    }
    chosen, alike = chosen_tables(options, TABLES), _alike(options)
    check_formats(formats, chosen, FRAMES, gated=bool(rules or limits["floors"]))
    _note_left_out(options, formats)
    wanted = (*(rule.measure for rule in rules), *(floor.measure for floor in limits["floors"] if floor.measure))
    measures = list(dict.fromkeys([*names(options.measure or ()), *wanted]))
    asked = RunsEvaluation.of(options.but(measure=measures), DEFAULT_MEASURES)
    if options.risk is not None:
        check_risk(options.risk, next(iter(options.baseline or ()), None), measures_of(asked.printed))
    stored = baseline_file(options.baseline, asked.runs)
    if store:
        store_baseline(stored, asked, trusting=options.knows_unjudged)
        return
    if stored is None:
        _refuse_one(options.judgments, asked.runs)
    elif alike is not None:
        raise OptionError(
            "--similarity needs the runs' lists, which a stored baseline does not have. Name a run instead."
        )
    asked.refuse_overwriting(*(path for _, path in outputs), stored)
    settings = ComparisonSettings(**{field.name: getattr(options, field.name) for field in fields(ComparisonSettings)})
    if options.draws is not None and not (settings.paired_test.draws or settings.family_correction.tests_alone):
        raise OptionError(
            "--draws needs a test that draws at random: --test randomisation, --test bootstrap or --correction tukey."
        )
    if alike is not None:
        asked.refuse_pipes("--similarity")
    results = asked.results()
    if stored is None:
        bases = [find_baseline(one, results) for one in options.baseline or ()]
    else:
        base, results = with_baseline(stored, asked, results)
        bases = [base]
    comparison = Comparison(
        results=results,
        baseline=bases[0] if bases else None,
        rivals=tuple(bases[1:]),
        settings=settings,
        judged_rule=judged_rule(options),
        risk=options.risk,
    )
    if alike is not None:
        with show_progress() as tell:
            comparison = comparison.likened(asked.tables(), alike, tell)
    if options.by is not None:
        comparison = comparison.segmented(options.by, options.ids)
    sources = {"": str(options.judgments), **{name: str(path) for name, path in asked.runs.items()}}
    limits |= {"sources": sources, "explain": asked.explain}
    if options.looks is not None:
        limits["look"] = GateLook.take(options.looks, options.alpha, rules, comparison.differences)
    gate = Gate(comparison=comparison, rules=rules, **limits) if rules or limits["floors"] else None
    report = ComparisonReport(
        comparison=comparison,
        agree=options.measures_agree,
        gate=gate,
        chosen=chosen,
        per_query=options.per_query,
        digits=options.digits,
        printed=asked.printed,
        tags=asked.tags(),
        documents=asked.documents if stored is None else None,  # a stored baseline has no documents
        texts=asked.words[0] if is_page(outputs) else {},
    )
    write_report(report, outputs)
    close_gate(gate, outputs)


@contextmanager
def guard_exit_code() -> Iterator[None]:
    """Within the block, neither an error nor a closed pipe ends with the exit code of a verdict that nobody gave."""
    from rankgauge.cli.streams import outlive_reader

    outlive_reader("stdout")
    try:
        yield
    except RankGaugeError as error:
        if error.exit_code in (1, 3):
            error.exit_code = InputError.exit_code
        raise


def _misfits(options: CompareOptions) -> Iterator[str]:
    """Say which options lack another one, or do not go with another one."""
    gated = bool(options.fail_if_worse)
    for name in ("weights", "holes", "collection_tolerance"):
        if getattr(options, name):
            yield f"--{name.replace('_', '-')} needs --collections."
    if (gated or options.floor) and not options.baseline:
        name = "--fail-if-worse" if gated else "--min"
        yield f"{name} needs --baseline, the run that the others must not fall below, e.g. --baseline main."
    if options.looks and not gated:
        yield "--looks needs --fail-if-worse, e.g. --fail-if-worse nDCG@10."
    if options.segment_tolerance and not (options.by and gated):
        yield "--segment-tolerance needs --by and --fail-if-worse, e.g. --by kinds.csv --fail-if-worse nDCG@10."
    if options.similarity is None:
        for name, value in (("--p", options.p), ("--shared-only", options.shared_only or None)):
            if value is not None:
                yield f"{name} needs --similarity, e.g. --similarity rbo."
    tables = {name.strip() for name in (options.tables or "").split(",")} - {""}
    for name, needed in TABLE_OPTIONS.items():
        if name in tables and getattr(options, needed) is None:
            yield f"--tables {name} needs --{needed}."
    if options.per_query and tables and "queries" not in tables:
        yield "-q asks for every query: add queries to --tables, or leave --tables out."
    if "matrix" in tables and options.baseline:
        yield "--tables matrix shows all pairs, and --baseline compares with one run only: leave one of them out."


def gate_rules(options: CompareOptions) -> tuple[GateRule, ...]:
    """Return the rules of the gate, if there is one."""
    if not options.fail_if_worse and not options.floor:
        return ()
    from rankgauge.comparison.gate import GateRule

    return tuple(GateRule.of(rule) for rule in names(options.fail_if_worse or ()))


def chosen_tables(options: CompareOptions, known: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the names of the tables, None for all; one that is wrong is an error before anything is read."""
    chosen = tuple(name.strip() for name in (options.tables or "").split(",") if name.strip())
    for name in chosen:
        if name not in known:
            raise UnknownNameError("table", name, known)
    return chosen or None


def check_formats(
    formats: Iterable[ReportFormat], chosen: tuple[str, ...] | None, frames: Iterable[str], *, gated: bool
) -> None:
    """Refuse tables that do not fit into a format of a single table, and a format of verdicts without a gate.

    `frames` names the tables that fit.
    """
    needs = {format_.needs: format_.name for format_ in formats}
    known = list(frames)
    if chosen and "frame" in needs and (len(chosen) > 1 or chosen[0] not in known):
        raise OptionError(
            f"{needs['frame']} holds a single table: --tables takes one of {', '.join(known)}, or use -o json for all."
        )
    if "cases" in needs and not gated:
        hint = "Add one: --baseline RUN --fail-if-worse nDCG@10:0.01"
        raise InputError(f"{needs['cases']} shows the verdicts of a gate, and there is none", hint=hint)


TABLE_OPTIONS = {"similarity": "similarity", "risk": "risk", "segments": "by"}
"""The tables that there are only with an option."""


def _note_left_out(options: CompareOptions, formats: Iterable[ReportFormat]) -> None:
    """Note what was asked for and has no place in a format that holds a single table."""
    single = [format_.name for format_ in formats if format_.needs == "frame"]
    if options.tables is not None or not single:
        return
    from rankgauge.input_notes import note

    for name in ("similarity", "risk"):
        if getattr(options, name) is not None:
            shown = "queries" if options.per_query else "segments" if options.by is not None else "pairs"
            note(f"{single[0]} holds a single table, here {shown}: --tables {name} writes {name}, -o json all")


def _alike(options: CompareOptions) -> SimilaritySettings | None:
    """Return the similarity of lists, if one was asked for; a wrong name is an error before anything is read."""
    if options.similarity is None:
        return None
    from rankgauge.comparison.similarity import SimilaritySettings

    settings = SimilaritySettings(similarity=options.similarity, shared_only=options.shared_only)
    if options.p is not None and not settings.kind.persistent:
        raise OptionError(f"--p needs --similarity rbo, rbo-b or rbo-w: {settings.similarity} has no persistence.")
    return settings if options.p is None else replace(settings, p=options.p)


def judged_rule(options: CompareOptions) -> JudgedRule:
    """Return how much must be judged for a verdict; who says what unjudged documents count as is believed."""
    from rankgauge.comparison.judging import TRUSTING, JudgedRule

    if options.knows_unjudged:
        return TRUSTING
    return JudgedRule() if options.min_judged is None else JudgedRule(least=options.min_judged)


def close_gate(gate: AnyGate | None, outputs: Iterable[tuple[ReportFormat, Path | None]]) -> None:
    """Count the look and end with the gate's exit code; say the verdict where the report went into a file."""
    if gate is None:
        return
    if gate.look is not None:
        gate.look.write()
    if all(path is not None for _, path in outputs):
        from rankgauge.comparison.gate_report import headline

        print(headline(gate))
    if gate.verdict.exit_code:
        raise SystemExit(gate.verdict.exit_code)


def _refuse_one(judgments: Path, runs: Mapping[str, Path]) -> None:
    if len(runs) < 2:
        alone = " ".join(str(path) for path in (judgments, *runs.values()))
        raise InputError(
            f"compare needs two runs or more, and there is only {', '.join(runs)}",
            hint=f"One run alone: rankgauge evaluate {alone}",
        )


def find_baseline(baseline: str, runs: Iterable[str]) -> str:
    """Return the baseline among the runs: by its name, by its file's, or by that up to the first dot."""
    known = list(runs)
    if baseline in known:
        return baseline
    from rankgauge.files.compression import unpacked_name

    if (file := unpacked_name(PurePath(baseline).name)) in known:
        return file
    stems = [run for run in known if PurePath(run).name.partition(".")[0] == baseline]
    if len(stems) > 1:
        raise OptionError(f"--baseline {baseline} may be any of {', '.join(stems)}: give the whole name.")
    return stems[0] if stems else baseline
