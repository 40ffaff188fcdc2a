"""Grounding: what the evidence does not say lowers the score."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.llm_judge.local.grounding import grounding
from uaef.models.conversation import Conversation
from uaef.models.ground_truth import GroundTruth
from uaef.models.message import Message
from uaef.models.tool_call import ToolCall

ROOT = Path(__file__).parents[2]
POLICY = (
    "Orders can be returned within 30 days. Gift cards are not refundable. The shop opens on March 5, 2024 at 15:30."
)


def said(answer, *, question="Can I return it?", documents=(POLICY,), calls=()):
    """One turn with that answer."""
    messages = [
        Message(role="user", content=question),
        Message(role="assistant", content=answer, tool_calls=list(calls)),
    ]
    return Conversation.from_messages(messages, expected=GroundTruth(context_documents=list(documents)))


@pytest.mark.parametrize(
    ("answer", "unsupported", "contradicted"),
    [
        ("Orders can be returned within 30 days.", [], []),
        ("Orders can be returned within thirty days.", [], []),
        ("Orders can be returned within 14 days.", ["14"], []),
        ("The shop opens on 5 March at 3:30.", [], []),
        ("The shop opens on April 5.", ["??-04-05"], []),
        ("Gift cards are refundable.", [], ["refundabl"]),
        ("Orders can not be returned.", [], ["return"]),
    ],
)
def test_guards(answer, unsupported, contradicted):
    """Facts that are not there and statements turned round are named, and each costs."""
    found = grounding(said(answer))
    assert (unsupported, contradicted) == (found.details["unsupported_facts"], found.details["contradicted_words"])
    penalty = 0.7 ** (len(unsupported) + len(contradicted))
    assert pytest.approx(found.details["word_share"] * penalty) == found.score


def test_a_copy_is_grounded_and_an_invention_is_not():
    """The two ends of the scale."""
    assert 1.0 == grounding(said(POLICY)).score
    assert 0.0 == grounding(said("Elephants adore chocolate.")).score


def test_a_word_that_only_the_user_said_counts_half():
    """To repeat the question is not to answer it from evidence; to use the user's number is no invention."""
    found = grounding(said("Laptop A77.", question="Is laptop A77 covered?", documents=["Warranty."]))
    assert (0.5, []) == (found.score, found.details["unsupported_facts"])


def test_results_of_tools_are_evidence():
    """What a tool returned supports an answer, in this turn and in later ones, and so does an error."""
    call = ToolCall(name="order", result={"status": "shipped", "carrier": "DHL", "parcels": 2})
    assert 1.0 == grounding(said("Status shipped: carrier DHL, two parcels.", documents=(), calls=[call])).score
    failed = ToolCall(name="order", error="Parcel 77 lost")
    later = [Message(role="user", content="So?"), Message(role="assistant", content="Parcel 77 lost.")]
    history = said("One moment.", documents=(), calls=[failed]).messages
    assert 1.0 == grounding(Conversation.from_messages([*history, *later])[1]).score


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "the answer states nothing that evidence could support"),
        ("Hello! How can I help you?", "the answer states nothing that evidence could support"),
        (
            "Sure. Which colour is it? Please provide your order number.",
            "the answer states nothing that evidence could",
        ),
        ("Die Rückgabe ist nicht möglich, und das ist schade.", "the answer or the evidence is not in English"),
    ],
)
def test_what_cannot_be_told(answer, reason):
    """No statement, or no English: no score."""
    found = grounding(said(answer))
    assert None is found.score
    assert found.reasoning.startswith(reason)


def test_no_evidence_no_score():
    """With neither documents nor results of tools there is nothing to compare with."""
    found = grounding(said("It takes 5 days.", documents=()))
    assert (None, "there is no evidence: no context documents, no results of tools") == found[:2]


def test_courtesies_do_not_count_against_an_answer():
    """An offer after a grounded statement changes nothing, unless it states a fact."""
    plain = grounding(said("Orders can be returned within 30 days.")).score
    assert plain == grounding(said("Orders can be returned within 30 days. Let me know if you need more!")).score
    assert plain > grounding(said("Orders can be returned within 30 days. Let me know about the 99 others!")).score


words = st.lists(st.sampled_from([*re.findall(r"\w+", POLICY), "whale", "12", "not", ".\n"]), max_size=30)


@given(words, st.integers(min_value=10**6, max_value=10**9))
def test_an_unsupported_number_never_raises_the_score(parts, number):
    """Whatever was said, one more number that the evidence lacks does not help."""
    answer = " ".join(parts)
    before = grounding(said(answer)).score
    after = grounding(said(f"{answer}\n{number}.")).score
    assert after is not None
    assert before is None or after <= before


@given(words)
def test_more_evidence_of_facts_never_adds_unsupported_ones(parts):
    """What was supported by a document is still supported with another one beside it."""
    answer = " ".join(parts)
    alone, beside = (grounding(said(answer, documents=d)).details for d in ([POLICY], [POLICY, "12 whales."]))
    assert set(beside.get("unsupported_facts", ())) <= set(alone.get("unsupported_facts", ()))
    assert beside.get("word_share", 0) >= alone.get("word_share", 0)


@pytest.fixture(scope="module")
def bench():
    """The benchmark that measures the local judge."""
    place = ROOT / "benchmarks" / "local_judge.py"
    spec = importlib.util.spec_from_file_location("benchmarks.local_judge", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.usefixtures("shared")  # the labelled replies
@pytest.mark.parametrize(("name", "row"), [("begin_dev_wow.tsv", "dev"), ("begin_test_wow.tsv", "test")])
def test_it_separates_the_replies_of_begin(bench, name, row):
    """AUC of at least 0.92 against people's labels, and the page says what is measured here."""
    scored = [(reply.grounded, score) for reply in bench.replies(name) if (score := bench.local(reply)) is not None]
    auc = bench.auc([score for good, score in scored if good], [score for good, score in scored if not good])
    assert auc >= 0.92
    page = (ROOT / "docs" / "local-judge.md").read_text("utf-8")
    assert re.search(rf"^\| {row} +\|[^\[]*\| {auc:.3f} \[", page, re.MULTILINE)


def test_area_under_the_curve(bench):
    """Ties count half; order is all that matters."""
    assert 1.0 == bench.auc([2, 3], [0, 1])
    assert 0.0 == bench.auc([0], [1, 1])
    assert 0.5 == bench.auc([1, 1], [1])
    assert 0.75 == bench.auc([1, 3], [0, 2])
