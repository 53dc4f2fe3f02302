"""Values that take long: nobody waits for one who does not have to, and nobody is shown an old one for long."""

from __future__ import annotations

import threading

from rankgauge.room.campaigns import QUICK, SHARE, SlowValue


class Work:
    """Something to compute that takes so many seconds of a clock that only it moves."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.time, self.version, self.done = seconds, 0.0, 1, 0

    def compute(self) -> int:
        self.done += 1
        self.time += self.seconds
        return self.version


def test_a_version_is_computed_once() -> None:
    """However often it is asked for."""
    work = Work(10.0)
    value = SlowValue[int](lambda: work.time)
    for _ in range(3):
        assert value.now(lambda: work.version, work.compute) == value.lately(lambda: work.version, work.compute) == 1
    assert work.done == 1


def test_what_is_quick_is_never_old() -> None:
    """What takes next to nothing is computed for every version."""
    work = Work(QUICK / 2)
    value = SlowValue[int](lambda: work.time)
    for work.version in range(1, 5):
        assert value.lately(lambda: work.version, work.compute) == work.version


def test_what_is_slow_takes_its_share() -> None:
    """It is computed again once the time it takes is the share of the time that went by; at once for who insists."""
    work = Work(2.0)
    value = SlowValue[int](lambda: work.time)
    value.now(lambda: work.version, work.compute)
    work.version = 2
    work.time += 0.99 * 2.0 / SHARE
    assert value.lately(lambda: work.version, work.compute) == 1
    work.time += 0.02 * 2.0 / SHARE
    assert value.lately(lambda: work.version, work.compute) == 2
    work.version = 3
    assert value.lately(lambda: work.version, work.compute) == 2
    assert value.now(lambda: work.version, work.compute) == 3


def test_nobody_waits_for_somebody_else() -> None:
    """While one computes a later version, others are shown the one before."""
    value, begun, end = SlowValue[int](), threading.Event(), threading.Event()
    value.now(lambda: 1, lambda: 1)

    def long() -> int:
        begun.set()
        end.wait()
        return 2

    thread = threading.Thread(target=value.lately, args=(lambda: 2, long))
    thread.start()
    begun.wait()
    assert value.lately(lambda: 2, long) == 1
    end.set()
    thread.join()
    assert value.lately(lambda: 2, long) == 2
