"""Answers: the agreed form is a grade, everything else is refused, and nothing in a text changes that."""

from __future__ import annotations

import math
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.judgments.llm.asking.answers import KEPT, Answer, parse
from tests.judges.pools import GRADES

WORDS = {"useful": 3.0, "on the subject": 2.0, "useless": 0.0}
"""The words of a scale, which may stand beside a grade."""


def choice(text: Any, **more: Any) -> dict[str, Any]:
    """A choice of a chat completion."""
    return {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", **more}


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("2", 2),
        (" 3 \n", 3),
        ("0.", 0),
        ("Grade: 1", 1),
        ("grade=2", 2),
        ('{"grade": 2}', 2),
        ("<think>It could be 3.</think>\n\n1", 1),
        ("2.0", 2),
        ([{"type": "text", "text": "3"}], 3),
        ("##final score: 2", 2),  # UMBRELA's form
        ("## Final score: 2", 2),
        ("The passage answers it.\n##final score: 2", 2),
        ("Final Score: 3", 3),
        ("Score: 2", 2),
        ("score = 0", 0),
        ("Relevance: 1", 1),
        ("Relevance score: 1", 1),
        ("Overall score: 1.", 1),
        ("Rating: 2", 2),
        ("Answer: 3", 3),
        ("The reasoning.\n\n**2**", 2),
        ("**Grade:** 2", 2),
        ("**Grade: 2**", 2),
        ("Grade: **2**", 2),
        ("- Score: 2", 2),
        ("`2`", 2),
        ('"2"', 2),
        ("<score>2</score>", 2),
        ("thoughts\n<grade> 3 </grade>", 3),
        ("Grade: 2\nIt covers the question in part.", 2),
        ("Grade: 2\nIt covers the question.\nGrade: 2", 2),
        ('{"grade": 2, "reason": "it says so"}', 2),
        ('{"reason": "2 of 3 points", "grade": 1}', 1),
        ('{"M": 2, "T": 1, "O": 2}', 2),  # Thomas et al.: intent match, trustworthiness, overall
        ('{"grade": "2"}', 2),
        ('{"final_score": 3}', 3),
        ('{"Final Score": 3}', 3),
        ('{\n  "reason": "short",\n  "relevance": 1\n}', 1),
        ('```json\n{"grade": 2}\n```', 2),
        ('Here it is:\n```\n{"score": 0, "why": "off topic"}\n```\nI hope that helps.', 0),
        ('I think so.\n{"rating": 2}', 2),
        ("<thinking>Grade: 3? No.</thinking>\nGrade: 1", 1),
        ("It covers the question.\nRating: [[2]]", 2),  # MT-Bench: Zheng et al.
        ("[[3]].", 3),
        (r"\boxed{1}", 1),  # models that are trained on mathematics
        ('Here it is:\n{\n  "reason": "short",\n  "grade": 2\n}', 2),
        ("```\n2\n```", 2),
        ("```text\nGrade: 1\n```", 1),
        ("relevance_grade: 2", 2),
        ("<final_score>3</final_score>", 3),
        ('{"relevance_score": 1}', 1),
        ('{"final-grade": 2}', 2),
        ('{"relevance_label": 0}', 0),
        ("It may be a 3 …\n</think>\n\n2", 2),  # DeepSeek-R1: its template has the opening tag
        ('Perhaps\n{"grade": 3}\n</think>\n{"grade": 2}', 2),
        ("<think>a</think>\n<think>Grade: 3</think>\n2", 2),
        ("[THINK]Grade: 3[/THINK]2", 2),  # Magistral
        ("◁think▷Grade: 3◁/think▷2", 2),  # Kimi
        ("<thought>\nGrade: 3\n</thought>\n2", 2),  # EXAONE, Gemini
        ("<seed:think>Grade: 3</seed:think>2", 2),  # Seed-OSS
        ("<|START_THINKING|>3?<|END_THINKING|><|START_RESPONSE|>2<|END_RESPONSE|>", 2),  # Command A
        (
            "<|channel|>analysis<|message|>Grade: 3?<|end|><|start|>assistant<|channel|>final<|message|>2<|return|>",
            2,
        ),  # gpt-oss, whose channels the server did not part
        (
            '<|channel|>commentary to=functions.record_grade <|constrain|>json<|message|>{"grade": 2}<|call|>',
            2,
        ),
        ("analysisWe need a grade. Perhaps 3.assistantfinal2", 2),  # the same without its marks
        ('analysisWe need a grade.assistantfinal{"grade": 2}', 2),
        ("<answer>\n2\n</answer>", 2),  # DeepSeek-R1-Zero
        ("<think>x</think>\n<answer>Grade: 2</answer>", 2),
        ("It covers it.\n<score>\n2\n</score>", 2),
        ("<evaluation>\n<reason>It has 3 parts.</reason>\n<score>1</score>\n</evaluation>", 1),
        ("2<|im_end|>", 2),  # marks that some servers leave at the end
        ("Grade: 1</s>", 1),
        ("2<end_of_turn>", 2),
        ("\ufeff2", 2),
        (r"The final answer is: $\boxed{2}$", 2),  # Llama 3
        ("The grade is: 2.", 2),
        ("My rating: 1", 1),
        ("Judgment: 2", 2),
        ("Relevance level: 2", 2),
        ("Label: 3", 3),
        ("• Grade: 2", 2),
        ("Grade\uff1a2", 2),  # a full-width colon, as in Chinese
        ("M: 3\nT: 1\nO: 2", 2),  # Thomas et al., as lines
        ("Relevant: it says so.\n2 - on the subject", 2),  # with the words of the scale
        ("2 (on the subject)", 2),
        ("Grade: 2 – On the subject.", 2),
        ("**2**: on the subject", 2),
        ('{"relevance_judgment": 2}', 2),
        ('{"grade": 2}\nThe document covers most of it.', 2),
        ('<tool_call>\n{"name": "record_grade", "arguments": {"grade": 2}}\n</tool_call>', 2),  # Hermes, Qwen
        ('{"name": "record_grade", "parameters": {"grade": "2"}}', 2),  # Llama
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "3"}]}, {"type": "text", "text": "2"}], 2),
        ([{"type": "thinking", "text": "3"}, {"type": "text", "text": "2"}], 2),
    ],
)
def test_a_grade_in_the_agreed_form(text: Any, grade: float) -> None:
    """The last line is the grade alone."""
    assert parse(choice(text), GRADES, words=WORDS).grade == grade


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        (None, "empty"),
        ("4", "scale"),
        ("-1", "scale"),
        ("2.5", "scale"),
        ("The grade is 2", "form"),
        ("2\nbecause it says so", "form"),
        ("2 or 3", "form"),
        ("2/3", "form"),
        ("3,q1,d9,3", "form"),
        ('{"grade": 2, "score": 1}', "form"),
        ('{"grade": 2, "grade": 1}', "form"),
        ('{"grade": "2 or 3"}', "form"),
        ('{"grade": [2]}', "form"),
        ('{"result": {"grade": 2}}', "form"),
        ('[{"grade": 2}]', "form"),
        ('```\n{"grade": 2}\n```\n```\n{"grade": 1}\n```', "form"),
        ("Grade: 3\nOn reflection it is less.\nGrade: 1", "two grades"),
        ('Grade: 3\n{"grade": 1}', "two grades"),
        ("The document says:\nGrade: 3\nI cannot follow it.", "form"),
        ("Score: 2/3", "form"),
        ("Score: 2 or 3", "form"),
        ("I give it a score of 2.", "form"),
        ("Two", "form"),
        ("##final score: x", "form"),
        ("<score>2</grade>", "form"),
        ("Score: 5", "scale"),
        ('{"grade": 7}', "scale"),
        ('{"grade": true}', "form"),
        ('{"grade": NaN}', "form"),
        ("__import__('os').getpid()", "form"),
        ("٢", "form"),
        ("1e0", "form"),
        ("1[[2]]", "form"),
        ("[[1]] [[2]]", "form"),
        ("0*.*1", "form"),
        ("-**2**", "form"),  # a list's dash or a sign?
        ('It says:\n{"grade": 3}\nand I say:\n{"grade": 1}', "form"),
        ("```\n2\n```\n```\n1\n```", "form"),
        ("```\n2\n3 stars\n```", "form"),
        ("<think>\nIt could be\n3", "a thought, and no answer"),
        ('<think>\n{"grade": 3}', "a thought, and no answer"),
        ("<|channel|>analysis<|message|>It is\n3", "a thought, and no answer"),
        ("analysisIt is\n3", "a thought, and no answer"),
        ("Grade: 1\nThe document says </think>\n3", "two grades"),
        ('{"reason": "it ends with </think>", "grade": 2}', "form"),
        ("2 (or 3)", "form"),
        ("2 - on the subject, or 1", "form"),
        ("1 (on the subject)", "form"),  # the words of another grade
        ("The document says:\n> Grade: 3", "form"),
        ('It says:\n{"grade": 3}\nI cannot follow it.', "form"),
        ('{"grade": 2}\n1', "two grades"),
        ('{"grade": 2}\n{"grade": 2}', "form"),
        ('{"arguments": [1, 2]}', "form"),
        ('{"grade": null}', "form"),
        ('{"grade": "on the subject"}', "form"),
        ('[{"M": 2, "T": 1, "O": 1}]', "form"),
        ("{'grade': 2}", "form"),
        ("| Grade |\n|---|\n| 2 |", "form"),
        ("Score: 2 out of 3", "form"),
        ("Relevance score (0-3): 2", "form"),
        ("Yes", "form"),
        ("I'm sorry, but I can't help with that.", "form"),
    ],
)
def test_anything_else_is_refused(text: Any, why: str) -> None:
    """No grade is guessed from prose, from another shape, or from beyond the scale."""
    answer = parse(choice(text), GRADES, words=WORDS)
    assert answer.grade is None
    assert answer.refused is not None
    assert why in answer.refused


def test_a_cut_answer_is_refused() -> None:
    """An answer that the limit of tokens cut off may end with any number."""
    assert parse(choice("It is more than 2", finish_reason="length"), GRADES).grade is None
    assert parse(choice("2", finish_reason="length"), GRADES).refused == "cut off at the limit of tokens"


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        ("max_tokens", "cut off"),  # Anthropic
        ("model_context_window_exceeded", "cut off"),
        ("MAX_TOKENS", "cut off"),  # Gemini, by some proxies
        ("refusal", "content filter"),
        ("SAFETY", "content filter"),
        ("content_filter: PROHIBITED_CONTENT", "content filter"),  # Gemini
        ("sensitive", "content filter"),  # GLM
        ("insufficient_system_resource", "broken off"),  # DeepSeek
        ("abort", "broken off"),  # vLLM
        ("error", "broken off"),  # OpenRouter
    ],
)
def test_an_answer_that_did_not_end_well_is_refused(reason: str, why: str) -> None:
    """Whatever stands there: it is cut, filtered or broken off, by the words of each endpoint."""
    assert why in str(parse(choice("2", finish_reason=reason), GRADES).refused)
    assert why in str(parse({"message": {"role": "assistant"}, "finish_reason": reason}, GRADES).refused)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "thinking"])
def test_a_thought_is_no_answer(name: str) -> None:
    """Where an endpoint parts the thought from the answer, and there is no answer, this is said."""
    held = {"message": {"content": None, name: "It could be 3.\n3"}, "finish_reason": "stop"}
    assert parse(held, GRADES).refused == "a thought, and no answer after it"


def call(*arguments: str) -> dict[str, Any]:
    """A choice that calls tools."""
    calls = [
        {"id": "c", "type": "function", "function": {"name": "record_grade", "arguments": one}} for one in arguments
    ]
    return {"message": {"role": "assistant", "content": None, "tool_calls": calls}, "finish_reason": "tool_calls"}


@pytest.mark.parametrize(
    ("held", "grade", "why"),
    [
        (call('{"grade": 2}'), 2, None),
        (call('{"grade": 2, "reason": "in part"}'), 2, None),
        ({"message": {"content": "", "function_call": {"name": "g", "arguments": '{"grade": 1}'}}}, 1, None),
        ({"message": {"tool_calls": [{"function": {"name": "g", "arguments": {"grade": 1}}}]}}, 1, None),
        (call('{"grade": 2}', '{"grade": 1}'), None, "several tool calls"),
        (call('{"grade": 2}') | {"message": call('{"grade": 2}')["message"] | {"content": "I record it."}}, 2, None),
        (call('{"grade": 2}') | {"message": call('{"grade": 2}')["message"] | {"content": "Grade: 3"}}, None, "two"),
        (choice([{"type": "refusal", "refusal": "I can't."}]), None, "the model refused: I can't."),
        (call("{}"), None, "form"),
        (call('{"grade": 2'), None, "form"),
        ({"message": {"content": None, "refusal": "I can't help with that."}}, None, "the model refused: I can't help"),
        (choice("2", finish_reason="content_filter"), None, "content filter"),
        (choice("", finish_reason="content_filter"), None, "content filter"),
    ],
)
def test_calls_and_refusals(held: dict[str, Any], grade: float | None, why: str | None) -> None:
    """The arguments of one tool call are an answer; refusals and filters are named as such."""
    answer = parse(held, GRADES)
    assert answer.grade == grade
    assert (answer.refused is None) if why is None else (why in str(answer.refused))


def test_a_refusal_shows_the_first_words() -> None:
    """Whoever reads the report sees what came instead of a grade."""
    assert parse(choice("I am\x07 not able to say.\n" * 9), GRADES).refused == (
        "not a grade in the agreed form: I am not able to say. I am not able to say. I am not able t…"
    )


@pytest.mark.parametrize(
    ("pattern", "text", "grade", "why"),
    [
        (r"verdict: ([0-3])", "Verdict: 2, by all means", 2, None),
        (r"[0-3](?= stars)", "I give 3 stars of 3", 3, None),
        (r"verdict: ([0-3])", "verdict: 2 … verdict: 1", None, "matched 2 times"),
        (r"verdict: ([0-3])", "Grade: 2", None, "matched 0 times"),
        (r"verdict: (\w+)", "verdict: two", None, "not a number"),
        (r"verdict: ([0-9])", "verdict: 7", None, "scale"),
        (r"verdict:( [0-3])?", "verdict:", None, "not a number"),
    ],
)
def test_a_pattern_of_ones_own(pattern: str, text: str, grade: float | None, why: str | None) -> None:
    """A pattern replaces the usual forms; it has to match once, and its group is a grade."""
    answer = parse(choice(text), GRADES, pattern=pattern)
    assert answer.grade == grade
    assert (answer.refused is None) if why is None else (why in str(answer.refused))


SEEDS = [
    "2", "Grade: 1", "##final score: 3", '{"grade": 2, "reason": "a 3?"}', '```json\n{"score": 0}\n```', "**2**",
    "<score>1</score>", "The document says Grade: 3.\nSo: 1", "", "No idea.", "Rating: [[2]]", "<think>3?</think>\n1",
    "```\n2\n```", 'So:\n{\n "final_score": 1\n}', "- **3**", "Perhaps 3.\n</think>\n2", "1 - on the subject", "2</s>",
    '<tool_call>{"name": "g", "arguments": {"grade": 0}}</tool_call>', "analysisOr 1?assistantfinal2",
    "<answer>\n3\n</answer>", r"The answer is: $\boxed{1}$",
]  # fmt: skip
SCALES = [GRADES, tuple(range(101)), (0.0, 0.5, 1.0, -1.0)]


@pytest.mark.parametrize("scale", SCALES, ids=["0-3", "0-100", "halves"])
def test_mutated_answers_never_give_a_grade_that_is_not_there(scale: tuple[float, ...]) -> None:
    """Whatever is cut, doubled or put into one of 10,000 answers: a grade that is read stands in it as a number of its
    own, and is no longer read once this number is blotted out."""
    rng, number, seen = random.Random(33), re.compile(r"(?<![\d.])-?\d+(?:\.\d+)?(?!\d)"), set()
    for _ in range(10_000):
        text = rng.choice(SEEDS)
        for _ in range(rng.randint(1, 6)):
            at, to = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
            piece = rng.choice(["", text[at:to] * 2, rng.choice('0123.{}[]":*_\n /#-x'), rng.choice(SEEDS)])
            text = text[:at] + piece + text[to:]
        grade = parse(choice(text), scale, words=WORDS).grade
        if grade is not None:
            seen.add(grade)
            assert grade in {float(one) for one in number.findall(text)}, text
            same = {one for one in number.findall(text) if abs(float(one)) == abs(grade)}
            blotted = number.sub(lambda one, same=same: "x" if one[0] in same else one[0], text)
            assert parse(choice(blotted), scale, words=WORDS).grade != grade, text
    assert len(seen) >= 2


@given(st.text(max_size=200))
def test_any_text_gives_a_grade_of_the_scale_or_none(text: str) -> None:
    """Whatever a model says, the outcome has one shape."""
    answer = parse(choice(text), GRADES)
    assert isinstance(answer, Answer)
    assert (answer.grade is None) != (answer.refused is None)
    assert answer.grade is None or answer.grade in GRADES


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=9),
        lambda x: (
            st.lists(x, max_size=3)
            | st.dictionaries(
                st.sampled_from(["message", "content", "logprobs", "text", "token", "top_logprobs"]), x, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_any_shape_is_read_without_harm(held: Any) -> None:
    """A choice may hold anything in any place."""
    answer = parse({"message": held, "logprobs": held}, GRADES, logprobs=True)
    assert answer.grade is None or answer.chances is not None


def test_long_answers_keep_their_end() -> None:
    """The store does not fill with prose."""
    answer = parse(choice("thinking " * 1000 + "\n3"), GRADES)
    assert answer.grade == 3
    assert len(answer.text) == KEPT


def tokens(*spoken: tuple[str, dict[str, float]]) -> dict[str, Any]:
    """Log-probabilities of the tokens, given their rivals' probabilities."""
    return {
        "content": [
            {
                "token": token,
                "logprob": math.log(rivals.get(token, 1.0)),
                "top_logprobs": [{"token": one, "logprob": math.log(p)} for one, p in rivals.items()],
            }
            for token, rivals in spoken
        ]
    }


def test_probabilities_are_those_at_the_grade() -> None:
    """They are taken where the grade is, from the tokens that are grades, and sum to 1."""
    spoken = tokens((" ", {}), ("2", {"2": 0.5, " 2": 0.1, "3": 0.2, "two": 0.1, "7": 0.1}), ("\n", {}))
    answer = parse(choice("2", logprobs=spoken), GRADES, logprobs=True)
    assert answer.chances == pytest.approx((0, 0, 0.6 / 0.8, 0.2 / 0.8))


def test_probabilities_are_those_at_the_label() -> None:
    """The same number in the reason after a grade is not the grade's token."""
    likely, parts = {"2": 0.6, "1": 0.4}, {"2": 0.9, "3": 0.1}
    spoken = tokens(('{"', {}), ("grade", {}), ('":', {}), (" 2", {" 2": 0.6, " 1": 0.4}), (', "why": "', {}))
    spoken["content"] += tokens(("2", parts), (' parts"}', {}))["content"]
    answer = parse(choice('{"grade": 2, "why": "2 parts"}', logprobs=spoken), GRADES, logprobs=True)
    assert answer.chances == pytest.approx((0, 0.4, 0.6, 0))
    spoken = tokens(("Grade", {}), (":", {}), (" ", {}), ("2", likely), ("\nIt has ", {}), ("2", parts), (" parts", {}))
    answer = parse(choice("Grade: 2\nIt has 2 parts", logprobs=spoken), GRADES, logprobs=True)
    assert answer.chances == pytest.approx((0, 0.4, 0.6, 0))


def test_the_last_grade_counts() -> None:
    """A number in the thoughts before the answer is not the answer's token."""
    spoken = tokens(("1", {"1": 1.0}), ("\n", {}), ("1", {"1": 0.6, "0": 0.4}))
    assert parse(choice("1\n1", logprobs=spoken), GRADES, logprobs=True).chances == pytest.approx((0.4, 0.6, 0, 0))


def test_no_probabilities_are_made_up() -> None:
    """An answer without the log-probabilities that were asked for is refused."""
    answer = parse(choice("2", logprobs=tokens(("{2}", {}))), GRADES, logprobs=True)
    assert answer.grade is None
    assert answer.refused == "no log-probabilities at the grade"


def test_an_empty_list_of_rivals_is_no_certainty() -> None:
    """A grade whose rivals are not listed has no probability of 1: nothing is known of the other grades."""
    spoken = {"content": [{"token": "2", "logprob": -0.1, "top_logprobs": []}]}
    assert parse(choice("2", logprobs=spoken), GRADES, logprobs=True).refused == "no log-probabilities at the grade"
