"""The evaluation that `rankgauge evaluate` and `rankgauge compare` begin with: every run against the judgments."""

from __future__ import annotations

import math
import sys
import time
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from rankgauge import dialects
from rankgauge.cli.options import EvaluationOptions, EvaluationSpelling, given_options, names
from rankgauge.cli.runs import checked_out, is_git, is_lasting, name_runs, refuse_measures
from rankgauge.cli.streams import handle_interrupts, refuse_overwriting, show_progress
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, JudgmentsError, OptionError, RankGaugeError, UnknownNameError
from rankgauge.evaluation.evaluation import evaluate, evaluate_runs, weigh_subtopics
from rankgauge.evaluation.judged_hits import judged_as
from rankgauge.evaluation.result import Result
from rankgauge.evaluation.summary import INTERVALS
from rankgauge.input_notes import collecting_notes
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.measures.measure import OPEN, kind_asked
from rankgauge.measures.output import Printed, measures_of
from rankgauge.measures.trec_names import SETS
from rankgauge.policies import JudgmentKind
from rankgauge.ranking.facets import whole
from rankgauge.records import record

if TYPE_CHECKING:
    from rankgauge.evaluation.query_documents import DocumentLists

LOCAL, SPARK = "local", "spark"
ENGINES = {LOCAL: "this machine", SPARK: "many machines, or all the cores of this one"}
"""Where an evaluation may run."""

TAG = 5
"""The column of a TREC run's name."""

RULES = ("duplicates", "judged_twice", "order", "ties", "unjudged", "missing", "depth", "rel", "max_grade", "strict")
"""The options that change a choice of the dialect."""


@record
class RunsEvaluation:
    """Judgments, runs, and how to evaluate them."""

    judgments: Path
    runs: Mapping[str, Path]
    """The runs by the names to show them under."""
    measures: tuple[str, ...]
    dialect: Dialect
    formats: tuple[str | None, str | None]
    spelling: EvaluationSpelling
    verbose: bool
    intents: Path | None = None
    by: Path | None = None
    engine: str = LOCAL
    master: str | None = None
    """Where Spark runs."""

    @classmethod
    def of(cls, options: EvaluationOptions, default: tuple[str, ...], **changes: Any) -> Self:
        """Return what the options ask for, with further changes of the dialect; a wrong name is an error at once."""
        runs, measures = name_runs(options.runs), names(options.measure or ())
        refuse_measures([options.judgments, *runs.values()], measures)
        if options.interval not in INTERVALS:
            raise UnknownNameError("interval", options.interval, INTERVALS)
        if options.rel is not None and math.isnan(options.rel):
            raise OptionError("--rel must be a number, e.g. --rel 2.")
        asked = {name: getattr(options, name) for name in RULES}
        rules = given_options(**asked, assessors=_rule(options.assessors, options.at)) | given_options(**changes)
        spoken = dialects.get(options.dialect).changed(**rules).on_chunks(options.chunks)
        wanted = tuple(measures) or ((spoken.usual,) if spoken.usual else default)
        spoken = spoken.on_scale(options.scale, wanted, rel="rel" not in rules)
        return cls(
            judgments=options.judgments,
            runs=runs,
            measures=wanted,
            dialect=_with_parameters(spoken, options.setting or ()),
            formats=(options.format_judgments, options.format_run),
            spelling=options.part(EvaluationSpelling, judged=options.judgments),
            verbose=options.verbose,
            intents=options.intents,
            by=options.by,
        )

    @cached_property
    def printed(self) -> tuple[Printed, ...]:
        """What the measures' names stand for, as the dialect prints it; a wrong name is an error."""
        return self.dialect.resolve(self.measures)

    def results(self) -> dict[str, Result]:
        """Evaluate each run."""
        with self._at_hand() as asked:
            return asked._results()

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return each run as a table, with the documents that nobody judged."""
        from rankgauge import files

        with self._at_hand() as asked:
            judgments, runs = asked.spelling.file(asked.judgments), asked.spelling.files(asked.runs)
            if asked.formats[1] is not None:
                return {name: files.read_run(run, asked.formats[1]) for name, run in runs.items()}
            return {name: files.run_beside(judgments, run) for name, run in runs.items()}

    def refuse_overwriting(self, *outputs: Path | None) -> None:
        """Raise an error if an output is one of the files that are read, or the same as another output."""
        refuse_overwriting([self.judgments, *self.runs.values(), self.intents, self.by, self.spelling.queries], outputs)

    def fingerprint(self) -> str:
        """Return what tells these judgments from others: a hash of their rows in any order; empty without a file."""
        import hashlib

        spelling = (self.spelling.columns, self.spelling.scale, self.spelling.ids, self.dialect.assessors)
        with self._at_hand() as asked:
            if not asked.judgments.is_file():
                return ""
            try:
                with collecting_notes():
                    rows = asked._read_judgments()
                said = rows.unique().sort(rows.columns).write_csv().encode()
            except RankGaugeError:  # a file that makes sense only beside a run
                said = asked.judgments.read_bytes()
        return hashlib.sha256(said + repr(spelling).encode()).hexdigest()

    def refuse_unjudged(self, results: Mapping[str, Result]) -> None:
        """Raise an error for a run of which no document is judged: its values would be 0 and mean nothing."""
        from rankgauge.evaluation.judged_share import remedy

        for name, result in results.items():
            if result.hits.is_answered.any() and not len(result.hits.whole.query):
                why = remedy(result.hits.mismatch)
                raise InputError(
                    f"no document of the run is judged for its query, so that every value would be 0. {why}",
                    path=self.runs[name],
                    hint="If documents that nobody judged are known to be not relevant: --unjudged not-relevant.",
                )

    def refuse_pipes(self, option: str) -> None:
        """Raise an error for a run that can be read only once; the option is what reads runs again."""
        from rankgauge.files.source import STANDARD_STREAM

        for path in self.runs.values():
            if str(path) == STANDARD_STREAM or (path.exists() and not path.is_file()):
                raise InputError(
                    f"is a pipe, which can be read only once, and {option} reads runs twice",
                    path=path,
                    hint="Write the run into a file first.",
                )

    @contextmanager
    def _at_hand(self) -> Iterator[Self]:
        """Yield the evaluation with copies in the place of files of other commits."""
        sources = [self.judgments, *self.runs.values()]
        if not any(is_git(source) for source in sources):
            with judged_as(self.dialect):
                yield self
            return
        with judged_as(self.dialect), checked_out(sources) as (judgments, *runs):
            spelling = self.spelling.but(judged=judgments)
            yield replace(self, judgments=judgments, runs=dict(zip(self.runs, runs, strict=True)), spelling=spelling)

    def _results(self) -> dict[str, Result]:
        handle_interrupts(self.judgments, *self.runs.values())
        measures = measures_of(self.printed)
        results: dict[str, Result] = {}
        with show_progress() as tell:
            tell(0, len(self.runs), next(iter(self.runs)))
            started = time.perf_counter()
            for name, result in self._evaluate_each(measures):
                results[name] = result
                tell(len(results), len(self.runs), name)
                if self.verbose:
                    started, before = time.perf_counter(), started
                    _tell(name, result, started - before)
        self._refuse_unreached(max(result.hits.highest for result in results.values()))
        return results

    def _refuse_unreached(self, highest: float) -> None:
        """Raise an error if a user counts as relevant only what is above every grade that was given."""
        stated = measures_of(self.printed) if any("rel=" in name for name in self.measures) else ()
        asked = [getattr(measure, "rel", None) for measure in stated]
        if self.dialect.rel != dialects.get(self.dialect.name).rel:
            asked.append(self.dialect.rel)
        for rel in asked:
            if isinstance(rel, float | int) and rel > highest:
                raise JudgmentsError(
                    f"no grade is {rel:g} or higher, so that nothing would be relevant: the highest is {highest:g}",
                    path=self.judgments,
                    hint=f"Choose a lower one: -l {highest:g} or less, or rel={highest:g} in a measure's name.",
                )

    def _evaluate_each(self, measures: tuple[Measure, ...]) -> Iterator[tuple[str, Result]]:
        """Yield the name and the result of each run. Where a format is named, files are read one after another."""
        source, runs = self.spelling.file(self.judgments), self.spelling.files(self.runs)
        if self.intents is not None:
            source = weigh_subtopics(source, self.intents, tuple(measures), self.formats[0])
        if not any(self.formats):
            if self.engine == SPARK:
                from rankgauge.spark.runs import evaluate_runs as on_spark

                yield from on_spark(source, runs, measures, self.dialect, master=self.master)
            else:
                yield from evaluate_runs(source, runs, self.dialect.select(measures), self.dialect)
            return
        from rankgauge import files

        judgments = source if self.intents is not None else self._read_judgments()
        for name, path in runs.items():
            with files.locating_repeats(path, self.formats[1]):
                judged, run = files.read_answered(
                    judgments, partial(files.read_run, path, self.formats[1], order=self.dialect.order)
                )
                result = evaluate(judged, run, measures, dialect=self.dialect)
            yield name, result

    def documents(self, queries: Sequence[str], runs: Sequence[str]) -> DocumentLists | None:
        """Return the documents of some queries in some runs; None if a file cannot be read once more."""
        few = replace(self, runs={name: self.runs[name] for name in runs})
        if not all(map(is_lasting, (few.judgments, *few.runs.values()))):
            return None
        with few._at_hand() as asked, collecting_notes():
            lists = asked._documents(queries)
        return None if lists is None else replace(lists, titles=self.words[1])

    def _documents(self, queries: Sequence[str]) -> DocumentLists | None:
        from rankgauge import files
        from rankgauge.evaluation.query_documents import document_lists

        spelled = self.spelling.files(self.runs)
        if self._kind is not JudgmentKind.GRADES:
            source = whole(self._read_judgments())
        else:
            source = self._read_judgments() if any(self.formats) else self.spelling.file(self.judgments)
        if any(self.formats):
            spelled = {name: files.read_run(path, self.formats[1]) for name, path in spelled.items()}
        return document_lists(source, spelled, self.dialect, queries)

    def explain(self, run: str, queries: Sequence[str]) -> str:
        """Return why nothing of a run is judged for some queries, where it looks like a mistake; else empty.

        Without queries: whether documents of a run that is not large are judged under another spelling.
        """
        from rankgauge import files
        from rankgauge.files.mismatch import mistake, spelled_otherwise

        path = self.runs.get(run)
        if path is None or not all(map(is_lasting, (self.judgments, path))):
            return ""
        few = replace(self, runs={run: path})
        with collecting_notes(), few._at_hand() as asked:
            if not queries and files.is_large(asked.runs[run]):
                return ""
            listed = asked.tables()[run]
            judged = asked._read_judgments()
        if not queries:
            return spelled_otherwise(judged, listed) or ""
        return mistake(judged, listed.filter(pl.col("query").cast(pl.String).is_in(list(queries)))) or ""

    def _read_judgments(self) -> pl.DataFrame:
        from rankgauge import files

        return files.read_judgments(self.spelling.file(self.judgments), self.formats[0], kind=self._kind)

    @property
    def _kind(self) -> JudgmentKind:
        """What the measures ask judgments to say of a document."""
        return kind_asked(measures_of(self.printed))

    @cached_property
    def words(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """What people typed, by query, and what documents are called, by id, as far as queries and runs say it."""
        from rankgauge import files
        from rankgauge.files.queries import query_texts

        lasting = {name: path for name, path in self.runs.items() if is_lasting(path)}
        with replace(self, runs=lasting)._at_hand() as asked, collecting_notes():
            parts = [files.shown_words(path, self.formats[1]) for path in asked.spelling.files(asked.runs).values()]
        listed = {} if self.spelling.queries is None else query_texts(self.spelling.queries)
        texts, titles = (ChainMap(*mappings) for mappings in zip(({}, {}), *parts, strict=True))
        return {**texts, **listed}, titles

    def tags(self) -> dict[str, str]:
        """Return the names that runs give themselves; trec_eval prints them along with its sets of measures."""
        if not SETS.keys() & self.measures:
            return {}
        return {name: tag for name, path in self.runs.items() if (tag := _tag(path)) is not None}


def _with_parameters(dialect: Dialect, settings: Sequence[str]) -> Dialect:
    """Return the dialect with values for the parameters that measures leave to the dialect."""
    if not settings:
        return dialect
    from rankgauge.cli.options import settings_of
    from rankgauge.measures import MEASURES

    open_ = {
        kind.facts.name: {field.name for field in fields(kind) if field.default is OPEN and field.name != "cutoff"}
        for kind in MEASURES.values()
    }
    known = sorted(set().union(*open_.values()))
    parsed = settings_of(settings, known, kind="open parameter of a measure", example="alpha=0.2")
    taken = {name: {one: parsed[one] for one in parameters & parsed.keys()} for name, parameters in open_.items()}
    changes = {name: {**dialect.readings.get(name, {}), **values} for name, values in taken.items() if values}
    return dialect.changed(readings={**dialect.readings, **changes})


def _rule(assessors: str | None, at: float | None) -> str | None:
    """Return the rule that combines assessors, as the dialect calls it."""
    if assessors is None and at is not None:
        raise OptionError(f"--at needs --assessors, e.g. --assessors mean --at {at:g}.")
    return assessors if at is None else f"{assessors}@{at:g}"


def _tell(name: str, result: Result, seconds: float) -> None:
    hits = result.hits
    print(
        f"read and evaluated {name} in {seconds:.2f} s: {len(hits.names)} judged queries, "
        f"{hits.retrieved.sum():.0f} documents retrieved for them, {len(hits.query)} of these judged",
        file=sys.stderr,
    )


def _tag(run: Path) -> str | None:
    """Return the name in the last column of a TREC run; unknown for a pipe, which can be read only once."""
    from rankgauge import files
    from rankgauge.files.source import Source

    if not run.is_file() or files.detect(run).format.name != "trec":
        return None
    fields = files.Head(source=Source.of(run)).fields[0]
    return fields[TAG] if len(fields) > TAG else None
