"""How a language model is asked for grades: pairs, prompt, endpoint, answers, the store of answers, and the session."""
