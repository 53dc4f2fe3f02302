"""standard: the definitions of the papers, and no accidents."""

from rankgauge.dialects.dialect import Dialect

STANDARD = Dialect(
    name="standard",
    title="The definitions of the papers: ties averaged, every judged query counted",
    reference="Järvelin & Kekäläinen 2002; McSherry & Najork 2008",
).register()
