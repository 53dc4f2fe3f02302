"""Runs the migrations on the connection that it was given, inside its transaction."""

from alembic import context

from rankgauge.room.database import METADATAS

context.configure(connection=context.config.attributes["connection"], target_metadata=list(METADATAS))
context.run_migrations()
