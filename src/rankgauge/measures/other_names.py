"""Names that other tools, libraries and papers give to measures, in our syntax: `Recall@20` is R@20, `mrr` is RR.

Case and signs do not matter, and a cutoff may be written `@10`, `_10`, `_at_10` or `_cut_10`. A name that means
one thing with a cutoff and another without is listed by both; one that people use for two things is an error that shows
them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rankgauge.errors import AmbiguousNameError
from rankgauge.measures.measure import MEASURES, Cutoff
from rankgauge.records import record

OTHER_NAMES: Mapping[str, str] = {
    # papers, BEIR, MTEB, recommender libraries
    "map": "AP",
    "meanaverageprecision": "AP",
    "averageprecision": "AP",
    "averageprecisionscore": "AP",
    "mrr": "RR",
    "meanreciprocalrank": "RR",
    "reciprocalrank": "RR",
    "reciprank": "RR",
    "expectedreciprocalrank": "ERR",
    "normalizeddcg": "nDCG",
    "normaliseddcg": "nDCG",
    "normalizeddiscountedcumulativegain": "nDCG",
    "normaliseddiscountedcumulativegain": "nDCG",
    "discountedcumulativegain": "DCG",
    "cumulativegain": "CG",
    "hit": "Success",
    "hitrate": "Success",
    "hitratio": "Success",
    "hr": "Success",
    "topkaccuracy": "Success",
    "topkacc": "Success",
    "rprecision": "Rprec",
    "rankbiasedprecision": "RBP",
    "qmeasure": "Q",
    "compatibility": "Compat",
    "averagereciprocalhitrank": "ARHR",
    "areaundercurve": "AUC",
    "auroc": "AUC",
    "rocauc": "AUC",
    "calibratedrecall": "RCap",
    "cappedrecall": "RCap",
    "recallcap": "RCap",
    "judgementrate": "Judged",
    "judgmentrate": "Judged",
    # ranx
    "dcgburges": "DCG(dcg='exp-log2')",
    "ndcgburges": "nDCG(dcg='exp-log2')",
    # scikit-learn
    "dcgscore": "DCG",
    "ndcgscore": "nDCG",
    # ir-measures
    "setrelp": "SetRelativeP",
    # trec_eval 8
    "11ptavg": "IPrecAvg",
    # ndeval and NTCIREVAL
    "mapia": "AP_IA",
    "strec": "StRecall",
    "strecall": "StRecall",
    "subtopicrecall": "StRecall",
    "srecall": "StRecall",
    "intentrecall": "I_rec",
}
"""Another name, in small letters and without signs → ours."""

_PRECISION, _RECALL, _F = ("precision", "prec"), ("recall", "rec"), ("f", "f1", "fmeasure", "fscore", "f1score")

AT_RANK: Mapping[str, str] = {
    **dict.fromkeys(_PRECISION, "P"),
    **dict.fromkeys(_RECALL, "R"),
    **dict.fromkeys(_F, "F"),
}
"""Names that mean this only where they have a cutoff."""

WHOLE_LIST: Mapping[str, str] = {"retrievalprecision": "SetP", "retrievalrecall": "SetR"}
"""torchmetrics' names that mean the whole list where they have no cutoff."""

_WHOLE, _FIRST = "of the whole list", "of the first 10 documents"
MEANINGS: Mapping[str, Mapping[str, str]] = {
    **{name: {"SetP": _WHOLE, "P@10": _FIRST} for name in _PRECISION},
    **{name: {"SetR": _WHOLE, "R@10": _FIRST} for name in _RECALL},
    **{name: {"SetF": _WHOLE, "F@10": _FIRST} for name in _F},
    "hits": {"Success": "whether there are any", "HitCount": "how many there are, as in ranx"},
}
"""Names that have several meanings where they have no cutoff: ours, and what each is."""

MEANINGS_AT_RANK: Mapping[str, Mapping[str, str]] = {
    "hits": {"Success@{k}": "whether there are any", "HitCount@{k}": "how many there are, as in ranx"}
}
"""The same for names with a cutoff."""

_LIBRARY = "retrieval"
"""What torchmetrics' names begin with."""

_LEVEL = re.compile(r"-l(?P<rel>\d+)$")
_PERSISTENCE = re.compile(r"rbp\.(?P<digits>\d+)", re.IGNORECASE)
_NUMBER = r"\d+(?:\.\d+)?|\.\d+"
_FORMS = (
    re.compile(rf"(?P<name>[^@()]*?)(?:[_ ]?(?:cut|at))?(?P<parameters>\(.*\))?\s*@\s*(?P<cutoff>{_NUMBER})"),
    re.compile(r"(?P<name>[^@()]*)(?P<parameters>\(.*\))?"),
    re.compile(rf"(?P<name>[^@()]*?)(?:[_ ](?:cut|at))?[_ -](?P<cutoff>{_NUMBER})"),
    re.compile(r"(?P<name>[^@()]*[A-Za-z])(?P<cutoff>[1-9]\d*)"),
)
_RANK = re.compile(r"[1-9]\d*")


@record
class _Written:
    """A name taken apart, as one of the forms reads it."""

    plain: str
    parameters: str
    cutoff: str | None


def ours(text: str) -> str | None:
    """The name in our syntax, or None where it is not known; an error where it has several meanings."""
    text = text.strip()
    if match := _PERSISTENCE.fullmatch(text):  # ranx: rbp.95 is a persistence of 0.95
        return f"RBP(p=0.{match['digits']})"
    level = _LEVEL.search(text)  # ranx: -l2 is the lowest relevant grade
    rel = f"rel={level['rel']}" if level else ""
    for form in _FORMS:
        match = form.fullmatch(text[: level.start()] if level else text)
        if match is None:
            continue
        parts = match.groupdict()
        written = _Written(
            plain=plain(parts["name"]),
            parameters=", ".join(part for part in ((parts.get("parameters") or "").strip("()"), rel) if part),
            cutoff=parts.get("cutoff"),
        )
        if found := _look_up(written, text):
            return found
    return None


LETTERS = {"α": "alpha", "♯": "sharp", "#": "sharp"}
"""Signs that are part of a name: α-nDCG, D♯-nDCG."""


def plain(name: str) -> str:
    """A name in small letters and without signs, but for those that are part of it."""
    for sign, word in LETTERS.items():
        name = name.replace(sign, word)
    return re.sub(r"[^a-z0-9]", "", name.lower())


def named(name: str) -> str | None:
    """Our name of a measure, whatever the cutoff; parameters that the other name implies are left out."""
    found = _our_name(plain(name), None) or AT_RANK.get(plain(name))
    return found and found.partition("(")[0]


def _look_up(written: _Written, text: str) -> str | None:
    several = (MEANINGS if written.cutoff is None else MEANINGS_AT_RANK).get(written.plain)
    if several is not None:
        meanings = {name.format(k=written.cutoff): words.format(k=written.cutoff) for name, words in several.items()}
        raise AmbiguousNameError("measure", text, meanings)
    name = _our_name(written.plain, written.cutoff)
    return None if name is None else _spell(name, written)


def _our_name(short: str, cutoff: str | None) -> str | None:
    """Our name for a plain one; torchmetrics' begin with a word of their own."""
    bare = short.removeprefix(_LIBRARY)
    special = WHOLE_LIST.get(short) if cutoff is None else AT_RANK.get(bare)
    return special or OTHER_NAMES.get(bare) or next((known for known in MEASURES if plain(known) == short), None)


def _spell(name: str, written: _Written) -> str | None:
    """The whole name; None where the cutoff is not one that the measure takes, or is lacking."""
    name, _, implied = name.rstrip(")").partition("(")
    rule = MEASURES[name].facts.cutoff
    if rule in (Cutoff.REQUIRED, Cutoff.RECALL) and written.cutoff is None:
        return None
    if written.cutoff is not None and rule is not Cutoff.RECALL and not _RANK.fullmatch(written.cutoff):
        return None
    parameters = ", ".join(part for part in (implied, written.parameters) if part)
    cutoff = "" if written.cutoff is None else f"@{written.cutoff}"
    return f"{name}{f'({parameters})' if parameters else ''}{cutoff}"
