"""All labels of a campaign: to look through, filter and download."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from fastapi import HTTPException, Request, Response

from rankgauge.labelling.labels import LabelKind, LabelOrigin
from rankgauge.room.auth import TheRoom, Viewer
from rankgauge.room.exports import LABEL_FILES
from rankgauge.room.label_browser import WantedLabels, filtered
from rankgauge.room.route import PageNumber, pages

router = pages("labels", place=85, tab="Labels")

PAGE = 50
"""How many labels a page shows."""

KINDS: Mapping[LabelKind, str] = {
    LabelKind.GRADE: "gives a grade",
    LabelKind.SKIP: "cannot be judged",
    LabelKind.SETTLED: "settles a disagreement",
}
"""What a label may say, in words."""


@router.get("/campaigns/{campaign}/labels")
def show(
    request: Request,
    room: TheRoom,
    person: Viewer,
    campaign: int,
    wanted: WantedLabels,
    page: PageNumber = 1,
) -> Response:
    """A page of the labels that pass the filter, the last first."""
    opened = room.campaigns.get(campaign)
    labels = filtered(opened, wanted)
    some = labels[(page - 1) * PAGE : page * PAGE]
    return room.page(
        request,
        "labels.html",
        opened=opened,
        wanted=wanted,
        rows=some.rows(named=True),
        titles=opened.texts.titles(some.select("query", "document").iter_rows()),
        names={float(choice.grade): choice.name for choice in opened.choices()},
        found=len(labels),
        page=page,
        pages=max(-(-len(labels) // PAGE), 1),
        address=urlencode(wanted.chosen),
        assessors=sorted(set(opened.review.assessors().values())),
        choices=opened.choices(),
        kinds=KINDS,
        origins=[origin.value for origin in LabelOrigin],
    )


@router.get("/campaigns/{campaign}/labels/{name}")
def download(
    room: TheRoom, person: Viewer, campaign: int, wanted: WantedLabels, name: str, raw: bool = False
) -> Response:
    """The labels that pass the filter, as a file; `raw` as for all labels."""
    if name not in LABEL_FILES:
        raise HTTPException(404, f"no such file; there are {', '.join(LABEL_FILES)}")
    file, labels = LABEL_FILES[name], filtered(room.campaigns.get(campaign), wanted)
    content = (file.raw if raw else file.written)(labels)
    return Response(content, media_type=file.media, headers={"content-disposition": f'attachment; filename="{name}"'})
