"""MACHINE JUDGES: grades from language models: asked for, read, and weighed against people."""
