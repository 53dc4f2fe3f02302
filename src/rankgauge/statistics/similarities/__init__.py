"""Similarities of ranked lists, a file for each."""
