"""Plants bugs in the kernels and counts how many the measures' own tests find.

    python -m benchmarks.mutate                        every bug, every kernel
    python -m benchmarks.mutate --sample 200           200 of them, drawn with --seed
    python -m benchmarks.mutate --only binary/ap.py    one file

Each bug is one changed expression in a copy of the tree: the working tree is never touched. The examples and the
contract are run on the measures that use the changed code; a bug that no test finds survives. Survivors that change
no value whatever the input are listed in `benchmarks/equivalent.toml`, each with the reason.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import random
import re
import shutil
import sys
import tempfile
import time
import tomllib
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
MEASURES = Path("src/rankgauge/measures")
FAMILIES = ("set", "binary", "graded", "cascade", "scalefree", "diversity", "preferences", "sampled")
SHARED = ("forms.py", "gains.py", "intents.py", "strata.py")
CONTRACT = "tests/measures/test_contract.py"
LIMIT = 600.0
"""Seconds after which a test run counts as hung: the bug is then neither found nor survived."""

COMPARISONS = {ast.GtE: ast.Gt, ast.Gt: ast.GtE, ast.LtE: ast.Lt, ast.Lt: ast.LtE, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NAMES = {
    "relevant": "nonrelevant",
    "nonrelevant": "relevant",
    "total_relevant": "total_nonrelevant",
    "total_nonrelevant": "total_relevant",
    "judged": "hits",
    "hits": "judged",
    "minimum": "maximum",
    "maximum": "minimum",
    "max": "min",
    "ceil": "floor",
    "floor": "ceil",
    "log2": "log1p",
    "retrieved": "total_relevant(1.0)",
}
MODULE = "module"
UNTOUCHED = {"facts", "shorthands", "__all__", "LONGEST"}
UNTOUCHED_FUNCTIONS = {"__post_init__", "spelled", "text"}


@dataclass(frozen=True)
class Bug:
    """One changed expression: where it stands, what it was and what it became."""

    file: str
    function: str
    line: int
    text: str
    start: int
    end: int
    was: str
    became: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} in {self.function}: {self.was} → {self.became}"

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The bug by the text of its line, not the number, so that edits elsewhere do not move it."""
        return self.file, self.text, self.was, self.became


def bugs(file: str) -> Iterator[Bug]:
    """Every bug that can be planted in a file."""
    source = _text(file)
    starts = [0]
    for text in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(text))
    for function, node in _expressions(ast.parse(source), MODULE):
        for became in _changes(node):
            yield Bug(
                file=file,
                function=function,
                line=node.lineno,
                text=source.splitlines()[node.lineno - 1].strip(),
                start=starts[node.lineno - 1] + node.col_offset,
                end=starts[node.end_lineno - 1] + node.end_col_offset,
                was=ast.unparse(node),
                became=became,
            )


def _expressions(node: ast.AST, function: str) -> Iterator[tuple[str, ast.expr]]:
    """The expressions that compute something, with the function they stand in."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            if name not in UNTOUCHED_FUNCTIONS:
                for statement in node.body:
                    yield from _expressions(statement, name if function == MODULE else f"{function}.{name}")
            return
        case ast.Assert() | ast.Raise() | ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if name in UNTOUCHED:
            return
        case ast.Assign(targets=[ast.Name(id=name)]) if function == MODULE:
            yield from _expressions(node.value, name)
            return
        case ast.AnnAssign(target=ast.Name(id=name)):
            if node.value is not None:
                yield from _expressions(node.value, name if function == MODULE else function)
            return
        case ast.If(body=[ast.Raise()], orelse=[]):
            # What is refused has tests of its own.
            return
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]) | ast.arguments():
            return
        case ast.Call(func=ast.Attribute(attr="top")):
            # The cut of columns only saves work: what counts is cut again by rank.
            return
        case ast.expr():
            yield function, node
    for child in ast.iter_child_nodes(node):
        yield from _expressions(child, function)


def _changes(node: ast.expr) -> Iterator[str]:
    """What an expression can be changed into."""
    match node:
        case ast.Compare(ops=[operation]) if type(operation) in COMPARISONS:
            yield ast.unparse(ast.Compare(node.left, [COMPARISONS[type(operation)]()], node.comparators))
        case ast.BinOp(op=operation) if type(operation) in OPERATORS:
            yield f"({ast.unparse(ast.BinOp(node.left, OPERATORS[type(operation)](), node.right))})"
        case ast.UnaryOp(op=ast.Invert() | ast.USub()):
            yield f"({ast.unparse(node.operand)})"
        case ast.Constant(value=bool()):
            yield repr(not node.value)
        case ast.Constant(value=int() | float()):
            yield repr(node.value + 1)
        case ast.Call(func=ast.Attribute(attr="where"), args=[_, kept, other]):
            yield f"({ast.unparse(kept)})"
            yield f"({ast.unparse(other)})"
        case ast.Attribute(value=ast.Name(id="self"), attr="cutoff"):
            yield "(self.cutoff and self.cutoff + 1)"
        case ast.Attribute(attr=name) if name in NAMES:
            yield f"{ast.unparse(node.value)}.{NAMES[name]}"


def users(bug: Bug) -> set[str] | None:
    """The names of the measures that the bug can touch; None for all of them."""
    if bug.file not in SHARED:
        module = bug.file.removesuffix(".py").replace("/", ".")
        users = [bug.file, *(file for file in _files() if _mentions(_text(file), {f"measures.{module}"}))]
        return {name for file in users for name in _names(file)}
    return _users_of({bug.function.split(".")[0]}) if bug.function != MODULE else None


def _users_of(names: set[str]) -> set[str]:
    """The measures whose files mention one of the names, or a shared function that does."""
    wanted = set(names)
    while True:
        found = {name for file in SHARED for name, body in _functions(file) if _mentions(body, wanted)}
        if found <= wanted:
            break
        wanted |= found
    return {name for file in _files() if _mentions(_text(file), wanted) for name in _names(file)}


def _files() -> list[str]:
    """The files of the measures."""
    return [f"{family}/{p.name}" for family in FAMILIES for p in sorted((ROOT / MEASURES / family).glob("[!_]*.py"))]


def _text(file: str) -> str:
    return (ROOT / MEASURES / file).read_text(encoding="utf-8")


def _functions(file: str) -> Iterator[tuple[str, str]]:
    """What a shared file defines: functions, classes and tables by name, and their text."""
    for node in ast.parse(_text(file)).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name, ast.unparse(node)


def _mentions(text: str, names: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


def _names(file: str) -> set[str]:
    """The names of the measures that a file holds: of classes that state facts, unless the facts have another."""
    stated = re.findall(
        r"^class (\w+)\(.*?^    facts = \w+\(\n(?:        name=\"(\w+)\")?", _text(file), re.MULTILINE | re.DOTALL
    )
    return {name or kind for kind, name in stated}


def find(tree: Path, bug: Bug) -> None:
    """Runs the tests on a tree with the bug; ends the process with 0 if all pass."""
    import hypothesis
    import pytest

    os.chdir(tree)
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(tree / "src"), str(tree)]
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        names = users(bug)
        if not _examples_hold(names):
            os._exit(1)
        hypothesis.settings.register_profile("mutate", derandomize=True, database=None)
        hypothesis.settings.load_profile("mutate")
        plugins = ["no:randomly", "no:cacheprovider", "no:xdist", "no:cov"]
        options = ["-x", "-W", "ignore::pytest.PytestAssertRewriteWarning", *(f"-p{name}" for name in plugins)]
        os.environ["RANKGAUGE_MEASURES"] = ",".join(sorted(names or ()))
        code = pytest.main([*options, CONTRACT])
    os._exit(int(code))


def _examples_hold(names: set[str] | None) -> bool:
    """Whether the worked examples of the measures hold: most bugs break one, and pytest takes longer to start."""
    try:
        from tests.measures import test_examples

        for example in test_examples.EXAMPLES:
            if names is None or re.match(r"\w+", example.measure)[0] in names:
                test_examples.test_example(example)
    except Exception:
        return False
    return True


def work(queue: multiprocessing.Queue, results: multiprocessing.Queue) -> None:
    """Takes bugs from the queue, plants each in this worker's own tree, and says whether it was found."""
    import hypothesis  # noqa: F401  once here, so that each child has them already
    import numpy  # noqa: F401
    import polars  # noqa: F401
    import pytest  # noqa: F401

    # polars warns of forks while its threads work; no kernel uses it.
    warnings.simplefilter("ignore")

    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        tree = Path(folder)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "src", tree / "src", ignore=ignored)
        shutil.copytree(ROOT / "tests/measures", tree / "tests/measures", ignore=ignored)
        for helper in ("conftest.py", "engines.py", "examples.py", "lanes.py"):
            shutil.copy(ROOT / "tests" / helper, tree / "tests")
        shutil.copy(ROOT / "pyproject.toml", tree)
        while (bug := queue.get()) is not None:
            path = tree / MEASURES / bug.file
            whole = path.read_bytes()
            path.write_bytes(whole[: bug.start] + bug.became.encode() + whole[bug.end :])
            child = multiprocessing.Process(target=find, args=(tree, bug))
            child.start()
            child.join(LIMIT)
            path.write_bytes(whole)
            results.put((bug, _outcome(child)))


def _outcome(child: multiprocessing.Process) -> str:
    """What became of a test run; one that still goes on is ended."""
    if child.is_alive():
        child.kill()
        child.join()
        return "hung"
    return "survived" if child.exitcode == 0 else "killed"


def explained() -> dict[tuple[str, str, str, str], str]:
    """The known bugs that change no value, with the reason."""
    listed = tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text(encoding="utf-8"))
    return {(e["file"], e["text"], e["was"], e["became"]): e["why"] for e in listed["equivalent"]}


def main() -> int:
    """Plants the bugs and prints what became of them; 1 if one survived that nobody explained."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, help="plant so many bugs instead of all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--only", action="append", help="a file below measures/, as in binary/ap.py")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    files = chosen.only or [*SHARED, *_files()]
    known = explained()
    planted = [bug for file in files for bug in bugs(file)]
    if chosen.sample is not None and chosen.sample < len(planted):
        planted = sorted(
            random.Random(chosen.seed).sample(planted, chosen.sample), key=lambda bug: (bug.file, bug.line)
        )
    print(f"{len(planted)} bugs in {len(files)} files, seed {chosen.seed}, {chosen.workers} workers")
    files_touched = {bug.file: bug for bug in planted}.values()
    sound = [replace(bug, start=bug.end, became="", was="nothing") for bug in files_touched]
    broken = [bug.file for bug, outcome in try_all(sound, chosen.workers) if outcome != "survived"]
    if broken:
        print("the tests fail without any bug planted:", *broken)
        return 2
    return report(try_all(planted, chosen.workers), known)


def try_all(planted: list[Bug], workers: int) -> list[tuple[Bug, str]]:
    """What became of each bug."""
    context = multiprocessing.get_context("fork")
    queue, results = context.Queue(), context.Queue()
    for item in [*planted, *[None] * workers]:
        queue.put(item)
    crew = [context.Process(target=work, args=(queue, results)) for _ in range(workers)]
    for worker in crew:
        worker.start()
    outcome = []
    for number, _ in enumerate(planted, start=1):
        outcome.append(results.get())
        print(f"\r{number}/{len(planted)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for worker in crew:
        worker.join()
    return outcome


def report(outcomes: list[tuple[Bug, str]], known: dict[tuple[str, str, str, str], str]) -> int:
    """Prints the table and the survivors."""
    words = ("killed", "equivalent", "survived", "hung")
    table: dict[str, Counter[str]] = defaultdict(Counter)
    lines = []
    for bug, outcome in sorted(outcomes, key=lambda pair: (pair[0].file, pair[0].start)):
        word = "equivalent" if outcome == "survived" and bug.key in known else outcome
        table[bug.file][word] += 1
        if word in ("survived", "hung"):
            lines.append(f"{word}: {bug}")
        elif word == "killed" and bug.key in known:
            lines.append(f"killed, though listed as equivalent: {bug}")
    print(f"{'file':<36}{'bugs':>8}" + "".join(f"{word:>12}" for word in words))
    table["all"] = sum(table.values(), Counter())
    for file, counts in table.items():
        print(f"{file:<36}{counts.total():>8}" + "".join(f"{counts[word]:>12}" for word in words))
    print(*lines, sep="\n")
    return 1 if table["all"]["survived"] or table["all"]["hung"] else 0


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    began = time.perf_counter()
    code = main()
    print(f"{time.perf_counter() - began:.0f} s")
    sys.exit(code)
