"""mtf: move-to-front pooling, which reads a run as long as it gives relevant documents."""

from rankgauge.active.adjudication import adjudicated

MTF = adjudicated("mtf").register()
