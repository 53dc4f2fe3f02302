"""How far assessors agree: one coefficient a file."""
