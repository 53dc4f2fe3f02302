"""standard: each measure as its name is understood, and no accidents of a tool."""

from rankgauge.dialects.dialect import Dialect

STANDARD = Dialect(
    name="standard",
    title="Each measure as its name is understood: linear gain, ties averaged, every judged query counted",
    reference="Järvelin & Kekäläinen 2002; McSherry & Najork 2008",
).register()
