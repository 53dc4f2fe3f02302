"""One yardstick a file."""
