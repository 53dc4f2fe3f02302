"""Measures, dialects and formats as screens and as pages, made from the registries."""
