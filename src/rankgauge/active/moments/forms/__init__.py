"""The mean and variance of a query's value under beliefs: one form of measure a file."""
