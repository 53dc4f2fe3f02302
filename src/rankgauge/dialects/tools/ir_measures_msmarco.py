"""ir-measures 0.4 by its own providers msmarco, judged and compat, which it asks for RR@k, Judged@k and Compat.

They order tied documents the other way round than trec_eval does.
"""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import fixed
from rankgauge.policies import Ties

COMPAT = {"Compat": {"until": "longer"}}  # compatibility: depth = max(len(ranking), len(ideal))

# compatibility: ideal.sort(key=lambda docno: run[docno] if docno in run else 0.0, reverse=True)
COMPAT_DIFFERS = (
    "In Compat a document that the run lacks has the score 0: in the ideal ranking it is above retrieved documents of "
    "its grade with scores below 0, which lowers the value. Values agree where all scores are above 0.",
)

IR_MEASURES_MSMARCO = Dialect(
    name="ir-measures-msmarco",
    title="ir-measures 0.4, by its providers msmarco, judged and compat",
    reference="ir-measures 0.4.3, msmarco_provider.py, judged_provider.py and compat_provider.py; MacAvaney, Macdonald "
    "& Ounis, ECIR 2022",
    differs=COMPAT_DIFFERS,
    ties=Ties.ASCENDING,  # sorted(…, key=lambda x: (-x[1], x[0])): equal scores in ascending order of ids
    readings=COMPAT,
    printed=prints({name: name for name in ("RR@10", "Judged@10")}, number=fixed(4)),
).register()
