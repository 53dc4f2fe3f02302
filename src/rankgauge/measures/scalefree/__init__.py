"""Measures that stay the same if all grades are multiplied by a factor."""
