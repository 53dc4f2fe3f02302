"""Why scores differ: what one ranking gets from every tool, and which of their choices made the difference."""
