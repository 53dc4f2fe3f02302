"""One tool a file, every field citing the behaviour that it copies."""
