"""How endpoints of language models are asked, and how they answer: each API in a form of its own."""
