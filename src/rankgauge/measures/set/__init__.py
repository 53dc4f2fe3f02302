"""Measures of the retrieved set: the order does not matter."""
