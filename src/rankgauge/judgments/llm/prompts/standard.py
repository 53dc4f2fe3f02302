"""The prompt that is used if none is named."""

from __future__ import annotations

from rankgauge.judgments.llm.asking.prompt import ROLE, TEMPLATE
from rankgauge.judgments.llm.named_prompt import NamedPrompt

STANDARD = NamedPrompt(
    name="standard",
    title="the grades in words, the document between two lines, the grade alone as the answer",
    source="RankGauge's own",
    template=TEMPLATE,
    role=ROLE,
).register()
