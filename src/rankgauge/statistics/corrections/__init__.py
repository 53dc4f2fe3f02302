"""What becomes of p-values when many pairs are tested: one correction per file."""
