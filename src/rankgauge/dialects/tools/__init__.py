"""One tool per file; every field cites the behaviour that it copies."""
