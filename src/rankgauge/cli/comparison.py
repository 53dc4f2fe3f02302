"""What `rankgauge compare` and `rankgauge check` share: the options, the comparison, the gate and its exit code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

from typer import Exit, Option

from rankgauge.cli import choices
from rankgauge.cli.options import EvaluationOptions, names
from rankgauge.errors import InputError, ParameterError, RankGaugeError, UnknownNameError
from rankgauge.files.compression import unpacked_name
from rankgauge.input_notes import note

if TYPE_CHECKING:
    from rankgauge.comparison import Comparison
    from rankgauge.comparison.gate import Gate, GateRule
    from rankgauge.comparison.judging import JudgedRule
    from rankgauge.comparison.similarity import SimilaritySettings
    from rankgauge.render.format import ReportFormat

DEFAULT_MEASURES = ("nDCG@10", "AP")


@dataclass(frozen=True, kw_only=True)
class CompareOptions(EvaluationOptions):
    """The options that evaluations have too, and those of comparisons alone."""

    output: Annotated[
        list[str] | None, choices.output("rankgauge.comparison.report:ComparisonReport.formats", several=True)
    ] = None
    per_query: Annotated[
        bool, Option("-q", "--per-query", help="Show both values and the difference of every query.")
    ] = False
    baseline: Annotated[
        str | None,
        Option("--baseline", help="Compare every other run with this one; by default all pairs.", metavar="RUN"),
    ] = None
    test: Annotated[
        str,
        choices.option("--test", registry="rankgauge.statistics.paired_test:TESTS", help="The paired test: {choices}."),
    ] = "t"
    correction: Annotated[
        str,
        choices.option(
            "--correction",
            registry="rankgauge.statistics.correction:CORRECTIONS",
            help="The correction for many pairs: {choices}. (tukey is a randomisation test itself and ignores --test.)",
        ),
    ] = "holm"
    alpha: Annotated[
        float, Option("--alpha", help="The level below which a corrected p-value separates two runs.", metavar="P")
    ] = 0.05
    draws: Annotated[
        int | None,
        Option(
            "--draws", min=1, help="Random draws of a test; by default as many as the correction needs.", metavar="N"
        ),
    ] = None
    measures_agree: Annotated[
        bool | None,
        Option(
            "--measures-agree/--no-measures-agree",
            help="Show how measures agree on the runs' order, and the pairs each separates; by default from 3 runs.",
        ),
    ] = None
    tables: Annotated[
        str | None,
        choices.option(
            "--tables",
            registry="rankgauge.comparison.report:TABLES",
            help="The tables to write, separated by commas: {choices}. By default all; in LaTeX the means.",
            metavar="NAMES",
            several=True,
        ),
    ] = None
    digits: Annotated[
        int, Option("--digits", min=1, max=15, help="The decimals of the means in LaTeX.", metavar="N")
    ] = 4
    similarity: Annotated[
        str | None,
        choices.option(
            "--similarity",
            registry="rankgauge.statistics.similarity:SIMILARITIES",
            help="Also show how alike the runs' lists are, and by the same coefficient how alike measures order the "
            "runs: {choices}.",
        ),
    ] = None
    p: Annotated[
        float | None,
        Option(
            "--p",
            help="For --similarity rbo: the chance that a reader goes on to the next rank [default: 0.9].",
            metavar="P",
        ),
    ] = None
    shared_only: Annotated[
        bool,
        Option("--shared-only", help="For --similarity: take out documents that only one of two lists has."),
    ] = False
    risk: Annotated[
        float | None,
        Option(
            "--risk",
            min=0,
            help="Also show what each run risks against the baseline (URisk, TRisk, GeoRisk): losses weigh 1 + RISK "
            "times as much as gains.",
            metavar="RISK",
        ),
    ] = None
    fail_if_worse: Annotated[
        list[str] | None,
        Option(
            "--fail-if-worse",
            help="A gate: exit with 1 if a run is below the baseline by more than luck (the whole 95 % interval of the "
            "difference is below 0), 0 if its mean is not below, 3 if undecided. With :LOSS the interval must lie "
            "below −LOSS to fail and above it to pass. Repeatable.",
            metavar="MEASURE[:LOSS]",
            autocompletion=choices.listed(choices.measures),
        ),
    ] = None
    floor: Annotated[
        list[str] | None,
        Option(
            "--min",
            help="A gate: exit with 1 if the mean of a run other than the baseline is below VALUE; without a measure, "
            "that of every measure of --fail-if-worse. Repeatable.",
            metavar="[MEASURE:]VALUE",
        ),
    ] = None
    segment_tolerance: Annotated[
        list[str] | None,
        Option(
            "--segment-tolerance",
            help="With --by and --fail-if-worse: the loss tolerated in a segment, such as brand:0.02 or, with its "
            "column, kind=brand:0.02; elsewhere that of the rule. Repeatable.",
            metavar="SEGMENT:LOSS",
        ),
    ] = None
    min_judged: Annotated[
        float | None,
        Option(
            "--min-judged",
            min=0,
            max=1,
            help="The share of a run's top k that must be judged for a verdict [default: 0.2].",
            metavar="SHARE",
        ),
    ] = None


def compared(options: CompareOptions, *, store: bool = False) -> None:
    """Compare the runs and write the report; a gate ends the command with its exit code.

    With `store`, store the one run as the baseline instead.
    """
    from rankgauge.cli.baseline_file import baseline_file, store_baseline, with_baseline
    from rankgauge.cli.evaluation import RunsEvaluation
    from rankgauge.cli.progress import told
    from rankgauge.cli.streams import find_outputs, is_page, write_report
    from rankgauge.comparison import Comparison, ComparisonSettings
    from rankgauge.comparison.report import ComparisonReport
    from rankgauge.comparison.risk import check_risk
    from rankgauge.measures.output import measures_of

    outputs = find_outputs(ComparisonReport, options.output)
    formats = [format_ for format_, _ in outputs]
    rules, limits = gate_rules(options), _limits(options)
    chosen, alike = _tables(options, formats), _alike(options)
    if not rules and not limits["floors"] and any(format_.needs == "cases" for format_ in formats):
        hint = "Add one: --baseline RUN --fail-if-worse nDCG@10:0.01"
        raise InputError("junit shows the verdicts of a gate, and there is none", hint=hint)
    _note_left_out(options, formats)
    wanted = (*(rule.measure for rule in rules), *(floor.measure for floor in limits["floors"] if floor.measure))
    asked = RunsEvaluation.of(_measured(options, wanted), DEFAULT_MEASURES)
    if options.risk is not None:
        check_risk(options.risk, options.baseline, measures_of(asked.printed))
    stored = baseline_file(options.baseline, asked.runs)
    if store:
        store_baseline(stored, asked, trusting=options.unjudged is not None)
        return
    if stored is None:
        _refuse_one(options.judgments, asked.runs)
    elif alike is not None:
        raise ParameterError("compare", "similarity", "left out: a stored baseline has no lists", options.similarity)
    asked.spare(*(path for _, path in outputs), stored)
    settings = ComparisonSettings(
        test=options.test,
        correction=options.correction,
        alpha=options.alpha,
        interval=options.interval,
        seed=options.seed,
        draws=options.draws,
    )
    if options.draws is not None and not (settings.paired_test.draws or settings.family_correction.tests_alone):
        needs = "given with a test that draws at random: --test randomisation or bootstrap, --correction tukey"
        raise ParameterError("compare", "draws", needs, options.draws)
    if alike is not None:
        asked.refuse_pipes("--similarity")
    results = asked.results()
    if stored is None:
        baseline = _named(options.baseline, results)
    else:
        baseline, results = with_baseline(stored, asked, results)
    comparison = Comparison(
        results=results, baseline=baseline, settings=settings, judged_rule=_judged(options), risk=options.risk
    )
    if alike is not None:
        with told() as tell:
            comparison = comparison.likened(asked.tables(), alike, tell)
    if options.by is not None:
        comparison = comparison.segmented(options.by)
    sources = {"": str(options.judgments), **{name: str(path) for name, path in asked.runs.items()}}
    limits |= {"sources": sources, "explain": asked.explain}
    gate = _gate(comparison, rules, limits) if rules or limits["floors"] else None
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
    if gate is not None:
        _close(gate, told=all(path is not None for _, path in outputs))


@contextmanager
def gated() -> Iterator[None]:
    """Within the block, neither an error nor a closed pipe ends with the exit code of a verdict that nobody gave."""
    from rankgauge.cli.streams import outlive_reader

    outlive_reader("stdout")
    try:
        yield
    except RankGaugeError as error:
        if error.exit_code in (1, 3):
            error.exit_code = InputError.exit_code
        raise


def gate_rules(options: CompareOptions) -> tuple[GateRule, ...]:
    """The rules of the gate, if there is one."""
    if not options.fail_if_worse and not options.floor:
        return ()
    from rankgauge.comparison.gate import GateRule

    if options.baseline is None:
        wanted = "given with --fail-if-worse and --min: the run that the others must not fall below"
        raise ParameterError("compare", "baseline", wanted, None)
    return tuple(GateRule.of(rule) for rule in names(options.fail_if_worse or ()))


def _limits(options: CompareOptions) -> dict[str, Any]:
    """The floors of the gate, and the tolerances of its segments."""
    from rankgauge.comparison.gate_limits import GateFloor, SegmentTolerance

    tolerances = [SegmentTolerance.parse(text) for text in options.segment_tolerance or ()]
    if tolerances and not (options.by and options.fail_if_worse):
        wanted = "given with --by and --fail-if-worse, which look at segments"
        raise ParameterError("compare", "segment-tolerance", wanted, options.segment_tolerance)
    return {
        "floors": tuple(GateFloor.parse(text) for text in names(options.floor or ())),
        "tolerances": tuple(tolerances),
    }


def _tables(options: CompareOptions, formats: Iterable[ReportFormat]) -> tuple[str, ...] | None:
    """The names of the tables; one that is wrong, or would be empty, is an error before anything is read."""
    if options.tables is None:
        return None
    from rankgauge.comparison.report import FRAMES, TABLES

    found = tuple(name.strip() for name in options.tables.split(",") if name.strip())
    for name in found:
        if name not in TABLES:
            raise UnknownNameError("table", name, TABLES)
        if (option := TABLE_OPTIONS.get(name)) and getattr(options, option) is None:
            raise ParameterError("compare", "tables", f"without {name}, unless --{option} is given", options.tables)
    if options.per_query and found and "queries" not in found:
        wanted = "left out, or have queries among its names, where -q asks for every query"
        raise ParameterError("compare", "tables", wanted, options.tables)
    if "matrix" in found and options.baseline is not None:
        wanted = "without matrix, where a --baseline says that all others are compared with one run"
        raise ParameterError("compare", "tables", wanted, options.tables)
    single = [format_.name for format_ in formats if format_.needs == "frame"]
    if found and single and (len(found) > 1 or found[0] not in FRAMES):
        wanted = f"one of {', '.join(FRAMES)}, since {single[0]} holds a single table (json holds all)"
        raise ParameterError("compare", "tables", wanted, options.tables)
    return found or None


TABLE_OPTIONS = {"similarity": "similarity", "risk": "risk", "segments": "by"}
"""The tables that there are only with an option."""


def _note_left_out(options: CompareOptions, formats: Iterable[ReportFormat]) -> None:
    """A note on what was asked for and has no place in a format that holds a single table."""
    single = [format_.name for format_ in formats if format_.needs == "frame"]
    if options.tables is not None or not single:
        return
    for name in ("similarity", "risk"):
        if getattr(options, name) is not None:
            shown = "queries" if options.per_query else "segments" if options.by is not None else "pairs"
            note(f"{single[0]} holds a single table, here {shown}: --tables {name} writes {name}, -o json all")


def _alike(options: CompareOptions) -> SimilaritySettings | None:
    """The similarity of lists, if one was asked for; a wrong name is an error before anything is read."""
    if options.similarity is None:
        if options.p is not None or options.shared_only:
            name, value = ("shared-only", True) if options.p is None else ("p", options.p)
            raise ParameterError("compare", name, "given with --similarity, which alone uses it", value)
        return None
    from rankgauge.comparison.similarity import SimilaritySettings

    settings = SimilaritySettings(similarity=options.similarity, shared_only=options.shared_only)
    if options.p is None:
        return settings
    if not settings.kind.persistent:
        wanted = f"given with rbo, rbo-b or rbo-w: {settings.similarity} knows no reader who goes on"
        raise ParameterError("compare", "p", wanted, options.p)
    return replace(settings, p=options.p)


def _measured(options: CompareOptions, wanted: Iterable[str]) -> CompareOptions:
    """The options with the gate's measures among the measures."""
    return replace(options, measure=list(dict.fromkeys([*names(options.measure or ()), *wanted])))


def _gate(comparison: Comparison, rules: tuple[GateRule, ...], limits: Mapping[str, Any]) -> Gate:
    from rankgauge.comparison.gate import Gate

    return Gate(comparison=comparison, rules=rules, **limits)


def _judged(options: CompareOptions) -> JudgedRule:
    """How much must be judged for a verdict; who says what unjudged documents count as is believed."""
    from rankgauge.comparison.judging import TRUSTING, JudgedRule

    if options.unjudged is not None:
        return TRUSTING
    return JudgedRule() if options.min_judged is None else JudgedRule(least=options.min_judged)


def _close(gate: Gate, *, told: bool) -> None:
    """Ends the command with the gate's exit code; says the verdict where the report went into a file."""
    if told:
        from rankgauge.comparison.gate_report import headline

        print(headline(gate))
    if gate.verdict.exit_code:
        raise Exit(gate.verdict.exit_code)


def _refuse_one(judgments: Path, runs: Mapping[str, Path]) -> None:
    if len(runs) < 2:
        alone = " ".join(str(path) for path in (judgments, *runs.values()))
        raise InputError(
            f"compare needs two runs or more, and there is only {', '.join(runs)}",
            hint=f"One run alone: rankgauge evaluate {alone}",
        )


def _named(baseline: str | None, runs: Iterable[str]) -> str | None:
    """The baseline among the runs: by its name, by its file's, or by that up to the first dot."""
    known = list(runs)
    if baseline is None or baseline in known:
        return baseline
    if (file := unpacked_name(PurePath(baseline).name)) in known:
        return file
    stems = [run for run in known if PurePath(run).name.partition(".")[0] == baseline]
    if len(stems) > 1:
        raise ParameterError("compare", "baseline", f"one of the runs: {', '.join(stems)}", baseline)
    return stems[0] if stems else baseline
