"""xinfAP: average precision inferred from strata of the pool that were sampled at different rates."""

import numpy as np

from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule
from rankgauge.measures.strata import FromStrata, Strata, above, over_strata
from rankgauge.numeric import FloatArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import UNJUDGED

SMOOTHING = (1e-5, 3e-5)
"""What keeps a share from 0/0 where nothing above was judged: above and below the line (sample_eval.pl)."""

NOT = float("nan")
"""A document is not in the stratum."""


class xinfAP(FromStrata, Measure):
    """Average precision, inferred from a pool in strata, of each of which a random part was judged.

    The precision at a relevant document is estimated from the judged ones above it, stratum by stratum: a document that
    was not judged is taken to be relevant as often as the judged ones of its stratum above are, one outside the pool
    never. A judged document of a stratum that was sampled at one in five stands for five.
    """

    facts = Facts(
        name="xinfAP",
        title="Inferred average precision of a stratified sample",
        formula=r"\frac{1}{R_{\mathrm{est}}}\sum_{r} \frac{N_s}{n_s} \frac{1}{r}(1 + \sum_t N_{tr}"
        r" \frac{a_{tr} + \varepsilon}{n_{tr} + 3\varepsilon}), \quad R_{\mathrm{est}} = \sum_s \frac{N_s}{n_s} R_s",
        reference="Yilmaz, Kanoulas & Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR "
        "2008; NIST's sample_eval.pl, infAP",
        bounds=(0.0, np.inf),
        ties=TieRule.SAMPLED,
        improves=False,
        better=True,
        knows_pool=True,
        judgments=JudgmentKind.SAMPLES,
        examples=(
            # The first stratum is judged throughout; of the second, one of the two documents: it stands for both.
            Example(
                "xinfAP",
                ((1, NOT), None, (0, NOT), (NOT, 1)),
                missed=((NOT, UNJUDGED),),
                value="(1 + 2 * (1 + 2 * (1 + 1e-5) / (2 + 3e-5)) / 4) / (1 + 2)",
            ),
            Example(
                "xinfAP(rel=2)",
                ((NOT, UNJUDGED), (2, NOT), (1, NOT), (NOT, 2)),
                value="((1 + 1/3) / 2 + 2 * (1 + 1/3 + 2 * (1 + 1e-5) / (2 + 3e-5)) / 4) / (1 + 2)",
            ),
            Example("xinfAP", ((0, NOT), None), missed=((NOT, 0),), value="nan"),
        ),
    )
    rel: float = OPEN

    def inferred(self, strata: Strata) -> FloatArray:
        """The estimate from strata."""
        relevant = strata.relevant(self.rel)
        found, seen = above(relevant), above(strata.drawn)
        there = above(strata.members) / strata.listed[..., np.newaxis, :]
        expected = 1.0 + over_strata(there * (found + SMOOTHING[0]) / (seen + SMOOTHING[1]))
        stands = over_strata(relevant * strata.expansion[..., np.newaxis, :])
        return ratio(np.nansum(stands * expected / strata.ranks, axis=-1), strata.total_relevant(self.rel))
