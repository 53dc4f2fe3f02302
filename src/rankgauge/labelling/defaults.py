"""The defaults of a campaign, in Python, at the command line and on the page.

Nothing is imported here, so that help texts can show the defaults without loading a campaign.
"""

from __future__ import annotations

MEASURE = "ERR@10"
"""The measure that is estimated."""

DIALECT = "standard"
"""The dialect that the measure is computed in: that of `rankgauge evaluate`, so that one name is one number."""

METHOD = "auto"
"""The method that chooses the documents to judge."""

GOAL = "rank"
"""What the labels of a board of runs settle first."""

SEED = 0
"""The seed of the draws."""

ASSESSORS = 1
"""How many assessors judge each document."""

COMBINE, BOARD_COMBINE = "mean", "majority"
"""The rule that combines several assessors' grades into one; a mean may be no grade of a board's scale."""

UNJUDGEABLE = "lowest"
"""What becomes of a document that an assessor could not judge."""

LEVEL = 0.95
"""The level of the confidence interval."""

LEASE_DAYS = 7.0
"""For how many days a document is reserved for the assessor who got it."""

TASKS = 20
"""How many documents an assessor gets at a time."""
