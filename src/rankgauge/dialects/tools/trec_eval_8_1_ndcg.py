"""trec_eval 8.1 with the nDCG of its unreleased branch, which papers of those years quote as "trec_eval 8.1".

trec_eval 8.1 as it was released has no nDCG. Its options are overrides: -c is missing=zero, -M 100 is depth=100,
-l 2 is rel=2, -J is unjudged=skip.
"""

from rankgauge.dialects.dialect import Dialect, Printed
from rankgauge.measures import parse
from rankgauge.measures.trec_names import RANKS
from rankgauge.policies import MissingQuery, NegativeGrade, QueryOrder, Ties

TREC_EVAL_8 = Dialect(
    name="trec_eval-8.1+ndcg",
    title="trec_eval 8.1 with the nDCG of its unreleased branch",
    reference="trec_eval 8.1, National Institute of Standards and Technology, 2006",
    # RELVALUE_UNJUDGED: −1 is in the pool but unjudged; -J keeps it, and main counts it in num_nonrel.
    negative=NegativeGrade.POOLED,
    ties=Ties.DOCID,  # comp_sim_docno: equal scores stand in descending order of docno
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
        Printed(name="num_q", measure=parse("NumQ"), per_query=False),
        Printed(name="num_ret", measure=parse("NumRet")),
        Printed(name="num_rel", measure=parse("NumRel")),
        Printed(name="num_rel_ret", measure=parse("NumRelRet")),
        Printed(name="map", measure=parse("AP")),
        Printed(name="gm_ap", measure=parse("GMAP"), per_query=False),
        Printed(name="R-prec", measure=parse("Rprec")),
        Printed(name="bpref", measure=parse("Bpref")),
        Printed(name="recip_rank", measure=parse("RR")),
        Printed(name="11-pt_avg", measure=parse("IPrecAvg")),
        Printed(name="ndcg_trec", measure=parse("nDCG")),
        *(Printed(name=f"ircl_prn.{i / 10:.2f}", measure=parse(f"IPrec@{i / 10}")) for i in range(11)),
        *(Printed(name=f"P{k}", measure=parse(f"P@{k}")) for k in RANKS.split(",")),
        *(Printed(name=f"recall{k}", measure=parse(f"R@{k}")) for k in RANKS.split(",")),
    ),
    lists_missing=False,  # with -c a missing topic is in the averages, but -q does not list it
).register()
