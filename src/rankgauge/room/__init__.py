"""The judging room: pages on which assessors judge documents and admins watch the estimate."""
