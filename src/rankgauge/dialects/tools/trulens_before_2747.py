"""TruLens before pull request 2747 of August 2026: recall_at_k and ndcg_at_k credit every copy of a chunk."""

from dataclasses import replace

from rankgauge.dialects.tools.trulens import TRULENS
from rankgauge.policies import Duplicates

TRULENS_BEFORE_2747 = replace(
    TRULENS,
    name="trulens-before-2747",
    title="TruLens before August 2026, GroundTruthAgreement",
    reference="trulens-feedback 1.2.0 (all but ndcg_at_k); issue 2746: recall 2.0, ndcg 1.63",
    duplicates=Duplicates.COUNT_EACH,
    by_measure={},
).register()
