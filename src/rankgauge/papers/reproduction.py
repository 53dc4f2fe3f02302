"""The results of an experiment: on the screen, and as files in a folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

import polars as pl

from rankgauge.papers.experiment import Claim, Experiment, Measurements, Number, Setting, Verdict
from rankgauge.render import plots
from rankgauge.render.format import FORMATS
from rankgauge.render.table import Column, ReportTable
from rankgauge.render.terminal import Screen, apply_style, bold, text_width

STYLES = {
    Verdict.HOLDS: "green",
    Verdict.IN_PART: "yellow",
    Verdict.FAILS: "red",
    Verdict.UNDECIDED: "cyan",
    Verdict.UNTESTED: "dim",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Reproduction:
    """An experiment, how it was run, and what it measured."""

    experiment: Experiment
    setting: Setting
    measurements: Measurements

    @classmethod
    def of(cls, experiment: Experiment, setting: Setting) -> Reproduction:
        """Run the experiment."""
        return cls(experiment=experiment, setting=setting, measurements=experiment.run(setting))

    @property
    def how(self) -> str:
        """How it was run, in a line."""
        words = self.measurements.words or f"{self.setting.trials} trials, seed {self.setting.seed}"
        idle = self.setting.full and not self.experiment.has_full
        return f"{words}; --full has no effect on this paper" if idle else words

    def verdict(self, claim: Claim) -> Verdict:
        """Return the verdict on the claim."""
        return claim.verdict(self.measurements.numbers)

    @property
    def numbers(self) -> pl.DataFrame:
        """A row per condition of a claim: what was expected, what was measured, and the verdicts."""
        rows = [
            {
                "place": claim.place,
                "claim": claim.words,
                "verdict": str(self.verdict(claim)),
                "number": condition.number,
                "value": None if measured is None else measured.value,
                "error": None if measured is None else measured.error,
                "expected": condition.words,
                "condition": str(condition.verdict(measured)),
            }
            for claim in self.experiment.paper.claims
            for condition in claim.conditions
            for measured in (self.measurements.numbers.get(condition.number),)
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def show(self, stream: TextIO) -> None:
        """Prints the verdict on each claim, with the numbers behind it."""
        out, paper = Screen(stream), self.experiment.paper
        out.show(f"{bold(paper.title)}\n{paper.reference}", text_width())
        out.show(f"{self.how}\n", text_width())
        for claim in paper.claims:
            verdict = self.verdict(claim)
            out.show(f"{bold(claim.place)}: {apply_style(str(verdict), STYLES[verdict])}")
            known = [("  claim", claim.words), ("  tested", claim.tested)]
            untested = verdict is Verdict.UNTESTED and claim.needs
            out.pairs([*known, ("  needs", claim.needs)] if untested else known)
            if not untested:
                self._show_numbers(claim, out)
            out.show()
        self._show_others(out)
        for report in self.measurements.reports.values():
            report.show(stream)
            out.show()
        counts = [sum(self.verdict(claim) is verdict for claim in paper.claims) for verdict in Verdict]
        out.show(", ".join(f"{verdict}: {count}" for verdict, count in zip(Verdict, counts, strict=True) if count))

    def _show_numbers(self, claim: Claim, out: Screen) -> None:
        measured = self.measurements.numbers
        rows = [
            (f"  {one.number}", measured.get(one.number), one.words, str(one.verdict(measured.get(one.number))))
            for one in claim.conditions
        ]
        out.table(ReportTable(columns=("  number", Column("measured", format=_show), "expected", ""), rows=rows))

    def _show_others(self, out: Screen) -> None:
        claimed = {condition.number for claim in self.experiment.paper.claims for condition in claim.conditions}
        others = {name: number for name, number in self.measurements.numbers.items() if name not in claimed}
        if others:
            out.table(ReportTable(columns=("also measured", Column("", format=_show)), rows=[*others.items()]))
            out.show()

    def write(self, folder: Path, *, figures: bool = True) -> list[Path]:
        """Write verdicts, tables and figures (data as CSV and JSON), and reports as pages and as Markdown."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for name, frame in {"claims": self.numbers, **self.measurements.tables}.items():
            paths.append(folder / f"{name}.csv")
            frame.write_csv(paths[-1])
        paths.append(folder / "results.json")
        paths[-1].write_text(json.dumps(self._document(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        for name, draw in self.measurements.figures.items() if figures else ():
            paths += plots.save(draw(), folder / name)
        for name, report in self.measurements.reports.items():
            for format_ in (FORMATS["html"], FORMATS["md"]):
                paths.append(folder / f"{name}{format_.endings[0]}")
                with paths[-1].open("w", encoding="utf-8") as stream:
                    format_.write(report, stream)
        return paths

    def _document(self) -> dict[str, Any]:
        paper, asked = self.experiment.paper, self.setting
        data = {"data": asked.data is not None, "full": asked.full}
        return {
            "paper": {"name": self.experiment.name, "title": paper.title, "reference": paper.reference},
            "setting": {"trials": asked.trials, "seed": asked.seed, **data, "how": self.how},
            "claims": [{"place": c.place, "claim": c.words, "verdict": str(self.verdict(c))} for c in paper.claims],
            "numbers": {name: asdict(number) for name, number in self.measurements.numbers.items()},
            "figures": {name: words for name, words in paper.figures.items() if name in self.measurements.figures},
        }


def show_papers(experiments: dict[str, Experiment], stream: TextIO) -> None:
    """Prints every paper that can be reproduced."""
    rows = [(name, f"{known.paper.title}. {known.paper.reference}") for name, known in experiments.items()]
    Screen(stream).pairs(rows)


def _show(number: Number | None) -> str:
    if number is None:
        return "–"
    return f"{number.value:.4f}" + (f" ± {number.error:.4f}" if number.error else "")
