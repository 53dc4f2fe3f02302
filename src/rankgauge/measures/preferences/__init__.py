"""Measures of preferences, a file for each."""
