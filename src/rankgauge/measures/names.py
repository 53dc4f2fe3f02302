"""Names ↔ measures: `nDCG(dcg='exp-log2')@10` is a measure, and `str` of a measure is its name.

The names that other tools, libraries and papers use are understood too: `Recall@20` is R@20, `mrr` is RR. Case and
signs do not matter, and a cutoff may be written `@10`, `_10`, `_at_10` or `_cut_10`. A name that means one thing with a
cutoff and another without is listed by both; one that people use for two things is an error that shows them. A name
that nobody uses gets an error that suggests what may have been meant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

from rankgauge.errors import AmbiguousNameError, ParameterError, RankGaugeError, UnknownNameError, UnknownNamesError
from rankgauge.measures.measure import MEASURES, Cutoff, Measure
from rankgauge.measures.output import Printed, measures_of
from rankgauge.measures.trec_names import NAMES, SETS, SPELLED, TrecName

OTHER_NAMES: Mapping[str, str] = {
    name: measure
    for measure, names in {
        "AP": "map meanaverageprecision averageprecision averageprecisionscore",
        "RR": "mrr meanreciprocalrank reciprocalrank reciprank",
        "ERR": "expectedreciprocalrank",
        "nDCG": "normalizeddcg normaliseddcg normalizeddiscountedcumulativegain normaliseddiscountedcumulativegain "
        "ndcgscore",
        "DCG": "discountedcumulativegain dcgscore",
        "CG": "cumulativegain",
        "Success": "hit hitrate hitratio hr topkaccuracy topkacc",
        "Rprec": "rprecision",
        "RBP": "rankbiasedprecision",
        "Q": "qmeasure",
        "Compat": "compatibility",
        "ARHR": "averagereciprocalhitrank",
        "AUC": "areaundercurve auroc rocauc",
        "RCap": "calibratedrecall cappedrecall recallcap",
        "Judged": "judgementrate judgmentrate",
        "DCG(dcg='exp-log2')": "dcgburges",
        "nDCG(dcg='exp-log2')": "ndcgburges",
        "SetRelativeP": "setrelp",
        "IPrecAvg": "11ptavg",
        "AP_IA": "mapia",
        "StRecall": "strec strecall subtopicrecall srecall",
        "I_rec": "intentrecall",
    }.items()
    for name in names.split()
}
"""Another name, in small letters and without signs → ours: names of papers, BEIR, MTEB, recommender libraries, ranx
(dcgburges), scikit-learn (dcgscore), ir-measures (setrelp), trec_eval 8 (11ptavg), ndeval and NTCIREVAL (mapia, strec,
intentrecall)."""

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
"""Names that have several meanings where they have a cutoff: ours, and what each is."""

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


def ours(text: str) -> str | None:
    """Return the name in our syntax, or None where it is not known; an error where it has several meanings."""
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
        parameters = [part for part in ((parts.get("parameters") or "").strip("()"), rel) if part]
        if name := _spell_ours(plain(parts["name"]), parameters, parts.get("cutoff"), text):
            return name
    return None


LETTERS = {"α": "alpha", "♯": "sharp", "#": "sharp"}
"""Signs that are part of a name: α-nDCG, D♯-nDCG."""


def plain(name: str) -> str:
    """Return a name in small letters and without signs, but for those that are part of it."""
    for sign, word in LETTERS.items():
        name = name.replace(sign, word)
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _our_name(short: str, cutoff: str | None) -> str | None:
    """Return our name for a plain one; torchmetrics' begin with a word of their own."""
    bare = short.removeprefix(_LIBRARY)
    special = WHOLE_LIST.get(short) if cutoff is None else AT_RANK.get(bare)
    return special or OTHER_NAMES.get(bare) or next((known for known in MEASURES if plain(known) == short), None)


def _spell_ours(short: str, parameters: list[str], cutoff: str | None, text: str) -> str | None:
    """Return the whole name; None where the cutoff is not one that the measure takes, or is lacking."""
    several = (MEANINGS if cutoff is None else MEANINGS_AT_RANK).get(short)
    if several is not None:
        meanings = {name.format(k=cutoff): words.format(k=cutoff) for name, words in several.items()}
        raise AmbiguousNameError("measure", text, meanings)
    meant = _our_name(short, cutoff)
    if meant is None:
        return None
    name, _, implied = meant.rstrip(")").partition("(")
    rule = MEASURES[name].facts.cutoff
    if rule in (Cutoff.REQUIRED, Cutoff.RECALL) and cutoff is None:
        return None
    if cutoff is not None and rule is not Cutoff.RECALL and not _RANK.fullmatch(cutoff):
        return None
    inside = ", ".join([implied, *parameters] if implied else parameters)
    return f"{name}{f'({inside})' if inside else ''}" + ("" if cutoff is None else f"@{cutoff}")


N = TypeVar("N")
T = TypeVar("T")

_NAME = re.compile(r"^\s*(?P<name>\w+)\s*(?:\((?P<parameters>.*)\))?\s*(?:@(?P<cutoff>[^@()]+))?\s*$")


def parse(text: str | Measure) -> Measure:
    """Parse a measure's name: in the syntax of ir-measures, whose own measures may be given too, or another tool's.

    >>> from rankgauge import measure
    >>> str(measure("ndcg_cut_10")), measure("P(rel=2)@5").rel
    ('nDCG@10', 2.0)
    """
    if isinstance(text, Measure):
        return text
    text = str(text)
    match = None if _LEVEL.search(text) else _NAME.match(text)
    kind = None if match is None else MEASURES.get(match["name"])
    if match is None or kind is None:
        meant = ours(text)
        if meant is None:
            raise unknown(text)
        return parse(meant)
    given = _written_parameters(match["parameters"] or "", text)
    for name in kind.variants.keys() & given.keys():
        if given.pop(name):  # the parameter of another tool makes another measure of this one
            kind = MEASURES[kind.variants[name]]
    parameters = _parameters(kind, given)
    if match["cutoff"] is not None:
        rule, written = kind.facts.cutoff, match["cutoff"]
        if rule is Cutoff.NONE:
            raise ParameterError(kind.facts.name, "cutoff", "left out: this measure looks at the whole list", written)
        try:
            parameters["cutoff"] = float(written) if rule is Cutoff.RECALL else int(written)
        except ValueError:
            wanted = "a number" if rule is Cutoff.RECALL else "a whole number, as in P@10"
            raise ParameterError(text, "cutoff", wanted, written) from None
    return kind(**parameters)


def each(names: Iterable[N], find: Callable[[N], Iterable[T]]) -> list[T]:
    """Return what all the names stand for. If some are unknown, the error is about every name that is wrong."""
    meant: list[T] = []
    errors: list[RankGaugeError] = []
    for name in names:
        try:
            meant.extend(find(name))
        except (UnknownNameError, ParameterError) as error:
            errors.append(error)
    unknown = [error for error in errors if isinstance(error, UnknownNameError)]
    if errors:
        raise UnknownNamesError(errors) if unknown and len(errors) > 1 else errors[0]
    return meant


def resolve(names: Iterable[str | Measure]) -> list[Printed]:
    """Return what each name stands for, in trec_eval's syntax, ours or another tool's, and the label to print."""
    return each(names, _resolve_name)


def parse_all(names: Iterable[str | Measure]) -> list[Measure]:
    """Return the measures that the names stand for, each once."""
    return list(measures_of(resolve(names)))


def _resolve_name(name: str | Measure) -> list[Printed]:
    if isinstance(name, Measure):
        return [Printed(name=str(name), measure=name)]
    name = str(name)  # a measure of ir-measures is known by its name
    if name in SETS:
        return resolve(SETS[name])
    match = SPELLED.fullmatch(name.strip())
    # bpref_10 is a measure of its own, not bpref with a parameter; so is bpref_10(rel=2).
    if match is not None and name.partition("(")[0] != "bpref_10":
        try:
            return _expand(NAMES[match["name"]], match["parameters"] or "")
        except ParameterError:
            # recall_at_10 and rbp.95 begin like trec_eval's names, but are those of other tools.
            meant = ours(name)
            if meant is None:
                raise
            return [Printed(name=name.strip(), measure=parse(meant))]
    try:
        return [Printed(name=name.strip(), measure=parse(name))]
    except UnknownNameError as error:
        # An error may suggest trec_eval's names beside ours.
        if error.kind != "measure" or isinstance(error, AmbiguousNameError):
            raise
        raise unknown(name, [*NAMES, *SETS]) from None


def _expand(entry: TrecName, parameters: str) -> list[Printed]:
    """Return what trec_eval prints under a name with these parameters."""
    labelled = [(label, list(map(parse, texts))) for label, texts in entry.expand(entry, parameters)]
    return [
        Printed(name=label, measure=one, rest=tuple(rest), per_query=entry.per_query, overall=entry.overall)
        for label, (one, *rest) in labelled
    ]


def trec_name(measure: Measure) -> str | None:
    """Return the name that trec_eval prints for the measure, or None where it has none."""
    if label := _trec_labels().get(measure):
        return label
    cutoff = getattr(measure, "cutoff", None)
    for entry in NAMES.values():  # it may differ from one of trec_eval's own in its cutoff alone
        if cutoff is not None and entry.measure == f"{measure.facts.name}@{{}}":
            (printed,) = _expand(entry, str(cutoff))
            return printed.name if printed.measure == measure else None
    return None


@cache
def _trec_labels() -> Mapping[Measure, str]:
    """Return the label of every measure that trec_eval prints by default."""
    return {printed.measure: printed.name for printed in resolve(NAMES)}


def as_list(names: Any) -> list[Any]:
    """Return one name or measure, or several of them, as a list."""
    return list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]


def _written_parameters(text: str, whole: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        given = {
            word.arg: word.value.id if isinstance(word.value, ast.Name) else ast.literal_eval(word.value)
            for word in call.keywords  # a name is a text without quotes
        }
        positional = bool(call.args)
    except (SyntaxError, ValueError, AssertionError):
        given, positional = {}, True
    if positional or None in given:
        raise ParameterError(whole, "parameters", "written as name=value, as in nDCG(dcg='exp-log2')", text)
    return {str(name): value for name, value in given.items()}


def _parameters(kind: type[Measure], given: Mapping[str, Any]) -> dict[str, Any]:
    names = {f.name for f in fields(kind)} - {"cutoff"}
    parameters: dict[str, Any] = {}
    for name, value in given.items():
        if name in kind.shorthands:
            parameters |= kind.shorthands[name](_freeze(value))
        elif name in names:
            parameters[name] = _freeze(value)
        else:
            known = [*names, *kind.shorthands, *kind.variants]
            raise UnknownNameError(f"parameter of {kind.facts.name}", name, known)
    return parameters


def _freeze(value: Any) -> Any:
    """Turn tables into sorted tuples and numbers into doubles, so that measures stay hashable."""
    if isinstance(value, dict):
        pairs = ((_freeze(k), _freeze(v)) for k, v in value.items())
        return tuple(sorted(pairs, key=lambda pair: (pair[0], "") if isinstance(pair[0], float) else (0, repr(pair))))
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(_freeze(v) for v in value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


COMMON = "Common ones are nDCG@10, AP, RR, P@10 and R@100; 'rankgauge measures' lists all."

USUAL = {Cutoff.REQUIRED: "10", Cutoff.RECALL: "0.1"}
"""The cutoff to suggest if a measure needs one and none was written."""

_WRITTEN = re.compile(r"\s*(?P<name>[^@()]*)(?P<parameters>\(.*\))?\s*(?:@\s*(?P<cutoff>.*?))?\s*")
_NUMBERED = re.compile(r"(?P<name>.*?[a-z])(?P<cutoff>\d+)")
_CUTOFFS = {
    **dict.fromkeys((Cutoff.OPTIONAL, Cutoff.REQUIRED), _RANK),
    Cutoff.RECALL: re.compile(r"0(?:\.\d+)?|\.\d+|1(?:\.0+)?"),
}


def unknown(text: str, also: Iterable[str] = ()) -> UnknownNameError:
    """Return the error for an unknown name; `also` are names to suggest besides those of measures."""

    known = [*MEASURES, *also]
    if words := elsewhere(text.partition("@")[0]):
        return UnknownNameError("measure", text.strip(), known, near=(), otherwise=words)
    return UnknownNameError("measure", text.strip(), known, near=_near(text, known), otherwise=COMMON)


def _near(text: str, known: list[str]) -> list[str]:
    """Return the measure that is meant, if that is clear; else the nearest names, with the cutoff that was written."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return []
    name, parameters, cutoff = match["name"], match["parameters"] or "", match["cutoff"]
    named = known if cutoff is None else list(MEASURES)  # trec_eval's names take no @
    numbered = _NUMBERED.fullmatch(plain(name))
    if meant := _nearest_meaning(name, named):
        return [_spell_near(meant, parameters, cutoff)]
    if numbered and (meant := _nearest_meaning(numbered["name"], list(MEASURES))):
        return [_spell_near(meant, parameters, cutoff or numbered["cutoff"])]
    lowered = {each.lower(): each for each in reversed(named) if len(each) > 1}  # a letter is near to any short word
    import difflib  # here: only a wrong name needs it

    near = difflib.get_close_matches(name.strip().lower(), lowered, n=3, cutoff=0.5)
    return list(dict.fromkeys(_spell_near(lowered[close], parameters, cutoff) for close in near))


def _nearest_meaning(name: str, known: list[str]) -> str | None:
    """Return our name of a measure, whatever the cutoff and parameters, or a known name in other letters."""
    if meant := _our_name(plain(name), None) or AT_RANK.get(plain(name)):
        return meant.partition("(")[0]
    return next((candidate for candidate in known if plain(candidate) == plain(name)), None)


def _spell_near(name: str, parameters: str, cutoff: str | None) -> str:
    """Return the measure as it would be written; a name of trec_eval's stays as it is."""
    if name not in MEASURES:
        return name
    rule = MEASURES[name].facts.cutoff
    fits = rule in _CUTOFFS and _CUTOFFS[rule].fullmatch(cutoff or "")
    written = cutoff if fits else USUAL.get(rule)
    return f"{name}{parameters}" + ("" if written is None else f"@{written}")


CATALOGUE: Mapping[str, str] = {
    **dict.fromkeys(("coverage", "itemcoverage", "catalogcoverage", "cataloguecoverage"), "coverage"),
    **dict.fromkeys(("diversity", "ild", "intralistdiversity"), "diversity"),
    **dict.fromkeys(("entropy", "shannonentropy"), "entropy"),
    **dict.fromkeys(("epc", "expectedpopularitycomplement"), "epc"),
    **dict.fromkeys(("gini", "giniindex"), "gini"),
    "novelty": "novelty",
    **dict.fromkeys(("personalisation", "personalization"), "personalisation"),
    **dict.fromkeys(("popularity", "averagepopularity"), "popularity"),
    "serendipity": "serendipity",
    **dict.fromkeys(("tail", "tailpercentage"), "tail"),
}
"""A name, in small letters and without signs → the statistic of a catalogue that it stands for, or is near to."""

_RATINGS = "It is an error of predicted ratings, not a measure of a ranking, and deliberately left out."
_TIME = "Time-biased gain needs the reading times of documents, and is deliberately left out."
_LOGGED = "It needs the propensities of a logging policy, and is deliberately left out."
_GROUPED = (
    "RecBole's GAUC weighs the AUC of each user by how many relevant items they have, which no measure here does; AUC "
    "is the plain mean."
)
_WEIGHED = (
    "It weighs the hit rate of each user by their interactions; in means here all weigh the same. Success@10 is the "
    "plain hit rate."
)
_PERCENTILES = (
    "It needs a rank of every item of the catalogue, and is one mean over the relevant items of all users; AUC is the "
    "mean over users, of their lists."
)

LEFT_OUT: Mapping[str, str] = {
    **dict.fromkeys(("rmse", "mse", "mae", "logloss", "rsquared"), _RATINGS),
    **dict.fromkeys(("tbg", "timebiasedgain"), _TIME),
    **dict.fromkeys(("ips", "snips", "ipsndcg", "ipsdcg", "ipsrecall", "ipshitrate"), _LOGGED),
    "gauc": _GROUPED,
    **dict.fromkeys(("weightedbyinteractionshitratio", "weightedbyinteractionshitratiok"), _WEIGHED),
    **dict.fromkeys(("percentileranking", "expectedpercentileranking", "meanpercentilerank"), _PERCENTILES),
}
"""A name that no measure has on purpose, and why."""


def elsewhere(name: str) -> str | None:
    """Return where to find what a name stands for, or why it is left out; None for a name that is simply not known.

    `name` is as it was written, without a cutoff.
    """
    short = plain(name)
    if statistic := CATALOGUE.get(short):
        return f"It is about a catalogue, not about relevance: rankgauge catalogue RUN --statistics {statistic}"
    return LEFT_OUT.get(short)
