"""ir-measures 0.4, which has each measure computed by the first of its providers that can, as they are installed.

The dialect's own choices are those of its provider pytrec_eval. What ir-measures takes from other providers is computed
as they do: Compat (compat), diversity (pyndeval), Judged, RR@k (msmarco), ERR@k and nDCG(dcg='exp-log2')@k (gdeval),
Accuracy, and the measures of cwl_eval. A measure taken from ranx, on request, is as in ranx with missing=zero.
"""

import math
from dataclasses import replace
from typing import Any

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.dialects.tools.pytrec_eval import PYTREC_EVAL
from rankgauge.dialects.tools.web_tracks import GDEVAL, NDEVAL
from rankgauge.measures.output import fixed
from rankgauge.policies import MissingQuery, QueryOrder, RunOrder, Ties

CALLER: dict[str, Any] = {
    "name": "ir-measures",
    "title": "ir-measures 0.4",
    "reference": "ir-measures 0.4.3, DefaultPipeline; MacAvaney, Macdonald & Ounis, ECIR 2022",
    "missing": MissingQuery.ZERO,  # Evaluator.iter_calc: a judged query without a value has the measure's DEFAULT, 0
    "lists_missing": True,  # the same: it is listed
    "query_order": QueryOrder.APPEARANCE,
}
"""What holds for every provider, because ir-measures itself does it."""

CWL_EVAL = Dialect(
    ties=Ties.INPUT,  # as_sorted_namedtuple_iter: sorted by score, which is stable
    depth=1000,  # RankingMaker(max_n=1000)
    also=("RBP", "BPM@k", "SDCG@k", "NERR8@k", "NERR9@k", "NERR10", "NERR11", "INST", "INSQ"),
    **CALLER,
)
COMPAT = Dialect(
    ties=Ties.ASCENDING,  # ranking.sort() by id, then stable by score
    readings={"Compat": {"until": "longer"}},  # compatibility: depth = max(len(ranking), len(ideal))
    also=("Compat",),
    **CALLER,
)
PYNDEVAL = replace(
    NDEVAL,
    order=RunOrder.SCORE,  # a run as ir-measures holds it has no ranks
    ties=Ties.ASCENDING,  # eval: equal scores in ascending order of ids
    printed=(),
    also=("ERR_IA@k", "nERR_IA@k", "alpha_DCG@k", "alpha_nDCG@k", "NRBP", "nNRBP", "AP_IA", "P_IA@k", "StRecall@k"),
    **CALLER,
)
MSMARCO = Dialect(
    ties=Ties.ASCENDING,  # judged and msmarco: sorted(…, key=lambda x: (-x[1], x[0]))
    also=("Judged", "Judged@k", "RR@k"),
    **CALLER,
)
IR_GDEVAL = replace(
    GDEVAL,
    empty=0.0,  # Evaluator.iter_calc: a judged query that gdeval does not print has the measure's DEFAULT, 0
    decimals=5,  # it reads what gdeval prints
    printed=(),
    also=("ERR@k", "nDCG(dcg='exp-log2')@k"),
    **CALLER,
)
ACCURACY = Dialect(
    ties=Ties.INPUT,  # as_sorteddict: sorted by score, which is stable
    empty=math.nan,  # iter_calc, which fills in no DEFAULT: such queries are left out
    also=("Accuracy", "Accuracy@k"),
    **CALLER,
)

IR_MEASURES = replace(
    PYTREC_EVAL,
    differs=(
        # compatibility: ideal.sort(key=lambda docno: run[docno] if docno in run else 0.0, reverse=True)
        "In Compat a document that the run lacks has the score 0: in the ideal ranking it is above retrieved documents "
        "of its grade with scores below 0, which lowers the value. Values agree where all scores are above 0.",
        "Compat's ideal ranking has documents of equal grades and scores in the order of the judgments.",
        "ERR and nDCG(dcg='exp-log2') are read from the five decimals that gdeval prints; where the sixth is a 5, "
        "the last bit of a sum may round it the other way.",
        "NumQ counts only the queries that the run answers.",
        "Accuracy is a division by zero where every retrieved document is relevant, and counts 0 instead of leaving "
        "queries out where another provider's measure is asked for at the same time.",
        "Of a query without relevant documents nNRBP may be no number (here 0).",
    ),
    readings={**PYTREC_EVAL.readings, "NumRel": {"answered_only": True}},  # a query without a list has the DEFAULT, 0
    # PytrecEvalProvider: SUPPORTED_MEASURES
    also=(
        *(
            "P@k",
            "RR",
            "Rprec",
            "AP",
            "AP@k",
            "nDCG",
            "nDCG@k",
            "R@k",
            "Bpref",
            "NumRet",
            "NumQ",
            "NumRel",
            "NumRelRet",
        ),
        *("SetAP", "SetF", "SetP", "SetRelativeP", "SetR", "Success@k", "IPrec@k", "infAP"),
    ),
    # DefaultPipeline: this order
    providers=(CWL_EVAL, COMPAT, PYNDEVAL, MSMARCO, IR_GDEVAL, ACCURACY),
    printed=prints({name: name for name in ("nDCG@10", "AP", "RR", "P@10", "R@100")}, fixed(4)),
    **CALLER,
).register()
