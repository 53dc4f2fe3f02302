"""The steps by which the judging room's database came to its present shape."""
