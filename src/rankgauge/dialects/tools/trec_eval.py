"""trec_eval 9.0.8, 10 and 8.1, the TREC conference's own tool.

Its options are overrides: -c is missing=zero, -l 2 is rel=2, -M 100 is depth=100, -J is unjudged=skip. Gains
(ndcg.1=3,2=7) belong to a measure's name. -l changes what is relevant, never what a grade gains.
"""

from dataclasses import replace

from rankgauge.dialects.dialect import Dialect, at_cutoffs, prints
from rankgauge.measures import Listed, resolve
from rankgauge.measures.output import fixed
from rankgauge.measures.trec_names import NAMES, NEW, RANKS
from rankgauge.policies import FractionalGrade, MissingQuery, NegativeGrade, QueryOrder, Ties

TREC_EVAL = Dialect(
    name="trec_eval",
    title="trec_eval 9.0.8, the TREC conference's own tool",
    reference="trec_eval 9.0.8, National Institute of Standards and Technology",
    also=tuple(entry.measure for name, entry in NAMES.items() if name not in NEW),  # measures.c: te_trec_measures
    fractional=FractionalGrade.CUT,  # get_qrels: atol reads a grade
    negative=NegativeGrade.UNJUDGED,  # form_res_rels: a judgment below 0 is in the pool but unjudged
    ties=Ties.DOCID,  # comp_sim_docno: equal scores in descending order of docno
    single_precision=True,  # TEXT_RESULTS.sim is a float
    readings={
        "IPrec": {"rounding": "trec_eval"},  # m_iprec_at_recall: (long) (level * num_rel + 0.9)
        "IPrecAvg": {"rounding": "trec_eval"},  # m_11pt_avg: the same
        "Bpref": {"variant": "trec_eval"},  # m_bpref: MIN (num_nonrel, num_rel)
        "GMBpref": {"variant": "trec_eval"},  # m_gm_bpref: the same
    },
    missing=MissingQuery.SKIP,  # without -c only the topics of the run are averaged
    query_order=QueryOrder.LEXICAL,  # trec_get_results sorts topics by strcmp
    printed=Listed(lambda: resolve(["all_trec"])),  # measures.c: te_trec_measures
    lists_missing=False,  # main: with -c a missing topic is in the averages, but -q does not list it
).register()

TREC_EVAL_10 = replace(
    TREC_EVAL,
    name="trec_eval-10",
    title="trec_eval 10, the TREC conference's own tool",
    reference="trec_eval 10.0, National Institute of Standards and Technology",
    also=tuple(entry.measure for entry in NAMES.values()),  # measures.c: te_trec_measures
    single_precision=False,  # TEXT_RESULTS.sim is a double
    readings={
        **TREC_EVAL.readings,
        "IPrec": {"rounding": "nearest"},  # m_iprec_at_recall: lround (level * num_rel)
        "IPrecAvg": {"rounding": "nearest"},  # m_11pt_avg: the same
    },
    printed=Listed(lambda: resolve(["all_trec", "rbp", "rbp_resid", "unj"])),  # measures.c: te_trec_measures
    missing=MissingQuery.REFUSE,  # main: without -c a judged topic that the run lacks ends the program
    lists_missing=True,  # main: with -c a missing topic has a line for each measure
).register()

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
        *prints({"num_q": "NumQ"}, fixed(4), per_query=False),
        *prints({"num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet", "map": "AP"}, fixed(4)),
        *prints({"gm_ap": "GMAP"}, fixed(4), per_query=False),
        *prints(
            {"R-prec": "Rprec", "bpref": "Bpref", "recip_rank": "RR", "11-pt_avg": "IPrecAvg", "ndcg_trec": "nDCG"}
            | {f"ircl_prn.{i / 10:.2f}": f"IPrec@{i / 10}" for i in range(11)}
            | at_cutoffs(RANKS.split(","), {"P": "P", "recall": "R"}),
            fixed(4),
        ),
    ),
    lists_missing=False,  # with -c a missing topic is in the averages, but -q does not list it
).register()
"""trec_eval 8.1 as it was released has no nDCG. Busa-Fekete, Szarvas, Éltető & Kégl (ECAI 2012) name v8.1 as a tool
that computes it: this branch is what they may have meant."""
