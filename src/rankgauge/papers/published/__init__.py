"""One folder per paper for its experiments; its claims are in the TOML file beside it."""
