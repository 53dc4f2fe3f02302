"""What in a data set distorts scores: checks, a file for each thing that they look at."""
