"""The words of ROMIP's reports, in English and in Russian."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankgauge.errors import UnknownNameError
from rankgauge.romip.metrics import OfficialMetric, RecallCurve
from rankgauge.romip.result import Note

__all__ = ["ENGLISH", "LANGUAGES", "RUSSIAN", "Words", "words"]


@dataclass(frozen=True, kw_only=True)
class Words:
    """Everything that a report says in one language."""

    language: str
    tracks: Mapping[str, str]
    metric: str
    average: Mapping[str, str]
    recall: str
    precision: str
    queries: str
    """How many queries counted: {used} and {left_out}."""
    categories: str
    rules: Mapping[str, str]
    """What a table's rule says of a document, with its {level}."""
    graded: str
    truth: str
    nothing: str
    notes: Mapping[str, str]
    contents: str
    remarks: str
    best: str

    def name(self, metric: OfficialMetric | RecallCurve) -> str:
        """The metric's name."""
        return metric.russian if self.language == "ru" else metric.english

    def note(self, note: Note) -> str:
        """The note as a sentence."""
        return self.notes[note.code].format(**note.fields)

    def counted(self, track: str, used: int, left_out: int) -> str:
        """How many queries or categories counted, and how many were left out."""
        text = self.categories if track == "classification" else self.queries
        return text.format(used=used, left_out=left_out)

    def meaning(self, table: str) -> str:
        """What relevant means under the table of that name."""
        rule, _, level = table.rpartition("_")
        special = {"graded": self.graded, "truth": self.truth}
        return special.get(table) or self.rules[rule].format(level=level)


ENGLISH = Words(
    language="en",
    tracks={
        "search": "ROMIP search track",
        "classification": "ROMIP classification track",
        "annotation": "ROMIP annotation track",
        "qa": "ROMIP question-answering track",
    },
    metric="metric",
    average={"micro": "micro", "macro": "macro"},
    recall="recall",
    precision="precision",
    queries="queries: {used}; left out, with nothing relevant: {left_out}",
    categories="categories: {used}; left out, with no document: {left_out}",
    rules={
        "": "relevant where judged at least {level}",
        "and": "relevant where every assessor said at least {level}",
        "or": "relevant where at least one assessor said at least {level}",
    },
    graded="grades: vital 3, relevant-plus 2, relevant-minus 1, others 0; the mean over assessors",
    truth="which documents belong to which categories",
    nothing="no query has anything relevant under this table",
    notes={
        "left-out": "Queries without a relevant document under a table are left out of its means; a query without an "
        "answer counts 0.",
        "left-out-categories": "Categories without a document under a table are left out.",
        "reconstruction": "The 11-point curve of ROMIP is a reconstruction, not official: the appendix names a "
        "modified variant and does not define it. Each recall level is averaged over the queries that reached it; "
        "their number is beside it.",
        "indexing": "DCG and NDCG discount by log2(2+p), p from 1, as the appendix prints it; those marked 1+p "
        "discount by log2(1+p), as it probably means it.",
        "no-graded": "There are no graded metrics: the tables are ready-made, without the assessors' own grades.",
        "rulers": "The rulers give the first relevant answer, by its rank: TREC 1, .5, .33, .2, .1; ROMIP 1, .9, .8, … "
        ".1; 0 beyond.",
        "denominator": "Accuracy and error are shares of the {documents} documents judged for at least one category, "
        "so micro and macro accuracy coincide.",
        "unjudged": "{run}: documents that nobody judged: {documents}, unknown categories: {categories}; they do not "
        "count.",
        "annotations": "The 2×2 table sets annotations judged relevant against documents judged relevant: micro over "
        "all pairs, macro the mean over queries.",
    },
    contents="Tables",
    remarks="Notes",
    best="the best of the runs",
)

RUSSIAN = Words(
    language="ru",
    tracks={
        "search": "РОМИП: дорожка поиска",
        "classification": "РОМИП: дорожка классификации",
        "annotation": "РОМИП: дорожка контекстно-зависимого аннотирования",
        "qa": "РОМИП: вопросно-ответная дорожка",
    },
    metric="метрика",
    average={"micro": "микро", "macro": "макро"},
    recall="полнота",
    precision="точность",
    queries="запросов: {used}; исключено, без релевантных документов: {left_out}",
    categories="рубрик: {used}; исключено, без документов: {left_out}",
    rules={
        "": "релевантен, если оценка не ниже {level}",
        "and": "релевантен, если все асессоры дали оценку не ниже {level}",
        "or": "релевантен, если хотя бы один асессор дал оценку не ниже {level}",
    },
    graded="оценки: vital 3, relevant-plus 2, relevant-minus 1, остальные 0; среднее по асессорам",
    truth="какие документы относятся к каким рубрикам",
    nothing="по этой таблице ни у одного запроса нет релевантных документов",
    notes={
        "left-out": "Запросы без релевантных документов по таблице исключены из её средних; запрос без ответа даёт 0.",
        "left-out-categories": "Рубрики, к которым по таблице не относится ни один документ, исключены.",
        "reconstruction": "11-точечный график РОМИП — реконструкция, не официальный: приложение называет "
        "модифицированный вариант, но не определяет его. Каждый уровень полноты усреднён по запросам, которые его "
        "достигли; их число стоит рядом.",
        "indexing": "DCG и NDCG делят на log2(2+p), p с 1, как напечатано в приложении; с пометкой 1+p — на log2(1+p), "
        "как, вероятно, имелось в виду.",
        "no-graded": "Градуированных метрик нет: таблицы готовые, без собственных оценок асессоров.",
        "rulers": "Шкалы дают первому верному ответу по его месту: TREC 1; 0,5; 0,33; 0,2; 0,1; РОМИП 1; 0,9; 0,8; … "
        "0,1; дальше 0.",
        "denominator": "Аккуратность и ошибка — доли от {documents} документов, оценённых хотя бы для одной рубрики, "
        "поэтому микро- и макроусреднённая аккуратность совпадают.",
        "unjudged": "{run}: неоценённых документов: {documents}, неизвестных рубрик: {categories}; они не учитываются.",
        "annotations": "Таблица 2×2: аннотация признана релевантной × документ признан релевантным; микро — по всем "
        "парам, макро — среднее по запросам.",
    },
    contents="Таблицы",
    remarks="Примечания",
    best="лучший из прогонов",
)

LANGUAGES: Mapping[str, Words] = {"en": ENGLISH, "ru": RUSSIAN}


def words(language: str) -> Words:
    """The words of that language."""
    if language not in LANGUAGES:
        raise UnknownNameError("language", language, LANGUAGES)
    return LANGUAGES[language]
