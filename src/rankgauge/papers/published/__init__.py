"""One folder per paper: its claims in `expected.toml`, its experiments in code."""
