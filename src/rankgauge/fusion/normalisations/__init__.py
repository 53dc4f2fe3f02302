"""The room of normalisations: a file for each."""
