"""Ways to spend labels on a judged board, as the field has used them so far."""
