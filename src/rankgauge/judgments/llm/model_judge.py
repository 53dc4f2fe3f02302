"""Grades from a language model behind an endpoint: the whole act in one function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankgauge.errors import InputError
from rankgauge.judgments import Scale
from rankgauge.judgments.llm.asking.endpoint import Endpoint, is_exposed
from rankgauge.judgments.llm.asking.outcome import INTERRUPTED, Asked
from rankgauge.judgments.llm.asking.pairs import SHOTS, TextPairs, choose_examples
from rankgauge.judgments.llm.asking.prompt import find_prompt, scale_of
from rankgauge.judgments.llm.asking.question import OTHERS, Question, compared_lists
from rankgauge.judgments.llm.asking.requests import Patience, Prices
from rankgauge.judgments.llm.asking.session import AskingSession
from rankgauge.judgments.llm.asking.store import AnswerStore

KEY = "OPENAI_API_KEY"
"""The environment variable that holds the key, if none is named."""


def ask(
    pool: Any,
    url: str,
    *,
    cache: str | Path,
    patience: Patience | None = None,
    key_env: str | None = None,
    api: str | None = None,
    seconds: float = 120.0,
    tell: Callable[[int, int, str], None] | None = None,
    **asking: Any,
) -> Asked:
    """The grades that a model gives to the pairs of a pool; answers that are in the cache are not asked for again.

    `asking` is what `open_session` takes: the model, the tables of texts, the prompt, the grades, prices, and the
    settings of a `Question`. `tell` is called now and then with how many pairs are done, of how many, and words about
    it.

        from rankgauge.judgments.llm import ask

        asked = ask("pool.csv", "http://localhost:8000/v1", model="llama3.1", cache="llm.answers.db", logprobs=True)
        asked.frame  # query, document, grade, p_0, p_1, p_2, p_3, samples
        asked.write("llm.csv")
    """
    patience = patience or Patience()
    with (
        endpoint(url, key_env=key_env, api=api, seconds=seconds, jobs=patience.jobs) as opened,
        closing(AnswerStore(cache)) as store,
    ):
        asked = open_session(pool, store, url=url, patience=patience, **asking).run(opened, tell)
    if asked.error is not None:
        raise asked.error
    if asked.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    return asked


def open_session(
    pool: Any,
    store: AnswerStore,
    *,
    model: str,
    url: str = "",
    documents: Any = None,
    queries: Any = None,
    depth: int | None = None,
    max_characters: int | None = None,
    windows: bool = False,
    images: bool = False,
    prompt: str | Path | None = None,
    grades: str | Scale | None = None,
    examples: Any = None,
    shots: int = SHOTS,
    others: int = OTHERS,
    prices: Prices | None = None,
    patience: Patience | None = None,
    **settings: Any,
) -> AskingSession:
    """Prepare to ask a model about the pairs of a pool.

    `prompt` is a name or a file; one that compares documents shows each beside `others` others. `examples` are people's
    labels, of which `shots` are shown. `settings` are those of a `Question`; the temperature is 0 for one sample and 1
    for several, and answers have the room that the prompt needs, unless these are given.
    """
    pairs = TextPairs.from_pool(
        pool,
        documents=documents,
        queries=queries,
        depth=depth,
        max_characters=max_characters,
        windows=windows,
        images=images,
    )
    asked = find_prompt(prompt, scale_of(grades))
    if examples is not None:
        if asked.words.compares or windows:
            raise InputError(
                "examples show how one whole document is graded",
                hint="Leave out --examples, or --windows and prompts that compare documents.",
            )
        asked = replace(asked, examples=choose_examples(examples, pairs, asked.grades, shots))
    if settings.get("temperature") is None:
        settings["temperature"] = 1.0 if settings.get("samples", 1) > 1 else 0.0
    if settings.get("answer_tokens") is None:
        settings["answer_tokens"] = asked.words.answer_tokens
    question = Question(model=model, prompt=asked, images=images, **settings)
    if size := asked.words.compares:
        pairs = compared_lists(pairs, size=size, others=others)
    caps, tries = prices or Prices(), patience or Patience()
    return AskingSession(pairs=pairs, question=question, store=store, url=url, prices=caps, patience=tries)


@contextmanager
def endpoint(
    url: str, *, key_env: str | None = None, api: str | None = None, seconds: float = 120.0, jobs: int = 8
) -> Iterator[Endpoint]:
    """Open the endpoint at a URL; for `stand-in:FILE` a stand-in answers from that table while the block runs."""
    from rankgauge.judgments.llm.stand_in import open_endpoint  # here: servers take time to load

    with (
        open_endpoint(url) as address,
        closing(Endpoint(url=address, key=key_for(address, key_env), api=api, seconds=seconds, jobs=jobs)) as made,
    ):
        yield made


def key_for(url: str, variable: str | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """The key to send: the one of the variable that is named, or OpenAI's if it stays encrypted or on this machine."""
    if variable is None and is_exposed(url):
        return None
    key = environment.get(variable or KEY, "").strip()
    if variable is not None and not key:
        raise InputError(f"the environment variable {variable} is not set", hint=f"As in: export {variable}=…")
    return key or None
