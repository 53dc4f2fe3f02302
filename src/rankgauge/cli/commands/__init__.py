"""One command per file. It imports what it works with when it runs, so that `rankgauge --help` starts fast."""
