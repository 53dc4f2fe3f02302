"""rankgauge judge: asks a language model for grades."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgauge.cli import choices, options
from rankgauge.cli.command import command
from rankgauge.cli.parser import Options, argument, option
from rankgauge.errors import InputError, OptionError

if TYPE_CHECKING:
    from rankgauge.judgments.llm.asking.outcome import Asked
    from rankgauge.judgments.llm.asking.session import AskingSession
    from rankgauge.judgments.llm.asking.store import AnswerStore


def _text(help: str, metavar: str = "FILE", **settings: Any) -> Any:
    """Declare an option on what to judge."""
    return option(help=help, metavar=metavar, group="What to judge", **settings)


def _ask(help: str, metavar: str = "N", **settings: Any) -> Any:
    """Declare an option on what to ask."""
    return option(help=help, metavar=metavar, group="What to ask", **settings)


def _send(help: str, metavar: str = "N", **settings: Any) -> Any:
    """Declare an option on how to ask."""
    return option(help=help, metavar=metavar, group="How to ask", **settings)


def _spend(help: str, metavar: str = "X", **settings: Any) -> Any:
    """Declare an option on what it may cost."""
    return option(help=help, metavar=metavar, group="What it may cost", **settings)


class JudgeOptions(Options):
    """The pairs, the model, the question, the caps, and where answers go."""

    pool: list[Path] = argument(
        "POOL",
        help="A table with the columns query, document, query_text and text (or title); or runs, whose texts come "
        "from --documents and --queries.",
    )
    url: str = option(
        help="The endpoint, as http://localhost:8000/v1; or stand-in:FILE, which answers from a table of grades, to "
        "rehearse.",
        metavar="URL",
        required=True,
    )
    model: list[str] = option(
        help="The model, as the endpoint calls it; several make a panel, with a file of grades each.",
        metavar="MODEL",
        required=True,
    )
    output: Path | None = option(
        "-o", "--output", help="The file to write the grades to: CSV, JSON lines, Parquet.", metavar="FILE"
    )
    documents: Path | None = _text("The documents' texts: a table, or a TSV of ids and texts.")
    queries: Path | None = _text("The queries' texts: a table, or a TSV of ids and texts.")
    depth: int | None = options.depth_option("Only the first K documents of each list.", group="What to judge")
    max_characters: int | None = _text("Cut longer texts of documents after N characters.", "N", least=1)
    windows: bool = _text("Judge longer texts in windows of --max-characters; the best grade counts.", "")
    images: bool = _text("Send each document's picture: a path or an address in the column image.", "")
    prompt: str = choices.option(
        help="The prompt: {choices} (see 'rankgauge judge prompts'); or a file of your own, with {query}, {document}, "
        "{grades}.",
        registry="rankgauge.judgments.llm.asking.prompt:PROMPTS",
        metavar="NAME|FILE",
        default="standard",
        group="What to ask",
    )
    grades: str | None = _ask("The grades; 0,1,2,3 by default.", "G,G")
    scale: str | None = options.SCALE
    columns: str | None = options.COLUMNS
    examples: Path | None = _ask(
        "People's labels of some pairs of the pool, of which a few are shown to the model.", "FILE", exists=True
    )
    shots: int = _ask("How many of --examples are shown.", least=1, default=4)
    others: int = _ask(
        "With --prompt pairwise or listwise: with how many others a document is compared.", least=1, default=8
    )
    preferences: Path | None = _ask(
        "With --prompt pairwise or listwise: also write the preferences, for measures that take them.", "FILE"
    )
    samples: int = _ask("Answers for each pair; several give probabilities of grades.", least=1, default=1)
    temperature: float | None = _ask("The model's temperature; 0 for one sample, 1 for several.", "T")
    logprobs: bool = _ask("Take the probabilities of grades from the model's log-probabilities.", "")
    answer_tokens: int | None = _ask("The most tokens of an answer; 32, or what the prompt needs.", least=1)
    form: str = _ask(
        "How the model answers: text, json (the endpoint's JSON mode) or tool (a call of a function).",
        "FORM",
        default="text",
        offer=choices.values("text", "json", "tool"),
    )
    answer: str | None = _ask(
        "A regular expression that matches once in an answer; its first group is the grade.", "REGEX"
    )
    extra: str | None = _ask("More fields of each request, as a JSON object.", "JSON")
    requests: int = option(
        "--requests",
        old=("--jobs",),
        help="How many requests are sent at the same time.",
        metavar="N",
        least=1,
        default=8,
        group="How to ask",
    )
    retries: int = _send("How often a request that fails is tried again.", least=0, default=5)
    again: int = _send("How often a pair is asked again if the answer is no grade.", least=0, default=2)
    timeout: float = _send("The most seconds that an answer may take.", "SECONDS", least=0.1, default=120.0)
    max_tokens_total: int | None = _spend("A cap on all tokens, in and out.", "N", least=0)
    max_cost: float | None = _spend("A cap on the cost; needs the two prices.", least=0)
    price_in: float | None = _spend("The price of a million tokens of prompts.", least=0)
    price_out: float | None = _spend("The price of a million tokens of answers.", least=0)
    key_env: str | None = _send("The environment variable that holds the key; OPENAI_API_KEY if it is set.", "VARIABLE")
    api: str | None = choices.option(
        help="How the endpoint is asked: {choices}; by default what its URL tells.",
        registry="rankgauge.judgments.llm.chat_api:CHAT_APIS",
        group="How to ask",
    )
    write_batch: Path | None = _send("Write the requests to a file for a batch endpoint; ask nothing.", "FILE")
    read_batch: Path | None = _send("Take the answers from a batch's results.", "FILE", exists=True)
    cache: Path | None = _send("The file that keeps the answers; beside the output by default.", "FILE")
    dry_run: bool = _spend("Show what it would take and one prompt; ask nothing.", "")


@command(
    "judge",
    "rankgauge judge pool.csv --url http://localhost:8000/v1 --model llama3.1 -o llm.csv",
    "rankgauge judge pool.csv --url http://localhost:11434/v1 --model qwen3 --dry-run",
    "rankgauge judge bm25.txt dense.txt --documents docs.csv --queries queries.tsv --depth 10 "
    "--url https://api.openai.com/v1 --model gpt-4o-mini --logprobs --price-in 0.15 --price-out 0.60 --max-cost 5 "
    "-o llm.csv",
    "rankgauge judge pool.csv --url https://api.anthropic.com/v1 --model claude-sonnet-4-5 --key-env ANTHROPIC_API_KEY "
    "--prompt umbrela -o llm.csv",
    "rankgauge judge pool.csv --url http://localhost:8000/v1 --model llama3.1 --prompt pairwise -o llm.csv",
    place=65,
    page="llm-judge.md",
    first=("url", "model", "output", "documents", "max_cost", "dry_run"),
)
def judge(asked: JudgeOptions) -> None:
    """Ask a language model for the grades of documents; what was answered is kept and never asked for again."""
    from contextlib import closing

    from rankgauge.cli.streams import refuse_overwriting
    from rankgauge.judgments.llm.asking.store import AnswerStore
    from rankgauge.judgments.llm.chat_api import api_at
    from rankgauge.judgments.llm.report import show_panel

    output = _output(asked)
    if asked.windows and asked.max_characters is None:
        raise OptionError("--windows needs --max-characters, the length of a window.")
    if asked.preferences is not None and asked.prompt not in ("pairwise", "listwise"):
        raise OptionError("--preferences needs --prompt pairwise or listwise.")
    if asked.write_batch is not None and (asked.api or api_at(asked.url).name) not in ("openai", "azure"):
        raise OptionError("--write-batch writes the form of OpenAI's batches, which this endpoint does not take.")
    if asked.grades is not None and asked.scale is not None:
        raise OptionError("--scale names the grades: leave --grades out.")
    outputs = {model: _output_of(output, model, asked.model) for model in asked.model}
    cache = _cache(asked, output)
    written = [*outputs.values(), asked.write_batch, asked.preferences, cache if isinstance(cache, Path) else None]
    refuse_overwriting(_inputs(asked), written)
    with closing(AnswerStore(cache)) as store:
        outcomes = {model: _judge_with(asked, model, path, store) for model, path in outputs.items()}
    answered = {model: outcome for model, outcome in outcomes.items() if outcome is not None}
    if len(answered) > 1:
        show_panel({model: outcome.frame for model, outcome in answered.items()}, sys.stdout)
    for outcome in answered.values():
        _finish(outcome)


def _judge_with(asked: JudgeOptions, model: str, output: Path | None, store: AnswerStore) -> Asked | None:
    """Ask one model and write its grades; None if nothing was to be asked."""
    from rankgauge.judgments.llm.asking.session import write_batch
    from rankgauge.judgments.llm.report import show_forecast, show_outcome, show_prompt
    from rankgauge.judgments.pairwise import FittedPreferences

    session = _session(asked, model, store)
    if output is not None:
        session.provenance.check(output)
    if len(asked.model) > 1:
        print(f"\nmodel      {model}")
    show_forecast(session, sys.stdout)
    if output is None:
        show_prompt(session, sys.stdout)
        return None
    sys.stdout.flush()
    if asked.write_batch is not None:
        print(f"{asked.write_batch}: {write_batch(session, asked.write_batch):,} requests")
        return None
    outcome = _answers(asked, session)
    if not outcome.frame.is_empty():
        outcome.write(output)
    if outcome.error is None or outcome.graded:
        show_outcome(outcome, output, sys.stdout)
    if asked.preferences is not None and outcome.choices is not None and outcome.choices.query:
        number = FittedPreferences.fit(outcome.choices).write_preferences(asked.preferences)
        print(f"{asked.preferences}: {number:,} preferences")
    return outcome


def _output_of(output: Path | None, model: str, models: list[str]) -> Path | None:
    """Return the file of a model's grades: the one that was named, or one with the model's name in a panel."""
    if output is None or len(models) == 1:
        return output
    safe = "".join(c if c.isalnum() or c in ".-_" else "-" for c in model)
    return output.with_name(f"{output.stem}.{safe}{output.suffix}")


def _answers(asked: JudgeOptions, session: AskingSession) -> Asked:
    """Ask the endpoint, or read the results of a batch."""
    from rankgauge.cli.streams import show_progress
    from rankgauge.judgments.llm.asking.session import read_batch
    from rankgauge.judgments.llm.model_judge import endpoint
    from rankgauge.render.numbers import count

    if asked.read_batch is not None:
        if failed := read_batch(session, asked.read_batch):
            print(f"failed     {failed.total():,} of the batch's requests; write another batch for them")
            for problem, times in failed.most_common(3):
                print(f"fault      {problem} ({count(times, 'time')})")
        return session.outcome()
    with (
        endpoint(asked.url, key_env=asked.key_env, api=asked.api, seconds=asked.timeout, jobs=asked.requests) as opened,
        show_progress() as tell,
    ):
        return session.run(opened, tell, lambda words: print(f"rankgauge: {words}", file=sys.stderr, flush=True))


def _finish(outcome: Asked) -> None:
    """The exit code: 0 only if every pair was answered."""
    from rankgauge.cli.main import INTERRUPTED as CODE
    from rankgauge.judgments.llm.asking.outcome import INTERRUPTED

    if outcome.error is not None:
        raise outcome.error
    if outcome.stopped == INTERRUPTED:
        raise SystemExit(CODE)
    if not outcome.is_complete:
        raise SystemExit(1)


def _output(asked: JudgeOptions) -> Path | None:
    """Return where the grades go, checked before anything is asked; None if nothing is to be asked."""
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
    """Return the files that are read; that of a stand-in too."""
    scheme, _, table = asked.url.partition(":")
    return [
        *asked.pool,
        asked.documents,
        asked.queries,
        asked.examples,
        Path(asked.prompt) if Path(asked.prompt).is_file() else None,
        asked.read_batch,
        Path(table.partition("?")[0]) if scheme == "stand-in" and table else None,
    ]


def _cache(asked: JudgeOptions, output: Path | None) -> Path | str:
    """Return the file of answers; a dry run makes none."""
    beside = None if asked.output is None else asked.output.with_suffix(".answers.db")
    file = asked.cache or beside
    return ":memory:" if file is None or (output is None and not file.exists()) else file


def _session(asked: JudgeOptions, model: str, store: AnswerStore) -> AskingSession:
    from rankgauge.judgments.llm.asking.requests import Patience, Prices
    from rankgauge.judgments.llm.model_judge import open_session

    same = ["depth", "max_characters", "windows", "images", "prompt", "examples", "shots", "others"]
    same += ["samples", "temperature", "logprobs", "answer_tokens", "form", "answer"]
    said, caps = options.SpellingOptions(columns=asked.columns), (asked.max_tokens_total, asked.max_cost)
    return open_session(
        said.file(asked.pool[0]) if len(asked.pool) == 1 else [said.file(run) for run in asked.pool],
        store,
        model=model,
        url=asked.url,
        documents=said.maybe(asked.documents),
        queries=said.maybe(asked.queries),
        grades=asked.scale or asked.grades,
        prices=Prices(tokens_in=asked.price_in, tokens_out=asked.price_out, max_tokens=caps[0], max_cost=caps[1]),
        patience=Patience(retries=asked.retries, again=asked.again, jobs=asked.requests),
        extra=_extra(asked.extra),
        **{name: getattr(asked, name) for name in same},
    )


def _extra(text: str | None) -> dict[str, Any]:
    try:
        fields = json.loads(text or "{}")
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise OptionError(f"--extra takes a JSON object, e.g. --extra '{{\"seed\": 1}}'; got {text!r}.")
    return fields
