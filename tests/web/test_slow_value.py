"""Values that take long: nobody waits for one who does not have to, and nobody is shown an old one for long."""

from __future__ import annotations

import threading

from rankgauge.room.campaigns import QUICK, SHARE, SlowValue


class Work:
    """Something to compute that takes so many seconds of a clock that only it moves."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.time, self.version, self.done = seconds, 0.0, 1, 0

    def value(self) -> SlowValue[int]:
        return SlowValue(lambda: self.version, self.compute, lambda: self.time)

    def compute(self) -> int:
        self.done += 1
        self.time += self.seconds
        return self.version


def test_a_version_is_computed_once() -> None:
    """However often it is asked for."""
    work = Work(10.0)
    value = work.value()
    for _ in range(3):
        assert value.now() == value.lately() == 1
    assert work.done == 1


def test_what_is_quick_is_never_old() -> None:
    """What takes next to nothing is computed for every version."""
    work = Work(QUICK / 2)
    value = work.value()
    for work.version in range(1, 5):
        assert value.lately() == work.version


def test_what_is_slow_takes_its_share() -> None:
    """It is computed again once the time it takes is the share of the time that went by; at once for who insists."""
    work = Work(2.0)
    value = work.value()
    value.now()
    work.version = 2
    work.time += 0.99 * 2.0 / SHARE
    assert value.lately() == 1
    work.time += 0.02 * 2.0 / SHARE
    assert value.lately() == 2
    work.version = 3
    assert value.lately() == 2
    assert value.now() == 3


def test_nobody_waits_for_somebody_else() -> None:
    """While one computes a later version, others are shown the one before."""
    begun, end, version = threading.Event(), threading.Event(), [1]

    def compute() -> int:
        if version[0] == 2:
            begun.set()
            end.wait()
        return version[0]

    value = SlowValue[int](lambda: version[0], compute)
    value.now()
    version[0] = 2
    thread = threading.Thread(target=value.lately)
    thread.start()
    begun.wait()
    assert value.lately() == 1
    end.set()
    thread.join()
    assert value.lately() == 2
