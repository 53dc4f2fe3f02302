"""The lines of a chunk: where the fields begin and end, and where a query's lines begin.

Most chunks are uniform: the second field and the tag are as long as those of the first line. There only the newlines
are searched for. A field of any length ends at the first blank of the words that begin with it, and since all
separators are counted, there are no others. Elsewhere one comparison finds every separator. A chunk whose lines do
not all have the same number of fields between single separators is irregular.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import BoolArray, IndexArray
from rankgauge.ranking.scan.chunks import NEWLINE, Chunk, IrregularFileError
from rankgauge.ranking.scan.ids import MARGIN, Words, until, words

BLANKS = (32, 9)
SECOND, TAG = 1, 5
"""The fields that are as long as those of the first line: Q0 or the iteration, and a run's last one."""


class TrecLines:
    """The lines of a chunk: their fields, and the queries that they belong to."""

    begins: IndexArray
    stops: list[IndexArray]
    """Where each field ends, for every line."""

    def __init__(self, chunk: Chunk, fields: int) -> None:
        self.data, self.end, self.fields = chunk.data, chunk.end, fields
        self.bytes = np.frombuffer(chunk.data, dtype=np.uint8)
        self.loaded: dict[int, Words] = {}
        # Signed, so that bytes above ASCII are taken for separators, and then refused with all that is odd.
        separates = self.bytes[: chunk.end].view(np.int8) <= BLANKS[0]
        if not self._is_uniform(int(np.count_nonzero(separates))):
            self._separate(separates)
        self.starts, self.names = self._queries()
        self.counts = np.diff(self.starts, append=len(self))

    def __len__(self) -> int:
        return len(self.begins)

    def field(self, number: int) -> tuple[IndexArray, IndexArray]:
        """Where the field begins and where it ends, for every line."""
        return self.stops[number - 1] + 1 if number else self.begins, self.stops[number]

    def ids(self, number: int) -> Words:
        """The field's bytes as rows of words."""
        if number in self.loaded:
            return self.loaded[number]
        start, end = self.field(number)
        made = words(self.data, start, end - start)
        if made is None:
            raise IrregularFileError
        return made

    def _is_uniform(self, separators: int) -> bool:
        """Whether the lines are like the first one; if so, their fields are found."""
        first = bytes(self.data[MARGIN : max(self.data.find(b"\n", MARGIN, self.end), MARGIN)])
        blank = next((one for one in BLANKS if one in first), 0)
        lengths = [len(field) for field in first.split(bytes([blank]))]
        ends = _newlines(self.bytes, self.end)
        if len(lengths) != self.fields or not all(lengths) or separators != self.fields * len(ends):
            return False
        # A tag is found from the line's end, which leaves the field before it as the one that ends there.
        last = ends - (lengths[TAG] + 1) if self.fields > TAG else ends
        start, stops = (begins := np.concatenate([[MARGIN], ends[:-1] + 1])), []
        for number in range(TAG - 1 if self.fields > TAG else self.fields - 1):
            found = start + lengths[number] if number == SECOND else self._until(number, start, blank, lengths[number])
            if found is None or int(found.max()) >= self.end:
                return False
            stops.append(found)
            start = found + 1
        self.begins, self.stops = begins, [*stops, last, *([ends] if self.fields > TAG else [])]
        guessed = (SECOND, TAG - 1) if self.fields > TAG else (SECOND,)
        return bool((last > start).all()) and all(self._ends_at(number, blank) for number in guessed)

    def _until(self, number: int, start: IndexArray, blank: int, length: int) -> IndexArray | None:
        """Where the field ends, if it is neither empty nor too long."""
        found = until(self.data, start, blank, length)
        if found is None or not int(found[1].min()):
            return None
        self.loaded[number] = found[0]
        return start + found[1]

    def _ends_at(self, number: int, blank: int) -> bool:
        """Whether the field ends at a blank in every line."""
        return bool((self.bytes.take(self.stops[number]) == blank).all())

    def _separate(self, separates: BoolArray) -> None:
        """Finds every separator."""
        self.loaded.clear()  # what was found before a line turned out to be unlike the first
        found = np.flatnonzero(separates)
        if len(found) % self.fields or not len(found):
            raise IrregularFileError
        table = found.reshape(-1, self.fields)
        self.begins = np.concatenate([[MARGIN], table[:-1, -1] + 1])
        self.stops = [np.ascontiguousarray(column) for column in table.T]
        self._check(found)

    def _check(self, found: IndexArray) -> None:
        """Every line has the same separators, and something between any two."""
        ends = self.bytes[found]
        blank, lines = int(ends[0]), len(self)
        shaped = np.count_nonzero(ends == blank) == len(found) - lines and bool(
            (ends[self.fields - 1 :: self.fields] == NEWLINE).all()
        )
        filled = found[0] > MARGIN and int(np.diff(found).min()) > 1
        if blank not in BLANKS or not shaped or not filled:
            raise IrregularFileError

    def _queries(self) -> tuple[IndexArray, list[bytes]]:
        """The first line of each query, and the queries' names."""
        ids = self.ids(0)
        changes = (ids[1:] != ids[:-1]).any(axis=1) if ids.shape[1] > 1 else ids[1:, 0] != ids[:-1, 0]
        first = np.concatenate([[0], np.flatnonzero(changes) + 1])
        start, end = self.field(0)
        spans = zip(start[first].tolist(), end[first].tolist(), strict=True)
        names = [bytes(self.data[a:b]) for a, b in spans]
        # A query id that begins with # may as well begin a comment.
        if any(name.startswith(b"#") for name in names):
            raise IrregularFileError
        return first, names


def _newlines(text: npt.NDArray[np.uint8], end: int) -> IndexArray:
    """Where the newlines are, the first one of any eight bytes: no line of four fields is shorter."""
    found = (text[: -(-end // 8) * 8] == NEWLINE).view(np.uint64)
    at = np.flatnonzero(found != 0)
    # One byte is 1, and each byte before it has eight bits below that.
    ends: IndexArray = (at << 3) + (np.bitwise_count(found.take(at) - np.uint64(1)) >> 3)
    return ends[:-1] if len(ends) and ends[-1] >= end else ends
