"""Haystack 2, its document evaluators: MAP is divided by the relevant documents found, and every copy is credited."""

from dataclasses import replace

from rankgauge.dialects.tools.haystack import HAYSTACK
from rankgauge.policies import Duplicates, JudgedTwice

HAYSTACK_2 = replace(
    HAYSTACK,
    name="haystack-2",
    title="Haystack until August 2026, document evaluators",
    reference="haystack-ai 2.10.0, components/evaluators; pull requests 11959, 12255",
    differs=("Recall of a query with nothing relevant is an error (here 0).",),
    duplicates=Duplicates.COUNT_EACH,
    readings={**HAYSTACK.readings, "AP": {"out_of": "found"}},  # average_precision / relevant_documents
    by_measure={
        "nDCG": {"judged_twice": JudgedTwice.EACH},
        "SetR": {"duplicates": Duplicates.FIRST, "judged_twice": JudgedTwice.EACH},
    },
).register()
