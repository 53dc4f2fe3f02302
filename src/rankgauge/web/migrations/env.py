"""How alembic takes the steps: on the connection that it was given, inside that connection's transaction."""

from alembic import context

from rankgauge.web.schema import METADATAS

context.configure(connection=context.config.attributes["connection"], target_metadata=list(METADATAS))
context.run_migrations()
