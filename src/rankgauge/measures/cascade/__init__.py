"""Measures with a user who reads down the list and stops when satisfied."""
