"""What in a data set bends scores: checks, a file for each thing that they look at."""
