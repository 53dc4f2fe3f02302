"""Grades from a language model behind an endpoint: the whole act in one function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from rankgauge.errors import InputError
from rankgauge.judgments import Scale
from rankgauge.judgments.llm.asking.endpoint import Endpoint, is_exposed
from rankgauge.judgments.llm.asking.orders import OTHERS, compared_lists
from rankgauge.judgments.llm.asking.outcome import INTERRUPTED, Asked
from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.judgments.llm.asking.prompt import find_prompt, scale_of
from rankgauge.judgments.llm.asking.question import Question
from rankgauge.judgments.llm.asking.requests import Patience
from rankgauge.judgments.llm.asking.session import AskingSession
from rankgauge.judgments.llm.asking.spending import Prices
from rankgauge.judgments.llm.asking.store import AnswerStore

KEY = "OPENAI_API_KEY"
"""The environment variable that holds the key, if none is named."""


def ask(
    pool: Any,
    url: str,
    *,
    model: str,
    cache: str | Path,
    documents: Any = None,
    queries: Any = None,
    depth: int | None = None,
    max_characters: int | None = None,
    windows: bool = False,
    others: int = OTHERS,
    prompt: str | Path | None = None,
    grades: str | Scale | None = None,
    prices: Prices | None = None,
    patience: Patience | None = None,
    key_env: str | None = None,
    api: str | None = None,
    seconds: float = 120.0,
    tell: Callable[[int, int, str], None] | None = None,
    **settings: Any,
) -> Asked:
    """The grades that a model gives to the pairs of a pool; answers that are in the cache are not asked for again.

    `settings` are those of a `Question`: samples, temperature, logprobs, answer_tokens, form, answer, extra. `tell` is
    called now and then with how many pairs are done, of how many, and words about it. `prompt` is a name or a file; one
    that compares documents shows each beside `others` others.

        from rankgauge.judgments.llm import ask

        asked = ask("pool.csv", "http://localhost:8000/v1", model="llama3.1", cache="llm.answers.db", logprobs=True)
        asked.frame  # query, document, grade, p_0, p_1, p_2, p_3, samples
        asked.write("llm.csv")
    """
    question = Question(model=model, prompt=find_prompt(prompt, scale_of(grades)), **settings)
    pairs = TextPairs.of(
        pool, documents=documents, queries=queries, depth=depth, max_characters=max_characters, windows=windows
    )
    if size := question.prompt.compares:
        pairs = compared_lists(pairs, size=size, others=others)
    patience = patience or Patience()
    with (
        endpoint(url, key_env=key_env, api=api, seconds=seconds, jobs=patience.jobs) as opened,
        closing(AnswerStore(cache)) as store,
    ):
        session = AskingSession(
            pairs=pairs, question=question, store=store, prices=prices or Prices(), patience=patience
        )
        asked = session.run(opened, tell)
    if asked.error is not None:
        raise asked.error
    if asked.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    return asked


@contextmanager
def endpoint(
    url: str, *, key_env: str | None = None, api: str | None = None, seconds: float = 120.0, jobs: int = 8
) -> Iterator[Endpoint]:
    """Open the endpoint at a URL; for `stand-in:FILE` a stand-in answers from that table while the block runs."""
    from rankgauge.judgments.llm.stand_in import opened  # here, because `python -m` runs that module by itself

    with (
        opened(url) as address,
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
