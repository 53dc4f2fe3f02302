"""Prompts that people know by name, each with its source."""
