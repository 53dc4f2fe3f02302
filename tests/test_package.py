"""The package's face: what `import rankgauge` offers, and what it costs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import rankgauge as rg


def test_public_names() -> None:
    """Every public name is there, each once, in the order of the alphabet, and none besides is promised."""
    assert rg.__all__ == sorted(set(rg.__all__))
    assert set(rg.__all__) == set(rg._FOUND)
    for name in rg.__all__:
        assert getattr(rg, name) is not None
        assert name in dir(rg)


def test_evaluate_is_the_function() -> None:
    """`rankgauge.evaluate` is callable, whatever was imported before."""
    code = (
        "import rankgauge.evaluation.evaluation, rankgauge as rg; print(callable(rg.evaluate), callable(rg.agreement))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout == "True True\n"


def test_imports_little() -> None:
    """`import rankgauge` loads nothing heavy; evaluating loads no SciPy before an interval is asked for."""
    code = "import sys, rankgauge; print(sorted({'numpy', 'polars', 'scipy', 'rich'} & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout == "[]\n"
    code = "import sys, rankgauge as rg; rg.evaluate; print(sorted({'scipy', 'rich', 'pandas'} & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout == "[]\n"


@pytest.mark.xdist_group("together")
def test_groups_stay_together(request: pytest.FixtureRequest) -> None:
    """Tests of a group run in one process, which makes once what they share: half of the suite's time.

    pytest-xdist says so in a test's name. With pytest 9.2.0 it does not, and runs them anywhere.
    """
    spread = "PYTEST_XDIST_WORKER" in os.environ and request.config.option.loadgroup
    assert request.node.nodeid.endswith("@together") or not spread


def test_audit_is_a_function_and_a_package() -> None:
    """`rankgauge.audit` can be called before and after the package of its name is imported."""
    code = (
        "import rankgauge as rg; judgments, run = {'q': {'a': 1}}, {'q': {'a': 1.0}}; first = rg.audit(judgments, run);"
        "import rankgauge.audit.tools; print(first.measure, rg.audit(judgments, run).measure, rg.audit.tools.__name__)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout == "nDCG@10 nDCG@10 rankgauge.audit.tools\n"
