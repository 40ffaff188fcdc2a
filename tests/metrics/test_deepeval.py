"""DeepEval's role adherence, against a stub of the part of DeepEval that is used."""

from __future__ import annotations

import os
import sys
import threading
import types

import pytest

from uaef.api import batch_evaluate, evaluate
from uaef.metrics.deepeval import METRICS
from uaef.models import AgentTrace, Conversation, GroundTruth, Message

(METRIC,) = METRICS
OPT_OUT = "DEEPEVAL_TELEMETRY_OPT_OUT"
ROLE = GroundTruth(expected_arguments={"chatbot_role": "a clerk"})


class _Data:
    def __init__(self, **fields):
        vars(self).update(fields)


class _RoleAdherence:
    """What ``deepeval.metrics.RoleAdherenceMetric`` is to us: its constructor, ``measure`` and four attributes."""

    broken: tuple[int, ...] = (3,)
    made: list[_RoleAdherence] = []  # noqa: RUF012 - read by the tests

    def __init__(self, threshold=0.5, model=None, include_reason=True, async_mode=True):  # noqa: FBT002 - theirs
        self.asked_for = (threshold, model, include_reason, async_mode)
        self.evaluation_model = model or "their-default"
        self.made.append(self)

    def measure(self, test_case, _show_indicator=True):  # noqa: FBT002 - theirs
        self.case, self.shown, self.thread = test_case, _show_indicator, threading.current_thread()
        replies = sum(turn.role == "assistant" for turn in test_case.turns)
        self.out_of_character_verdicts = _Data(verdicts=[_Data(index=n, reason="no clerk") for n in self.broken])
        self.score = 1 - len(self.broken) / replies
        self.reason = "one slip"
        self.evaluation_cost = 0.002
        return self.score


@pytest.fixture
def deepeval(monkeypatch):
    """The stub, in the place of the package."""
    metrics = types.ModuleType("deepeval.metrics")
    metrics.RoleAdherenceMetric = _RoleAdherence
    test_case = types.ModuleType("deepeval.test_case")
    test_case.Turn, test_case.ConversationalTestCase = type("Turn", (_Data,), {}), type("Case", (_Data,), {})
    for name, module in (("deepeval.metrics", metrics), ("deepeval.test_case", test_case)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(_RoleAdherence, "made", [])
    monkeypatch.delenv("DEEPEVAL_TELEMETRY_OPT_OUT", raising=False)
    return _RoleAdherence


def _talk() -> Conversation:
    turns = [
        [Message(role="system", content="You are a clerk."), Message(role="user", content="Hi.")],
        [
            Message(role="user", content="Help!"),
            Message(role="assistant", content=""),
            Message(role="tool", content="5"),
        ],
        [Message(role="user", content="Who are you?")],
    ]
    replies = ["Good day.", "Arr, matey!", "A clerk."]
    return Conversation.of(
        [
            AgentTrace(messages=[*said, Message(role="assistant", content=reply)])
            for said, reply in zip(turns, replies, strict=True)
        ]
    )


def _score(metric=METRIC, told=None, expected=ROLE):
    return evaluate(told or _talk(), expected, metrics=[metric]).measurements[0].score


def test_it_is_asked_about_the_texts_of_both_sides(deepeval):
    """With the role; what has no text and what tools and the system say is left out; quietly, in a thread."""
    score = _score()
    (made,) = deepeval.made
    assert ("a clerk", (0.5, None, True, False), False) == (made.case.chatbot_role, made.asked_for, made.shown)
    assert [
        ("user", "Hi."),
        ("assistant", "Good day."),
        ("user", "Help!"),
        ("assistant", "Arr, matey!"),
        ("user", "Who are you?"),
        ("assistant", "A clerk."),
    ] == [(turn.role, turn.content) for turn in made.case.turns]
    assert made.thread is not threading.main_thread()
    assert (pytest.approx(2 / 3), "one slip") == (score.score, score.reasoning)
    assert {"out_of_character_turns": [2], "judge": "deepeval:their-default", "cost_usd": 0.002} == score.metadata


def test_its_model_can_be_named(deepeval):
    """By DeepEval's own name for it."""
    score = _score(METRIC(model="gpt-x"))
    assert ("gpt-x", "deepeval:gpt-x") == (deepeval.made[0].asked_for[1], score.metadata["judge"])


@pytest.mark.parametrize("broken", [(0,), (1, 2), (6,), (-1,), (3, 3), (1, 3, 1)])
def test_a_verdict_on_something_else_is_no_verdict(deepeval, monkeypatch, broken):
    """On the user's words, on a message that does not exist, or on one that was counted already."""
    monkeypatch.setattr(deepeval, "broken", broken)
    score = _score()
    assert (None, "failed", "invalid_verdict") == (score.score, str(score.status), score.metadata["warning"])


@pytest.mark.parametrize("own", [None, "NO"])
def test_the_environment_is_left_as_it_was(deepeval, monkeypatch, own):
    """DeepEval reads the variable whenever it measures: it is set as long as one does, and no longer."""
    if own:
        monkeypatch.setenv(OPT_OUT, own)
    seen = []
    measure = deepeval.measure

    def watched(self, *args, **kwargs):
        seen.append(os.environ.get(OPT_OUT))
        return measure(self, *args, **kwargs)

    monkeypatch.setattr(deepeval, "measure", watched)
    batch_evaluate([_talk() for _ in range(8)], [ROLE] * 8, metrics=[METRIC])
    assert ([own or "YES"] * 8, own) == (seen, os.environ.get(OPT_OUT))
    monkeypatch.setattr(deepeval, "measure", lambda *_, **__: 1 / 0)
    _score()
    assert own == os.environ.get(OPT_OUT)


def test_what_it_raises_is_a_failure(deepeval, monkeypatch):
    """Whatever it is."""
    monkeypatch.setattr(deepeval, "measure", lambda *_, **__: 1 / 0)
    score = _score()
    assert (None, "failed") == (score.score, str(score.status))
    assert "ZeroDivisionError" in score.reasoning


@pytest.mark.usefixtures("deepeval")
def test_it_needs_a_role():
    """Without one nothing is asked."""
    assert "not_applicable" == str(_score(expected=None).status)


def test_without_the_package_it_says_how_to_install_it(monkeypatch):
    """One command."""
    monkeypatch.setitem(sys.modules, "deepeval", None)
    monkeypatch.setitem(sys.modules, "deepeval.metrics", None)
    score = _score()
    assert ("failed", "DeepEval is not installed: pip install 'uaef[deepeval]'") == (
        str(score.status),
        score.reasoning,
    )


def test_it_waits_to_be_named_and_counts_in_a_dimension_of_its_own():
    """It is no part of any default set."""
    assert (False, "DeepEval", "deepeval_role_adherence") == (METRIC.by_default, METRIC.dimension, METRIC.name)
    assert (True, "whole") == (METRIC.blocking, METRIC.scope.__name__)
