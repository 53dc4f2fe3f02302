"""One folder for each page of ours whose figures are measured."""
