"""trec_eval's names → ours: `ndcg_cut.5,10` is nDCG@5 and nDCG@10, and nDCG@5 prints as `ndcg_cut_5`.

A name may stand for several measures: alone (`P`: one for each of trec_eval's own cutoffs), with parameters after a
dot (`P.5,10`), or as trec_eval prints it (`P_5`). A set (`official`, `all_trec`) stands for many names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from rankgauge.errors import ParameterError
from rankgauge.records import record

RANKS = "5,10,15,20,30,100,200,500,1000"
LEVELS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"
MULTIPLES = ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"
PIECE = 13
"""How many characters of a relevance string one number holds."""


Labelled = list[tuple[str, list[str]]]
"""Labels that trec_eval prints, each with the measure in our syntax; a long text has several."""


@record
class TrecName:
    """A measure of trec_eval's table: what its name and parameters stand for."""

    name: str
    measure: str
    """The measure in our syntax, with a place for each parameter."""
    expand: Callable[[TrecName, str], Labelled]
    default: str = ""
    """trec_eval's own parameters, if none are given."""
    per_query: bool = True
    overall: bool = True


def _one(name: TrecName, text: str) -> Labelled:
    """Return one measure without parameters."""
    if text:
        raise _refusal(name, text)
    return [(name.name, [name.measure])]


def _ranks(name: TrecName, text: str) -> Labelled:
    """Return a measure for each cutoff; as in trec_eval, 23.4 is 23."""
    ranks = sorted(int(number) for number in _split(name, text or name.default))
    return [(f"{name.name}_{rank}", [name.measure.format(rank)]) for rank in ranks]


def _levels(name: TrecName, text: str) -> Labelled:
    """Return a measure for each level, with two decimals in its label."""
    levels = sorted(_split(name, text or name.default))
    return [(f"{name.name}_{level:.2f}", [name.measure.format(level)]) for level in levels]


def _numbers(name: TrecName, text: str) -> Labelled:
    """Return one measure with a number for each of its places; the label repeats them as they were written."""
    numbers = [f"{number:g}" for number in _split(name, text or name.default)]
    if len(numbers) != name.measure.count("{}"):
        raise _refusal(name, text)
    return [(f"{name.name}_{text}" if text else name.name, [name.measure.format(*numbers)])]


def _list(name: TrecName, text: str) -> Labelled:
    """Return one measure of any number of numbers; the label repeats them as they were written."""
    numbers = ", ".join(f"{number:g}" for number in _split(name, text or name.default))
    return [(f"{name.name}_{text}" if text else name.name, [name.measure.format(numbers)])]


def _pairs(name: TrecName, text: str) -> Labelled:
    """Return one measure whose gains are given by grade: `1=3,2=7`."""
    if not text:
        return [(name.name, [name.measure.format("")])]
    pairs = re.findall(r"(\d+)=([-+.\d]+)(?:,|$)", text)
    if ",".join("=".join(pair) for pair in pairs) != text:
        raise _refusal(name, text)
    table = ", ".join(f"{grade}: {gain}" for grade, gain in pairs)
    return [(f"{name.name}_{text}", [name.measure.format(f"(gains={{{table}}})")])]


def _string(name: TrecName, text: str) -> Labelled:
    """Return the relevance string of the first documents, in as many pieces as its length takes."""
    (length,) = _split(name, text or name.default)
    starts = range(1, max(int(length), 1) + 1, PIECE)
    pieces = [name.measure.format(start, min(start + PIECE - 1, int(length))) for start in starts]
    return [(f"{name.name}_{text}" if text else name.name, pieces)]


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

SPELLED = re.compile(
    rf"(?P<name>{'|'.join(sorted(map(re.escape, NAMES), key=len, reverse=True))})(?:[._](?P<parameters>.+))?"
)
"""A name as trec_eval takes and prints it."""
