"""Input that no tool takes: whose fault it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgauge.audit.tools import audit
from rankgauge.errors import InputError

QRELS = "1 0 a 1\n1 0 b 0\n"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nosuch.txt", None, "there is no such file"),
        ("three.txt", "1 a 3\n1 b 2\n", "the format is not recognised"),
        ("twice.txt", "1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n", "the run lists document a more than once"),
        ("qrels.txt", QRELS, "the two files are not judgments and a run: both hold judgments"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str, content: str | None, said: str) -> None:
    """Where every tool stops at the same place of a file, the error is the file's, as any other command says it."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError) as caught:
        audit(tmp_path / "qrels.txt", tmp_path / name, dialects=["trec_eval"])
    assert str(caught.value).startswith(f"{tmp_path / name}:")
    assert said in str(caught.value)
