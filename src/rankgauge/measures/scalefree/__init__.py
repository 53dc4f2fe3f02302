"""Measures that do not depend on how many levels the scale of grades has."""
