"""pytrec_eval 0.5, trec_eval's code as a Python library: `RelevanceEvaluator(qrels, {"ndcg"}, relevance_level=2)`.

relevance_level=2 is rel=2, and judged_docs_only_flag=1 is unjudged=skip. pytrec_eval gives a value for each query; the
mean is its caller's, usually over the queries that it returned.
"""

from dataclasses import replace

from rankgauge.dialects.tools.trec_eval import TREC_EVAL
from rankgauge.measures import Listed, resolve
from rankgauge.measures.output import FULL
from rankgauge.policies import FractionalGrade, MissingQuery, QueryOrder

PYTREC_EVAL = replace(
    TREC_EVAL,
    name="pytrec_eval",
    title="pytrec_eval 0.5, trec_eval's code as a Python library",
    reference="pytrec_eval-terrier 0.5.11, pytrec_eval.cpp; Van Gysel & de Rijke, SIGIR 2018",
    fractional=FractionalGrade.REFUSE,  # "Expected relevance to be integer."
    missing=MissingQuery.SKIP,  # evaluate: a query has a value if it is in the run and in the qrels
    query_order=QueryOrder.APPEARANCE,  # a dict of queries
    printed=Listed(lambda: (replace(one, number=FULL) for one in resolve(["all_trec"]))),
).register()
