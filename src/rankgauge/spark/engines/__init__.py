"""Where an evaluation runs: one engine per file."""
