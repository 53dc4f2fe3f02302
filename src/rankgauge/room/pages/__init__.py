"""The pages and API calls of the room: one file per router. A new file is found by itself (see `route.py`)."""
