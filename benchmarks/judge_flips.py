"""What an audit of a judge knows from few labels, on DL19 and DL21, whose pools people judged throughout.

    python -m benchmarks.judge_flips --repetitions 100 --labels 200 --seed 1
    python -m benchmarks.judge_flips --collection dl21 --only forecasts --labels 50 100 200 --repetitions 50

Tables in Markdown: how well the audit foretells from some labels which differences between runs change their
verdict under all labels; how often its intervals of agreement hold the value of all labels; how often its test for
circularity is wrong about runs that no judge made, and right about runs that are reranked by the judge; and how often
all its forecasts hold from few labels. The collections and their judges are those of ../shared/data. Run it with one
BLAS thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge.audit.judge import JudgeAudit, audit_judges
from rankgauge.audit.judge.agreement import Comparable, agreement
from rankgauge.audit.judge.consequences import Consequences, JudgedRuns, circularity
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.files import read_judgments
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.papers.trec import dl19_runs

DATA = Path(__file__).parents[1].parent / "shared" / "data"
COLLECTIONS = {"dl19": "trec_dl19_passage", "dl21": "trec_dl21_passage"}
DRAWS = 80
DESIGNS = ("any", "top")
KINDS = ("lost", "found", "lost or found")
OTHERS = ("pairs in the other order", "precision", "recall", "Brier", "coverage", "bias")
COEFFICIENTS = ("identical", "kappa", "kappa_quadratic", "alpha", "auc")


def loaded(seed: int, collection: str = "dl19") -> JudgeAudit:
    """A collection with its four judges, a judge who guesses and one who is always right."""
    folder = DATA / COLLECTIONS[collection]
    people = read_judgments(folder / "qrels.txt")
    rng = np.random.default_rng(seed)
    guesses = people.with_columns(grade=rng.permutation(people["grade"].to_numpy()))
    judges = {path.stem: _judge(path) for path in sorted((folder / "llm").glob("*.qrels"))}
    return audit_judges(people, {**judges, "random": guesses, "people": people}, dl19_runs(folder), rel=2, seed=seed)


def _judge(path: Path) -> pl.DataFrame:
    """Read a judge's grades; those of one that says relevant or not are 2 and 0, where people call 2 relevant."""
    frame = read_judgments(path)
    return frame.with_columns(grade=2 * pl.col("grade")) if frame["grade"].max() == 1 else frame


def chosen(audit: JudgeAudit, design: str, labels: int, rng: np.random.Generator) -> tuple[IndexArray, FloatArray]:
    """Pairs for people, and the weights they were drawn by: all alike, or more of what runs have near their tops."""
    assert audit.lists is not None
    best = audit.lists.best_ranks(len(audit.pairs.people))
    weight = np.ones(len(best)) if design == "any" else np.where(best <= 10, 1 / np.sqrt(best), 0.05)
    return rng.choice(len(weight), labels, replace=False, p=weight / weight.sum()), weight


class Tally:
    """What repetitions foretold of the verdicts of one judge."""

    def __init__(self, truth: Consequences) -> None:
        self.truth = truth
        self.rows: list[tuple[float, ...]] = []

    def add(self, found: Consequences) -> None:
        """One more repetition."""
        row: list[float] = []
        for told, true in self._kinds(found):
            row += [float((told > 0.5).sum()), float(((told > 0.5) & true).sum())]
        flips = found.chances[1:4].sum(axis=0)
        row.append(float(np.mean((flips - (self.truth.chances[1:4].sum(axis=0) > 0.5)) ** 2)))
        values, true_values = found.values(), self.truth.people[0].mean(axis=0)
        inside = (values["people_low"].to_numpy() <= true_values) & (true_values <= values["people_high"].to_numpy())
        off = values["people"].to_numpy() - true_values
        self.rows.append((*row, float(inside.mean()), float(off.mean())))

    def _kinds(self, found: Consequences) -> Iterator[tuple[FloatArray, FloatArray]]:
        """By kind of flip: the chance that was foretold, and whether it is so."""
        for place in (1, 2):
            yield found.chances[place], self.truth.chances[place] > 0.5
        yield found.chances[1:4].sum(axis=0), self.truth.chances[1:4].sum(axis=0) > 0.5
        yield found.swapped, self.truth.swapped > 0.5

    def line(self) -> list[str]:
        """Numbers of flips; precision and recall over all repetitions, with standard errors over them."""
        rows, cells = np.array(self.rows), []
        trues = [int(true.sum()) for _, true in self._kinds(self.truth)]
        for place, true in enumerate(trues):
            told, hit = rows[:, 2 * place], rows[:, 2 * place + 1]
            cells += [f"{true}", _ratio(hit, told), _ratio(hit, np.full_like(hit, true))]
        return [*cells, *(f"{mean:.3f}" for mean in rows[:, 8:].mean(axis=0))]


def _ratio(part: FloatArray, whole: FloatArray) -> str:
    """A ratio of sums with the standard error of it over repetitions; a dash without anything."""
    if not whole.sum():
        return "–"
    ratio, n = part.sum() / whole.sum(), len(part)
    error = np.std(part - ratio * whole, ddof=1) / np.sqrt(n) / whole.mean() if n > 1 else np.nan
    return f"{ratio:.2f} ({error:.2f})"


def flips(audit: JudgeAudit, *, designs: Sequence[str], labels: int, repetitions: int, seed: int) -> None:
    """The tables of foretold flips, and of what else was foretold."""
    print(f"| judge | labels | {' | '.join(f'{kind} | precision | recall' for kind in KINDS)} |")
    print("|---" * (3 * len(KINDS) + 2) + "|")
    others = [f"| judge | labels | {' | '.join(OTHERS)} |", "|---" * (len(OTHERS) + 2) + "|"]
    measure = audit.measures[0]
    for name in audit.judges:
        board, truth = audit.board([name]), audit.consequences[name, measure]
        for design in designs:
            tally = Tally(truth)
            for repetition in range(repetitions):
                rng = np.random.default_rng([seed, repetition])
                picked, _ = chosen(audit, design, labels, rng)
                grades = np.full(len(audit.pairs.people), np.nan)
                grades[picked] = audit.pairs.people[picked]
                drawn = replace(board, pairs=replace(audit.pairs, people=grades, probability=None)).draw_people(
                    rng, DRAWS
                )
                people = audit.lists.top(measure.depth).values(drawn, measure)  # type: ignore[union-attr]
                tally.add(replace(truth, people=people, unknown=1 - labels / len(grades)))
            cells, head = tally.line(), f"| {name} | {labels} {design} | "
            print(head + " | ".join(cells[: 3 * len(KINDS)]) + " |", flush=True)
            others.append(head + " | ".join(cells[3 * len(KINDS) :]) + " |")
    print("\n".join(others))


FORECASTS = (
    *("values", "their error", "same grade", "kappa, quadratic", "AUC", "τ within", "τ", "τ foretold"),
    *("kept", "kept, foretold", "error"),
)


def forecasts(audit: JudgeAudit, *, designs: Sequence[str], labels: int, repetitions: int, seed: int) -> None:
    """The table of forecasts from some labels: how often intervals hold, and how many verdicts are foretold to hold.

    Values and τ are those of all labels; `kept` are the differences that the judge calls significant and people too.
    """
    measure = audit.measures[0]
    for name in audit.judges[:-1]:
        truth, board = audit.consequences[name, measure], audit.board([name])
        order, agreed = truth.order(), _values(audit.pairs, name, np.random.default_rng(seed))
        people = truth.people[0].mean(axis=0)
        for design in designs:
            rows = []
            for repetition in range(repetitions):
                rng = np.random.default_rng([seed, repetition])
                pairs = _sampled(audit, f"{labels} {design}", rng)
                drawn = replace(board, pairs=pairs).draw_people(rng, DRAWS)
                told = replace(
                    truth,
                    people=audit.lists.top(measure.depth).values(drawn, measure),  # type: ignore[union-attr]
                    unknown=1 - labels / len(pairs.people),
                )
                values, foretold, found = told.values(), told.order(), _values(pairs, name, rng)
                low, high = values["people_low"].to_numpy(), values["people_high"].to_numpy()
                held = [found[c][1] <= agreed[c][0] <= found[c][2] for c in ("identical", "kappa_quadratic", "auc")]
                in_order = foretold["tau_low"] <= order["tau"] <= foretold["tau_high"]
                kept = float(foretold["kept"])
                off = float((values["people"].to_numpy() - people).mean())
                inside = ((low <= people) & (people <= high)).mean()
                ends = float(foretold["tau_low"]), float(foretold["tau_high"])
                rows.append((inside, off, *held, in_order, *ends, kept))
            share = np.array(rows, dtype=np.float64)
            mean, true = share.mean(axis=0), float(order["kept"])
            cells = [f"{mean[0]:.3f}", f"{mean[1]:+.3f}", *(f"{one:.2f}" for one in mean[2:6])]
            cells += [f"{order['tau']:.2f}", f"{mean[6]:.2f} to {mean[7]:.2f}"]
            cells += [f"{true:.0f}", f"{mean[8]:.0f}", f"{np.sqrt(np.mean((share[:, 8] - true) ** 2)):.0f}"]
            print(f"| {name} | {labels} {design} | {' | '.join(cells)} |", flush=True)


def intervals(audit: JudgeAudit, *, labels: int, repetitions: int, seed: int) -> None:
    """The table of how often intervals of agreement hold the value of all labels."""
    print(f"| judge | sample | {' | '.join(COEFFICIENTS)} |")
    print("|---" * (len(COEFFICIENTS) + 2) + "|")
    for name in audit.judges[:-1]:
        truth = _values(audit.pairs, name, np.random.default_rng(seed))
        for sample in (f"{labels} any", f"{labels} top", "20 queries", "43 queries"):
            held = np.zeros(len(COEFFICIENTS))
            for repetition in range(repetitions):
                rng = np.random.default_rng([seed, repetition])
                found = _values(_sampled(audit, sample, rng), name, rng)
                held += [found[c][1] <= truth[c][0] <= found[c][2] for c in COEFFICIENTS]
            print(f"| {name} | {sample} | {' | '.join(f'{share:.3f}' for share in held / repetitions)} |", flush=True)


def _sampled(audit: JudgeAudit, sample: str, rng: np.random.Generator) -> GradedPairs:
    """Some labels of all queries, with the probabilities of those at the top; or all labels of queries drawn anew."""
    pairs, (number, what) = audit.pairs, sample.split()
    if what == "queries":
        return _queries(pairs, rng.integers(len(pairs.sizes), size=int(number)))
    picked, weight = chosen(audit, what, int(number), rng)
    grades = np.full(len(pairs.people), np.nan)
    grades[picked] = pairs.people[picked]
    if what == "any":
        return replace(pairs, people=grades, probability=None)
    # Of few labels among many, the chance of each is nearly in proportion to its weight.
    return replace(pairs, people=grades, probability=np.minimum(1.0, int(number) * weight / weight.sum()))


def _queries(pairs: GradedPairs, drawn: IndexArray) -> GradedPairs:
    """The pairs of some queries, each as often as it was drawn."""
    rows = np.concatenate([pairs.starts[q] + np.arange(pairs.sizes[q]) for q in drawn])
    return replace(
        pairs,
        queries=tuple(str(place) for place in range(len(drawn))),
        documents=pl.Series([str(row) for row in rows]),
        sizes=pairs.sizes[drawn],
        people=pairs.people[rows],
        judges={name: grades[rows] for name, grades in pairs.judges.items()},
        own={name: grades[rows] for name, grades in pairs.own.items()},
    )


def _values(pairs: GradedPairs, judge: str, rng: np.random.Generator) -> dict[str, tuple[float, float, float]]:
    rows = agreement(Comparable.from_pairs(pairs, judge, rel=2), seed=int(rng.integers(1 << 31))).iter_rows(named=True)
    return {row["coefficient"]: (row["value"], row["low"], row["high"]) for row in rows}


def circles(audit: JudgeAudit) -> None:
    """The table of the test for circularity: each run suspected in turn, as it is and reranked by the judge."""
    print("| judge | runs that no judge made, p < 0.05 | the same runs reranked by the judge, p < 0.05 | mean excess |")
    print("|---|---|---|---|")
    measure = audit.measures[0]
    people = audit.judge_values(measure, audit.pairs.people).mean(axis=0)
    for name in audit.judges[:-1]:
        judge = audit.judge_values(measure, audit.pairs.judges[name]).mean(axis=0)
        wrong = sum(_p(audit, judge, people, run)[0] < 0.05 for run in range(len(people)))
        made = [_p(audit, *_reranked(audit, name, judge, people, run), run) for run in range(len(people))]
        right, excess = sum(p < 0.05 for p, _ in made), np.mean([found for _, found in made])
        print(f"| {name} | {wrong} of {len(people)} | {right} of {len(people)} | {excess:+.3f} |", flush=True)


def _p(audit: JudgeAudit, judge: FloatArray, people: FloatArray, run: int) -> tuple[float, float]:
    names = tuple(audit.runs)
    row = circularity(names, judge, people[np.newaxis], [names[run]]).row(run, named=True)
    return float(row["p"]), float(row["excess"])


def _reranked(
    audit: JudgeAudit, name: str, judge: FloatArray, people: FloatArray, run: int
) -> tuple[FloatArray, FloatArray]:
    """The values of all runs when one is reranked by the judge's grades; equal grades stay in their order."""
    said = audit.pairs.machines[name].frame
    grades = dict(zip(zip(said["query"], said["document"], strict=True), said["grade"], strict=True))
    made = {
        query: {d: -float(n) for n, d in enumerate(sorted(listed, key=lambda d, q=query: -grades.get((q, d), 0.0)))}  # type: ignore[misc]
        for query, listed in list(audit.runs.values())[run].items()
    }
    measure = audit.measures[0]
    lists = JudgedRuns.from_runs(audit.pairs, {"made": made}, rel=2).top(measure.depth)
    found = []
    for values, by in ((judge, audit.pairs.judges[name]), (people, audit.pairs.people)):
        changed = values.copy()
        changed[run] = lists.values(by, measure).mean()
        found.append(changed)
    return found[0], found[1]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--labels", type=int, nargs="+", default=[200])
    parser.add_argument("--collection", choices=COLLECTIONS, default="dl19")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--designs", nargs="+", choices=DESIGNS, default=DESIGNS)
    parser.add_argument("--only", choices=("flips", "intervals", "circles", "forecasts"))
    asked = parser.parse_args()
    audit, drawn = loaded(asked.seed, asked.collection), {"repetitions": asked.repetitions, "seed": asked.seed}
    if asked.only in (None, "circles"):
        circles(audit)
    for labels in asked.labels if asked.only in (None, "intervals") else ():
        intervals(audit, labels=labels, repetitions=5 * asked.repetitions, seed=asked.seed)
    for labels in asked.labels if asked.only in (None, "flips") else ():
        flips(audit, designs=asked.designs, labels=labels, **drawn)
    if asked.only == "forecasts":
        print(f"| judge | labels | {' | '.join(FORECASTS)} |")
        print("|---" * (len(FORECASTS) + 2) + "|")
        for labels in asked.labels:
            forecasts(audit, designs=asked.designs, labels=labels, **drawn)


if __name__ == "__main__":
    main()
