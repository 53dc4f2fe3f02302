"""What long work says of itself where there is no terminal."""

from __future__ import annotations

import pytest

from rankgauge.cli import streams as progress


def test_a_log_says_how_long_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    """A log has the number of parts, after the first part the time left, then a line a minute, and the end."""
    times = iter([0.0, 30.0, 60.0, 120.0, 300.0])
    log = progress.ProgressLog(lambda: next(times))
    for done in range(5):
        log(done, 4, "part")
    assert capsys.readouterr().err.splitlines() == [
        "rankgauge: 4 parts of work; how long they take is known after the first",
        "rankgauge: 1 of 4 parts done in 30 s, about 90 s left",
        "rankgauge: 3 of 4 parts done in 2 min, about 40 s left",
        "rankgauge: 4 of 4 parts done in 5 min",
    ]


def test_reproduce_logs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """reproduce asks for a log; other commands say nothing in a pipe."""
    with progress.show_progress(log=True) as tell:
        tell(0, 2, "")
    assert "2 parts of work" in capsys.readouterr().err
    with progress.show_progress() as tell:
        tell(0, 2, "")
    assert not capsys.readouterr().err


def test_a_terminal_has_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal one line is drawn again for each part, no wider than the terminal, and is wiped at the end."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "70")
    with progress.show_progress() as tell:
        tell(0, 4, "first")
        tell(2, 4, "a name that is longer than the line of this terminal")
    lines = capsys.readouterr().err.split("\r\x1b[K")
    assert lines[1] == f"{'░' * 30} 0/4 in 0 s  first"
    assert lines[2].startswith(f"{'█' * 15}{'░' * 15} 2/4 in 0 s, about 0 s left  a name")
    assert len(lines[2]) == 69
    assert lines[3] == ""
