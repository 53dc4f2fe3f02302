"""Eval-Score-4.0.pl, the script of LETOR 4.0 (MQ2007, MQ2008)."""

from dataclasses import replace

from rankgauge.dialects.dialect import Printed
from rankgauge.dialects.tools.letor3 import LETOR3
from rankgauge.measures import parse
from rankgauge.measures.output import fixed

DIGITS = fixed(4)  # sprintf("%.4f")

LETOR4 = replace(
    LETOR3,
    name="letor4",
    title="Eval-Score-4.0.pl, the script of LETOR 4.0",
    reference="LETOR 4.0, Microsoft Research Asia, 2009",
    only_for={"short": ("nDCG",)},  # nDCG@k of a query shorter than k is 0; precision divides by k whatever the length
    printed=(
        *(Printed(name=f"P@{k}", measure=parse(f"P@{k}"), number=DIGITS) for k in range(1, 11)),
        Printed(name="MAP", measure=parse("AP"), number=DIGITS),
        *(Printed(name=f"NDCG@{k}", measure=parse(f"nDCG@{k}"), number=DIGITS) for k in range(1, 11)),
        Printed(name="MeanNDCG", measure=parse("MeanNDCG"), number=DIGITS),
    ),
    lists_short=True,  # a query's row has every cutoff
).register()
