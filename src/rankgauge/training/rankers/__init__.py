"""One ranker per file."""
