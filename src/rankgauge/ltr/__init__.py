"""Rankers that learn from graded documents, under any measure and any tool's dialect."""
