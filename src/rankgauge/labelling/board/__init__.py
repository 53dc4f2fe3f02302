"""A board of many runs from few labels: one stream of single documents, estimates and intervals for all at once."""

from rankgauge.labelling.board.covariance import Verdicts
from rankgauge.labelling.board.design import Goal, GoalKind
from rankgauge.labelling.board.estimates import Board, BoardEstimate
from rankgauge.labelling.board.features import Columns
from rankgauge.labelling.board.later_run import LaterEstimate, LaterRun
from rankgauge.labelling.board.plan import BoardPlan, Outlook, RunsOutlook, RunsPlan
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.readings import Stream
from rankgauge.labelling.board.target import BoardTarget

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
    "RunsOutlook",
    "RunsPlan",
    "Stream",
    "Verdicts",
]
