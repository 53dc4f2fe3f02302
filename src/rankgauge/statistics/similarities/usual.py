"""The usual similarities of ranked lists: rank correlations and overlaps."""

from __future__ import annotations

from rankgauge.numeric import FloatArray
from rankgauge.statistics.correlation import kendall_tau, kendall_tau_a, spearman_rho, tau_ap, tau_ap_b
from rankgauge.statistics.similarity import UNSHARED, Similarity, correlation, rank_biased

RHO = Similarity(
    name="rho",
    title="rho",
    words=f"the correlation of ranks, the mean rank where tied; {UNSHARED}",
    reference="Spearman, American Journal of Psychology 1904",
    kernel=correlation(spearman_rho),
).register()


TAU = Similarity(
    name="tau",
    title="tau-b",
    words=f"pairs of documents in the same order less pairs in the opposite one, corrected for ties; {UNSHARED}",
    reference="Kendall, The treatment of ties in ranking problems, Biometrika 1945",
    kernel=correlation(kendall_tau),
).register()


TAU_A = Similarity(
    name="tau-a",
    title="tau-a",
    words=f"as tau, but not corrected for ties: the mean over the orders of tied documents; {UNSHARED}",
    reference="Kendall, A new measure of rank correlation, Biometrika 1938",
    kernel=correlation(kendall_tau_a),
).register()


TAU_AP = Similarity(
    name="tau-ap",
    title="tau-AP",
    words=f"as tau, but the top counts more; {UNSHARED}",
    reference="Yilmaz, Aslam & Robertson, SIGIR 2008; Urbano & Marrero, ICTIR 2017 (the symmetric tau_AP,b)",
    kernel=correlation(tau_ap_b),
).register()


def _symmetric(x: FloatArray, y: FloatArray) -> float:
    """Return the mean of both directions: neither list is the truth."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2.0


TAU_AP_A = Similarity(
    name="tau-ap-a",
    title="tau-AP-a",
    words=f"as tau-ap, but not corrected for ties: the mean over the orders of tied documents; {UNSHARED}",
    reference="Yilmaz, Aslam & Robertson, SIGIR 2008; Urbano & Marrero, ICTIR 2017 (tau_AP,a, both directions)",
    kernel=correlation(_symmetric),
).register()


RBO = Similarity(
    name="rbo",
    title="RBO",
    words="the mean agreement of the lists' tops, extrapolated past their ends; the mean over the orders of ties if "
    "both are equally long",
    reference="Webber, Moffat & Zobel, TOIS 2010; Corsi & Urbano, SIGIR 2024 (RBO^a)",
    kernel=rank_biased("a"),
    lowest=0.0,
    persistent=True,
).register()


RBO_B = Similarity(
    name="rbo-b",
    title="RBO-b",
    words="RBO corrected for what ties hide: a list with ties and itself agree fully",
    reference="Corsi & Urbano, The treatment of ties in rank-biased overlap, SIGIR 2024 (RBO^b)",
    kernel=rank_biased("b"),
    lowest=0.0,
    persistent=True,
).register()


RBO_W = Similarity(
    name="rbo-w",
    title="RBO-w",
    words="RBO in which tied documents share the first of their ranks: for ties that mean equally good",
    reference="Webber, Moffat & Zobel, TOIS 2010; Corsi & Urbano, SIGIR 2024 (RBO^w)",
    kernel=rank_biased("w"),
    lowest=0.0,
    persistent=True,
).register()
