"""Output formats that print an evaluation as other tools do."""
