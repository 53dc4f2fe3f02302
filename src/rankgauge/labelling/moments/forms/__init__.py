"""The mean and variance of a query's value under beliefs: one file per form of measure."""
