"""What a name that no measure has may have meant: the names that other tools and papers use, for suggestions only."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

from rankgauge.errors import UnknownNameError
from rankgauge.measures.measure import MEASURES, Cutoff

__all__ = ["OTHER_NAMES", "unknown"]

OTHER_NAMES: Mapping[str, str] = {
    "map": "AP",
    "meanaverageprecision": "AP",
    "averageprecision": "AP",
    "mrr": "RR",
    "meanreciprocalrank": "RR",
    "reciprocalrank": "RR",
    "recall": "R",
    "precision": "P",
    "prec": "P",
    "hit": "Success",
    "hits": "Success",
    "hitrate": "Success",
    "hitratio": "Success",
    "hr": "Success",
    "f": "SetF",
    "f1": "SetF",
    "fmeasure": "SetF",
    "fscore": "SetF",
    "rprecision": "Rprec",
    "rankbiasedprecision": "RBP",
    "expectedreciprocalrank": "ERR",
}
"""Other name, in small letters and without signs → ours."""

COMMON = "Common ones are nDCG@10, AP, RR, P@10 and R@100; 'rankgauge measures' lists all."

USUAL = {Cutoff.REQUIRED: "10", Cutoff.RECALL: "0.1"}
"""The cutoff to suggest where a measure needs one and none was written."""

_WRITTEN = re.compile(r"\s*(?P<name>[^@()]*)(?P<parameters>\(.*\))?\s*(?:@\s*(?P<cutoff>.*?))?\s*")
_NUMBERED = re.compile(r"(?P<name>.*?[a-z])(?P<cutoff>\d+)")
_CUTOFFS = {
    Cutoff.OPTIONAL: re.compile(r"[1-9]\d*"),
    Cutoff.REQUIRED: re.compile(r"[1-9]\d*"),
    Cutoff.RECALL: re.compile(r"0(?:\.\d+)?|\.\d+|1(?:\.0+)?"),
}


def unknown(text: str, also: Iterable[str] = ()) -> UnknownNameError:
    """The error for a name that is not known; `also` are names that may be suggested beside those of measures."""
    known = [*MEASURES, *also]
    return UnknownNameError("measure", text.strip(), known, near=_near(text, known), otherwise=COMMON)


def _near(text: str, known: list[str]) -> list[str]:
    """The measure that is meant, where that is plain; else the nearest names, with the cutoff that was written."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return []
    name, parameters, cutoff = match["name"], match["parameters"] or "", match["cutoff"]
    named = known if cutoff is None else list(MEASURES)  # trec_eval's names take no @
    numbered = _NUMBERED.fullmatch(_plain(name))
    if meant := _meant(name, named):
        return [_spelled(meant, parameters, cutoff)]
    if numbered and (meant := _meant(numbered["name"], list(MEASURES))):
        return [_spelled(meant, parameters, cutoff or numbered["cutoff"])]
    lowered = {one.lower(): one for one in reversed(named)}
    near = difflib.get_close_matches(name.strip().lower(), lowered, n=3, cutoff=0.5)
    return list(dict.fromkeys(_spelled(lowered[one], parameters, cutoff) for one in near))


def _meant(name: str, known: list[str]) -> str | None:
    plain = _plain(name)
    return OTHER_NAMES.get(plain) or next((one for one in known if _plain(one) == plain), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _spelled(name: str, parameters: str, cutoff: str | None) -> str:
    """The measure as it would be written; a name of trec_eval's stands for itself."""
    if name not in MEASURES:
        return name
    rule = MEASURES[name].facts.cutoff
    fits = rule in _CUTOFFS and _CUTOFFS[rule].fullmatch(cutoff or "")
    written = cutoff if fits else USUAL.get(rule)
    return f"{name}{parameters}" + ("" if written is None else f"@{written}")
