"""Campaigns: a pool and a budget that assessors spend, in a file or on a server's database."""

import importlib.util

from rankgauge.errors import MissingExtraError

if importlib.util.find_spec("sqlalchemy") is None:
    raise MissingExtraError("SQLAlchemy", "active")

from rankgauge.labelling.campaign.board_campaign import BoardCampaign
from rankgauge.labelling.campaign.campaign import LEASE, Campaign, LabelCampaign
from rankgauge.labelling.campaign.rules import Progress
from rankgauge.labelling.campaign.settings import CampaignSettings, Unjudgeable

__all__ = ["LEASE", "BoardCampaign", "Campaign", "CampaignSettings", "LabelCampaign", "Progress", "Unjudgeable"]
