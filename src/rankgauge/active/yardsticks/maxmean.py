"""maxmean: the runs of a query are the arms of a bandit, and the one that did best so far gives the next document."""

from rankgauge.active.adjudication import adjudicated

MAXMEAN = adjudicated("maxmean").register()
