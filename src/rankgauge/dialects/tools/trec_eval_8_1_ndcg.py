"""trec_eval 8.1 with the nDCG of its unreleased branch.

trec_eval 8.1 as it was released has no nDCG. Busa-Fekete, Szarvas, Éltető & Kégl (ECAI 2012) name v8.1 as a tool that
computes it: this branch is what they may have meant. Its options are overrides: -c is missing=zero, -M 100 is
depth=100, -l 2 is rel=2, -J is unjudged=skip.
"""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.trec_names import RANKS
from rankgauge.policies import FractionalGrade, MissingQuery, NegativeGrade, QueryOrder, Ties

TREC_EVAL_8 = Dialect(
    name="trec_eval-8.1+ndcg",
    title="trec_eval 8.1 with the nDCG of its unreleased branch",
    reference="trec_eval 8.1, National Institute of Standards and Technology, 2006",
    also=("nDCG@k",),  # with -M k
    fractional=FractionalGrade.CUT,  # get_qrels: atol reads a grade
    # RELVALUE_UNJUDGED: −1 is in the pool but unjudged; -J keeps it, and main counts it in num_nonrel.
    negative=NegativeGrade.POOLED,
    ties=Ties.DOCID,  # comp_sim_docno: equal scores in descending order of docno
    single_precision=True,  # TEXT_TR.sim is a float
    single_arithmetic=True,  # TREC_EVAL: every value and its sum over topics is a float
    cut_ideal=True,  # the branch's nDCG: an ideal of as many documents as -M says, of grades from -l on
    readings={
        "NumRel": {"answered_only": True},  # trvec_trec_eval returns before it sets num_rel of an empty list
        "IPrec": {"rounding": "ceiling"},  # cut_rp: (num_rel * i + 9) / 10 in whole numbers
        "IPrecAvg": {"rounding": "ceiling"},  # the same
        "Bpref": {"variant": "trec_eval"},  # calc_bpref_measures: MIN (num_nonrel, num_rel)
    },
    missing=MissingQuery.SKIP,  # without -c only the topics of the run are averaged
    query_order=QueryOrder.APPEARANCE,  # get_top keeps the order of the file
    printed=(
        *prints({"num_q": "NumQ"}, per_query=False),
        *prints({"num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet", "map": "AP"}),
        *prints({"gm_ap": "GMAP"}, per_query=False),
        *prints({"R-prec": "Rprec", "bpref": "Bpref", "recip_rank": "RR"}),
        *prints({"11-pt_avg": "IPrecAvg", "ndcg_trec": "nDCG"}),
        *prints({f"ircl_prn.{i / 10:.2f}": f"IPrec@{i / 10}" for i in range(11)}),
        *prints({f"P{k}": f"P@{k}" for k in RANKS.split(",")}),
        *prints({f"recall{k}": f"R@{k}" for k in RANKS.split(",")}),
    ),
    lists_missing=False,  # with -c a missing topic is in the averages, but -q does not list it
).register()
