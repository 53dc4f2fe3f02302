"""Active evaluation: which documents to judge when labels cost money, and what their grades say."""
