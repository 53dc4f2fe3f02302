"""What the shell offers at Tab where a value is a name: what the registry knows in which the name is looked up.

Nothing is imported before a value is asked for, so that --help stays fast. Where nothing is offered, shells offer
files.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any

import typer

from rankgauge.errors import RankGaugeError

__all__ = ["choice", "listed", "measures", "mended", "names", "settings", "sources"]

Offers = list[tuple[str, str]]
"""Values, each with the words that zsh and fish show beside it."""

Offer = Callable[[str], Offers]

CUTOFFS = {"optional": ("5", "10", "20", "100"), "required": ("5", "10", "20", "100"), "recall": ("0.1", "0.5", "1.0")}
"""Usual cutoffs, by what a measure's cutoff is."""

BASH = ("_RANKGAUGE_COMPLETE", "complete_bash")
"""How the script of bash asks."""

_BREAK = re.compile(r"[@=:]+")
"""Where bash breaks a word in two, with the break as a word of its own."""


def names(registry: str, *more: str) -> Offer:
    """The names in a registry, a mapping or a policy (`module:its name there`), and some more."""
    module, _, attribute = registry.partition(":")

    def offer(incomplete: str) -> Offers:
        with contextlib.suppress(RankGaugeError, ImportError):  # what is not installed has nothing to offer
            return [*((name, "") for name in more), *_offers(getattr(importlib.import_module(module), attribute))]
        return []

    return offer


def choice(*values: str) -> Offer:
    """Those values."""

    def offer(incomplete: str) -> Offers:
        return [(value, "") for value in values]

    return offer


def listed(offer: Offer) -> Offer:
    """What is offered for a value that may be several between commas: the same after each comma."""

    def after_comma(incomplete: str) -> Offers:
        done, comma, last = incomplete.rpartition(",")
        return [(f"{done}{comma}{value}", words) for value, words in offer(last)]

    return after_comma


def measures(incomplete: str) -> Offers:
    """Measures by our names and trec_eval's; where one is meant, also with usual cutoffs, so that none is settled."""
    from rankgauge.measures import MEASURES
    from rankgauge.measures.trec_names import NAMES, SETS

    known, stem = MEASURES, incomplete.partition("@")[0]
    fitting = [stem] if stem in known else [name for name in known if name.startswith(stem)]
    cut = [
        (f"{name}@{cutoff}", known[name].facts.title)
        for name in fitting
        if len(fitting) == 1
        for cutoff in CUTOFFS.get(known[name].facts.cutoff.value, ())
    ]
    theirs = [(name, "trec_eval's name") for name in (*NAMES, *SETS) if name not in known]
    return [*_offers(known), *cut, *theirs]


def settings(ctx: typer.Context, incomplete: str) -> Offers:
    """The parameters of the ranker that was named, with their defaults."""
    with contextlib.suppress(RankGaugeError, ImportError):
        from rankgauge import ltr
        from rankgauge.ltr.ranker import SHARED

        # The option has no value yet, over which typer stops before it gives the arguments their names.
        named = [word for word in ctx.args if word in ltr.RANKERS]
        made = ltr.get(named[0] if named else ctx.params["ranker"] or "")()
        return [(f"{name}={value}", "") for name, value in made.get_params().items() if name not in SHARED]
    return []


def sources(incomplete: str) -> Offers:
    """The data sets of ir_datasets, once `irds:` is written; before that, files. A run's name may stand before it."""
    from rankgauge.io.catalogue import PREFIX, ids

    name, joint, source = incomplete.rpartition("=")
    with contextlib.suppress(RankGaugeError):
        return [(f"{name}{joint}{PREFIX}{one}", "") for one in ids()] if source.startswith(PREFIX) else []
    return []


@contextlib.contextmanager
def mended() -> Iterator[None]:
    """For what runs inside, words are whole that bash has broken at @, = and :, as in `-m nDCG@10,A`.

    Bash puts what is offered in the place of its own last word, so the part of the whole word before that is left away.
    """
    if os.environ.get(BASH[0]) != BASH[1]:
        yield
        return
    words, current = os.environ["COMP_WORDS"].split("\n"), int(os.environ["COMP_CWORD"])
    whole, before = _joined([*words, ""][: current + 1])
    os.environ |= {"COMP_WORDS": "\n".join(whole), "COMP_CWORD": str(len(whole) - 1)}
    offered = io.StringIO()
    try:
        with contextlib.redirect_stdout(offered):
            yield
    finally:
        print("\n".join(line.removeprefix(before) for line in offered.getvalue().splitlines()))


def _joined(words: list[str]) -> tuple[list[str], str]:
    """The words with the broken ones whole, and what of the last one stands before bash's own last word."""
    whole: list[str] = []
    before, joins = "", False
    for word in words:
        breaks = _BREAK.fullmatch(word) is not None
        if whole and (breaks or joins):
            # A word after @ may be a host's name, which bash completes together with its @.
            before = whole[-1] + word.removesuffix("@") if breaks else before
            whole[-1] += word
        else:
            before = ""
            whole.append(word)
        joins = breaks
    return whole, before


def _offers(known: Any) -> Offers:
    if isinstance(known, type) and issubclass(known, Enum):
        return [(str(member.value), _words(member)) for member in known]
    found: Mapping[str, Any] = known() if callable(known) else known
    return [(name, _words(thing)) for name, thing in found.items()]


def _words(thing: Any) -> str:
    """What a registry says of one of its things: its title, its words, itself, or the first line of its docstring."""
    facts = getattr(thing, "facts", thing)
    said = [getattr(facts, "title", None), getattr(thing, "words", None), thing]
    said += [(thing.__doc__ or "").partition("\n")[0]] if isinstance(thing, type) else []
    return next((words for words in said if isinstance(words, str)), "")
