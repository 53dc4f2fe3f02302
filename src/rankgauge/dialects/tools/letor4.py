"""Eval-Score-4.0.pl, the script of LETOR 4.0 (MQ2007, MQ2008)."""

from dataclasses import replace

from rankgauge.dialects.dialect import prints
from rankgauge.dialects.tools.letor3 import LETOR3
from rankgauge.measures.output import fixed

LETOR4 = replace(
    LETOR3,
    name="letor4",
    title="Eval-Score-4.0.pl, the script of LETOR 4.0",
    reference="LETOR 4.0, Microsoft Research Asia, 2009",
    only_for={"short": ("nDCG",)},  # nDCG@k of a query shorter than k is 0; precision divides by k whatever the length
    printed=prints(
        {
            **{f"P@{k}": f"P@{k}" for k in range(1, 11)},
            "MAP": "AP",
            **{f"NDCG@{k}": f"nDCG@{k}" for k in range(1, 11)},
            "MeanNDCG": "MeanNDCG",
        },
        number=fixed(4),  # sprintf("%.4f")
    ),
    lists_short=True,  # a query's row has every cutoff
).register()
