"""depth: the first documents of every list are judged, then the second, and so on until the labels are spent."""

from rankgauge.active.adjudication import adjudicated

DEPTH = adjudicated("depth").register()
