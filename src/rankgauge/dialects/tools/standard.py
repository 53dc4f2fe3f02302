"""standard: each measure as its name is understood, and no accidents of a tool; papers: the formulas of the papers on
graded relevance."""

from dataclasses import replace

from rankgauge.dialects.dialect import Dialect

STANDARD = Dialect(
    name="standard",
    title="Each measure as its name is understood: linear gain, ties averaged, every judged query counted",
    reference="Järvelin & Kekäläinen 2002; McSherry & Najork 2008",
).register()

PAPERS = replace(
    STANDARD,
    name="papers",
    title="The formulas of the papers on graded relevance: gain 2^grade − 1, the scale's own top, ties averaged",
    reference="Busa-Fekete et al. 2012; Scheel et al. 2011; Sawade et al. 2012; Burges et al. 2005",
    gain="exp",
).register()
"""The formulas of the papers: gain 2^grade − 1, discount log2(1 + rank). That tied documents are averaged is ours: the
papers give no rule for them."""
