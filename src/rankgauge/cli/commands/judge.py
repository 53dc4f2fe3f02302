"""rankgauge judge: asks a language model for grades."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rankgauge.cli import choices, options
from rankgauge.cli.command import command
from rankgauge.cli.parser import Options, argument, option
from rankgauge.errors import InputError, OptionError

if TYPE_CHECKING:
    from rankgauge.judgments.llm.asking.endpoint import Spending
    from rankgauge.judgments.llm.asking.outcome import Asked
    from rankgauge.judgments.llm.asking.session import AskingSession
    from rankgauge.judgments.llm.asking.store import AnswerStore

_text = partial(option, group="What to judge", metavar="FILE")
_ask = partial(option, group="What to ask", metavar="N")
_send = partial(option, group="How to ask", metavar="N")
_spend = partial(option, group="What it may cost", metavar="X")


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
    documents: Path | None = _text(help="The documents' texts: a table, or a TSV of ids and texts.")
    queries: Path | None = _text(help="The queries' texts: a table, or a TSV of ids and texts.")
    depth: int | None = options.depth_option("Only the first K documents of each list.", group="What to judge")
    max_characters: int | None = _text(help="Cut longer texts of documents after N characters.", metavar="N", least=1)
    windows: bool = _text(help="Judge longer texts in windows of --max-characters; the best grade counts.", metavar="")
    images: bool = _text(help="Send each document's picture: a path or an address in the column image.", metavar="")
    prompt: str = choices.option(
        help="The prompt: {choices} (see 'rankgauge judge prompts'); or a file of your own, with {query}, {document}, "
        "{grades}.",
        registry="rankgauge.judgments.llm.asking.prompt:PROMPTS",
        metavar="NAME|FILE",
        default="standard",
        group="What to ask",
    )
    grades: str | None = _ask(help="The grades; 0,1,2,3 by default.", metavar="G,G")
    scale: str | None = options.SCALE
    columns: str | None = options.COLUMNS
    examples: Path | None = _ask(
        help="People's labels of some pairs of the pool, of which a few are shown to the model.",
        metavar="FILE",
        exists=True,
    )
    shots: int = _ask(help="How many of --examples are shown.", least=1, default=4)
    others: int = _ask(
        help="With --prompt pairwise or listwise: with how many others a document is compared.", least=1, default=8
    )
    preferences: Path | None = _ask(
        help="With --prompt pairwise or listwise: also write the preferences, for measures that take them.",
        metavar="FILE",
    )
    samples: int = _ask(help="Answers for each pair; several give probabilities of grades.", least=1, default=1)
    temperature: float | None = _ask(help="The model's temperature; 0 for one sample, 1 for several.", metavar="T")
    logprobs: bool = _ask(help="Take the probabilities of grades from the model's log-probabilities.", metavar="")
    answer_tokens: int | None = _ask(help="The most tokens of an answer; 32, or what the prompt needs.", least=1)
    form: str = _ask(
        help="How the model answers: text, json (the endpoint's JSON mode) or tool (a call of a function).",
        metavar="FORM",
        default="text",
        offer=choices.values("text", "json", "tool"),
    )
    answer: str | None = _ask(
        help="A regular expression that matches once in an answer; its first group is the grade.", metavar="REGEX"
    )
    extra: str | None = _ask(help="More fields of each request, as a JSON object.", metavar="JSON")
    requests: int = _send(
        "--requests", old=("--jobs",), help="How many requests are sent at the same time.", least=1, default=8
    )
    retries: int = _send(help="How often a request that fails is tried again.", least=0, default=5)
    again: int = _send(help="How often a pair is asked again if the answer is no grade.", least=0, default=2)
    timeout: float = _send(
        help="The most seconds that an answer may take.", metavar="SECONDS", least=0.1, default=120.0
    )
    max_tokens_total: int | None = _spend(help="A cap on all tokens, in and out.", metavar="N", least=0)
    max_cost: float | None = _spend(help="A cap on the cost; needs the two prices.", least=0)
    price_in: float | None = _spend(help="The price of a million tokens of prompts.", least=0)
    price_out: float | None = _spend(help="The price of a million tokens of answers.", least=0)
    key_env: str | None = _send(
        help="The environment variable that holds the key; OPENAI_API_KEY if it is set.", metavar="VARIABLE"
    )
    api: str | None = choices.option(
        help="How the endpoint is asked: {choices}; by default what its URL tells.",
        registry="rankgauge.judgments.llm.chat_api:CHAT_APIS",
        group="How to ask",
    )
    write_batch: Path | None = _send(
        help="Write the requests to a file for a batch endpoint; ask nothing.", metavar="FILE"
    )
    read_batch: Path | None = _send(help="Take the answers from a batch's results.", metavar="FILE", exists=True)
    cache: Path | None = _send(help="The file that keeps the answers; beside the output by default.", metavar="FILE")
    dry_run: bool = _spend(help="Show what it would take and one prompt; ask nothing.", metavar="")


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

    from rankgauge.cli.main import INTERRUPTED as CODE
    from rankgauge.cli.streams import refuse_overwriting
    from rankgauge.judgments.llm.asking.endpoint import Prices, Spending
    from rankgauge.judgments.llm.asking.outcome import INTERRUPTED
    from rankgauge.judgments.llm.asking.store import AnswerStore
    from rankgauge.judgments.llm.chat_api import api_at
    from rankgauge.judgments.llm.report import panel, show

    output = None if asked.dry_run else _output(asked.output)
    if asked.windows and asked.max_characters is None:
        raise OptionError("--windows needs --max-characters, the length of a window.")
    if asked.preferences is not None and asked.prompt not in ("pairwise", "listwise"):
        raise OptionError("--preferences needs --prompt pairwise or listwise.")
    if asked.write_batch is not None and (asked.api or api_at(asked.url).name) not in ("openai", "azure"):
        raise OptionError("--write-batch writes the form of OpenAI's batches, which this endpoint does not take.")
    if asked.grades is not None and asked.scale is not None:
        raise OptionError("--scale names the grades: leave --grades out.")
    beside = None if asked.output is None else asked.output.with_suffix(".answers.db")
    cache = asked.cache or beside
    if cache is not None and output is None and not cache.exists():
        cache = None  # a dry run makes none
    scheme, _, table = asked.url.partition(":")
    read = [*asked.pool, asked.documents, asked.queries, asked.examples, asked.read_batch]
    read += [Path(table.partition("?")[0])] if scheme == "stand-in" and table else []
    read += [Path(asked.prompt)] if Path(asked.prompt).is_file() else []
    named = (output, asked.preferences, asked.write_batch)
    refuse_overwriting(read, [*(_of_model(file, model, asked) for model in asked.model for file in named), cache])
    tokens, cost = asked.max_tokens_total, asked.max_cost
    caps = Prices(tokens_in=asked.price_in, tokens_out=asked.price_out, max_tokens=tokens, max_cost=cost)
    spending = Spending(prices=caps)
    answered: dict[str, Asked] = {}
    with closing(AnswerStore(cache or ":memory:")) as store:
        for model in asked.model:
            outcome = _judge_with(
                asked, model, _of_model(output, model, asked), _session(asked, model, store, spending)
            )
            answered |= {} if outcome is None else {model: outcome}
            if outcome is not None and outcome.stopped == INTERRUPTED:
                break
    if len(graded := {model: outcome.frame for model, outcome in answered.items() if len(outcome.frame)}) > 1:
        print()
        show(panel(graded))
    for outcome in answered.values():
        if outcome.error is not None:
            raise outcome.error
        if outcome.stopped == INTERRUPTED:
            raise SystemExit(CODE)
        if not outcome.is_complete:
            raise SystemExit(1)


def _output(path: Path | None) -> Path:
    """Return where the grades go, checked before anything is asked."""
    if path is None or str(path) == "-":
        raise InputError("no file for the grades is named", hint="Name one: -o llm.csv; or --dry-run to ask nothing.")
    if path.is_dir():
        raise InputError("is a directory, not a file", path=path)
    if not path.resolve().parent.is_dir():
        raise InputError(f"there is no folder {path.parent}", path=path)
    return path


def _judge_with(asked: JudgeOptions, model: str, output: Path | None, session: AskingSession) -> Asked | None:
    """Ask one model and write its grades; None if nothing was to be asked."""
    from rankgauge.judgments.llm.report import show, show_outcome
    from rankgauge.judgments.pairwise import FittedPreferences

    preferences, batch = (_of_model(file, model, asked) for file in (asked.preferences, asked.write_batch))
    if output is not None:
        session.provenance.check(output)
    if len(asked.model) > 1:
        print(f"\nmodel      {model}")
    show(session.forecast())
    if output is None:
        for message in session.example():
            print(f"\n--- {message['role']} ---\n{message['content']}")
        return None
    sys.stdout.flush()
    if batch is not None:
        print(f"{batch}: {session.write_batch(batch):,} requests")
        return None
    outcome = _answers(asked, session)
    if not outcome.frame.is_empty():
        outcome.write(output)
    if outcome.error is None or outcome.graded:
        show_outcome(outcome, output)
    if preferences is not None and outcome.choices is not None and outcome.choices.query:
        number = FittedPreferences.fit(outcome.choices).write_preferences(preferences)
        print(f"{preferences}: {number:,} preferences")
    return outcome


def _of_model(file: Path | None, model: str, asked: JudgeOptions) -> Path | None:
    """Return the file that was named; in a panel, one with the model's name."""
    if file is None or len(asked.model) == 1:
        return file
    safe = "".join(c if c.isalnum() or c in ".-_" else "-" for c in model)
    return file.with_name(f"{file.stem}.{safe}{file.suffix}")


def _answers(asked: JudgeOptions, session: AskingSession) -> Asked:
    """Ask the endpoint, or read the results of a batch."""
    from rankgauge.cli.streams import show_progress
    from rankgauge.judgments.llm.asking.endpoint import endpoint
    from rankgauge.render.numbers import count

    if asked.read_batch is not None:
        if failed := session.read_batch(asked.read_batch):
            print(f"failed     {failed.total():,} of the batch's requests; write another batch for them")
            for problem, times in failed.most_common(3):
                print(f"fault      {problem} ({count(times, 'time')})")
        return session.outcome()
    with (
        endpoint(asked.url, key_env=asked.key_env, api=asked.api, seconds=asked.timeout, jobs=asked.requests) as opened,
        show_progress() as tell,
    ):
        return session.run(opened, tell, lambda words: print(f"rankgauge: {words}", file=sys.stderr, flush=True))


def _session(asked: JudgeOptions, model: str, store: AnswerStore, spending: Spending) -> AskingSession:
    """Prepare to ask a model, with the settings that were given."""
    from rankgauge.judgments.llm.asking.endpoint import Patience
    from rankgauge.judgments.llm.asking.session import open_session

    try:
        extra = json.loads(asked.extra or "{}")
    except ValueError:
        extra = None
    if not isinstance(extra, dict):
        raise OptionError(f"--extra takes a JSON object, e.g. --extra '{{\"seed\": 1}}'; got {asked.extra!r}.")
    same = ["depth", "max_characters", "windows", "images", "prompt", "examples", "shots", "others"]
    same += ["samples", "temperature", "logprobs", "answer_tokens", "form", "answer"]
    said = options.SpellingOptions(columns=asked.columns)
    return open_session(
        said.file(asked.pool[0]) if len(asked.pool) == 1 else [said.file(run) for run in asked.pool],
        store,
        model=model,
        url=asked.url,
        documents=said.maybe(asked.documents),
        queries=said.maybe(asked.queries),
        grades=asked.scale or asked.grades,
        spending=spending,
        patience=Patience(retries=asked.retries, again=asked.again, jobs=asked.requests),
        extra=extra,
        **{name: getattr(asked, name) for name in same},
    )
