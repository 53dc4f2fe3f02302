"""The judging room: pages where assessors spend the budget and everybody watches the estimate."""
