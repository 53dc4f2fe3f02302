"""What the methods are built from: stages, walks through a query's documents, probabilities, estimators."""
