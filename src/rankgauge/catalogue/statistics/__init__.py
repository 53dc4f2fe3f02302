"""Statistics of what runs show, a file for each."""
