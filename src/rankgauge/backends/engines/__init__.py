"""Where an evaluation runs: one engine a file."""
