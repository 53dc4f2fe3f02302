"""One file for each page of ours whose figures are measured; its claims are in the TOML file beside it."""
