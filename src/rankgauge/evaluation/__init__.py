"""One evaluation: judgments and runs in, values per query, summaries and a report out."""
