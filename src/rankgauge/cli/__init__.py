"""One file per command. A command imports what it works with when it runs, so that `rankgauge --help` starts fast."""
