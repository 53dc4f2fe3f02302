"""LlamaIndex until 0.12.1: as today, but ndcg's ideal has a relevant document in every place of the list."""

from dataclasses import replace

from rankgauge.dialects.tools.llamaindex import LLAMAINDEX

LLAMAINDEX_0_12_1 = replace(
    LLAMAINDEX,
    name="llamaindex-0.12.1",
    title="LlamaIndex until 0.12.1, retrieval metrics",
    reference="llama-index-core 0.12.1, evaluation/retrieval/metrics.py; issue 17070",
    readings={"nDCG": {"ideal_depth": "filled"}},  # idcg: range(1, len(retrieved_ids) + 1)
).register()
