"""ir-measures 0.4, which has its measures computed by providers: here what it takes from pytrec_eval by default.

That is every measure but RR with a cutoff and Judged (see ir-measures-msmarco), and ERR and nDCG(dcg='exp-log2') (see
ir-measures-gdeval). Compat is its own. A measure that is taken from ranx, on request, is as in ranx with missing=zero.
"""

from dataclasses import replace

from rankgauge.dialects.dialect import prints
from rankgauge.dialects.tools.ir_measures_msmarco import COMPAT, COMPAT_DIFFERS
from rankgauge.dialects.tools.pytrec_eval import PYTREC_EVAL
from rankgauge.measures.output import fixed
from rankgauge.policies import MissingQuery

IR_MEASURES = replace(
    PYTREC_EVAL,
    name="ir-measures",
    title="ir-measures 0.4, by its provider pytrec_eval",
    reference="ir-measures 0.4.3, pytrec_eval_provider.py; MacAvaney, Macdonald & Ounis, ECIR 2022",
    differs=COMPAT_DIFFERS,
    readings={**PYTREC_EVAL.readings, **COMPAT},
    missing=MissingQuery.ZERO,  # Evaluator.iter_calc: a judged query without a value has the measure's DEFAULT, 0
    lists_missing=True,  # the same: it is listed
    printed=prints({name: name for name in ("nDCG@10", "AP", "RR", "P@10", "R@100")}, number=fixed(4)),
).register()
