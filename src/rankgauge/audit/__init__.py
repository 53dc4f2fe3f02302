"""Audits: why tools disagree (`tools`), and how far a language model judges as people do (`judge`)."""

from rankgauge.audit.tools import *  # noqa: F403 - the names of `tools`, listed once, there
from rankgauge.audit.tools import __all__ as __all__
