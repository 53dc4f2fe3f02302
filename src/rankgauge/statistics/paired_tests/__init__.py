"""Whether two runs differ by more than the luck of the queries: one paired test per file."""
