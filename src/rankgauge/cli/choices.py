"""Names at the command line: an option that takes one lists the choices in --help and offers them at Tab.

Such an option names its registry as `module:constant`. The registry is imported when the help of that very command is
shown or when Tab asks, so that `rankgauge --help` stays fast. Where nothing is offered, shells complete files.
"""

from __future__ import annotations

import contextlib
import importlib
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

import typer

from rankgauge.errors import RankGaugeError
from rankgauge.registry import title_of

Offers = list[tuple[str, str]]
"""Values, each with the words that zsh and fish show beside it."""

Offer = Callable[[str], Offers]

CUTOFFS = {"optional": ("5", "10", "20", "100"), "required": ("5", "10", "20", "100"), "recall": ("0.1", "0.5", "1.0")}
"""Usual cutoffs, by the kind of cutoff that a measure takes."""

_PLACE = "{choices}"
"""Where a help text lists the choices."""

_SECOND = "{also}"
"""Where it lists those of a second registry."""

_REGISTRY = re.compile(r"\{([\w.]+:[\w.]+)\}")
"""A registry in a help text, in place of the names that it will list."""


def option(
    *flags: str,
    registry: str,
    help: str,
    metavar: str = "NAME",
    several: bool = False,
    more: Iterable[str] = (),
    also: str = "",
) -> Any:
    """An option whose value is a name in the registry, or one of `more`; `several`: names separated by commas.

    A registry is a `Registry`, a mapping, a policy, or a function that gives a mapping. `{choices}` in the help text
    becomes the list of names, `{also}` that of a second registry.
    """
    return typer.Option(*flags, **_described(registry, help, metavar, several=several, more=more, also=also))


def output(registry: str, *, several: bool = False) -> Any:
    """The option -o: a format of the registry, or a file; `several`: it may be repeated."""
    help = "The output format: {choices}; or a file with such an ending." + several * " Repeatable: -o a.md -o b.html."
    return option("-o", "--output", registry=registry, help=help, metavar="FORMAT|FILE")


def argument(metavar: str, help: str, registry: str) -> Any:
    """An argument whose value is a name in the registry."""
    return typer.Argument(**_described(registry, help, metavar))


def spell_out(parameters: Iterable[Any]) -> None:
    """Puts the names into the help texts of the parameters, now that somebody wants to read them."""
    for parameter in parameters:
        if getattr(parameter, "help", None):
            parameter.help = _REGISTRY.sub(lambda found: _names(found[1]), parameter.help)


def values(*known: str) -> Offer:
    """Tab offers these values."""
    return lambda incomplete: [(value, "") for value in known]


def listed(offer: Offer) -> Offer:
    """Offers for a value that may be a list: the same after each comma."""

    def after_comma(incomplete: str) -> Offers:
        done, comma, last = incomplete.rpartition(",")
        return [(f"{done}{comma}{value}", words) for value, words in offer(last)]

    return after_comma


def measures(incomplete: str) -> Offers:
    """Measures by our names and trec_eval's; one that is clear by now also with usual cutoffs, to choose among."""
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
        from rankgauge import training

        # The option has no value yet, so typer stops before it has named the arguments.
        named = [word for word in ctx.args if word in training.RANKERS]
        made = training.get(named[0] if named else ctx.params["ranker"] or "")()
        return [(f"{name}={value}", "") for name, value in made.own_parameters.items()]
    return []


def sources(incomplete: str) -> Offers:
    """The data sets of ir_datasets, once `irds:` is typed; before that, files. A run's name may come first."""
    from rankgauge.files.ir_datasets import PREFIX, ids

    name, joint, source = incomplete.rpartition("=")
    with contextlib.suppress(RankGaugeError):
        return [(f"{name}{joint}{PREFIX}{one}", "") for one in ids()] if source.startswith(PREFIX) else []
    return []


def _described(
    registry: str, help: str, metavar: str, *, several: bool = False, more: Iterable[str] = (), also: str = ""
) -> dict[str, Any]:
    def offer(incomplete: str) -> Offers:
        with contextlib.suppress(RankGaugeError, ImportError):  # what is not installed has nothing to offer
            known = [offered for name in (registry, also) if name for offered in _offers(_found(name))]
            return [*((name, "") for name in more), *known]
        return []

    return {
        "help": help.replace(_PLACE, ", ".join([f"{{{registry}}}", *more])).replace(_SECOND, f"{{{also}}}"),
        "metavar": metavar,
        "autocompletion": listed(offer) if several else offer,
    }


def _names(registry: str) -> str:
    try:
        return ", ".join(name for name, _ in _offers(_found(registry)))
    except RankGaugeError as error:  # an extra that is not installed: the error says which
        return f"({error})"


def _found(registry: str) -> Any:
    module, _, constant = registry.partition(":")
    return operator.attrgetter(constant)(importlib.import_module(module))


def _offers(known: Any) -> Offers:
    if isinstance(known, type) and issubclass(known, Enum):
        return [(str(member.value), _words(member)) for member in known]
    found: Mapping[str, Any] = known() if callable(known) else known
    return [(name, _words(thing)) for name, thing in found.items()]


def _words(thing: Any) -> str:
    """A few words on a choice: the title of a registered thing, the words of a policy, or itself if it is a text."""
    words = title_of(thing) or getattr(thing, "words", thing)
    return words if isinstance(words, str) else ""
