"""Measures of novelty and diversity: documents are judged for each subtopic of the query."""
