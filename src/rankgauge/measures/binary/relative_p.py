"""RelativeP@k: precision at a rank against the best that is possible there."""

from rankgauge.measures.binary.r import R
from rankgauge.measures.measure import Cutoff, Example, Facts


class RelativeP(R):
    """The precision at k, divided by the highest precision possible at k: precision up to R, recall from there on."""

    facts = Facts(
        title="Relative precision at k",
        formula=r"\frac{1}{\min(k, R)}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="trec_eval 9.0.8, relative_P",
        cutoff=Cutoff.REQUIRED,
        attains=True,
        examples=(
            Example("RelativeP@3", (2, None, 0, 1), missed=(1,), value="1 / 3"),
            Example("RelativeP(rel=2)@3", (2, 1, 0, 2), missed=(1,), value="1 / 2"),
            Example("RelativeP@3", (0, None), value="nan"),
        ),
    )

    out_of: str | None = "cutoff"
