"""Haystack 3, its document evaluators: NDCG, MAP, MRR and recall of whole lists.

Documents without a score have the gain 1: give them that grade.
"""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, Duplicates, JudgedTwice, Ties

HAYSTACK = Dialect(
    name="haystack",
    title="Haystack 3, document evaluators",
    reference="haystack-ai 3.4.0, components/evaluators; pull requests 11959, 12255",
    differs=("Documents are compared by their content unless document_comparison_field says otherwise.",),
    duplicates=Duplicates.COUNT_ONCE,
    judged_twice=JudgedTwice.MAX,
    ties=Ties.INPUT,
    gain="linear",  # the score of the ground-truth document
    rel=ABOVE_ZERO,
    readings={"nDCG": {"ideal_depth": "all"}},  # calculate_idcg: every ground-truth document, no cutoff
    empty=0.0,
    printed=prints(
        {"ndcg": "nDCG", "map": "AP", "mrr": "RR", "recall_multi_hit": "SetR", "recall_single_hit": "Success"},
        number=FULL,
    ),
).register()
