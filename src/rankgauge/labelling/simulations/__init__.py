"""Trials of methods and yardsticks on pools whose grades are all known."""
