"""The causes of differences between tools, one file per theme."""
