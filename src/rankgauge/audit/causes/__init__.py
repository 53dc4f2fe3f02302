"""The causes of differences between tools, a file for each theme."""
