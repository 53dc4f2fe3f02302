"""What judging a document costs: one rule per file."""
