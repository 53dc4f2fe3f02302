"""rankgauge judge: asks a language model for grades."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankgauge.cli import options
from rankgauge.cli.command import command
from rankgauge.errors import InputError, ParameterError

if TYPE_CHECKING:
    from rankgauge.judgments.llm.asking.outcome import Asked
    from rankgauge.judgments.llm.asking.prompt import Prompt
    from rankgauge.judgments.llm.asking.question import Question
    from rankgauge.judgments.llm.asking.session import AskingSession
    from rankgauge.judgments.llm.asking.store import AnswerStore


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """The pairs, the model, the question, the caps, and where answers go."""

    pool: Annotated[
        list[Path],
        typer.Argument(
            help="A table with the columns query, document, query_text and text (or title); or runs, whose texts come "
            "from --documents and --queries.",
            metavar="POOL",
        ),
    ]
    url: Annotated[
        str,
        typer.Option(
            "--url",
            help="An OpenAI-compatible endpoint, as http://localhost:8000/v1; or stand-in:FILE, which answers from a "
            "table of grades, to rehearse.",
            metavar="URL",
        ),
    ]
    model: Annotated[str, typer.Option("--model", help="The model, as the endpoint calls it.", metavar="MODEL")]
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="The file to write the grades to: CSV, JSON lines, Parquet.", metavar="FILE"
        ),
    ] = None
    documents: Annotated[
        Path | None,
        typer.Option("--documents", help="The documents' texts: a table, or a TSV of ids and texts.", metavar="FILE"),
    ] = None
    queries: Annotated[
        Path | None,
        typer.Option("--queries", help="The queries' texts: a table, or a TSV of ids and texts.", metavar="FILE"),
    ] = None
    depth: Annotated[
        int | None, typer.Option("--depth", help="Only the first K documents of each list.", metavar="K", min=1)
    ] = None
    max_characters: Annotated[
        int | None,
        typer.Option("--max-characters", help="Cut longer texts of documents after N characters.", metavar="N", min=1),
    ] = None
    prompt: Annotated[
        Path | None,
        typer.Option("--prompt", help="A prompt of your own, with {query}, {document}, {grades}.", metavar="FILE"),
    ] = None
    grades: Annotated[str | None, typer.Option("--grades", help="The grades; 0,1,2,3 by default.", metavar="G,G")] = (
        None
    )
    scale: options.ScaleName = None
    columns: options.Columns = None
    samples: Annotated[
        int,
        typer.Option(
            "--samples", help="Answers for each pair; several give probabilities of grades.", metavar="N", min=1
        ),
    ] = 1
    temperature: Annotated[
        float | None,
        typer.Option("--temperature", help="The model's temperature; 0 for one sample, 1 for several.", metavar="T"),
    ] = None
    logprobs: Annotated[
        bool, typer.Option("--logprobs", help="Take the probabilities of grades from the model's log-probabilities.")
    ] = False
    answer_tokens: Annotated[
        int, typer.Option("--answer-tokens", help="The most tokens of an answer.", metavar="N", min=1)
    ] = 32
    extra: Annotated[
        str | None, typer.Option("--extra", help="More fields of each request, as a JSON object.", metavar="JSON")
    ] = None
    jobs: Annotated[int, typer.Option("--jobs", help="Requests at the same time.", metavar="N", min=1)] = 8
    retries: Annotated[
        int, typer.Option("--retries", help="How often a request that fails is tried again.", metavar="N", min=0)
    ] = 5
    again: Annotated[
        int,
        typer.Option("--again", help="How often a pair is asked again if the answer is no grade.", metavar="N", min=0),
    ] = 2
    timeout: Annotated[
        float, typer.Option("--timeout", help="The most seconds that an answer may take.", metavar="SECONDS", min=0.1)
    ] = 120.0
    max_tokens_total: Annotated[
        int | None, typer.Option("--max-tokens-total", help="A cap on all tokens, in and out.", metavar="N", min=0)
    ] = None
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", help="A cap on the cost; needs the two prices.", metavar="X", min=0)
    ] = None
    price_in: Annotated[
        float | None, typer.Option("--price-in", help="The price of a million tokens of prompts.", metavar="X", min=0)
    ] = None
    price_out: Annotated[
        float | None, typer.Option("--price-out", help="The price of a million tokens of answers.", metavar="X", min=0)
    ] = None
    key_env: Annotated[
        str | None,
        typer.Option(
            "--key-env",
            help="The environment variable that holds the key; OPENAI_API_KEY if it is set.",
            metavar="VARIABLE",
        ),
    ] = None
    cache: Annotated[
        Path | None,
        typer.Option("--cache", help="The file that keeps the answers; beside the output by default.", metavar="FILE"),
    ] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what it would take and one prompt; ask nothing.")] = (
        False
    )


@command(
    "judge",
    "rankgauge judge pool.csv --url http://localhost:8000/v1 --model llama3.1 -o llm.csv",
    "rankgauge judge pool.csv --url http://localhost:11434/v1 --model qwen3 --dry-run",
    "rankgauge judge bm25.txt dense.txt --documents docs.csv --queries queries.tsv --depth 10 "
    "--url https://api.openai.com/v1 --model gpt-4o-mini --logprobs --price-in 0.15 --price-out 0.60 --max-cost 5 "
    "-o llm.csv",
    place=65,
)
def judge(asked: JudgeOptions) -> None:
    """Ask a language model for the grades of documents; what was answered is kept and never asked for again."""
    from contextlib import closing

    from rankgauge.cli.progress import told
    from rankgauge.cli.streams import spare
    from rankgauge.judgments.llm.asking.store import AnswerStore
    from rankgauge.judgments.llm.model_judge import endpoint
    from rankgauge.judgments.llm.report import show_forecast, show_outcome, show_prompt

    output = _output(asked)
    cache = _cache(asked, output)
    spare(_inputs(asked), [output, cache if isinstance(cache, Path) else None])
    with closing(AnswerStore(cache)) as store:
        session = _session(asked, store)
        if output is None:
            show_forecast(session, sys.stdout)
            show_prompt(session, sys.stdout)
            return
        with endpoint(asked.url, key_env=asked.key_env, seconds=asked.timeout, jobs=asked.jobs) as opened:
            show_forecast(session, sys.stdout)
            sys.stdout.flush()
            with told() as tell:
                outcome = session.run(opened, tell)
    if not outcome.frame.is_empty():
        outcome.write(output)
    if outcome.error is None or outcome.graded:
        show_outcome(outcome, output, sys.stdout)
    _finish(outcome)


def _finish(outcome: Asked) -> None:
    """The exit code: 0 only if every pair was answered."""
    from rankgauge.cli.main import INTERRUPTED as CODE
    from rankgauge.judgments.llm.asking.outcome import INTERRUPTED

    if outcome.error is not None:
        raise outcome.error
    if outcome.stopped == INTERRUPTED:
        raise typer.Exit(CODE)
    if not outcome.is_complete:
        raise typer.Exit(1)


def _output(asked: JudgeOptions) -> Path | None:
    """Where the grades go, checked before anything is asked; None if nothing is to be asked."""
    if asked.dry_run:
        return None
    if asked.output is None or str(asked.output) == "-":
        raise InputError("no file for the grades is named", hint="Name one: -o llm.csv; or --dry-run to ask nothing.")
    if asked.output.is_dir():
        raise InputError("is a directory, not a file", path=asked.output)
    if not asked.output.resolve().parent.is_dir():
        raise InputError(f"there is no folder {asked.output.parent}", path=asked.output)
    return asked.output


def _inputs(asked: JudgeOptions) -> list[Path | None]:
    """The files that are read; that of a stand-in too."""
    scheme, _, table = asked.url.partition(":")
    return [
        *asked.pool,
        asked.documents,
        asked.queries,
        asked.prompt,
        Path(table) if scheme == "stand-in" and table else None,
    ]


def _cache(asked: JudgeOptions, output: Path | None) -> Path | str:
    """The file of answers; a dry run makes none."""
    beside = None if asked.output is None else asked.output.with_suffix(".answers.db")
    file = asked.cache or beside
    return ":memory:" if file is None or (output is None and not file.exists()) else file


def _session(asked: JudgeOptions, store: AnswerStore) -> AskingSession:
    from rankgauge.judgments.llm.asking.pairs import TextPairs
    from rankgauge.judgments.llm.asking.requests import Patience
    from rankgauge.judgments.llm.asking.session import AskingSession
    from rankgauge.judgments.llm.asking.spending import Prices

    prices = Prices(
        tokens_in=asked.price_in,
        tokens_out=asked.price_out,
        max_tokens=asked.max_tokens_total,
        max_cost=asked.max_cost,
    )
    question = _question(asked)
    said = options.SpellingOptions(columns=asked.columns)
    pool: Any = said.file(asked.pool[0]) if len(asked.pool) == 1 else [said.file(run) for run in asked.pool]
    return AskingSession(
        pairs=TextPairs.of(
            pool,
            documents=said.maybe(asked.documents),
            queries=said.maybe(asked.queries),
            depth=asked.depth,
            max_characters=asked.max_characters,
        ),
        question=question,
        store=store,
        prices=prices,
        patience=Patience(retries=asked.retries, again=asked.again, jobs=asked.jobs),
    )


def _question(asked: JudgeOptions) -> Question:
    from rankgauge.judgments.llm.asking.question import Question

    temperature = asked.temperature
    if temperature is None:
        temperature = 1.0 if asked.samples > 1 else 0.0
    return Question(
        model=asked.model,
        prompt=_prompt(asked),
        samples=asked.samples,
        temperature=temperature,
        logprobs=asked.logprobs,
        answer_tokens=asked.answer_tokens,
        extra=_extra(asked.extra),
    )


def _prompt(asked: JudgeOptions) -> Prompt:
    from rankgauge.judgments.llm.asking.prompt import Prompt, scale_of

    if asked.grades is not None and asked.scale is not None:
        raise ParameterError("judge", "grades", "left out where --scale is given", asked.grades)
    words = scale_of(asked.scale or asked.grades)
    return Prompt(scale=words) if asked.prompt is None else Prompt.read(asked.prompt, words)


def _extra(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ParameterError("judge", "extra", "a JSON object, as in '{\"seed\": 1}'", text)
    return found
