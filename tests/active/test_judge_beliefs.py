"""Beliefs from a judge's grades, and certainty that no label supports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.labelling import Campaign, Pool
from rankgauge.labelling.beliefs import spread

GRADES = (0, 1, 2, 3)


def table(**columns: object) -> pl.DataFrame:
    """Twenty queries of five documents."""
    rows = [(f"q{q}", f"d{q}-{d}", -float(d), d % 4) for q in range(20) for d in range(5)]
    frame = pl.DataFrame(rows, schema=["query", "document", "score", "said"], orient="row")
    return frame.with_columns(**columns)  # type: ignore[arg-type]


def one_hot() -> dict[str, pl.Expr]:
    """Beliefs that are certain of the grade a judge gave."""
    return {f"p_{grade}": (pl.col("said") == grade).cast(pl.Float64) for grade in GRADES}


def test_certainty_is_spread_over_the_scale() -> None:
    """The grade itself stays the likeliest, the next ones are likelier than those far off; doubt stays as it is."""
    beliefs = np.array([[0.0, 0.0, 1.0, 0.0], [0.3, 0.3, 0.2, 0.2]])
    documents = pl.DataFrame({"query": ["q", "q"], "document": ["a", "b"], "score": [2.0, 1.0]})
    pool, count = Pool.of(documents, grades=GRADES, beliefs=beliefs).soften()
    found = pool.beliefs
    assert count == 1
    assert (found[1] == beliefs[1]).all()
    assert found[0].sum() == pytest.approx(1)
    assert found[0, 1] == pytest.approx(found[0, 3])
    assert found[0, 2] > found[0, 1] > found[0, 0]
    assert 0.4 < found[0, 2] < 0.6
    assert spread(2).diagonal() == pytest.approx(1 / (1 + np.exp(-1.2)))


def test_a_campaign_believes_no_certainty(tmp_path: Path) -> None:
    """One-hot beliefs are softened, the campaign knows of how many documents, and nothing is promised for free."""
    pool = Pool.of(table(**one_hot()))
    with Campaign.create(tmp_path / "a.rg", pool, "P@5", budget=30, method="document") as campaign:
        assert campaign.settings.softened == 100
        assert campaign.pool.beliefs.max() < 0.8
    plain = Pool.of(table(), grades=GRADES)
    with Campaign.create(tmp_path / "b.rg", plain, "P@5", budget=30, method="document") as campaign:
        assert campaign.settings.softened == 0


def test_judges_give_beliefs() -> None:
    """The judges' grades, one by one and on average; nothing is known of documents that nobody graded."""
    pool = Pool.of(table(), grades=GRADES)
    said = table().select("query", "document", grade="said")
    one = pool.judged_by({"model": said[:50]})
    assert one.beliefs[:50].argmax(axis=1).tolist() == said["grade"][:50].to_list()
    assert one.beliefs[50:] == pytest.approx(0.25)
    two = pool.judged_by({"model": said, "other": said.with_columns(grade=3 - pl.col("grade"))})
    assert two.beliefs == pytest.approx(two.beliefs[:, ::-1])
    sure = said.with_columns(p_0=pl.lit(0.5), p_1=pl.lit(0.5), p_2=pl.lit(0.0), p_3=pl.lit(0.0))
    assert pool.judged_by({"model": sure}).beliefs[0] == pytest.approx(spread(4)[:2].mean(axis=0))
    percent = pool.judged_by({"model": said.with_columns(grade=pl.col("grade") * 33.3)})
    assert percent.beliefs[:50] == pytest.approx(one.beliefs[:50])
    with pytest.raises(InputError, match="the judge has graded no document"):
        pool.judged_by({"model": said.with_columns(document="x" + pl.col("document"))})


def test_a_judge_in_the_table() -> None:
    """A column such as llm_grade is a judge's, unless the table has beliefs of its own."""
    told = Pool.of(table(llm_grade=pl.col("said")), grades=GRADES)
    given = Pool.of(table(), grades=GRADES).judged_by({"model": table().select("query", "document", grade="said")})
    assert told.beliefs == pytest.approx(given.beliefs)
    assert Pool.of(table(llm_grade=pl.col("said"), **one_hot())).beliefs.max() == 1
