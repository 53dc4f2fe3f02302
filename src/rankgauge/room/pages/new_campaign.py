"""A new campaign in steps: files, the pool as it was understood, the plan, what assessors see, and then it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request, Response
from pydantic import ValidationError
from starlette.responses import RedirectResponse

from rankgauge import dialects
from rankgauge.errors import RankGaugeError
from rankgauge.files.scales import SCALES
from rankgauge.judgments.combination import RULES
from rankgauge.labelling import defaults
from rankgauge.labelling.board.design import GoalKind
from rankgauge.labelling.cost import COSTS
from rankgauge.labelling.method import METHODS
from rankgauge.labelling.pool_sources import UNITS
from rankgauge.room.auth import Admin, TheRoom
from rankgauge.room.campaigns import choices_of
from rankgauge.room.draft_contents import DraftContents
from rankgauge.room.drafts import Draft
from rankgauge.room.forms import Fields, Files, problems
from rankgauge.room.new_campaign import DraftOutlook, NewCampaign, NewScale, combine_of, create, is_board, usual
from rankgauge.room.people import Person
from rankgauge.room.room import Room
from rankgauge.room.route import pages

router = pages("new_campaign", place=40)  # before `/campaigns/{campaign}`

STEPS = {"files": "Files", "pool": "Pool", "plan": "Plan", "judging": "Judging", "make": "Make"}
"""The steps by their addresses, in their order."""

PLANNED = (
    *("measure", "budget", "method", "goal", "stop_at", "assessors"),
    *("combine", "dialect", "cost", "unit", "depth", "seed"),
)
"""The settings of the step Plan."""

JUDGED = ("name", "scale", "levels", "guide")
"""The settings of the step Judging."""

EXAMPLES = ("nDCG@10", "ERR@10", "DCG@10", "P@5", "P@10", "AP", "RBP(p=0.8)", "RR")
"""Measures to choose from; any other can be typed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DraftPage:
    """A draft with what its files hold, and what is chosen so far."""

    draft: Draft
    contents: DraftContents
    fields: Mapping[str, Any]

    @property
    def wanted(self) -> NewCampaign:
        """The settings, where nothing is chosen the usual ones.

        A board has no stopping rule: one that was set when there were fewer runs stays in the draft, and is not meant.
        """
        fields = {name: value for name, value in self.fields.items() if name in NewCampaign.model_fields}
        found = NewCampaign.model_validate(fields)
        return found.model_copy(update={"stop_at": None}) if self._makes_board(found) else found

    @property
    def board(self) -> bool:
        """Whether the campaign will be a board of runs."""
        return self._makes_board(self.wanted)

    def _makes_board(self, wanted: NewCampaign) -> bool:
        return self.contents.campaign is None and is_board(wanted, self.contents)

    def chosen(self, fields: Mapping[str, str]) -> DraftPage:
        """The same with other settings; an empty one is the usual one."""
        return _page_of(self.draft, self.contents, {**self.draft.settings, **fields})


@router.get("/campaigns/new")
def ask(request: Request, room: TheRoom, person: Admin) -> Response:
    """The first step: which files, or which draft to go on with."""
    return _upload(request, room, person)


@router.post("/drafts")
def begin(request: Request, room: TheRoom, person: Admin, files: Files) -> Response:
    """Begins a draft with these files; if one cannot be read, says why."""
    try:
        number = room.drafts.begin(person.id, files)
    except RankGaugeError as error:
        return _upload(request, room, person, problem=room.told(error))
    return _to(number, "pool")


@router.get("/drafts/{draft}/files")
def show_files(request: Request, room: TheRoom, person: Admin, draft: int) -> Response:
    """The files of a draft."""
    return _files(request, room, room.drafts.get(draft, person.id))


@router.post("/drafts/{draft}/files")
def add_files(request: Request, room: TheRoom, person: Admin, draft: int, files: Files) -> Response:
    """Adds files to a draft."""
    known = room.drafts.get(draft, person.id)
    try:
        room.drafts.add(known, files)
    except RankGaugeError as error:
        return _files(request, room, known, problem=room.told(error))
    return _to(draft, "pool")


@router.post("/drafts/{draft}/files/{file}/remove")
def remove_file(request: Request, room: TheRoom, person: Admin, draft: int, file: int) -> Response:
    """Removes a file from a draft."""
    known = room.drafts.get(draft, person.id)
    try:
        room.drafts.remove(known, file)
    except RankGaugeError as error:
        return _files(request, room, known, problem=room.told(error))
    return _to(draft, "files")


@router.get("/drafts/{draft}/pool")
def show_pool(request: Request, room: TheRoom, person: Admin, draft: int) -> Response:
    """The pool as it was understood."""
    return _show(request, room, _open_draft(room, person, draft), "pool")


@router.get("/drafts/{draft}/plan")
def show_plan(request: Request, room: TheRoom, person: Admin, draft: int) -> Response:
    """Measure, budget and method, and what to expect of them."""
    return _show(request, room, _open_draft(room, person, draft), "plan")


@router.post("/drafts/{draft}/plan")
def choose_plan(request: Request, room: TheRoom, person: Admin, draft: int, fields: Fields) -> Response:
    """Keeps the plan, and shows it again or goes on."""
    page = _open_draft(room, person, draft)
    chosen = {name: fields.get(name, "") for name in PLANNED}
    chosen["budget"] = chosen["budget"].replace(",", "")  # 1,000
    if chosen["goal"] == defaults.GOAL:
        chosen["goal"] = ""  # what is usual does not make a board of one run
    return _choose(request, room, page, "plan", chosen, fields.get("go"))


@router.get("/drafts/{draft}/judging")
def show_judging(request: Request, room: TheRoom, person: Admin, draft: int) -> Response:
    """The scale and the guidelines, and what an assessor will see."""
    return _show(request, room, _open_draft(room, person, draft), "judging")


@router.post("/drafts/{draft}/judging")
def choose_judging(request: Request, room: TheRoom, person: Admin, draft: int, fields: Fields) -> Response:
    """Keeps name, scale and guidelines, and shows them again or goes on."""
    page = _open_draft(room, person, draft)
    chosen = {name: fields.get(name, "") for name in JUDGED}
    if chosen["scale"] != page.fields["scale"]:
        chosen["levels"] = ""  # those of the scale before
    elif not chosen["levels"].strip():
        known, typed = NewScale(page.wanted, page.contents), _lines(fields)
        same = typed == _lines(
            {f"level_{one.grade}": one.name for one in choices_of(known.grades, known.guidelines(""))}
        )
        chosen["levels"] = page.draft.settings.get("levels", "") if same and not known.levels else typed
    return _choose(request, room, page, "judging", chosen, fields.get("go"))


@router.get("/drafts/{draft}/make")
def review(request: Request, room: TheRoom, person: Admin, draft: int) -> Response:
    """Everything once more, before the campaign is made."""
    return _show(request, room, _open_draft(room, person, draft), "make")


@router.post("/drafts/{draft}/make")
def make(request: Request, room: TheRoom, person: Admin, draft: int, fields: Fields) -> Response:
    """Makes the campaign; the draft is no longer needed."""
    page = _open_draft(room, person, draft)
    page = page.chosen({"name": fields["name"]}) if fields.get("name", "").strip() else page
    try:
        number = create(room.campaigns, page.wanted, page.contents)
    except (RankGaugeError, ValidationError) as error:
        return _show(request, room, page, "make", problem=_words(room, error))
    room.drafts.discard(page.draft)
    return RedirectResponse(f"/campaigns/{number}", status_code=303)


@router.post("/drafts/{draft}/discard")
def discard(room: TheRoom, person: Admin, draft: int) -> Response:
    """Drops a draft and its files."""
    room.drafts.discard(room.drafts.get(draft, person.id))
    return RedirectResponse("/campaigns/new", status_code=303)


def _open_draft(room: Room, person: Person, number: int) -> DraftPage:
    draft = room.drafts.get(number, person.id)
    return _page_of(draft, room.drafts.contents(draft), draft.settings)


def _page_of(draft: Draft, contents: DraftContents, settings: Mapping[str, str]) -> DraftPage:
    known = usual(contents)
    chosen = {name: value for name, value in settings.items() if value.strip()}
    shown = {name: "" if field.default is None else field.default for name, field in NewCampaign.model_fields.items()}
    return DraftPage(draft=draft, contents=contents, fields=_Chosen({**known, **chosen}, shown))


class _Chosen(dict[str, Any]):
    """Settings that were chosen or are usual; looking up any other gives its default."""

    def __init__(self, chosen: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
        super().__init__(chosen)
        self._defaults = defaults

    def __missing__(self, name: str) -> Any:
        return self._defaults[name]


def _choose(
    request: Request, room: Room, page: DraftPage, step: str, chosen: Mapping[str, str], go: str | None
) -> Response:
    """Keeps what was chosen if it makes sense; shows the step again, or the next one."""
    changed = page.chosen(chosen)
    try:
        changed.wanted  # noqa: B018 - wrong settings raise an error here
        _CHECKS[step](changed)
    except (RankGaugeError, ValidationError) as error:
        return _show(request, room, changed, step, problem=_words(room, error))
    room.drafts.choose(page.draft, chosen)
    steps = list(STEPS)
    return _to(page.draft.id, step if go == "stay" else steps[steps.index(step) + 1])


def _expect(page: DraftPage) -> DraftOutlook | None:
    return None if page.contents.campaign is not None else DraftOutlook.of(page.wanted, page.contents)


_CHECKS: Mapping[str, Callable[[DraftPage], object]] = {
    "plan": _expect,
    "judging": lambda page: NewScale(page.wanted, page.contents).guidelines(""),
}
"""What has to work before a step is left."""


def _upload(request: Request, room: Room, person: Person, *, problem: str = "") -> Response:
    facts = {"problem": problem, "drafts": room.drafts.of(person.id), "days": room.settings.draft_days}
    return room.page(request, "new_campaign.html", status=400 if problem else 200, **facts)


def _files(request: Request, room: Room, draft: Draft, *, problem: str = "") -> Response:
    facts = {"draft": draft, "steps": STEPS, "step": "files", "files": room.drafts.files(draft), "problem": problem}
    return room.page(request, "draft_files.html", status=400 if problem else 200, **facts)


def _show(request: Request, room: Room, page: DraftPage, step: str, *, problem: str = "") -> Response:
    """A step of a draft. What cannot be shown because a setting is wrong is left out, and the page says what is."""
    facts: dict[str, Any] = {"outlook": None, "choices": [], "scale": None, "board": False, "combine": ""}
    try:
        facts |= {"board": page.board}
        if page.contents.campaign is None:
            scale = NewScale(page.wanted, page.contents)
            facts |= {"scale": scale, "choices": choices_of(scale.grades.tolist(), scale.guidelines(""))}
            facts |= {"combine": combine_of(page.wanted, page.contents)}
        if step in ("plan", "make"):
            facts["outlook"] = _expect(page)
    except (RankGaugeError, ValidationError) as error:
        problem = problem or _words(room, error)
    return room.page(
        request,
        f"draft_{step}.html",
        status=400 if problem else 200,
        draft=page.draft,
        contents=page.contents,
        fields=page.fields,
        steps=STEPS,
        step=step,
        problem=problem,
        **facts,
        **_offers(page),
    )


def _offers(page: DraftPage) -> dict[str, Any]:
    """What can be chosen."""
    return {
        "methods": {name: method.title for name, method in METHODS.items()},
        "goals": {kind.value: kind.words for kind in GoalKind if kind is not GoalKind.BEATS},
        "baselines": page.contents.names if len(page.contents.names) > 1 else (),
        "costs": COSTS.titles(),
        "units": {name: words for name, (_, words) in UNITS.items()},
        "dialects": list(dialects.DIALECTS),
        "scales": SCALES,
        "rules": [name for name, rule in RULES.items() if rule.reduce and not rule.binary],
        "examples": EXAMPLES,
        "usual_goal": defaults.GOAL,
    }


def _lines(fields: Mapping[str, str]) -> str:
    """The levels of the page's table, as lines of grade, name and meaning."""
    grades = [name.removeprefix("level_") for name in fields if name.startswith("level_")]
    lines = [(grade, fields[f"level_{grade}"].strip(), fields.get(f"meaning_{grade}", "").strip()) for grade in grades]
    return "\n".join(f"{grade} {name or grade}{': ' + meaning if meaning else ''}" for grade, name, meaning in lines)


def _words(room: Room, error: RankGaugeError | ValidationError) -> str:
    return problems(error) if isinstance(error, ValidationError) else room.told(error)


def _to(draft: int, step: str) -> Response:
    return RedirectResponse(f"/drafts/{draft}/{step}", status_code=303)
