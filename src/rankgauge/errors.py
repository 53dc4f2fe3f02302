"""The error tree: everything that a user's input can cause, and nothing else.

    RankGaugeError            1
    ├── InputError            2   a file or table is not what was expected: path:line, the line, what to do
    │   ├── AnsweredError     2   an assessor has judged the document before, and said something else
    │   ├── GoneError         2   a campaign that was deleted meanwhile
    │   ├── JudgmentsError    2   judgments do not say what is asked of them
    │   │   └── UncombinedError 2 several assessors judged, and no rule combines their grades
    │   ├── PausedError       2   a campaign is paused and assigns nothing
    │   ├── RefusedError      2   a campaign does not take this as things are
    │   │   ├── ArchivedError 2   a campaign is put away, and does not change
    │   │   ├── UndisputedError 2 a disagreement is settled where there is none
    │   │   └── UnleasedError 2   an assessor answers what was not handed out to them
    │   ├── RepeatedError     2   a document is listed more than once for a query
    │   ├── TooFewQueriesError 2  too few queries are judged to test anything on them
    │   ├── UnavailableError  2   a database does not answer, or is full: try later
    │   ├── UngroupedError    2   a run that is read in pieces is not grouped by query
    │   └── UnmatchedError    2   no query of the run is judged
    ├── UnknownNameError      3   a measure, dialect, policy or format that does not exist: "Did you mean …?"
    │   ├── AmbiguousNameError 3  a name with several meanings: it shows them
    │   └── UnknownNamesError 3   several names of one call
    ├── UsageError            2   a command line that cannot be understood: all that is wrong with it
    ├── ParameterError        4   a parameter's value makes no sense
    │   └── OptionError       4   options of a command line do not fit together: all that is wrong with them
    ├── MissingExtraError     5   an optional dependency is not installed: the pip command that helps
    └── NothingToJudgeError   6   a campaign has no document to hand out now: it says why

The number is the exit code of the command line. `InputWarning` is a warning of Python's, and no error.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

_CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]"
"""Characters that steer a terminal or turn the direction of a text, but for tabs and ends of lines."""

_CLOSE, _NEAR = 0.5, 0.2
"""How alike two names must be for one to be suggested, and how much less alike than the best it may be."""


class RankGaugeError(Exception):
    """The base of every error that RankGauge raises on purpose."""

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """So that an error keeps its fields when it comes from another process."""
        return _again, (type(self), self.args, self.__dict__)


class InputError(RankGaugeError):
    """A file or table is not what was expected."""

    exit_code = 2

    def __init__(
        self,
        problem: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        text: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.problem, self.path, self.line, self.text, self.hint = problem, path, line, text, hint
        super().__init__(str(self))

    def __str__(self) -> str:
        place = "" if self.path is None else f"{self.path}:" + (f"{self.line}:" if self.line else "") + " "
        shown = "" if self.text is None else f"\n  {_shorten(self.text)}"
        return f"{place}{self.problem}{shown}" + (f"\n  {self.hint}" if self.hint else "")


class InputWarning(UserWarning):
    """A file or table was read, but not all of it as it stands: rows were left out or merged."""


class AnsweredError(InputError):
    """A label that contradicts an earlier one of its assessor, and may not replace it."""


class GoneError(InputError):
    """A campaign that somebody has deleted meanwhile."""


class JudgmentsError(InputError):
    """Judgments that do not say what is asked of them, whatever the run: where files are known, it names theirs."""


class PausedError(InputError):
    """A campaign that is paused; it still accepts labels."""


class RefusedError(InputError):
    """The campaign refuses this action in its current state; it may succeed later, or for another user."""


class ArchivedError(RefusedError):
    """A change of a campaign that is archived."""


_ONCE = (
    "A ranking holds each document once: remove the duplicates, or say what they count: --duplicates first or "
    "count-once of 'rankgauge evaluate' and 'compare' (duplicates='first' in Python)."
)


class RepeatedError(InputError):
    """A document that a run lists more than once for a query; `first` is the line where it was listed first."""

    def __init__(self, query: str, document: str, *, first: int | None = None, **place: Any) -> None:
        """`place` is where it was found: the `path`, `line` and `text` of an `InputError`."""
        self.query, self.document = query, document
        before = "" if first is None else f", first on line {first}"
        problem = f"the run lists document {document} more than once for query {query}{before}"
        super().__init__(problem, hint=_ONCE, **place)


class UnavailableError(InputError):
    """A database that does not answer now; whether anything was recorded is not known."""


class UncombinedError(JudgmentsError):
    """Judgments of several assessors, of which nothing says how to make one grade."""

    def __init__(self, assessors: str, names: Sequence[str] = ()) -> None:
        who = f" ({', '.join(names[:5])}{', …' * (len(names) > 5)})" * bool(names)
        super().__init__(
            f"{assessors} assessors judged these documents{who}, and nothing says how to combine their grades",
            hint="Choose a rule: --assessors mean, majority or and --at 1 of 'rankgauge evaluate' and 'compare', "
            "assessors='mean' in Python; or combine them first, by 'rankgauge judgments combine'; or say which column "
            "is the grade: --columns grade=NAME; or name one sheet of a workbook: FILE#SHEET.",
        )


class UndisputedError(RefusedError):
    """A label that settles a disagreement about a document on which no labels differ."""


class UngroupedError(InputError):
    """A file that was to be read in pieces is not grouped by query."""


class UnleasedError(RefusedError):
    """A label for a document that was not handed to its assessor, or was handed to somebody else meanwhile."""


class TooFewQueriesError(InputError):
    """Too few queries are judged to test anything on them."""


class UnmatchedError(InputError):
    """A run that answers none of the judged queries."""


class UnknownNameError(RankGaugeError):
    """A name that does not exist, with the nearest ones that do."""

    exit_code = 3

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, near: Iterable[str] | None = None, otherwise: str = ""
    ) -> None:
        """`near` are the names to suggest in place of the nearest; `otherwise` is said if there are none."""
        self.kind, self.name, self.known = kind, name, sorted(known)
        self.near = nearest(name, self.known) if near is None else list(near)
        self.otherwise = otherwise or f"Known: {', '.join(self.known)}."
        super().__init__(str(self))

    def __str__(self) -> str:
        help_ = f"Did you mean {' or '.join(self.near)}?" if self.near else self.otherwise
        return f"There is no {self.kind} called '{self.name}'. {help_}"


class AmbiguousNameError(UnknownNameError):
    """A name that people use for several things."""

    def __init__(self, kind: str, name: str, meanings: Mapping[str, str]) -> None:
        """`meanings` are the names to choose from, and what each stands for."""
        self.meanings = dict(meanings)
        super().__init__(kind, name, meanings)

    def __str__(self) -> str:
        told = " or ".join(f"{name} ({words})" for name, words in self.meanings.items())
        return f"The {self.kind} '{self.name}' may be {told}. Write the one that you mean."


class UnknownNamesError(UnknownNameError):
    """Several names of one call that are wrong, with what each of their errors says."""

    def __init__(self, errors: Sequence[RankGaugeError]) -> None:
        self.lines = [str(error) for error in errors]
        first = next(error for error in errors if isinstance(error, UnknownNameError))
        super().__init__(first.kind, first.name, first.known, near=first.near, otherwise=first.otherwise)

    def __str__(self) -> str:
        return "\n".join(self.lines)


class ParameterError(RankGaugeError):
    """A parameter whose value makes no sense."""

    exit_code = 4

    def __init__(self, owner: str, parameter: str, expected: str, got: object) -> None:
        self.owner, self.parameter, self.expected, self.got = owner, parameter, expected, got
        super().__init__(f"The '{parameter}' parameter of {owner} must be {expected}. Got {got!r} instead.")


class OptionError(ParameterError):
    """Options of a command line that do not fit together, or whose values cannot be read; a sentence for each."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        RankGaugeError.__init__(self, "\n  ".join(problems))


class UsageError(RankGaugeError):
    """A command line that cannot be understood; `problems` is all that is wrong with it."""

    exit_code = 2

    def __init__(self, problems: Sequence[str], command: str, usage: str) -> None:
        """Without problems, it is a group that lacks its command, and `usage` is its help."""
        self.problems, self.command, self.usage = list(problems), command, usage
        super().__init__(str(self))

    def __str__(self) -> str:
        if not self.problems:
            return self.usage
        return "\n  ".join([*self.problems, self.usage, f"Run '{self.command} --help' for details."])


class MissingExtraError(RankGaugeError):
    """An optional dependency is not installed."""

    exit_code = 5

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"This needs {package}, which is not installed: pip install 'rankgauge[{extra}]'")


class NothingToJudgeError(RankGaugeError):
    """A campaign that has no document to hand out, and why; a script may wait, or end."""

    exit_code = 6

    def __init__(self, why: str, hint: str) -> None:
        self.why, self.hint = why, hint
        super().__init__(f"nothing is handed out: {why}\n  {hint}")


def nearest(name: str, known: Iterable[str], most: int = 3, cutoff: float = _CLOSE) -> list[str]:
    """Return the known names that are most like a wrong one, by the whole or by a word of it: trek is trec_eval."""
    import difflib
    import re

    matcher = difflib.SequenceMatcher()
    likenesses: dict[str, float] = {}
    matcher.set_seq2(name.lower())
    for candidate in known:
        for part in {candidate.lower(), *re.split(r"[\W_]+", candidate.lower())} - {""}:
            matcher.set_seq1(part)
            # A word that is only a part of a name says less than all of it.
            likeness = matcher.ratio() * (1.0 if part == candidate.lower() else 0.95)
            likenesses[candidate] = max(likeness, likenesses.get(candidate, 0.0))
    best = max(likenesses.values(), default=0.0)
    close = [one for one, likeness in likenesses.items() if likeness >= max(cutoff, best - _NEAR)]
    return sorted(close, key=lambda name: -likenesses[name])[:most]


def printable(text: str) -> str:
    """Spell out the control characters of a text, which files may bring along: a terminal must not obey them."""
    import re

    return re.sub(_CONTROL, lambda match: match[0].encode("unicode_escape").decode(), text)


def _shorten(text: str, width: int = 160) -> str:
    """Cut a line short; what a quoted cell breaks into several lines stays one."""
    text = text.rstrip("\r\n").replace("\n", "\\n")
    return text if len(text) <= width else text[: width - 1] + "…"


def _again(kind: type[RankGaugeError], arguments: tuple[Any, ...], fields: dict[str, Any]) -> RankGaugeError:
    """Return the error that `__reduce__` took apart."""
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(fields)
    return error
