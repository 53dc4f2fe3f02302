"""sentence-transformers: its InformationRetrievalEvaluator (accuracy@k, precision@k, recall@k, ndcg@k, mrr@k, map@k),
and its evaluators of reranking (map, mrr@k, ndcg@k)."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, Duplicates, IdealPool, JudgedTwice, MissingQuery, Ties

SENTENCE_TRANSFORMERS = Dialect(
    name="sentence-transformers",
    title="sentence-transformers, InformationRetrievalEvaluator",
    reference="sentence-transformers 6.2.0, evaluation/InformationRetrievalEvaluator.py, compute_metrics",
    duplicates=Duplicates.COUNT_EACH,
    judged_twice=JudgedTwice.MAX,
    ties=Ties.ASCENDING,  # sorted by falling score, then by id
    gain="binary",
    rel=ABOVE_ZERO,
    readings={"AP": {"out_of": "cutoff"}},  # / min(k, len(query_relevant_docs))
    empty=LEAVE_OUT,  # a query without relevant documents is not asked
    printed=prints(
        {
            f"{label}@{k}": f"{name}@{k}"
            for label, name in (("accuracy", "Success"), ("precision", "P"), ("recall", "R"), ("ndcg", "nDCG"))
            for k in (1, 3, 5, 10)
        }
        | {"mrr@10": "RR@10", "map@100": "AP@100"},
        number=FULL,
    ),
).register()

RERANKING = Dialect(
    name="sentence-transformers-reranking",
    title="sentence-transformers, CrossEncoderRerankingEvaluator and RerankingEvaluator",
    reference="sentence-transformers 6.2.0, cross_encoder/evaluation/reranking.py",
    differs=(
        "map takes tied documents as one step, mrr takes them in numpy's order; here both average over orders.",
        "A CrossEncoder also scores positives that are not among the documents; here the run has to have them.",
    ),
    duplicates=Duplicates.ROWS,
    judged_twice=JudgedTwice.MAX,
    ties=Ties.EXPECTED,  # ndcg_score of scikit-learn
    ideal=IdealPool.RETRIEVED,  # of the documents that are reranked
    gain="binary",
    rel=ABOVE_ZERO,
    missing=MissingQuery.SKIP,
    printed=prints({"map": "AP", "mrr@10": "RR@10", "ndcg@10": "nDCG@10"}, number=FULL),
).register()
