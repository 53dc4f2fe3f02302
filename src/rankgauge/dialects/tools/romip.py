"""romip: the official metrics of the Russian evaluation seminar ROMIP in 2010, as its appendix prints them.

The binary metrics are defined on tables that several assessors' judgments make: assessors=or@1 is the table "or
(relevant-minus)", and@3 is "and (vital)". Each table has its own set of queries, those with a relevant document.
"""

from dataclasses import replace

import numpy as np

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import fixed
from rankgauge.policies import LEAVE_OUT, MissingQuery, NegativeGrade, Ties

ROMIP = Dialect(
    name="romip",
    title="ROMIP 2010, official metrics",
    reference="Агеев, Кураленок & Некрестьянов, Официальные метрики РОМИП 2010",
    negative=NegativeGrade.REFUSE,  # grades are 3, 2, 1, 0
    assessors="mean",  # graded metrics: the grades of several assessors are averaged
    ties=Ties.INPUT,  # runs carry no scores: the order of a run is its ranking
    gain="exp",  # DCG(n): 2^grade − 1
    discount="log2+2",  # DCG(n): log2(2 + p) with p from 1, as it is printed
    rel=1.0,  # relevant-minus, the lowest level of the binary tables
    max_grade=3.0,  # graded mean reciprocal rank: (2^grade − 1) / 2^3
    readings={
        "Bpref": {"variant": "romip"},  # bpref: NonRelBefore(r) / R, where trec_eval divides by min(R, N)
        "IPrec": {"rounding": "ceiling"},  # 11-point: the least n with recall(n) ≥ r_i, in exact arithmetic
        "IPrecAvg": {"rounding": "ceiling"},  # the same
        "PFound": {"rel": float(np.nextafter(0.0, 1.0))},  # a graded metric: every grade above 0 makes a query count
    },
    empty=LEAVE_OUT,  # a query without a relevant document under the table in use is left out
    missing=MissingQuery.ZERO,  # macro-averaged over the queries of the table
    # In the order of the appendix's sections. Its list has precision at 1, 5 and 10, and DCG and NDCG at 5 and 10.
    printed=prints(
        {"recall": "SetR", "precision": "SetP", "accuracy": "SetAccuracy", "error": "SetError", "F-measure": "SetF"}
        | {f"precision({n})": f"P@{n}" for n in (1, 5, 10)}
        | {"R-precision": "Rprec", "average precision": "AP", "bpref": "Bpref", "bpref-10": "bpref_10"}
        | {"reciprocal rank": "RR", **{f"11-point {i / 10:.1f}": f"IPrec@{i / 10}" for i in range(11)}}
        | {f"{name}({n})": f"{measure}@{n}" for name, measure in (("DCG", "DCG"), ("NDCG", "nDCG")) for n in (5, 10)}
        | {"graded MRR": "ERR", "PFound": "PFound"},
        fixed(4),
    ),
).register()

ROMIP_1P = replace(
    ROMIP,
    name="romip-1+p",
    title="ROMIP 2010, official metrics, with the usual discount",
    discount="log2",  # log2(1 + p), probably what is meant: the appendix prints log2(2 + p), the same for p from 0
).register()
