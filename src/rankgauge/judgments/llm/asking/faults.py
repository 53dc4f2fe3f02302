"""What can go wrong with one request. What ends a whole session is an InputError."""

from __future__ import annotations

import random
from email.utils import parsedate_to_datetime
from time import time

LONGEST_WAIT = 60.0
"""No wait that we choose ourselves is longer, in seconds."""

LONGEST_ORDER = 600.0
"""No wait that an endpoint asks for is longer, in seconds."""


class PassingFaultError(Exception):
    """A fault that may be gone at the next try: the endpoint is busy, slow, or answered with garbage."""

    def __init__(self, problem: str, *, after: float = 0.0, sent: bool = True) -> None:
        """`after` is how many seconds the endpoint asks to wait; `sent`: it may have worked, and may charge for it."""
        self.problem, self.after, self.sent = problem, after, sent
        super().__init__(problem)


class NobodyAnswersError(PassingFaultError):
    """No connection could be made."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, sent=False)


class PairFaultError(Exception):
    """The endpoint does not take this pair, whenever it is asked: the document is too long, say."""


def wait(trial: int, fault: PassingFaultError) -> float:
    """How many seconds to wait before the next trial (from 0): as long as was asked for, and a doubling random time.

    The random part keeps those who wait together from asking together.
    """
    return fault.after + min(2.0**trial, LONGEST_WAIT) * random.uniform(0.25, 0.75)


def ordered_wait(header: str | None) -> float:
    """The seconds that a Retry-After header asks for: a number, or a date."""
    if not header:
        return 0.0
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return min(max(seconds, 0.0), LONGEST_ORDER) if seconds == seconds else 0.0
