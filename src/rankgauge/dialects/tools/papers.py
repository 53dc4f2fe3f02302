"""papers: the formulas of the papers on graded relevance, gain 2^grade − 1 and discount log2(1 + rank).

That tied documents are averaged is ours: the papers give no rule for them.
"""

from dataclasses import replace

from rankgauge.dialects.tools.standard import STANDARD

PAPERS = replace(
    STANDARD,
    name="papers",
    title="The formulas of the papers on graded relevance: gain 2^grade − 1, the scale's own top, ties averaged",
    reference="Busa-Fekete et al. 2012; Scheel et al. 2011; Sawade et al. 2012; Burges et al. 2005",
    gain="exp",
).register()
