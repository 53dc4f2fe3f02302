"""Formats of label and task files, one per file."""
