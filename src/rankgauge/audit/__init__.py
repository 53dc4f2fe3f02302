"""Audits: why tools disagree (`tools`), and how far a language model judges as people do (`judge`).

`rankgauge.audit(judgments, runs, "nDCG@10")` is the function `tools.audit`, also once this package is imported.
"""

import sys
from types import ModuleType

from rankgauge.audit.tools import *  # noqa: F403 - the names of `tools`, listed once, there
from rankgauge.audit.tools import __all__ as __all__
from rankgauge.audit.tools import audit


class CallablePackage(ModuleType):
    """The package as something that can be called like the function of its name."""

    __call__ = staticmethod(audit)


sys.modules[__name__].__class__ = CallablePackage
