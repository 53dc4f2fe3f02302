"""A new campaign in steps: files, the pool as it was understood, the plan, what assessors see, and then it is made.

The calls for programs do the same at once: several runs, a judge's grades and texts, and the campaign that they make.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Path, Query, Request, Response
from pydantic import BaseModel, Field, ValidationError
from starlette.responses import RedirectResponse

from rankgauge import dialects
from rankgauge.errors import InputError, RankGaugeError
from rankgauge.files.scales import SCALES
from rankgauge.judgments.combination import RULES
from rankgauge.labelling import defaults
from rankgauge.labelling.board.design import GoalKind
from rankgauge.labelling.method import METHODS
from rankgauge.labelling.pool_rows import COSTS
from rankgauge.labelling.pool_sources import UNITS
from rankgauge.room.auth import Admin, TheRoom, done
from rankgauge.room.campaigns import choices_of
from rankgauge.room.draft_contents import DraftContents, DraftFile, DraftPart
from rankgauge.room.drafts import Draft, safe_name
from rankgauge.room.forms import BINARY, Body, Fields, Files, problem_words
from rankgauge.room.new_campaign import DraftOutlook, NewCampaign, PlannedCampaign, SentCampaign, usual
from rankgauge.room.pages.dashboard import CampaignSummary, summary
from rankgauge.room.people import Person
from rankgauge.room.room import Room
from rankgauge.room.route import LARGEST, api, pages

router = pages("new_campaign", place=40)  # before `/campaigns/{campaign}`
calls = api("api_drafts", place=195, tag="campaigns")

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

UNSET = {name: "" if field.default is None else field.default for name, field in NewCampaign.model_fields.items()}
"""What a form shows where nothing is chosen and nothing is usual."""


DraftNumber = Annotated[int, Path(ge=1, le=LARGEST, description="The draft's number.")]


@dataclass(frozen=True, kw_only=True, eq=False)
class DraftVisit:
    """A request to a draft of the sender's: what its files hold, and what is chosen so far."""

    request: Request
    room: Room
    draft: Draft
    fields: Mapping[str, str] = field(default_factory=dict)
    """Settings that were just sent."""

    @property
    def contents(self) -> DraftContents:
        """What its files hold."""
        return self.room.drafts.contents(self.draft)

    @property
    def settings(self) -> dict[str, Any]:
        """The chosen settings; one that is empty or not chosen has the value that is usual for these files."""
        chosen = {**self.draft.settings, **self.fields}
        return {**usual(self.contents), **{name: value for name, value in chosen.items() if value.strip()}}

    @property
    def plan(self) -> PlannedCampaign:
        """The campaign that these settings make; wrong settings are an error.

        A board has no stopping rule: one that was set when there were fewer runs stays in the draft, and is not meant.
        """
        known = {name: value for name, value in self.settings.items() if name in NewCampaign.model_fields}
        plan = PlannedCampaign(wanted=NewCampaign.model_validate(known), contents=self.contents)
        return replace(plan, wanted=plan.wanted.model_copy(update={"stop_at": None})) if plan.board else plan

    def page(self, step: str, **facts: Any) -> Response:
        """Render a step of the draft."""
        return self.room.page(self.request, f"draft_{step}.html", draft=self.draft, steps=STEPS, step=step, **facts)

    def to(self, step: str) -> Response:
        """Lead to a step of the draft."""
        return RedirectResponse(f"/drafts/{self.draft.id}/{step}", status_code=303)


def _visit(request: Request, room: TheRoom, person: Admin, draft: DraftNumber) -> DraftVisit:
    return DraftVisit(request=request, room=room, draft=room.drafts.get(draft, person.id))


TheDraft: TypeAlias = Annotated[DraftVisit, Depends(_visit)]


@router.get("/campaigns/new")
def ask(request: Request, room: TheRoom, person: Admin) -> Response:
    """Return the first step: which files, or which draft to go on with."""
    return _upload(request, room, person)


@router.post("/drafts")
def begin(request: Request, room: TheRoom, person: Admin, files: Files) -> Response:
    """Begin a draft with these files; if one cannot be read, says why."""
    try:
        return RedirectResponse(f"/drafts/{room.drafts.begin(person.id, files)}/pool", status_code=303)
    except RankGaugeError as error:
        return _upload(request, room, person, problem=room.describe_error(error))


def _upload(request: Request, room: Room, person: Person, *, problem: str = "") -> Response:
    facts = {"problem": problem, "drafts": room.drafts.of(person.id), "days": room.settings.draft_days}
    return room.page(request, "new_campaign.html", **facts)


@router.get("/drafts/{draft}/files")
def show_files(visit: TheDraft) -> Response:
    """Return the files of a draft."""
    return _files(visit)


@router.post("/drafts/{draft}/files")
def add_files(visit: TheDraft, files: Files) -> Response:
    """Add files to a draft; if all of it cannot be read, says why."""
    try:
        visit.room.drafts.add(visit.draft, files)
    except RankGaugeError as error:
        return _files(visit, problem=visit.room.describe_error(error))
    return visit.to("pool")


@router.post("/drafts/{draft}/files/{file}/remove")
def remove_file(visit: TheDraft, file: int) -> Response:
    """Remove a file from a draft; if the rest cannot be read, says why."""
    try:
        visit.room.drafts.remove(visit.draft, file)
    except RankGaugeError as error:
        return _files(visit, problem=visit.room.describe_error(error))
    return visit.to("files")


def _files(visit: DraftVisit, *, problem: str = "") -> Response:
    return visit.page("files", files=visit.room.drafts.files(visit.draft), problem=problem)


@router.get("/drafts/{draft}/pool")
@router.get("/drafts/{draft}/plan")
@router.get("/drafts/{draft}/judging")
@router.get("/drafts/{draft}/make")
def show_step(visit: TheDraft) -> Response:
    """Return a step: the pool as it was understood, the plan, what assessors will see, or everything once more."""
    return _show(visit, visit.request.url.path.rpartition("/")[2])


@router.post("/drafts/{draft}/plan")
def choose_plan(visit: TheDraft, fields: Fields) -> Response:
    """Keep the plan, and show it again or go on."""
    chosen = {name: fields.get(name, "") for name in PLANNED}
    chosen["budget"] = chosen["budget"].replace(",", "")  # 1,000
    if chosen["goal"] == defaults.GOAL:
        chosen["goal"] = ""  # what is usual does not make a board of one run
    return _choose(visit, "plan", chosen, fields)


@router.post("/drafts/{draft}/judging")
def choose_judging(visit: TheDraft, fields: Fields) -> Response:
    """Keep name, scale and guidelines, and show them again or go on."""
    chosen = {name: fields.get(name, "") for name in JUDGED}
    if chosen["scale"] != {**UNSET, **visit.settings}["scale"]:
        chosen["levels"] = ""  # those of the scale before
    elif not chosen["levels"].strip():
        plan, typed = visit.plan, _lines(fields)
        shown = {f"level_{one.grade}": one.name for one in choices_of(plan.grades, plan.guidelines)}
        same = typed == _lines(shown) and not plan.levels
        chosen["levels"] = visit.draft.settings.get("levels", "") if same else typed
    return _choose(visit, "judging", chosen, fields)


def _lines(fields: Mapping[str, str]) -> str:
    """Return the levels of the page's table, as lines of grade, name and meaning."""
    grades = [name.removeprefix("level_") for name in fields if name.startswith("level_")]
    lines = [(grade, fields[f"level_{grade}"].strip(), fields.get(f"meaning_{grade}", "").strip()) for grade in grades]
    return "\n".join(f"{grade} {name or grade}{': ' + meaning if meaning else ''}" for grade, name, meaning in lines)


def _choose(visit: DraftVisit, step: str, chosen: Mapping[str, str], fields: Mapping[str, str]) -> Response:
    """Keep what was chosen if it makes sense; show the step again, or the next one."""
    changed = replace(visit, fields=chosen)
    try:
        if step == "plan":
            DraftOutlook.of(changed.plan)
        else:
            _ = changed.plan.guidelines
    except (RankGaugeError, ValidationError) as error:
        return _show(changed, step, problem=problem_words(visit.room, error))
    visit.room.drafts.choose(visit.draft, chosen)
    steps = list(STEPS)
    return visit.to(step if fields.get("go") == "stay" else steps[steps.index(step) + 1])


@router.post("/drafts/{draft}/make")
def make(visit: TheDraft, fields: Fields) -> Response:
    """Make the campaign; the draft is no longer needed."""
    visit = replace(visit, fields={"name": fields["name"]}) if fields.get("name", "").strip() else visit
    try:
        number = visit.plan.create(visit.room.campaigns)
    except (RankGaugeError, ValidationError) as error:
        return _show(visit, "make", problem=problem_words(visit.room, error))
    visit.room.drafts.discard(visit.draft)
    return RedirectResponse(f"/campaigns/{number}", status_code=303)


def _show(visit: DraftVisit, step: str, *, problem: str = "") -> Response:
    """A step of a draft. What cannot be shown because a setting is wrong is left out, and the page says what is."""
    facts: dict[str, Any] = {"outlook": None, "choices": [], "board": False, "combine": ""}
    contents = visit.contents
    try:
        plan = visit.plan
        facts["board"] = plan.board
        if contents.campaign is None:
            facts |= {"choices": choices_of(plan.grades, plan.guidelines), "combine": plan.combine}
            facts["outlook"] = DraftOutlook.of(plan) if step in ("plan", "make") else None
    except (RankGaugeError, ValidationError) as error:
        problem = problem or problem_words(visit.room, error)
    return visit.page(
        step,
        problem=problem,
        contents=contents,
        fields={**UNSET, **visit.settings},
        methods={name: method.title for name, method in METHODS.items()},
        goals={kind.value: kind.words for kind in GoalKind if kind is not GoalKind.BEATS},
        baselines=contents.names if len(contents.names) > 1 else (),
        costs=COSTS.titles(),
        units={name: words for name, (_, words) in UNITS.items()},
        dialects=list(dialects.DIALECTS),
        scales=SCALES,
        rules=[name for name, rule in RULES.items() if rule.reduce and not rule.binary],
        examples=EXAMPLES,
        usual_goal=defaults.GOAL,
        **facts,
    )


FileName = Annotated[str, Query(max_length=255, description="The file's name; a run or a judge is called by it.")]
FilePart = Annotated[DraftPart, Query(description="What the file is for.")]


class DraftSummary(BaseModel):
    """A draft as its files were understood; a campaign's file is not looked into."""

    id: int
    queries: int = 0
    documents: int = 0
    runs: list[str] = []
    judges: list[dict[str, Any]] = Field(default=[], description="Name, documents graded, and grades of each judge.")
    grades: list[float] = Field(default=[], description="The grades that the files speak of.")
    columns: dict[str, dict[str, str]] = Field(
        default={}, description="By file, what each column was taken for; empty: ignored."
    )
    notes: list[str] = []


class Expectation(BaseModel):
    """What to expect of a campaign: half the width of the interval at each budget."""

    board: bool
    cost: float = Field(description="What judging everything would cost.")
    budgets: list[float]
    half_widths: dict[str, list[float | None]] = Field(description="By method, or by measure of a board.")


@calls.post("/drafts", status_code=201, openapi_extra=BINARY)
def begin_draft(
    request: Request, room: TheRoom, person: Admin, body: Body, filename: FileName, part: FilePart = DraftPart.LISTS
) -> DraftSummary:
    """Begin a draft with the file in the body."""
    sent = DraftFile(part=part, name=safe_name(filename), content=body)
    return show_draft(_visit(request, room, person, room.drafts.begin(person.id, [sent])))


@calls.post("/drafts/{draft}/files", status_code=201, openapi_extra=BINARY)
def add_file(visit: TheDraft, body: Body, filename: FileName, part: FilePart = DraftPart.LISTS) -> DraftSummary:
    """Add the file in the body to a draft: a further run, a judge's grades, documents, earlier judgments."""
    visit.room.drafts.add(visit.draft, [DraftFile(part=part, name=safe_name(filename), content=body)])
    return show_draft(visit)


@calls.get("/drafts/{draft}")
def show_draft(visit: TheDraft) -> DraftSummary:
    """Return how the files of a draft were understood."""
    contents = visit.contents
    if contents.campaign is not None:
        return DraftSummary(id=visit.draft.id)
    queries, documents = contents.size
    judges = [{"name": name, "graded": graded, "grades": grades} for name, graded, grades in contents.read_judges()]
    return DraftSummary(
        id=visit.draft.id,
        queries=queries,
        documents=documents,
        runs=list(contents.names),
        judges=judges,
        grades=list(contents.usual_grades[0]),
        columns={file: {role.name: role.words for role in roles} for file, roles in contents.roles.items()},
        notes=list(contents.notes),
    )


@calls.get("/drafts/{draft}/outlook")
def show_outlook(visit: TheDraft, wanted: Annotated[NewCampaign, Query()]) -> Expectation:
    """Return what to expect of a campaign of these files with these settings."""
    outlook = DraftOutlook.of(PlannedCampaign(wanted=wanted, contents=visit.contents))
    widths = {line: [None if isnan(width) else float(width) for width in row] for line, row in outlook.lines.items()}
    budgets = [float(budget) for budget in outlook.budgets]
    return Expectation(board=outlook.board, cost=outlook.cost, budgets=budgets, half_widths=widths)


@calls.post("/drafts/{draft}/campaign", status_code=201)
def make_campaign(visit: TheDraft, wanted: SentCampaign) -> CampaignSummary:
    """Make the campaign of a draft; the draft is no longer needed."""
    if wrong := wanted.problem(campaign=visit.contents.campaign is not None):
        raise InputError(wrong)
    number = PlannedCampaign(wanted=wanted, contents=visit.contents).create(visit.room.campaigns)
    visit.room.drafts.discard(visit.draft)
    return summary(visit.room, number)


@router.post("/drafts/{draft}/discard")
@calls.delete("/drafts/{draft}", status_code=204)
def discard(visit: TheDraft) -> Response:
    """Drop a draft and its files."""
    visit.room.drafts.discard(visit.draft)
    return done(visit.request, "/campaigns/new")
