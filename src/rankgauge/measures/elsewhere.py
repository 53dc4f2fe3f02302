"""Names that are looked for among measures and are none here: where to find what they name, or why it is left out."""

from __future__ import annotations

from collections.abc import Mapping

from rankgauge.measures.other_names import plain

CATALOGUE: Mapping[str, str] = {
    **dict.fromkeys(("coverage", "itemcoverage", "catalogcoverage", "cataloguecoverage"), "coverage"),
    **dict.fromkeys(("diversity", "ild", "intralistdiversity"), "diversity"),
    **dict.fromkeys(("entropy", "shannonentropy"), "entropy"),
    **dict.fromkeys(("epc", "expectedpopularitycomplement"), "epc"),
    **dict.fromkeys(("gini", "giniindex"), "gini"),
    "novelty": "novelty",
    **dict.fromkeys(("personalisation", "personalization"), "personalisation"),
    **dict.fromkeys(("popularity", "averagepopularity"), "popularity"),
    "serendipity": "serendipity",
    **dict.fromkeys(("tail", "tailpercentage"), "tail"),
}
"""A name, in small letters and without signs → the statistic of a catalogue that it stands for, or is near to."""

_RATINGS = "It is an error of predicted ratings, not a measure of a ranking, and deliberately left out."
_TIME = "Time-biased gain needs the reading times of documents, and is deliberately left out."
_LOGGED = "It needs the propensities of a logging policy, and is deliberately left out."
_GROUPED = (
    "RecBole's GAUC weighs the AUC of each user by how many relevant items they have, which no measure here does; AUC "
    "is the plain mean."
)
_WEIGHED = (
    "It weighs the hit rate of each user by their interactions; in means here all weigh the same. Success@10 is the "
    "plain hit rate."
)
_PERCENTILES = (
    "It needs a rank of every item of the catalogue, and is one mean over the relevant items of all users; AUC is the "
    "mean over users, of their lists."
)

LEFT_OUT: Mapping[str, str] = {
    **dict.fromkeys(("rmse", "mse", "mae", "logloss", "rsquared"), _RATINGS),
    **dict.fromkeys(("tbg", "timebiasedgain"), _TIME),
    **dict.fromkeys(("ips", "snips", "ipsndcg", "ipsdcg", "ipsrecall", "ipshitrate"), _LOGGED),
    "gauc": _GROUPED,
    **dict.fromkeys(("weightedbyinteractionshitratio", "weightedbyinteractionshitratiok"), _WEIGHED),
    **dict.fromkeys(("percentileranking", "expectedpercentileranking", "meanpercentilerank"), _PERCENTILES),
}
"""A name that no measure has on purpose, and why."""


def elsewhere(name: str) -> str | None:
    """Where to find what a name stands for, or why it is left out; None for a name that is simply not known.

    `name` is as it was written, without a cutoff.
    """
    short = plain(name)
    if statistic := CATALOGUE.get(short):
        return f"It is about a catalogue, not about relevance: rankgauge catalogue RUN --statistics {statistic}"
    return LEFT_OUT.get(short)
