"""trec_eval 9.0.8, the TREC conference's own tool.

Its options are overrides: -c is missing=zero, -l 2 is rel=2, -M 100 is depth=100, -J is unjudged=skip. Gains
(ndcg.1=3,2=7) belong to a measure's name. -l changes what is relevant, never what a grade gains.
"""

from rankgauge.dialects.dialect import Dialect
from rankgauge.measures import Listed, resolve
from rankgauge.measures.trec_names import NAMES, NEW
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
