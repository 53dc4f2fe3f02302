"""docs/measures.md: every measure with its formula, reference, traits, parameters and worked examples."""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge.measures import FAMILIES, Measure
from rankgauge.measures.other_names import AT_RANK, MEANINGS, MEANINGS_AT_RANK, OTHER_NAMES
from rankgauge.reference import descriptions
from rankgauge.render.formats.md import table
from rankgauge.render.numbers import number
from rankgauge.render.table import ReportTable

FAMILY_WORDS = {
    "set": "Set measures: what was retrieved, whatever its order",
    "binary": "Binary measures: a document is relevant or not",
    "graded": "Graded measures: a higher grade is worth more",
    "cascade": "Cascade measures: a user reads down and stops when satisfied",
    "scalefree": "Scale-free measures: all grades times a factor give the same value",
    "diversity": "Diversity measures: documents are judged for each subtopic of the query",
    "preferences": "Measures of preferences: documents are compared with each other, in groups",
    "sampled": "Estimates from a sample: a part of each stratum of the pool is judged",
}
HEAD = r"""# Measures

`rankgauge measures` lists them, `rankgauge measures show nDCG` shows one. A name may have parameters and a cutoff, in
the syntax of ir-measures: `nDCG(dcg='exp-log2')@10`, `AP(rel=2)`, `P@5`. A parameter that is left open is decided by
the [dialect](dialects.md).

In the formulas $g_r$ is the grade at rank $r$, $k$ the cutoff, $n = |L|$ the length of the list, $R$ the number of
relevant documents (those with a grade of at least `rel`), $N$ that of the judged others, $g^*$ the grades in the ideal
order, and $[x]$ is 1 where $x$ holds, else 0. In the examples a dash is a document that nobody judged. In measures of
[diversity](kinds-of-judgments.md#novelty-and-diversity) $g_{ri}$ is the grade at rank $r$ for subtopic $i$, $p_i$ the
weight of the subtopic (all the same unless they are given, and 0 without relevant documents), and $n_{ri}$ how many
documents above rank $r$ are relevant to it; an example has the grades for every subtopic, as in 1/0/2.
"""
OTHERS = """## Names of other tools

trec_eval's names (`map`, `P_10`, `ndcg_cut.5,10`) are understood, and so are those of papers, BEIR, ranx, torchmetrics,
Elasticsearch, PyTerrier and scikit-learn, in any letters: `NDCG@10`, `Recall@20`, `hit_rate@5`, `map_at_100`,
`RetrievalMRR`, `mean_reciprocal_rank`, `ndcg_burges@10`, `rbp.95`, `precision@10-l2`. Tables show the measure under the
name that it has here. A name with several meanings is an error that shows them (`recall` in small letters is
trec_eval's, at nine ranks):
"""

_MEANT = [*MEANINGS.items(), *((f"{name}@k", meant) for name, meant in MEANINGS_AT_RANK.items())]


def page() -> str:
    """The page."""
    return "\n".join([HEAD, _others(), *(_family(family) for family in FAMILIES if descriptions.kinds(family))])


def _others() -> str:
    """The names that other tools give to measures, and those that have several meanings."""
    several: dict[str, list[str]] = {}
    for name, meant in _MEANT:
        told = " or ".join(f"`{ours}` ({words})" for ours, words in meant.items()).format(k="k")
        several.setdefault(told, []).append(f"`{name}`")
    named: dict[str, list[str]] = {}
    for theirs, ours in (*OTHER_NAMES.items(), *((f"{name}@k", f"{ours}@k") for name, ours in AT_RANK.items())):
        named.setdefault(ours, []).append(f"`{theirs}`")
    rows = [(f"`{ours}`", ", ".join(names)) for ours, names in named.items()]
    signs = "The other names, without signs and in small letters:\n"
    meanings = [(", ".join(names), told) for told, names in several.items()]
    tables = [ReportTable(columns=("name", "may be"), rows=meanings)]
    tables += [ReportTable(columns=("measure", "also called"), rows=rows)]
    return "\n".join([OTHERS, table(tables[0]), signs, table(tables[1])])


def _family(family: str) -> str:
    measures = ("\n".join(_measure(kind)) for kind in descriptions.kinds(family))
    return "\n".join([f"## {FAMILY_WORDS[family]}\n", *measures])


def _measure(kind: type[Measure]) -> Iterator[str]:
    facts = kind.facts
    yield f"### {facts.name}\n\n**{facts.title}.** {descriptions.plain(kind.__doc__ or '')}\n"
    yield f"$$\n{facts.formula}\n$$\n"
    yield f"{facts.reference}.\n"
    yield table(ReportTable(columns=("trait", ""), rows=[*descriptions.traits(kind)]))
    yield table(
        ReportTable(
            columns=("parameter", "default", "meaning"),
            rows=[(f"`{n}`", d, w) for n, d, w in descriptions.parameters(kind)],
        )
    )
    yield table(ReportTable(columns=("worked example", "list", "value"), rows=[*_examples(kind)]))


def _examples(kind: type[Measure]) -> Iterator[tuple[str, str, str]]:
    for example in kind.facts.examples:
        value = number(descriptions.example_value(example))
        yield f"`{example.measure}`", descriptions.example_list(example), f"`{example.value}` = {value}"
