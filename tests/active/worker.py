"""Assessors as processes that can be killed: `python worker.py LOCATION`, commands on standard input.

    go NAME     a new process judges under that name; it says `ready`, and `ack …` after each label that is on the disk
    wait PID    says `dead PID` when that process has ended

Processes are forked from this one, which has everything imported and has touched neither polars' threads nor a
database: a start takes milliseconds, not seconds.
"""

from __future__ import annotations

import os
import sys

import sqlalchemy.dialects.postgresql
import sqlalchemy.dialects.sqlite  # noqa: F401 - loaded once, before processes are forked

from rankgauge import dialects, measures
from rankgauge.labelling import methods
from rankgauge.labelling.campaign import Campaign
from rankgauge.labelling.labels import Task


def grade(task: Task) -> int:
    """What everybody thinks of a document."""
    return task.place * 7 % 3


def say(*words: object) -> None:
    """A line, whole or not at all: a pipe takes short writes in one piece."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def judge(location: str, assessor: str) -> None:
    """Documents one after another, as long as there are any."""
    with Campaign.open(location) as campaign:
        say("ready")
        while tasks := campaign.lease(1, assessor, again=True):
            (task,) = tasks
            campaign.record([(task.query, task.document, grade(task), assessor)])
            say("ack", task.query, task.document, grade(task), assessor)


def main(location: str) -> None:
    """Commands until the input ends."""
    # What is loaded on first use is loaded once.
    methods.METHODS, measures.parse("ERR"), dialects.get("standard")
    for line in sys.stdin:
        command, argument = line.split()
        if command == "wait":
            os.waitpid(int(argument), 0)
            say("dead", argument)
            continue
        pid = os.fork()
        if not pid:
            try:
                judge(location, argument)
            finally:
                os._exit(0)
        say("pid", pid)


if __name__ == "__main__":
    main(sys.argv[1])
