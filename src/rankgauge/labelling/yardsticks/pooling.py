"""Yardsticks that judge what a selection of pooling puts first."""

from rankgauge.labelling.adjudication import adjudicated

DEPTH = adjudicated("depth").register()


MTF = adjudicated("mtf").register()


MAXMEAN = adjudicated("maxmean").register()
