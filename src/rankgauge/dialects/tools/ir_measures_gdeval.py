"""ir-measures 0.4 by its provider gdeval, which it asks for ERR@k and nDCG(dcg='exp-log2')@k.

It reads the five decimals that gdeval prints; here the values keep all of theirs.
"""

from dataclasses import replace

from rankgauge.dialects.dialect import prints
from rankgauge.dialects.tools.gdeval import GDEVAL
from rankgauge.measures.output import fixed
from rankgauge.policies import MissingQuery, QueryOrder

IR_MEASURES_GDEVAL = replace(
    GDEVAL,
    name="ir-measures-gdeval",
    title="ir-measures 0.4, by its provider gdeval",
    reference="ir-measures 0.4.3, gdeval_provider.py; MacAvaney, Macdonald & Ounis, ECIR 2022",
    empty=0.0,  # Evaluator.iter_calc: a judged query that gdeval does not print has the measure's DEFAULT, 0
    missing=MissingQuery.ZERO,  # the same
    query_order=QueryOrder.APPEARANCE,
    printed=prints({name: name for name in ("ERR@20", "nDCG(dcg='exp-log2')@20")}, number=fixed(4)),
).register()
