"""trec_eval's names ↔ measures: `ndcg_cut.5,10` is nDCG@5 and nDCG@10, and nDCG@5 prints as `ndcg_cut_5`.

A name may stand for several measures: alone (`P`: one for each of trec_eval's own cutoffs), with parameters after a
dot (`P.5,10`), or as trec_eval prints it (`P_5`). A set (`official`, `all_trec`) stands for many names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from rankgauge.errors import AmbiguousNameError, ParameterError, UnknownNameError
from rankgauge.measures.measure import MEASURES, Measure
from rankgauge.measures.names import each, ours, parse, unknown
from rankgauge.measures.output import Printed, measures_of
from rankgauge.records import record

RANKS = "5,10,15,20,30,100,200,500,1000"
LEVELS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"
MULTIPLES = ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"
PIECE = 13
"""How many characters of a relevance string one number holds."""


@record
class TrecName:
    """A measure of trec_eval's table: what its name and parameters stand for."""

    name: str
    measure: str
    """The measure in our syntax, with a place for each parameter."""
    expand: Callable[[TrecName, str], list[Printed]]
    default: str = ""
    """trec_eval's own parameters, if none are given."""
    per_query: bool = True
    overall: bool = True

    def printed(self, label: str, *parameters: str) -> Printed:
        """Return the measure with its parameters, under the label that trec_eval prints."""
        measure = parse(self.measure.format(*parameters))
        return Printed(name=label, measure=measure, per_query=self.per_query, overall=self.overall)


def _one(name: TrecName, text: str) -> list[Printed]:
    """Return one measure without parameters."""
    if text:
        raise _refusal(name, text)
    return [name.printed(name.name)]


def _ranks(name: TrecName, text: str) -> list[Printed]:
    """Return a measure for each cutoff; as in trec_eval, 23.4 is 23."""
    ranks = sorted(int(number) for number in _split(name, text or name.default))
    return [name.printed(f"{name.name}_{rank}", str(rank)) for rank in ranks]


def _levels(name: TrecName, text: str) -> list[Printed]:
    """Return a measure for each level, with two decimals in its label."""
    levels = sorted(_split(name, text or name.default))
    return [name.printed(f"{name.name}_{level:.2f}", str(level)) for level in levels]


def _numbers(name: TrecName, text: str) -> list[Printed]:
    """Return one measure with a number for each of its places; the label repeats them as they were written."""
    numbers = [f"{number:g}" for number in _split(name, text or name.default)]
    if len(numbers) != name.measure.count("{}"):
        raise _refusal(name, text)
    return [name.printed(f"{name.name}_{text}" if text else name.name, *numbers)]


def _list(name: TrecName, text: str) -> list[Printed]:
    """Return one measure of any number of numbers; the label repeats them as they were written."""
    numbers = ", ".join(f"{number:g}" for number in _split(name, text or name.default))
    return [name.printed(f"{name.name}_{text}" if text else name.name, numbers)]


def _pairs(name: TrecName, text: str) -> list[Printed]:
    """Return one measure whose gains are given by grade: `1=3,2=7`."""
    if not text:
        return [name.printed(name.name, "")]
    pairs = re.findall(r"(\d+)=([-+.\d]+)(?:,|$)", text)
    if ",".join("=".join(pair) for pair in pairs) != text:
        raise _refusal(name, text)
    table = ", ".join(f"{grade}: {gain}" for grade, gain in pairs)
    return [name.printed(f"{name.name}_{text}", f"(gains={{{table}}})")]


def _string(name: TrecName, text: str) -> list[Printed]:
    """Return the relevance string of the first documents, in as many pieces as its length takes."""
    (length,) = _split(name, text or name.default)
    starts = range(1, max(int(length), 1) + 1, PIECE)
    first, *rest = (parse(name.measure.format(start, min(start + PIECE - 1, int(length)))) for start in starts)
    label = f"{name.name}_{text}" if text else name.name
    return [Printed(name=label, measure=first, rest=tuple(rest), per_query=name.per_query, overall=name.overall)]


def _split(name: TrecName, text: str) -> list[float]:
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise _refusal(name, text) from None


def _refusal(name: TrecName, text: str) -> ParameterError:
    example = name.default or ("1=3,2=7" if name.expand is _pairs else "")
    wanted = f"like {name.name}.{example}" if example else f"left out: {name.name} takes none"
    return ParameterError(f"trec_eval's {name.name}", "parameters", wanted, text)


NAMES: Mapping[str, TrecName] = {
    entry.name: entry
    for entry in (
        TrecName(name="num_q", measure="NumQ", expand=_one, per_query=False),
        TrecName(name="num_ret", measure="NumRet", expand=_one),
        TrecName(name="num_rel", measure="NumRel", expand=_one),
        TrecName(name="num_rel_ret", measure="NumRelRet", expand=_one),
        TrecName(name="map", measure="AP", expand=_one),
        TrecName(name="gm_map", measure="GMAP", expand=_one, per_query=False),
        TrecName(name="Rprec", measure="Rprec", expand=_one),
        TrecName(name="bpref", measure="Bpref", expand=_one),
        TrecName(name="recip_rank", measure="RR", expand=_one),
        TrecName(name="iprec_at_recall", measure="IPrec@{}", expand=_levels, default=LEVELS),
        TrecName(name="P", measure="P@{}", expand=_ranks, default=RANKS),
        TrecName(name="relstring", measure="RelString(start={})@{}", expand=_string, default="10", overall=False),
        TrecName(name="recall", measure="R@{}", expand=_ranks, default=RANKS),
        TrecName(name="infAP", measure="infAP", expand=_one),
        TrecName(name="gm_bpref", measure="GMBpref", expand=_one, per_query=False),
        TrecName(name="Rprec_mult", measure="RprecMult(multiple={})", expand=_levels, default=MULTIPLES),
        TrecName(
            name="utility",
            measure="Utility(relevant={}, nonrelevant={}, missed={}, rest={})",
            expand=_numbers,
            default="1,-1,0,0",
        ),
        TrecName(name="11pt_avg", measure="IPrecAvg(levels=({},))", expand=_list, default=LEVELS),
        TrecName(name="binG", measure="binG", expand=_one),
        TrecName(name="G", measure="G{}", expand=_pairs),
        TrecName(name="ndcg", measure="nDCG{}", expand=_pairs),
        TrecName(name="ndcg_rel", measure="nDCGRel{}", expand=_pairs),
        TrecName(name="Rndcg", measure="RnDCG{}", expand=_pairs),
        TrecName(name="ndcg_cut", measure="nDCG@{}", expand=_ranks, default=RANKS),
        TrecName(name="map_cut", measure="AP@{}", expand=_ranks, default=RANKS),
        TrecName(name="relative_P", measure="RelativeP@{}", expand=_ranks, default=RANKS),
        TrecName(name="success", measure="Success@{}", expand=_ranks, default="1,5,10"),
        TrecName(name="set_P", measure="SetP", expand=_one),
        TrecName(name="set_relative_P", measure="SetRelativeP", expand=_one),
        TrecName(name="set_recall", measure="SetR", expand=_one),
        TrecName(name="set_map", measure="SetAP", expand=_one),
        TrecName(name="set_F", measure="SetF(beta={})", expand=_numbers, default="1"),
        TrecName(name="num_nonrel_judged_ret", measure="NumNonrelJudgedRet", expand=_one),
        TrecName(name="prefs_num_prefs_poss", measure="NumPrefs", expand=_one),
        TrecName(name="prefs_num_prefs_ful", measure="NumPrefsFul", expand=_one),
        TrecName(name="prefs_num_prefs_ful_ret", measure="NumPrefsFul(among='retrieved')", expand=_one),
        TrecName(name="prefs_simp", measure="Prefs", expand=_one),
        TrecName(name="prefs_pair", measure="Prefs(over='pairs')", expand=_one),
        TrecName(name="prefs_avgjg", measure="Prefs(over='groups')", expand=_one),
        TrecName(name="prefs_avgjg_Rnonrel", measure="PrefsRnonrel", expand=_one),
        TrecName(name="prefs_simp_ret", measure="Prefs(among='retrieved')", expand=_one),
        TrecName(name="prefs_pair_ret", measure="Prefs(over='pairs', among='retrieved')", expand=_one),
        TrecName(name="prefs_avgjg_ret", measure="Prefs(over='groups', among='retrieved')", expand=_one),
        TrecName(name="prefs_avgjg_Rnonrel_ret", measure="PrefsRnonrel(retrieved=True)", expand=_one),
        TrecName(name="prefs_simp_imp", measure="Prefs(among='seen')", expand=_one),
        TrecName(name="prefs_pair_imp", measure="Prefs(over='pairs', among='seen')", expand=_one),
        TrecName(name="prefs_avgjg_imp", measure="Prefs(over='groups', among='seen')", expand=_one),
        TrecName(name="map_avgjg", measure="APJG", expand=_one),
        TrecName(name="P_avgjg", measure="PJG@{}", expand=_ranks, default=RANKS),
        TrecName(name="Rprec_mult_avgjg", measure="RprecMultJG(multiple={})", expand=_levels, default=MULTIPLES),
        TrecName(name="yaap", measure="YAAP", expand=_one),
        TrecName(name="rbp", measure="gRBP(p=0.9)", expand=_one),
        TrecName(name="rbp_resid", measure="RBPResidual(p=0.9, unless_judged=True)", expand=_one),
        TrecName(name="unj", measure="Unjudged@{}", expand=_ranks, default="5,10,20"),
    )
}
"""trec_eval's measures, in the order in which it prints them."""

NEW = ("rbp", "rbp_resid", "unj")
"""The measures that trec_eval 10 added to those of trec_eval 9."""

_PREFS = tuple(name for name in NAMES if name.startswith("prefs_"))
_GROUPS = tuple(name for name in NAMES if name.endswith("_avgjg") and name not in _PREFS)
_ALONE = ("yaap",)
"""What trec_eval computes if it is asked by name, and prints in no set."""

_TREC = tuple(name for name in NAMES if name not in (*NEW, *_PREFS, *_GROUPS, *_ALONE))

SETS: Mapping[str, tuple[str, ...]] = {
    "official": _TREC[: _TREC.index("P") + 1],
    "set": ("num_q", "num_ret", "num_rel", "num_rel_ret", "utility", *(name for name in _TREC if name[:4] == "set_")),
    "all_trec": _TREC,
    "all": _TREC,
    "prefs": ("num_q", *_PREFS[: _PREFS.index("prefs_avgjg") + 1]),
    "all_prefs": ("num_q", *_PREFS),
    "qrels_jg": ("num_q", *_GROUPS),
}
"""Names for many measures at once."""

_SPELLED = re.compile(
    rf"(?P<name>{'|'.join(sorted(map(re.escape, NAMES), key=len, reverse=True))})(?:[._](?P<parameters>.+))?"
)


def resolve(names: Iterable[str | Measure]) -> list[Printed]:
    """What each name stands for, in trec_eval's syntax, ours or another tool's, with the label to print it under."""
    return each(names, _resolve_name)


def parse_all(names: Iterable[str | Measure]) -> list[Measure]:
    """Return the measures that the names stand for, each once."""
    return list(measures_of(resolve(names)))


def trec_name(measure: Measure) -> str | None:
    """Return the name that trec_eval prints for the measure, or None where it has none."""
    return _labels().get(measure) or _cutoff_label(measure)


def _resolve_name(name: str | Measure) -> list[Printed]:
    if isinstance(name, Measure):
        return [Printed(name=str(name), measure=name)]
    name = str(name)  # a measure of ir-measures is known by its name
    if name in SETS:
        return resolve(SETS[name])
    match = _SPELLED.fullmatch(name.strip())
    # bpref_10 is a measure of its own, not bpref with a parameter; so is bpref_10(rel=2).
    if match is not None and (name in NAMES or not MEASURES.has_file(name.partition("(")[0])):
        entry = NAMES[match["name"]]
        try:
            return entry.expand(entry, match["parameters"] or "")
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


@cache
def _labels() -> Mapping[Measure, str]:
    """Return the label of every measure that trec_eval prints by default."""
    return {printed.measure: printed.name for printed in resolve(NAMES)}


def _cutoff_label(measure: Measure) -> str | None:
    """Return the label of a measure that differs from one of trec_eval's own only in its cutoff."""
    cutoff = getattr(measure, "cutoff", None)
    for entry in NAMES.values():
        if cutoff is not None and entry.measure == f"{measure.facts.name}@{{}}":
            (printed,) = entry.expand(entry, str(cutoff))
            return printed.name if printed.measure == measure else None
    return None
