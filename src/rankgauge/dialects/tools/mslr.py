"""eval_score_mslr.pl, the script of MSLR-WEB10K and MSLR-WEB30K."""

from dataclasses import replace

from rankgauge.dialects.tools.letor4 import LETOR4
from rankgauge.policies import Duplicates

MSLR = replace(
    LETOR4,
    name="mslr",
    title="eval_score_mslr.pl, the script of MSLR-WEB10K and MSLR-WEB30K",
    reference="Microsoft Learning to Rank Datasets, Microsoft Research, 2010",
    duplicates=Duplicates.ROWS,  # the files name no documents: each line is one
    max_grade=4.0,  # the table of gains has entries for 0 to 4
    gain="mslr",  # 0, 1, 3, 7, 15
    rel=2.0,  # precision and MAP count labels from 2 on
).register()
