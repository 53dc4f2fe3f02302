"""What methods are built from: plans of queries and of stages, inclusion probabilities, regression, recalibration."""
