"""Prompts that people know by name: one per file, each with its source."""
