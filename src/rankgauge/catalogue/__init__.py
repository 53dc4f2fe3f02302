"""RUNS → CATALOGUE: what runs show of a catalogue, beyond whether it is relevant."""

from rankgauge.catalogue.statistic import STATISTICS, CatalogueStatistic
from rankgauge.catalogue.survey import CatalogueSurvey, Items, read_items, survey

__all__ = ["STATISTICS", "CatalogueStatistic", "CatalogueSurvey", "Items", "read_items", "survey"]
