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
    from rankgauge.judgments.llm.asking.pairs import TextPairs
    from rankgauge.judgments.llm.asking.prompt import Prompt
    from rankgauge.judgments.llm.asking.question import Question
    from rankgauge.judgments.llm.asking.session import AskingSession
    from rankgauge.judgments.llm.asking.store import AnswerStore


TEXTS, ASKING, SENDING = "What to judge", "What to ask", "How to ask"
SPENDING = "What it may cost"
"""The groups of options."""


class JudgeOptions(Options):
    """The pairs, the model, the question, the caps, and where answers go."""

    pool: list[Path] = argument(
        "POOL",
        help="A table with the columns query, document, query_text and text (or title); or runs, whose texts come "
        "from --documents and --queries.",
    )
    url: str = option(
        "--url",
        help="The endpoint, as http://localhost:8000/v1; or stand-in:FILE, which answers from a table of grades, to "
        "rehearse.",
        metavar="URL",
        required=True,
    )
    model: list[str] = option(
        "--model",
        help="The model, as the endpoint calls it; several make a panel, with a file of grades each.",
        metavar="MODEL",
        required=True,
    )
    output: Path | None = option(
        "-o", "--output", help="The file to write the grades to: CSV, JSON lines, Parquet.", metavar="FILE"
    )
    documents: Path | None = option(
        "--documents", help="The documents' texts: a table, or a TSV of ids and texts.", metavar="FILE", group=TEXTS
    )
    queries: Path | None = option(
        "--queries", help="The queries' texts: a table, or a TSV of ids and texts.", metavar="FILE", group=TEXTS
    )
    depth: int | None = options.depth_option("Only the first K documents of each list.", group=TEXTS)
    max_characters: int | None = option(
        "--max-characters", help="Cut longer texts of documents after N characters.", metavar="N", least=1, group=TEXTS
    )
    windows: bool = option(
        "--windows", help="Judge longer texts in windows of --max-characters; the best grade counts.", group=TEXTS
    )
    prompt: str = choices.option(
        "--prompt",
        help="The prompt: {choices}; or a file of your own, with {query}, {document}, {grades}.",
        registry="rankgauge.judgments.llm.asking.prompt:PROMPTS",
        metavar="NAME|FILE",
        default="standard",
        group=ASKING,
    )
    grades: str | None = option("--grades", help="The grades; 0,1,2,3 by default.", metavar="G,G", group=ASKING)
    scale: str | None = options.SCALE
    columns: str | None = options.COLUMNS
    examples: Path | None = option(
        "--examples",
        help="People's labels of some pairs of the pool, of which a few are shown to the model.",
        metavar="FILE",
        exists=True,
        group=ASKING,
    )
    shots: int = option(
        "--shots", help="How many of --examples are shown.", metavar="N", least=1, default=4, group=ASKING
    )
    others: int = option(
        "--others",
        help="With --prompt pairwise or listwise: with how many others a document is compared.",
        metavar="N",
        least=1,
        default=8,
        group=ASKING,
    )
    preferences: Path | None = option(
        "--preferences",
        help="With --prompt pairwise or listwise: also write the preferences, for measures that take them.",
        metavar="FILE",
        group=ASKING,
    )
    samples: int = option(
        "--samples",
        help="Answers for each pair; several give probabilities of grades.",
        metavar="N",
        least=1,
        default=1,
        group=ASKING,
    )
    temperature: float | None = option(
        "--temperature", help="The model's temperature; 0 for one sample, 1 for several.", metavar="T", group=ASKING
    )
    logprobs: bool = option(
        "--logprobs", help="Take the probabilities of grades from the model's log-probabilities.", group=ASKING
    )
    answer_tokens: int | None = option(
        "--answer-tokens",
        help="The most tokens of an answer; 32, or what the prompt needs.",
        metavar="N",
        least=1,
        group=ASKING,
    )
    form: str = option(
        "--form",
        help="How the model answers: text, json (the endpoint's JSON mode) or tool (a call of a function).",
        metavar="FORM",
        default="text",
        offer=choices.values("text", "json", "tool"),
        group=ASKING,
    )
    answer: str | None = option(
        "--answer",
        help="A regular expression that matches once in an answer; its first group is the grade.",
        metavar="REGEX",
        group=ASKING,
    )
    extra: str | None = option(
        "--extra", help="More fields of each request, as a JSON object.", metavar="JSON", group=ASKING
    )
    requests: int = option(
        "--requests",
        old=("--jobs",),
        help="How many requests are sent at the same time.",
        metavar="N",
        least=1,
        default=8,
        group=SENDING,
    )
    retries: int = option(
        "--retries",
        help="How often a request that fails is tried again.",
        metavar="N",
        least=0,
        default=5,
        group=SENDING,
    )
    again: int = option(
        "--again",
        help="How often a pair is asked again if the answer is no grade.",
        metavar="N",
        least=0,
        default=2,
        group=SENDING,
    )
    timeout: float = option(
        "--timeout",
        help="The most seconds that an answer may take.",
        metavar="SECONDS",
        least=0.1,
        default=120.0,
        group=SENDING,
    )
    max_tokens_total: int | None = option(
        "--max-tokens-total", help="A cap on all tokens, in and out.", metavar="N", least=0, group=SPENDING
    )
    max_cost: float | None = option(
        "--max-cost", help="A cap on the cost; needs the two prices.", metavar="X", least=0, group=SPENDING
    )
    price_in: float | None = option(
        "--price-in", help="The price of a million tokens of prompts.", metavar="X", least=0, group=SPENDING
    )
    price_out: float | None = option(
        "--price-out", help="The price of a million tokens of answers.", metavar="X", least=0, group=SPENDING
    )
    key_env: str | None = option(
        "--key-env",
        help="The environment variable that holds the key; OPENAI_API_KEY if it is set.",
        metavar="VARIABLE",
        group=SENDING,
    )
    api: str | None = choices.option(
        "--api",
        help="How the endpoint is asked: {choices}; by default what its URL tells.",
        registry="rankgauge.judgments.llm.chat_api:CHAT_APIS",
        group=SENDING,
    )
    write_batch: Path | None = option(
        "--write-batch",
        help="Write the requests to a file for a batch endpoint; ask nothing.",
        metavar="FILE",
        group=SENDING,
    )
    read_batch: Path | None = option(
        "--read-batch", help="Take the answers from a batch's results.", metavar="FILE", exists=True, group=SENDING
    )
    cache: Path | None = option(
        "--cache", help="The file that keeps the answers; beside the output by default.", metavar="FILE", group=SENDING
    )
    dry_run: bool = option("--dry-run", help="Show what it would take and one prompt; ask nothing.", group=SPENDING)


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

    from rankgauge.cli.streams import spare
    from rankgauge.judgments.llm.asking.store import AnswerStore
    from rankgauge.judgments.llm.report import show_panel

    output = _output(asked)
    if asked.windows and asked.max_characters is None:
        raise OptionError("--windows needs --max-characters, the length of a window.")
    outputs = {model: _output_of(output, model, asked.model) for model in asked.model}
    cache = _cache(asked, output)
    written = [*outputs.values(), asked.write_batch, asked.preferences, cache if isinstance(cache, Path) else None]
    spare(_inputs(asked), written)
    with closing(AnswerStore(cache)) as store:
        outcomes = {model: _judge_with(asked, model, path, store) for model, path in outputs.items()}
    answered = {model: outcome for model, outcome in outcomes.items() if outcome is not None}
    if len(answered) > 1:
        show_panel({model: outcome.frame for model, outcome in answered.items()}, sys.stdout)
    for outcome in answered.values():
        _finish(outcome)


def _judge_with(asked: JudgeOptions, model: str, output: Path | None, store: AnswerStore) -> Asked | None:
    """Ask one model and write its grades; None if nothing was to be asked."""
    from rankgauge.judgments.llm.asking.outcome import Provenance
    from rankgauge.judgments.llm.asking.session import write_batch
    from rankgauge.judgments.llm.report import show_forecast, show_outcome, show_prompt
    from rankgauge.judgments.pairwise import FittedPreferences

    session = _session(asked, model, store)
    provenance = Provenance.from_question(session.question, asked.url, asked.prompt)
    if output is not None:
        provenance.check(output)
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
        provenance.write(output, outcome)
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
    from rankgauge.cli.streams import told
    from rankgauge.judgments.llm.asking.session import read_batch
    from rankgauge.judgments.llm.model_judge import endpoint

    if asked.read_batch is not None:
        if failed := read_batch(session, asked.read_batch):
            print(f"failed     {failed:,} of the batch's requests; write another batch for them")
        return session.outcome()
    with (
        endpoint(asked.url, key_env=asked.key_env, api=asked.api, seconds=asked.timeout, jobs=asked.requests) as opened,
        told() as tell,
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
        asked.examples,
        Path(asked.prompt) if Path(asked.prompt).is_file() else None,
        asked.read_batch,
        Path(table.partition("?")[0]) if scheme == "stand-in" and table else None,
    ]


def _cache(asked: JudgeOptions, output: Path | None) -> Path | str:
    """The file of answers; a dry run makes none."""
    beside = None if asked.output is None else asked.output.with_suffix(".answers.db")
    file = asked.cache or beside
    return ":memory:" if file is None or (output is None and not file.exists()) else file


def _session(asked: JudgeOptions, model: str, store: AnswerStore) -> AskingSession:
    from rankgauge.judgments.llm.asking.orders import compared_lists
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
    said = options.SpellingOptions(columns=asked.columns)
    pool: Any = said.file(asked.pool[0]) if len(asked.pool) == 1 else [said.file(run) for run in asked.pool]
    pairs = TextPairs.of(
        pool,
        documents=said.maybe(asked.documents),
        queries=said.maybe(asked.queries),
        depth=asked.depth,
        max_characters=asked.max_characters,
        windows=asked.windows,
    )
    question = _question(asked, model, pairs)
    if size := question.prompt.compares:
        pairs = compared_lists(pairs, size=size, others=asked.others)
    elif asked.preferences is not None:
        raise OptionError("--preferences needs --prompt pairwise or listwise.")
    return AskingSession(
        pairs=pairs,
        question=question,
        store=store,
        prices=prices,
        patience=Patience(retries=asked.retries, again=asked.again, jobs=asked.requests),
    )


def _question(asked: JudgeOptions, model: str, pairs: TextPairs) -> Question:
    from rankgauge.judgments.llm.asking.question import Question

    temperature = asked.temperature
    if temperature is None:
        temperature = 1.0 if asked.samples > 1 else 0.0
    return Question(
        model=model,
        prompt=_prompt(asked, pairs),
        samples=asked.samples,
        temperature=temperature,
        logprobs=asked.logprobs,
        answer_tokens=asked.answer_tokens or _needed_tokens(asked),
        form=asked.form,
        answer=asked.answer,
        extra=_extra(asked.extra),
    )


def _needed_tokens(asked: JudgeOptions) -> int:
    """Return how much room the answers to the prompt need."""
    from rankgauge.judgments.llm.asking.prompt import PROMPTS

    return PROMPTS[asked.prompt].answer_tokens if asked.prompt in PROMPTS else PROMPTS["standard"].answer_tokens


def _prompt(asked: JudgeOptions, pairs: TextPairs) -> Prompt:
    """Return the prompt of that name, or in that file, with its examples."""
    from dataclasses import replace

    from rankgauge.judgments.llm.asking.pairs import choose_examples
    from rankgauge.judgments.llm.asking.prompt import find_prompt, scale_of

    if asked.grades is not None and asked.scale is not None:
        raise OptionError("--scale names the grades: leave --grades out.")
    prompt = find_prompt(asked.prompt, scale_of(asked.scale or asked.grades))
    if asked.examples is None:
        return prompt
    if prompt.compares or asked.windows:
        raise OptionError(
            "--examples show how one whole document is graded: leave out --windows, pairwise and listwise."
        )
    return replace(prompt, examples=choose_examples(asked.examples, pairs, prompt.grades, asked.shots))


def _extra(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise OptionError(f"--extra takes a JSON object, e.g. --extra '{{\"seed\": 1}}'; got {text!r}.")
    return found
