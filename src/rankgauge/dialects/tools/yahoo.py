"""evaluate.py, the script of the Yahoo! Learning to Rank Challenge.

It reads labels and ranks. A query with nothing relevant has an nDCG of 1; copies of the script with 0.5 also
circulate: evaluate(…, dialect="yahoo", empty=0.5).
"""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import FractionalGrade, IdealPool, NegativeGrade, Ties

YAHOO = Dialect(
    name="yahoo",
    title="evaluate.py, the script of the Yahoo! Learning to Rank Challenge",
    reference="Chapelle & Chang, Yahoo! Learning to Rank Challenge Overview, JMLR 2011",
    fractional=FractionalGrade.REFUSE,  # int('1.0') is a ValueError
    negative=NegativeGrade.REFUSE,  # an assertion fails
    ties=Ties.INPUT,  # ranks are a permutation: there are no ties; of scores, the order of the file
    ideal=IdealPool.RETRIEVED,  # every document of a query has a label and a rank
    gain="yahoo",  # (2^label − 1) / 16
    discount="ln",  # ln(rank + 1); the base is the same above and below the line
    max_grade=4.0,  # ERR: the 16 that 2^label − 1 is divided by
    readings={"ERR": {"stop": "formula"}},  # (2^label − 1) / 16 for any label, even above 1
    empty=1.0,  # an ideal of 0 gives 1
    only_for={"empty": ("nDCG",)},  # ERR of such a query is 0
    # ERR is over the whole list, whatever the cutoff of nDCG.
    printed=prints({"ERR": "ERR", **{f"NDCG@{k}": f"nDCG@{k}" for k in (1, 3, 5, 10)}}, number=FULL),
).register()
