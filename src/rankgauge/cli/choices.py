"""Names at the command line: an option that takes one lists the choices in --help and offers them at Tab.

Such an option names its registry as `module:constant`. The registry is imported when the help of that very command is
shown or when Tab asks, so that `rankgauge --help` stays fast. Where nothing is offered, shells complete files.
"""

from __future__ import annotations

import importlib

from rankgauge.cli import parser
from rankgauge.errors import RankGaugeError
from rankgauge.registry import title_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    Offers = list[tuple[str, str]]
    """Values, each with the words that zsh and fish show beside it."""

    Offer = Callable[[str, Sequence[str]], Offers]
    """What fits the beginning of a word, after the other words of the line."""

CUTOFFS = {"optional": ("5", "10", "20", "100"), "required": ("5", "10", "20", "100"), "recall": ("0.1", "0.5", "1.0")}
"""Usual cutoffs, by the kind of cutoff that a measure takes."""

_PLACE = "{choices}"
"""Where a help text lists the choices."""

_SECOND = "{also}"
"""Where it lists those of a second registry."""


def option(
    *flags: str,
    registry: str,
    help: str,
    metavar: str = "NAME",
    several: bool = False,
    more: Iterable[str] = (),
    also: str = "",
    **settings: Any,
) -> Any:
    """Declare an option whose value is a name in the registry, or one of `more`; `several`: separated by commas.

    A registry is a `Registry`, a mapping, a policy, or a function that gives a mapping. `{choices}` in the help text
    becomes the list of names, `{also}` that of a second registry.
    """
    described = _describe(registry, help, several=several, more=more, also=also)
    return parser.option(*flags, metavar=metavar, **described, **settings)


def output(registry: str, *, several: bool = False, **settings: Any) -> Any:
    """Declare the option -o: a format of the registry, or a file; `several`: it may be repeated."""
    help = "The output format: {choices}; or a file with such an ending." + several * " Repeatable: -o a.md -o b.html."
    return option("-o", "--output", registry=registry, help=help, metavar="FORMAT|FILE", **settings)


def argument(metavar: str, help: str, registry: str, **settings: Any) -> Any:
    """Declare an argument whose value is a name in the registry."""
    return parser.argument(metavar, **_describe(registry, help), **settings)


def spelled_out(help: str) -> str:
    """Return a help text with the names of registries in the place of their marks."""
    if ":" not in help or "{" not in help:
        return help
    import re

    return re.sub(r"\{([\w.]+:[\w.]+)\}", lambda mark: _names(mark[1]), help)


def values(*known: str) -> Offer:
    """Return the offer of these values."""

    def offer(incomplete: str, words: Sequence[str] = ()) -> Offers:
        return [(value, "") for value in known]

    return offer


def list_of(offer: Offer) -> Offer:
    """Return the offer for a value that may be a list: the same after each comma."""

    def after_comma(incomplete: str, words: Sequence[str] = ()) -> Offers:
        done, comma, last = incomplete.rpartition(",")
        return [(f"{done}{comma}{value}", about) for value, about in offer(last, words)]

    return after_comma


def measures(incomplete: str, words: Sequence[str] = ()) -> Offers:
    """Return measures by our names and trec_eval's; one that is clear by now also with the usual cutoffs."""
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


def settings(incomplete: str, words: Sequence[str] = ()) -> Offers:
    """Return the parameters of the ranker that was named, with their defaults."""
    try:
        from rankgauge import training

        named = next((word for word in words if word in training.RANKERS), "")
        return [(f"{name}={value}", "") for name, value in training.get(named)().own_parameters.items()]
    except (RankGaugeError, ImportError):
        return []


def sources(incomplete: str, words: Sequence[str] = ()) -> Offers:
    """Return the data sets of ir_datasets, once `irds:` is typed; before that, files. A run's name may come first."""
    name, joint, source = incomplete.rpartition("=")
    if not source.startswith("irds:"):
        return []
    from rankgauge.files.ir_datasets import PREFIX, ids

    try:
        return [(f"{name}{joint}{PREFIX}{known}", "") for known in ids()]
    except RankGaugeError:
        return []


def _describe(
    registry: str, help: str, *, several: bool = False, more: Iterable[str] = (), also: str = ""
) -> dict[str, Any]:
    def offer(incomplete: str, words: Sequence[str] = ()) -> Offers:
        try:
            known = [offered for name in (registry, also) if name for offered in _offers(_registry(name))]
        except (RankGaugeError, ImportError):  # what is not installed has nothing to offer
            return []
        return [*((name, "") for name in more), *known]

    marked = help.replace(_PLACE, ", ".join([f"{{{registry}}}", *more])).replace(_SECOND, f"{{{also}}}")
    return {"help": marked, "offer": list_of(offer) if several else offer}


def _names(registry: str) -> str:
    try:
        return ", ".join(name for name, _ in _offers(_registry(registry)))
    except RankGaugeError as error:  # an extra that is not installed: the error says which
        return f"({error})"


def _registry(address: str) -> Any:
    """Import what an address such as `rankgauge.dialects:DIALECTS` names."""
    module, _, path = address.partition(":")
    thing: Any = importlib.import_module(module)
    for name in path.split("."):
        thing = getattr(thing, name)
    return thing


def _offers(known: Any) -> Offers:
    from enum import Enum

    if isinstance(known, type) and issubclass(known, Enum):
        return [(str(member.value), _words(member)) for member in known]
    things: Mapping[str, Any] = known() if callable(known) else known
    return [(name, _words(thing)) for name, thing in things.items()]


def _words(thing: Any) -> str:
    """A few words on a choice: the title of a registered thing, the words of a policy, or itself if it is a text."""
    words = title_of(thing) or getattr(thing, "words", thing)
    return words if isinstance(words, str) else ""
