"""One paper a folder: its claims in `expected.toml`, its experiments in code."""
