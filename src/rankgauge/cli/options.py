"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from typer import Argument, Option

from rankgauge.cli import choices
from rankgauge.errors import InputError, ParameterError
from rankgauge.policies import LEAVE_OUT, FailedResponse, JudgmentKind

_COMMA = re.compile(r",(?![^()]*\))(?!\s*[.\d]+(?:=[.\d]+)?\s*(?:,|$))")
"""A comma between names: not one inside brackets, nor one between numbers as in trec_eval's `P.5,10`."""


def policy(flag: str, name: str, help: str) -> Any:
    """An option for one of the policies."""
    return choices.option(flag, registry=f"rankgauge.policies:{name}", help=f"{help}: {{choices}}.", metavar="POLICY")


def measure_name(flag: str = "--measure", help: str = "The measure.") -> Any:
    """The option -m for one measure."""
    return Option("-m", flag, help=help, metavar="NAME", autocompletion=choices.measures)


def dialect_name(help: str) -> Any:
    """The option -d for a dialect."""
    return choices.option("-d", "--dialect", registry="rankgauge.dialects:DIALECTS", help=help)


def file_format(flag: str, things: str) -> Any:
    """An option for the format of a file."""
    help = f"The format of the {things}, if it is not recognised: see 'rankgauge formats'."
    return choices.option(flag, registry="rankgauge.files:FORMATS", help=help, metavar="FORMAT")


def interval(registry: str) -> Any:
    """An option for the kind of intervals."""
    return choices.option(
        "--interval", registry=registry, help="The confidence interval of the mean: {choices}.", metavar="KIND"
    )


Judgments: TypeAlias = Annotated[
    Path,
    Argument(
        help="Judgments: TREC qrels, LETOR, CSV, JSON lines, and more; or irds:ID of a data set in ir_datasets.",
        metavar="JUDGMENTS",
        autocompletion=choices.sources,
    ),
]
Runs: TypeAlias = Annotated[
    list[Path],
    Argument(
        help="Runs, or scores for a LETOR file; compressed files are read as they are. NAME=FILE gives one a name.",
        metavar="RUN",
        autocompletion=choices.sources,
    ),
]
DialectName: TypeAlias = Annotated[str, dialect_name("The tool to compute as: see 'rankgauge dialects'.")]
FormatOfJudgments: TypeAlias = Annotated[str | None, file_format("--format-judgments", "judgments")]
ScaleName: TypeAlias = Annotated[
    str | None,
    choices.option(
        "--scale",
        registry="rankgauge.judgments:SCALES",
        help="Words for grades: {choices} (see 'rankgauge formats scales'), or your own, such as good=2,fair=1,bad=0.",
    ),
]
Columns: TypeAlias = Annotated[
    str | None,
    Option(
        "--columns",
        help="Which columns of a table hold what, where that is not clear: query=search_term,document=sku,grade=stars.",
        metavar="NAMES",
        autocompletion=choices.listed(choices.values("query=", "document=", "grade=", "score=", "rank=", "assessor=")),
    ),
]
SameIds: TypeAlias = Annotated[
    str | None,
    choices.option(
        "--ids",
        registry="rankgauge.policies:SameId",
        help="By which rules two ids are the same, separated by commas: {choices}.",
        metavar="RULES",
        several=True,
    ),
]
Empty: TypeAlias = Annotated[
    str | None,
    Option(
        "--empty",
        help=f"What a value of 0/0 becomes: a number, or {LEAVE_OUT}.",
        metavar="VALUE",
        autocompletion=choices.values(LEAVE_OUT, "0", "0.5", "1"),
    ),
]
Intents: TypeAlias = Annotated[
    Path | None,
    Option(
        "--intents",
        help="For measures of diversity, how likely each subtopic is: lines of query, subtopic, probability, or a "
        "table with such columns. By default all are the same.",
        metavar="FILE",
    ),
]
Short: TypeAlias = Annotated[str | None, policy("--short", "ShortList", "Lists shorter than the cutoff")]


QueryList: TypeAlias = Annotated[
    Path | None,
    Option(
        "--queries",
        help="Query ids, one per line in the order of the requests, for responses that do not name their query; or the "
        "_msearch request itself. Pages show a text after a tab, in a table's text column or in BEIR's queries.jsonl.",
        metavar="FILE",
    ),
]


OnFailure: TypeAlias = Annotated[
    str, policy("--on-failure", "FailedResponse", "Queries whose search failed, in a search engine's responses")
]


@dataclass(frozen=True, kw_only=True)
class SpellingOptions:
    """The options of every command that reads tables: how they spell columns, grades and ids."""

    columns: Columns = None
    scale: ScaleName = None
    ids: SameIds = None

    def file(self, path: Path) -> Any:
        """The path of a file, with what is said of it."""
        return self.files({"": path})[""]

    def maybe(self, path: Path | None) -> Any:
        """The same, if there is a path."""
        return None if path is None else self.file(path)

    def files(self, paths: Mapping[str, Path]) -> dict[str, Any]:
        """The paths of files by name, each with what is said of them."""
        on_failure = FailedResponse.parse(self._on_failure)
        if not (self.columns or self.scale or self.ids or self._list) and on_failure is FailedResponse.LEAVE_OUT:
            return dict(paths)
        from rankgauge import files as io
        from rankgauge.files import Spelling

        spelling = Spelling.of(self.columns, self.scale, self.ids)
        return {name: io.spell(path, spelling, self._list, on_failure=on_failure) for name, path in paths.items()}

    def judgments(
        self, path: Path | None, format: str | None, kind: JudgmentKind = JudgmentKind.GRADES, *, command: str
    ) -> Any:
        """The path of judgments with what is said of them; if their format was named, they are read in it.

        `kind` is what they are read for.
        """
        if format is None:
            return self.maybe(path)
        if path is None:
            raise ParameterError(command, "format_judgments", "left out where there are no judgments", format)
        from rankgauge import files as io

        return io.read_judgments(self.file(path), format, kind=kind)

    @property
    def _list(self) -> Path | None:
        """The list of the queries that responses of search engines answer."""
        return None

    @property
    def _on_failure(self) -> str:
        """What becomes of queries whose search failed."""
        return FailedResponse.LEAVE_OUT


@dataclass(frozen=True, kw_only=True)
class RunSpellingOptions(SpellingOptions):
    """The same options, and the queries of runs that do not say them."""

    queries: QueryList = None
    on_failure: OnFailure = FailedResponse.LEAVE_OUT.value

    @property
    def _list(self) -> Path | None:
        return self.queries

    @property
    def _on_failure(self) -> str:
        return self.on_failure


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """The options of every command that evaluates runs: files, measures, rules."""

    judgments: Judgments
    runs: Runs
    measure: Annotated[
        list[str] | None,
        Option(
            "-m",
            "--measure",
            help="A measure, or several separated by commas; repeatable. 'official' and 'all' are the dialect's lists.",
            metavar="NAME",
            autocompletion=choices.listed(choices.measures),
        ),
    ] = None
    dialect: DialectName = "standard"
    order: Annotated[str | None, policy("--order", "RunOrder", "What orders a run's documents")] = None
    ties: Annotated[str | None, policy("--ties", "Ties", "Tied scores")] = None
    unjudged: Annotated[str | None, policy("--unjudged", "Unjudged", "Retrieved documents that nobody judged")] = None
    missing: Annotated[str | None, policy("--missing", "MissingQuery", "Judged queries that are not in the run")] = None
    depth: Annotated[
        int | None, Option("-M", "--depth", min=1, help="Look only at the first K documents of each list.", metavar="K")
    ] = None
    rel: Annotated[
        float | None,
        Option(
            "-l",
            "--rel",
            help="The lowest grade that counts as relevant; by default that of --scale, or the dialect's.",
            metavar="GRADE",
        ),
    ] = None
    max_grade: Annotated[
        float | None,
        Option(
            "--max-grade",
            help="The top of the grading scale, for ERR; by default that of --scale, or the highest grade.",
            metavar="G",
        ),
    ] = None
    strict: Annotated[
        bool | None,
        Option("--strict", help="Refuse measures that the dialect's tool does not have, instead of a note."),
    ] = None
    setting: Annotated[
        list[str] | None,
        Option(
            "--set",
            help="A parameter of every measure that has it and does not state it, as in --set alpha=0.2; repeatable.",
            metavar="NAME=VALUE",
        ),
    ] = None
    interval: Annotated[str, interval("rankgauge.statistics:MEAN_INTERVALS")] = "t"
    seed: Annotated[
        int, Option("--seed", min=0, help="The seed of intervals and tests; no value depends on it.", metavar="N")
    ] = 0
    format_judgments: FormatOfJudgments = None
    format_run: Annotated[str | None, file_format("--format-run", "runs")] = None
    queries: QueryList = None
    on_failure: OnFailure = FailedResponse.LEAVE_OUT.value
    columns: Columns = None
    scale: ScaleName = None
    ids: SameIds = None
    assessors: Annotated[
        str | None,
        choices.option(
            "--assessors",
            registry="rankgauge.judgments:RULES",
            help="How to combine the grades of several assessors: {choices}.",
            metavar="RULE",
        ),
    ] = None
    at: Annotated[
        float | None,
        Option(
            "--at", help="With --assessors: first make grades binary, 1 from this grade up, else 0.", metavar="GRADE"
        ),
    ] = None
    by: Annotated[
        Path | None,
        Option(
            "--by",
            help="Segments of queries: a table with a column of queries, and a column for each way to group them.",
            metavar="FILE",
        ),
    ] = None
    intents: Intents = None
    verbose: Annotated[bool, Option("-v", "--verbose", help="Say what is read and how long it takes.")] = False


def names(listed: Iterable[str]) -> list[str]:
    """Split lists of names at the commas between them; an error where a list holds no name at all."""
    found = []
    for text in listed:
        parts = [part.strip() for part in _COMMA.split(text)]
        if not any(parts):
            raise InputError(f"expected names, separated by commas, such as nDCG@10,AP; they are {text!r}")
        found += [part for part in parts if part]
    return found


def given(**options: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def undefined(text: str | None, command: str = "evaluate") -> float | str | None:
    """What a value of 0/0 becomes, by the option --empty."""
    if text is None or text == LEAVE_OUT:
        return text
    try:
        return float(text)
    except ValueError:
        raise ParameterError(command, "empty", f"a number or {LEAVE_OUT}", text) from None
