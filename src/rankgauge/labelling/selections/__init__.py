"""Ways to choose the documents of a pool, a file for each."""
