"""One file format a file: how it is recognised, read and written."""
