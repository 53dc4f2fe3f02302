"""sentence-transformers: its InformationRetrievalEvaluator (accuracy@k, precision@k, recall@k, ndcg@k, mrr@k, map@k),
and its evaluators of reranking (map, mrr@k, ndcg@k)."""

from rankgauge.dialects.dialect import at_cutoffs, listed, prints
from rankgauge.policies import LEAVE_OUT, Duplicates, IdealPool, MissingQuery, Ties

SENTENCE_TRANSFORMERS = listed(
    name="sentence-transformers",
    title="sentence-transformers, InformationRetrievalEvaluator",
    reference="sentence-transformers 6.2.0, evaluation/InformationRetrievalEvaluator.py, compute_metrics",
    ties=Ties.ASCENDING,  # sorted by falling score, then by id
    gain="binary",
    readings={"AP": {"out_of": "cutoff"}},  # / min(k, len(query_relevant_docs))
    empty=LEAVE_OUT,  # a query without relevant documents is not asked
    printed=prints(
        at_cutoffs((1, 3, 5, 10), {"accuracy@": "Success", "precision@": "P", "recall@": "R", "ndcg@": "nDCG"})
        | {"mrr@10": "RR@10", "map@100": "AP@100"}
    ),
).register()

RERANKING = listed(
    name="sentence-transformers-reranking",
    title="sentence-transformers, CrossEncoderRerankingEvaluator and RerankingEvaluator",
    reference="sentence-transformers 6.2.0, cross_encoder/evaluation/reranking.py",
    differs=(
        "map takes tied documents as one step, mrr takes them in numpy's order; here both average over orders.",
        "A CrossEncoder also scores positives that are not among the documents; here the run has to have them.",
    ),
    duplicates=Duplicates.ROWS,
    ties=Ties.EXPECTED,  # ndcg_score of scikit-learn
    ideal=IdealPool.RETRIEVED,  # of the documents that are reranked
    gain="binary",
    missing=MissingQuery.SKIP,
    printed=prints({"map": "AP", "mrr@10": "RR@10", "ndcg@10": "nDCG@10"}),
).register()
