"""Regular TREC files → hits, straight from their bytes: the fast path.

Most run files are regular: six fields between single blanks, the lines of a query together, scores falling. Such a
file is read in chunks of whole queries by two threads, and everything about a chunk is done in NumPy on its bytes:

1. `lines`: newlines are searched for, fields found from them; the query field is compared with the line before.
   Document ids become rows of 64-bit words, scores are parsed eight digits at a time.
2. `run`: tables of the ids' hashes find the judged lines, and documents listed twice. Lists whose scores fall are left
   as they are; the others are sorted.

Only judged hits leave a chunk, so memory follows the judgments. Whatever is not regular (other white space, comments,
bytes above ASCII, a query that comes back, a score that is no number, a document listed twice) makes `scan` give
None; the general path then reads the file, with the same result or with the error that names the line.
"""

from rankgauge.ranking.scan.run import JudgedPool, scan, scan_judgments, scan_run

__all__ = ["JudgedPool", "scan", "scan_judgments", "scan_run"]
