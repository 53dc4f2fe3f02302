"""How endpoints of language models are asked, and how they answer: one API per file."""
