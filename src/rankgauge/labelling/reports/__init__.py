"""What plans, campaigns and boards report."""
