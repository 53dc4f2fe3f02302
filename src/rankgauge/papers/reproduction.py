"""The results of an experiment: on the screen, and as files in a folder."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

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
        """Print the verdict on each claim, with the numbers behind it."""
        out, paper, measured = Screen(stream), self.experiment.paper, dict(self.measurements.numbers)
        out.show(f"{bold(paper.title)}\n{paper.reference}", text_width())
        out.show(f"{self.how}\n", text_width())
        for claim in paper.claims:
            verdict = self.verdict(claim)
            out.show(f"{bold(claim.place)}: {apply_style(str(verdict), STYLES[verdict])}")
            known = [("  claim", claim.words), ("  tested", claim.tested)]
            if verdict is Verdict.UNTESTED and claim.needs:
                out.pairs([*known, ("  needs", claim.needs)])
            else:
                out.pairs(known)
                numbers = [(one, measured.get(one.number)) for one in claim.conditions]
                rows = [(f"  {one.number}", number, one.words, str(one.verdict(number))) for one, number in numbers]
                out.table(
                    ReportTable(columns=("  number", Column("measured", format=_show), "expected", ""), rows=rows)
                )
            out.show()
        claimed = {condition.number for claim in paper.claims for condition in claim.conditions}
        if others := [(name, number) for name, number in measured.items() if name not in claimed]:
            out.table(ReportTable(columns=("also measured", Column("", format=_show)), rows=others))
            out.show()
        for report in self.measurements.reports.values():
            report.show(stream)
            out.show()
        counts = Counter(map(self.verdict, paper.claims))
        out.show(", ".join(f"{verdict}: {counts[verdict]}" for verdict in Verdict if verdict in counts))

    def write(self, folder: Path, *, figures: bool = True) -> list[Path]:
        """Write verdicts, tables and figures (data as CSV and JSON), and reports as pages and as Markdown."""
        folder.mkdir(parents=True, exist_ok=True)
        paper, asked, paths = self.experiment.paper, self.setting, []
        for name, frame in {"claims": self.numbers, **self.measurements.tables}.items():
            paths.append(folder / f"{name}.csv")
            frame.write_csv(paths[-1])
        data = {"data": asked.data is not None, "full": asked.full}
        document = {
            "paper": {"name": self.experiment.name, "title": paper.title, "reference": paper.reference},
            "setting": {"trials": asked.trials, "seed": asked.seed, **data, "how": self.how},
            "claims": [{"place": c.place, "claim": c.words, "verdict": str(self.verdict(c))} for c in paper.claims],
            "numbers": {name: asdict(number) for name, number in self.measurements.numbers.items()},
            "figures": {name: words for name, words in paper.figures.items() if name in self.measurements.figures},
        }
        paths.append(folder / "results.json")
        paths[-1].write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        for name, draw in self.measurements.figures.items() if figures else ():
            paths += plots.save(draw(), folder / name)
        for name, report in self.measurements.reports.items():
            for format_ in (FORMATS["html"], FORMATS["md"]):
                paths.append(folder / f"{name}{format_.endings[0]}")
                with paths[-1].open("w", encoding="utf-8") as stream:
                    format_.write(report, stream)
        return paths


def _show(number: Number | None) -> str:
    if number is None:
        return "–"
    return f"{number.value:.4f}" + (f" ± {number.error:.4f}" if number.error else "")
