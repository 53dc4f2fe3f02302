"""A file in the room of its kind is all that it takes to add a thing: help, lists and messages follow by themselves.

One process gets a new thing of every kind and is then asked for each of them as a user would.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from dataclasses import dataclass

import pytest


@dataclass(frozen=True, kw_only=True)
class Novelty:
    """A thing to add, and the command line that shows it."""

    room: str
    source: str
    shown_by: tuple[str, ...]
    """Words after `rankgauge`; or `python` and code that prints."""
    shown: str
    """What is to be seen there."""


NOVELTIES = {
    "measure": Novelty(
        room="rankgauge.measures.binary",
        source='''
            from rankgauge.measures.measure import Example, Facts, Measure

            class Novelty(Measure):
                """1 for every list."""

                facts = Facts(
                    name="Novelty",
                    title="A measure from a new file",
                    formula="1",
                    reference="-",
                    examples=(Example(measure="Novelty", grades=(1,), value="1"),),
                )
        ''',
        shown_by=("measures",),
        shown="A measure from a new file",
    ),
    "dialect": Novelty(
        room="rankgauge.dialects.tools",
        source="""
            from rankgauge.dialects.dialect import Dialect

            Dialect(name="novelty", title="A tool from a new file", reference="-").register()
        """,
        shown_by=("dialects",),
        shown="A tool from a new file",
    ),
    "ranker": Novelty(
        room="rankgauge.training.rankers",
        source='''
            from rankgauge.training.ranker import Ranker

            class Novelty(Ranker):
                """A ranker from a new file."""

                name = "novelty"

                def _fit(self, train, validation, watch):
                    pass

                def _scores(self, matrix):
                    return matrix[:, 0]

                def _state(self):
                    return {}

                def _restore(self, state):
                    pass
        ''',
        shown_by=("train",),
        shown="A ranker from a new file",
    ),
    "active method": Novelty(
        room="rankgauge.labelling.methods",
        source='''
            from rankgauge.labelling.method import Method

            class Novelty(Method):
                """A method from a new file."""

                name, title = "novelmethod", "-"
        ''',
        shown_by=("active", "plan", "--help-all"),
        shown="novelmethod",
    ),
    "selection": Novelty(
        room="rankgauge.labelling.selections",
        source="""
            import numpy as np

            from rankgauge.labelling.selection import Selection

            def order(pool, relevant, most, rng):
                return np.arange(len(pool.documents))

            Selection(name="novel", title="A new selection", reference="-", order=order).register()
        """,
        shown_by=("pool", "make", "--help-all"),
        shown="novel",
    ),
    "yardstick": Novelty(
        room="rankgauge.labelling.yardsticks",
        source="""
            from rankgauge.labelling.yardstick import Yardstick

            Yardstick(name="novelstick", title="-", reference="-", standings=None).register()
        """,
        shown_by=("active", "simulate", "--help-all"),
        shown="novelstick",
    ),
    "fusion method": Novelty(
        room="rankgauge.fusion.methods",
        source='''
            from rankgauge.fusion.method import Evidence, FusionMethod

            class Novelty(FusionMethod):
                """A fusion from a new file."""

                name, formula, reference, looks_at = "novelfusion", "-", "-", Evidence.RANKS

                def scores(self, stack):
                    return stack.listed
        ''',
        shown_by=("fuse",),
        shown="A fusion from a new file",
    ),
    "normalisation": Novelty(
        room="rankgauge.fusion.normalisations",
        source="""
            from rankgauge.fusion.method import Normalisation

            Normalisation(name="novelnorm", title="-", formula="-", apply=None).register()
        """,
        shown_by=("fuse", "--help-all"),
        shown="novelnorm",
    ),
    "paired test": Novelty(
        room="rankgauge.statistics.paired_tests",
        source="""
            from rankgauge.statistics.paired_test import PairedTest

            PairedTest(name="noveltest", title="-", words="-", reference="-", kernel=None).register()
        """,
        shown_by=("compare", "--help-all"),
        shown="noveltest",
    ),
    "similarity": Novelty(
        room="rankgauge.statistics.similarities",
        source="""
            from rankgauge.statistics.similarity import Similarity

            Similarity(name="novelkin", title="-", words="-", reference="-", kernel=None).register()
        """,
        shown_by=("compare", "--help-all"),
        shown="novelkin",
    ),
    "statistic of a catalogue": Novelty(
        room="rankgauge.catalogue.statistics",
        source="""
            from rankgauge.catalogue.statistic import CatalogueStatistic

            CatalogueStatistic(name="novelstat", title="-", words="-", reference="-", kernel=None).register()
        """,
        shown_by=("catalogue", "--help-all"),
        shown="novelstat",
    ),
    "correction": Novelty(
        room="rankgauge.statistics.corrections",
        source="""
            from rankgauge.statistics.paired_test import Correction

            Correction(name="novelrule", title="-", words="-", reference="-", adjust=None).register()
        """,
        shown_by=("compare", "--help-all"),
        shown="novelrule",
    ),
    "agreement coefficient": Novelty(
        room="rankgauge.judgments.coefficients",
        source="""
            import numpy as np
            from rankgauge.judgments.coefficient import Coefficient

            Coefficient(
                name="novelty",
                title="A coefficient from a new file",
                words="-",
                reference="-",
                kernel=lambda tally: np.ones(len(tally.weights)),
            ).register()
        """,
        shown_by=("judgments", "agreement", "ratings.csv"),
        shown="A coefficient from a new file",
    ),
    "lint check": Novelty(
        room="rankgauge.audit.tools.checks",
        source="""
            from rankgauge.audit.tools.check import Check, Finding

            Check(
                name="novelty",
                title="things that a new file finds",
                effect="None.",
                find=lambda subject: Finding(count=1, of=1, things="queries"),
            ).register()
        """,
        shown_by=("audit", "lint", "qrels.txt"),
        shown="Things that a new file finds",
    ),
    "cause": Novelty(
        room="rankgauge.audit.tools.causes",
        source="""
            from rankgauge.audit.tools.cause import Cause

            Cause(name="novelty", fields=("gain",), subject="a new file").register()
        """,
        shown_by=("audit", "qrels.txt", "bm25.txt", "-d", "standard,gdeval"),
        shown="from a new file",
    ),
    "file format": Novelty(
        room="rankgauge.files.formats",
        source="""
            from rankgauge.files.format import Format

            Format(
                name="novelfiles",
                title="A file format from a new file",
                suffixes=(".novel",),
                recognise=lambda head: (),
                sureness=0,
            ).register()
        """,
        shown_by=("formats",),
        shown="A file format from a new file",
    ),
    "report format": Novelty(
        room="rankgauge.render.formats",
        source="""
            from rankgauge.render.format import ReportFormat

            ReportFormat(name="novelreport", title="-", needs="data", write=None).register()
        """,
        shown_by=("evaluate", "--help-all"),
        shown="novelreport",
    ),
    "command": Novelty(
        room="rankgauge.cli.commands",
        source='''
            from rankgauge.cli.command import command

            @command("novelty", "rankgauge novelty")
            def novelty() -> None:
                """Do what a new file says."""
        ''',
        shown_by=("--help",),
        shown="Do what a new file says.",
    ),
    "web route": Novelty(
        room="rankgauge.room.pages",
        source="""
            from rankgauge.room.route import api

            router = api("novelty", place=1000, tag="novelty")

            @router.get("/novelty")
            def novelty() -> str:
                return "new"
        """,
        shown_by=(
            "python",
            "from rankgauge.room.app import create_app; from rankgauge.room.settings import RoomSettings;"
            "print(*create_app(RoomSettings.of(database='sqlite:///room.db')).openapi()['paths'])",
        ),
        shown="/api/v1/novelty",
    ),
    "cost": Novelty(
        room="rankgauge.labelling.costs",
        source="""
            import numpy as np

            from rankgauge.labelling.pool_rows import Cost

            Cost(name="novelcost", title="two for each", of=lambda rows: np.full(len(rows.frame), 2.0)).register()
        """,
        shown_by=("active", "plan", "--help-all"),
        shown="novelcost",
    ),
    "API": Novelty(
        room="rankgauge.judgments.llm.apis",
        source="""
            from rankgauge.judgments.llm.chat_api import ChatApi

            ChatApi(
                name="novelapi",
                title="-",
                is_at=lambda url: False,
                address=str,
                headers=lambda key: {},
                choices=lambda held: None,
                usage=("", ""),
            ).register()
        """,
        shown_by=("judge", "--help-all"),
        shown="novelapi",
    ),
    "prompt": Novelty(
        room="rankgauge.judgments.llm.prompts",
        source="""
            from rankgauge.judgments.llm.asking.prompt import PromptWords

            PromptWords(name="novelprompt", title="a new prompt", source="-", template="{query} {document}").register()
        """,
        shown_by=("judge", "prompts"),
        shown="a new prompt",
    ),
    "label format": Novelty(
        room="rankgauge.labelling.label_formats",
        source="""
            from rankgauge.labelling.label_format import LabelFormat

            LabelFormat(
                name="novellabels",
                title="labels from a new file",
                endings=(".novelty",),
                place=5,
                recognise=lambda head: False,
                read=lambda source, assessor: [],
                write=lambda tasks: "",
            ).register()
        """,
        shown_by=("formats",),
        shown="labels from a new file",
    ),
    "paper": Novelty(
        room="rankgauge.papers.published",
        source="""
            from rankgauge.papers.experiment import Paper
            from rankgauge.papers.experiment import Experiment

            paper = Paper(title="-", reference="-", claims=(), figures={})
            Experiment(name="novelpaper", paper=paper, run=None).register()
        """,
        shown_by=("reproduce", "--help-all"),
        shown="novelpaper",
    ),
}

PROGRAM = """
import contextlib, importlib, io, json, sys, traceback

rooms, questions = json.load(sys.stdin)
for room, folder in rooms:
    importlib.import_module(room).__path__.append(folder)

from rankgauge.cli.main import run

answers = {}
for kind, words in questions.items():
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            if words[0] == "python":
                exec(words[1])
            else:
                sys.argv = ["rankgauge", *words]
                run()
        except SystemExit:
            pass
        except Exception:
            traceback.print_exc()
    answers[kind] = said.getvalue()
json.dump(answers, sys.stdout)
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """By kind, what is shown once a file with a new thing of each kind is there."""
    folder = tmp_path_factory.mktemp("rooms")
    rooms = []
    for kind, novelty in NOVELTIES.items():
        room = folder / kind.replace(" ", "_")
        room.mkdir()
        (room / f"novel_{room.name}.py").write_text(textwrap.dedent(novelty.source), encoding="utf-8")
        rooms.append((novelty.room, str(room)))
    (folder / "qrels.txt").write_text("q1 0 a 3\nq1 0 b 1\nq1 0 c 0\n", encoding="utf-8")
    (folder / "bm25.txt").write_text("q1 Q0 b 1 2.0 x\nq1 Q0 a 2 1.0 x\n", encoding="utf-8")
    ratings = ["query,document,assessor,grade", *(f"q1,d{n},{who},{n % 2}" for n in range(4) for who in "xy")]
    (folder / "ratings.csv").write_text("\n".join(ratings) + "\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps([rooms, {kind: novelty.shown_by for kind, novelty in NOVELTIES.items()}]),
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("kind", NOVELTIES)
def test_a_file_adds_a_thing(answers: dict[str, str], kind: str) -> None:
    """A file in the room of its kind is seen at the command line, with no other change."""
    shown = " ".join(answers[kind].split())
    assert NOVELTIES[kind].shown in shown, answers[kind]
