"""One ranker a file."""
