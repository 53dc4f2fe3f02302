"""Named choices: what other tools leave to a sort, a default or an accident.

Each choice has the words that explain it; results print them.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Self

from rankgauge.errors import UnknownNameError

ABOVE_ZERO = 5e-324
"""The least number above 0: as `rel`, it makes any positive grade relevant."""

LEAVE_OUT = "leave-out"

Undefined = float | str
"""What a measure's 0/0 becomes: a number, or `LEAVE_OUT`."""


class JudgmentKind(Enum):
    """What judgments say of a document."""

    GRADES = "grades"  # one grade for each document of a query
    SUBTOPICS = "subtopics"  # a grade for each subtopic of the query
    GROUPS = "groups"  # a grade by each group of assessors
    PREFERENCES = "preferences"  # a level within each group that compared documents: the higher one is preferred
    SAMPLES = "samples"  # a grade, and how the document came into a sample of the pool


class Policy(StrEnum):
    """A named choice; `words` explains it in a sentence."""

    words: str

    def __new__(cls, value: str, words: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.words = words
        return member

    @classmethod
    def parse(cls, value: str) -> Self:
        """Return the choice of that name."""
        known = {member.value: member for member in cls}
        if value not in known:
            raise UnknownNameError(f"policy for {cls.subject()}", str(value), known)
        return known[value]

    @classmethod
    def subject(cls) -> str:
        """Return what the choice is about, in the words of an error message."""
        return (cls.__doc__ or cls.__name__).split(":")[0].lower()


class Ties(Policy):
    """Ties: documents of one query with the same score."""

    INPUT = "input", "tied documents keep the order of the input"
    DOCID = "docid", "tied documents are in descending order of their ids, as in trec_eval"
    ASCENDING = "ascending", "tied documents are in ascending order of their ids"
    SELECTION = "selection", "tied documents are as a selection sort leaves them, as in RankLib of 2011"
    QUICKSORT = "quicksort", "tied documents are as a quicksort leaves them, as in ranx"
    EXPECTED = "expected", "the mean over all orders of tied documents"
    BEST = "best", "tied documents are in the order that favours the run"
    WORST = "worst", "tied documents are in the order that harms the run"


class Unjudged(Policy):
    """Unjudged documents: retrieved, but nobody judged them."""

    NOT_RELEVANT = "not-relevant", "an unjudged document counts as not relevant"
    SKIP = "skip", "unjudged documents are taken out of the ranking before a measure cuts it"


class MissingQuery(Policy):
    """Missing queries: judged, but the run has no document for them."""

    ZERO = "zero", "a judged query that the run does not answer counts, with an empty list"
    SKIP = "skip", "a judged query that the run does not answer is left out of the mean"
    REFUSE = "refuse", "a judged query that the run does not answer is an error"


class NegativeGrade(Policy):
    """Negative grades: what a grade below zero means."""

    UNJUDGED = "unjudged", "a negative grade means that the document was not judged"
    POOLED = "pooled", "a negative grade means not judged, but counted among those that are not relevant"
    ZERO = "zero", "a negative grade means judged and worth nothing"
    KEEP = "keep", "negative grades are used as they are"
    REFUSE = "refuse", "a negative grade is an error"


class FractionalGrade(Policy):
    """Fractional grades: grades that are not whole numbers."""

    KEEP = "keep", "a grade may be any number"
    REFUSE = "refuse", "a grade must be a whole number, and written as one: 1.0 in a file is an error"
    CUT = "cut", "what follows a grade's decimal point is cut off: 1.9 counts as 1, as in trec_eval"


class HighGrade(Policy):
    """High grades: what a grade above the top of the scale (max_grade) means."""

    KEEP = "keep", "grades above the top of the scale are used as they are"
    ZERO = "zero", "a grade above the top of the scale counts as 0"
    REFUSE = "refuse", "a grade above the top of the scale is an error"


class Duplicates(Policy):
    """Duplicates: documents that a list holds more than once."""

    REFUSE = "refuse", "a document listed twice for a query is an error"
    FIRST = "first", "a document listed twice counts in its first place, and the documents below its copies move up"
    FIRST_HOLE = (
        "first-hole",
        "a document listed twice counts in its first place, and the places of its copies stay empty",
    )
    LAST = "last", "the last line of a document listed twice for a query counts"
    COUNT_ONCE = "count-once", "a copy of a document above it takes a place of the list and is worth nothing"
    COUNT_EACH = (
        "count-each",
        "every copy of a document is credited like the first, so that values above 1 are possible",
    )
    ROWS = "rows", "every line is a separate document: a copy has the grade of the first, in the ideal ranking too"
    ROWS_RELEVANT = "rows-relevant", "every copy is a separate document of grade 1 at least, in the ideal ranking too"


class JudgedTwice(Policy):
    """Repeated judgments: documents that are judged more than once for a query."""

    REFUSE = "refuse", "two grades of one document are an error, and the same grade twice counts once"
    FIRST = "first", "the first judgment of a document counts"
    LAST = "last", "the last judgment of a document counts"
    MAX = "max", "the highest grade of a document counts"
    EACH = "each", "every judgment is a document of the ideal ranking; a retrieved document has its highest grade"


class Grouping(Policy):
    """Grouping: which lines of a LETOR file make a list."""

    QUERY = "query", "all lines of a query make one list, wherever they are"
    CHANGE = "change", "a new list begins wherever the query changes: the second list of query 7 is called '7 (2)'"


class IdealPool(Policy):
    """Ideal pool: the documents that the ideal ranking is made of."""

    JUDGED = "judged", "the ideal ranking holds every judged document of the query"
    RETRIEVED = "retrieved", "the ideal ranking holds only the documents that the run retrieved"
    FIRST = "first", "the ideal ranking holds every judged document of the first list of the query"


class ShortList(Policy):
    """Short lists: fewer documents than the cutoff."""

    CUT = "cut", "a list shorter than the cutoff is judged as far as it goes"
    ZERO = "zero", "a list shorter than the cutoff counts 0"


class QueryOrder(Policy):
    """Query order: in which order queries are listed and summed."""

    APPEARANCE = "appearance", "queries are in the order of the judgments"
    LEXICAL = "lexical", "queries are in the byte order of their ids"
    NUMERIC = "numeric", "queries are in the order of their ids as numbers"


class RunOrder(Policy):
    """Order of a run: what puts its documents in order."""

    SCORE = "score", "documents are in the order of their scores"
    RANK = "rank", "documents are in the order of the ranks that the run states, whatever their scores"


class FailedResponse(Policy):
    """Failed responses: a search engine answered an error in the place of hits, or says that it did not complete."""

    LEAVE_OUT = "leave-out", "a query whose search failed is left out of the evaluation of that run"
    EMPTY = "empty", "a query whose search failed counts, with an empty list or the hits that are there"
    STOP = "stop", "a failed search is an error"


class SpanOverlap(Policy):
    """Overlap of spans: how much of a judged passage a retrieved chunk has to cover."""

    SHARE = "share", "the share of the judged span that the chunk holds"
    IOU = "iou", "what both the judged span and the chunk hold, divided by what either holds"


class SameId(Policy):
    """Ids that are the same: what two files may write differently."""

    TRIM = "trim", "blanks around an id do not count"
    CASEFOLD = "casefold", "capital and small letters are the same"
    NUMBER = "number", "1, 001 and 1.0 are the same"
    UNICODE = "unicode", "é is the same as one character and as e with an accent (NFC)"
    URL = "url", "an address is the same with and without http(s):// and a last slash"
