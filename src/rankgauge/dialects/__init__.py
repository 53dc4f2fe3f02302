"""How one tool turns judgments and a run into numbers: the contract of a dialect, and one file a tool in `tools/`."""

from rankgauge.dialects.dialect import DIALECTS, Dialect, Printed
from rankgauge.errors import UnknownNameError

__all__ = ["DIALECTS", "Dialect", "Printed", "get"]


def get(name: str | Dialect) -> Dialect:
    """The dialect of that name."""
    if isinstance(name, Dialect):
        return name
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and DIALECTS.keys() >= set(parts):
        side = "One dialect at a time here; 'rankgauge audit' shows several side by side."
        raise UnknownNameError("dialect", name, DIALECTS, near=(), otherwise=side)
    return DIALECTS.find(name)
