"""A board of many runs from few labels: one stream of single documents, estimates and intervals for all at once."""

from rankgauge.active.board.columns import Columns
from rankgauge.active.board.estimates import Board, BoardEstimate
from rankgauge.active.board.goal import Goal, GoalKind
from rankgauge.active.board.later_run import LaterEstimate, LaterRun
from rankgauge.active.board.outlook import Outlook
from rankgauge.active.board.plan import BoardPlan
from rankgauge.active.board.pool import BoardPool
from rankgauge.active.board.stream import Stream
from rankgauge.active.board.target import BoardTarget
from rankgauge.active.board.verdicts import Verdicts

__all__ = [
    "Board",
    "BoardEstimate",
    "BoardPlan",
    "BoardPool",
    "BoardTarget",
    "Columns",
    "Goal",
    "GoalKind",
    "LaterEstimate",
    "LaterRun",
    "Outlook",
    "Stream",
    "Verdicts",
]
