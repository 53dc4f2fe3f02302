"""Measures that are estimated from a sample of the pool."""
