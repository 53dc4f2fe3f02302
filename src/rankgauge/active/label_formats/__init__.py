"""Formats of label and task files: one a file."""
