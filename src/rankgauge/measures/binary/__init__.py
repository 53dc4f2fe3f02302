"""Measures of the order on two levels: relevant or not."""
