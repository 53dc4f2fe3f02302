"""trec_eval 9.0.8, the TREC conference's own tool."""

from rankgauge.dialects.base import Dialect
from rankgauge.policies import MissingQuery, NegativeGrade, QueryOrder, Ties

TREC_EVAL = Dialect(
    name="trec_eval",
    title="trec_eval 9.0.8, the TREC conference's own tool",
    reference="trec_eval 9.0.8, National Institute of Standards and Technology",
    negative=NegativeGrade.UNJUDGED,  # form_res_rels: a judgment below 0 is in the pool but unjudged
    ties=Ties.DOCID,  # comp_sim_docno: equal scores stand in descending order of docno
    single_precision=True,  # TEXT_RESULTS.sim is a float
    missing=MissingQuery.SKIP,  # without -c only the topics of the run are averaged
    query_order=QueryOrder.LEXICAL,  # trec_get_results sorts topics by strcmp
).register()
