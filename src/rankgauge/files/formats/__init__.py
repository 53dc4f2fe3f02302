"""One format per file: how it is recognised, read and written."""
