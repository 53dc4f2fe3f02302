"""What judging a document costs: one rule a file."""
