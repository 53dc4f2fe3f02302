"""Times and memory of RankGauge beside its peers."""
