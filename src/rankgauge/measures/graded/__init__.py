"""Measures of the order on graded judgments: each grade has a gain."""
