"""romip-1+p: the official metrics of ROMIP 2010 with the discount that its authors probably meant."""

from dataclasses import replace

from rankgauge.dialects.tools.romip import ROMIP

ROMIP_1P = replace(
    ROMIP,
    name="romip-1+p",
    title="ROMIP 2010, official metrics, with the usual discount",
    discount="log2",  # log2(1 + p): the appendix prints log2(2 + p), which is the same for p from 0
).register()
