"""Statistics of values: intervals of means, paired tests, effects, power, rank correlations, overlap of lists."""
