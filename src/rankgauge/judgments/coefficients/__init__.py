"""How far assessors agree: one coefficient per file."""
