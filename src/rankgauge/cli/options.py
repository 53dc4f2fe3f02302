"""Options that several commands share, in the groups of `--help`, and how their values are read."""

from __future__ import annotations

from pathlib import Path

from rankgauge.cli import choices
from rankgauge.cli.parser import Options, argument, option
from rankgauge.errors import InputError, OptionError, UnknownNameError
from rankgauge.policies import LEAVE_OUT, FailedResponse, JudgmentKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

MEASURING, RULES, READING = "What to measure", "What counts", "How to read files"
PRINTING, TESTING, WORKING = "What to print", "Intervals and tests", "Where to compute"
GATE, COLLECTIONS = "The gate", "Many collections"
"""The groups of options that commands share."""


def policy(flag: str, name: str, help: str, *, group: str = RULES, **settings: Any) -> Any:
    """Declare an option for one of the policies."""
    registry = f"rankgauge.policies:{name}"
    return choices.option(
        flag, registry=registry, help=f"{help}: {{choices}}.", metavar="POLICY", group=group, **settings
    )


def measure_name(help: str = "The measure.", **settings: Any) -> Any:
    """Declare the option -m for one measure."""
    return option("-m", "--measure", help=help, metavar="NAME", offer=choices.measures, group=MEASURING, **settings)


def measure_names(help: str = "A measure, or several separated by commas; repeatable.", **settings: Any) -> Any:
    """Declare the option -m for several measures."""
    offer = choices.list_of(choices.measures)
    return option("-m", "--measure", help=help, metavar="NAME", offer=offer, group=MEASURING, **settings)


def dialect_name(
    help: str = "The tool to compute as: see 'rankgauge dialects'.", default: str | None = "standard"
) -> Any:
    """Declare the option -d for a dialect."""
    registry = "rankgauge.dialects:DIALECTS"
    return choices.option("-d", "--dialect", registry=registry, help=help, default=default, group=MEASURING)


def file_format(flag: str, things: str) -> Any:
    """Declare an option for the format of a file."""
    help = f"The format of the {things}, if it is not recognised: see 'rankgauge formats'."
    return choices.option(flag, registry="rankgauge.files:FORMATS", help=help, metavar="FORMAT", group=READING)


def interval_option(registry: str) -> Any:
    """Declare the option for the kind of intervals."""
    help = "The confidence interval of the mean: {choices}."
    return choices.option("--interval", registry=registry, help=help, metavar="KIND", default="t", group=TESTING)


def depth_option(help: str, **settings: Any) -> Any:
    """Declare the option -k for the first documents of each list; -M is what trec_eval calls it."""
    return option("-k", "--depth", old=("-M",), help=help, metavar="K", least=1, **settings)


def seed_option(help: str = "The random seed.", default: int | None = 0, **settings: Any) -> Any:
    """Declare the option --seed."""
    return option("--seed", help=help, metavar="N", least=0, default=default, **settings)


def jobs_option() -> Any:
    """Declare the option --jobs for processes."""
    return option("--jobs", help="How many processes work at once; by default one a core.", metavar="N", least=1)


JUDGMENTS = argument(
    "JUDGMENTS",
    help="Judgments: TREC qrels, LETOR, CSV, JSON lines, and more; or irds:ID of a data set in ir_datasets.",
    offer=choices.sources,
)
RUNS = argument(
    "RUN",
    help="Runs, compressed or not, or scores for a LETOR file; or NAME=FILE.",
    offer=choices.sources,
)
DIALECT = dialect_name()
FORMAT_JUDGMENTS = file_format("--format-judgments", "judgments")
SCALE = choices.option(
    "--scale",
    registry="rankgauge.judgments:SCALES",
    help="Words for grades: {choices} (see 'rankgauge formats scales'), or your own, such as good=2,fair=1,bad=0.",
    group=READING,
)
COLUMNS = option(
    "--columns",
    help="Which columns of a table hold what, where that is not clear: query=search_term,document=sku,grade=stars.",
    metavar="NAMES",
    offer=choices.list_of(choices.values("query=", "document=", "grade=", "score=", "rank=", "assessor=")),
    group=READING,
)
SAME_IDS = choices.option(
    "--ids",
    registry="rankgauge.policies:SameId",
    help="By which rules two ids are the same, separated by commas: {choices}.",
    metavar="RULES",
    several=True,
    group=READING,
)
CHUNKS = option(
    "--chunks",
    help="Read ids of chunks as their documents: what stands before the last SEPARATOR ('#'), a table with the columns "
    "chunk and document, or column=NAME.",
    metavar="RULE",
    offer=choices.values("#", "column="),
    group=RULES,
)
SPANS = option(
    "--spans",
    help="Documents are spans (document:start-end, or columns start and end); a retrieved span counts as the judged "
    "spans that it covers: share=0.5 or iou=0.5; ',within=2000' looks at chunks in a list's first 2,000 characters.",
    metavar="RULE",
    offer=choices.values("share=0.5", "iou=0.5"),
    group=RULES,
)
QUERIES = option(
    "--queries",
    help="Query ids, one per line, in the order of the requests, for responses that do not name their query; or the "
    "_msearch request itself. Text after a tab is shown in reports, as are a table's text column and BEIR's "
    "queries.jsonl.",
    metavar="FILE",
    group=READING,
)
ON_FAILURE = policy(
    "--on-failure",
    "FailedResponse",
    "Queries whose search failed, in a search engine's responses",
    group=READING,
    default=FailedResponse.LEAVE_OUT.value,
)
INTENTS = option(
    "--intents",
    help="For measures of diversity, how likely each subtopic is: lines of query, subtopic, probability, or a "
    "table with such columns. By default all are the same.",
    metavar="FILE",
    group=READING,
)
EMPTY = option(
    "--empty",
    help=f"What a value of 0/0 becomes: a number, or {LEAVE_OUT}.",
    metavar="VALUE",
    offer=choices.values(LEAVE_OUT, "0", "0.5", "1"),
    group=RULES,
)
SHORT = policy("--short", "ShortList", "Lists shorter than the cutoff")


class SpellingOptions(Options):
    """The options of every command that reads tables: how they spell columns, grades and ids."""

    columns: str | None = COLUMNS
    scale: str | None = SCALE
    ids: str | None = SAME_IDS
    queries: Path | None = None
    on_failure: str = FailedResponse.LEAVE_OUT

    def file(self, path: Path) -> Any:
        """Return the path of a file, with what is said of it."""
        return self.files({"": path})[""]

    def maybe(self, path: Path | None) -> Any:
        """Return the path of a file, with what is said of it; None if there is no path."""
        return None if path is None else self.file(path)

    def files(self, paths: Mapping[str, Path]) -> dict[str, Any]:
        """Return the paths of files by name, each with what is said of them."""
        on_failure = FailedResponse.parse(self.on_failure)
        said = self._said
        if not (any(said.values()) or self.queries) and on_failure is FailedResponse.LEAVE_OUT:
            return dict(paths)
        from rankgauge import files as io
        from rankgauge.files import Spelling

        spelling = Spelling.of(**said)
        return {name: io.spell(path, spelling, self.queries, on_failure=on_failure) for name, path in paths.items()}

    def judgments(self, path: Path | None, format: str | None, kind: JudgmentKind = JudgmentKind.GRADES) -> Any:
        """Return the path of judgments with what is said of them; if their format was named, they are read in it.

        `kind` is what they are read for.
        """
        if format is None:
            return self.maybe(path)
        if path is None:
            raise OptionError("--format-judgments needs --judgments.")
        from rankgauge import files as io

        return io.read_judgments(self.file(path), format, kind=kind)

    @property
    def _said(self) -> dict[str, Any]:
        """What is said of columns, grades and ids."""
        return {"columns": self.columns, "scale": self.scale, "ids": self.ids}


class RunSpellingOptions(SpellingOptions):
    """How tables are spelled, and the queries of runs that do not say them."""

    queries: Path | None = QUERIES
    on_failure: str = ON_FAILURE


class EvaluationSpelling(RunSpellingOptions):
    """How tables are spelled, and what chunks and spans of documents count; spans are those of the judgments."""

    chunks: str | None = CHUNKS
    spans: str | None = SPANS
    judged: Path | None = JUDGMENTS

    @property
    def _said(self) -> dict[str, Any]:
        said = super()._said | {"chunks": self.chunks, "spans": self.spans}
        if self.spans is None:
            return said
        from rankgauge import files as io
        from rankgauge.files import Spelling

        return said | {"judged": io.spell(self.judged, Spelling.of(**said))}


class EvaluationOptions(Options):
    """The options of every command that evaluates runs: files, measures, rules."""

    judgments: Path = JUDGMENTS
    runs: list[Path] = RUNS
    measure: list[str] | None = measure_names(
        "A measure, or several with commas; repeatable. 'official' and 'all' are the dialect's lists."
    )
    dialect: str = DIALECT
    strict: bool | None = option(
        "--strict",
        help="Refuse measures that the dialect's tool does not have, instead of a note.",
        group=MEASURING,
    )
    setting: list[str] | None = option(
        "--set",
        help="Set a measure parameter, e.g. --set alpha=0.2. Applies to every measure that has it and does not set it "
        "itself; repeatable.",
        metavar="NAME=VALUE",
        group=MEASURING,
    )
    by: Path | None = option(
        "--by",
        help="Segments of queries: a table with a column of queries, and a column for each way to group them.",
        metavar="FILE",
        group=MEASURING,
    )
    duplicates: str | None = policy("--duplicates", "Duplicates", "Documents that a list holds more than once")
    judged_twice: str | None = policy("--judged-twice", "JudgedTwice", "Documents that are judged more than once")
    order: str | None = policy("--order", "RunOrder", "What orders a run's documents")
    ties: str | None = policy("--ties", "Ties", "Tied scores")
    unjudged: str | None = policy("--unjudged", "Unjudged", "Retrieved documents that nobody judged")
    missing: str | None = policy("--missing", "MissingQuery", "Judged queries that are not in the run")
    depth: int | None = depth_option("Look only at the first K documents of each list.", group=RULES)
    rel: float | None = option(
        "-l",
        "--rel",
        help="The lowest grade that counts as relevant; by default that of --scale, or the dialect's.",
        metavar="GRADE",
        group=RULES,
    )
    max_grade: float | None = option(
        "--max-grade",
        help="The top of the grading scale, for ERR; by default that of --scale, or the highest grade.",
        metavar="GRADE",
        group=RULES,
    )
    assessors: str | None = choices.option(
        "--assessors",
        registry="rankgauge.judgments:RULES",
        help="How to combine the grades of several assessors: {choices}.",
        metavar="RULE",
        group=RULES,
    )
    at: float | None = option(
        "--at",
        help="With --assessors: first make grades binary, 1 from this grade up, else 0.",
        metavar="GRADE",
        group=RULES,
    )
    chunks: str | None = CHUNKS
    spans: str | None = SPANS
    interval: str = interval_option("rankgauge.statistics.intervals:MEAN_INTERVALS")
    seed: int = seed_option("The seed of intervals and tests; no value depends on it.", group=TESTING)
    format_judgments: str | None = FORMAT_JUDGMENTS
    format_run: str | None = file_format("--format-run", "runs")
    queries: Path | None = QUERIES
    on_failure: str = ON_FAILURE
    columns: str | None = COLUMNS
    scale: str | None = SCALE
    ids: str | None = SAME_IDS
    intents: Path | None = INTENTS
    verbose: bool = option("-v", "--verbose", help="Say what is read and how long it takes.", group=PRINTING)

    @property
    def knows_unjudged(self) -> bool:
        """Whether unjudged documents are known to be not relevant: by the user's word, or since passages are marked."""
        return self.unjudged is not None or self.spans is not None


def names(listed: Iterable[str]) -> list[str]:
    """Split lists of names at the commas between them; an error where a list holds no name at all."""
    split = []
    for text in listed:
        parts = [text.strip()] if "," not in text else [part.strip() for part in _split(text)]
        if not any(parts):
            raise InputError(f"expected names, separated by commas, such as nDCG@10,AP; they are {text!r}")
        split += [part for part in parts if part]
    return split


def _split(text: str) -> list[str]:
    """Split at commas between names: not at one inside brackets, nor between numbers as in trec_eval's `P.5,10`."""
    import re

    return re.split(r",(?![^()]*\))(?!\s*[.\d]+(?:=[.\d]+)?\s*(?:,|$))", text)


def given_options(**options: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def read_empty(text: str | None) -> float | str | None:
    """Return what a value of 0/0 becomes, by the option --empty."""
    if text is None or text == LEAVE_OUT:
        return text
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"--empty takes a number or {LEAVE_OUT}; got {text!r}.") from None


def settings_of(texts: Iterable[str], known: Collection[str], *, kind: str, example: str) -> dict[str, Any]:
    """Read the texts of `--set NAME=VALUE`; an error calls an unknown name that kind of thing."""
    from rankgauge.constraints import literal

    settings = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise OptionError(f"--set takes NAME=VALUE, e.g. --set {example}; got {text!r}.")
        if name not in known:
            raise UnknownNameError(kind, name, known)
        settings[name] = literal(value)
    return settings
