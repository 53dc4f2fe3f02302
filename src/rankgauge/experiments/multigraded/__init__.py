"""Scheel, Lommatzsch & Albayrak, Performance measures for multi-graded relevance, SPIM 2011."""
