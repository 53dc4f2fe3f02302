"""Tab in bash, which breaks words at @, = and : before it asks the program."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator

BASH = ("_RANKGAUGE_COMPLETE", "complete_bash")
"""How the script of bash asks."""

_BREAK = re.compile(r"[@=:]+")
"""Where bash breaks a word in two, with the break as a word of its own."""


@contextlib.contextmanager
def mended() -> Iterator[None]:
    """Inside this block, words that bash has broken at @, = and : are whole again, as in `-m nDCG@10,A`.

    Bash puts what is offered in the place of its own last word, so the part of the whole word before that is dropped.
    """
    if os.environ.get(BASH[0]) != BASH[1]:
        yield
        return
    words, current = os.environ["COMP_WORDS"].split("\n"), int(os.environ["COMP_CWORD"])
    whole, before = _joined([*words, ""][: current + 1])
    os.environ |= {"COMP_WORDS": "\n".join(whole), "COMP_CWORD": str(len(whole) - 1)}
    offered = io.StringIO()
    try:
        with contextlib.redirect_stdout(offered):
            yield
    finally:
        print("\n".join(line.removeprefix(before) for line in offered.getvalue().splitlines()))


def _joined(words: list[str]) -> tuple[list[str], str]:
    """The words with the broken ones whole, and the part of the last one that comes before bash's own last word."""
    whole: list[str] = []
    before, joins = "", False
    for word in words:
        breaks = _BREAK.fullmatch(word) is not None
        if whole and (breaks or joins):
            # A word after @ may be a host's name, which bash completes together with its @.
            before = whole[-1] + word.removesuffix("@") if breaks else before
            whole[-1] += word
        else:
            before = ""
            whole.append(word)
        joins = breaks
    return whole, before
