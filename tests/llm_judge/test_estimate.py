"""What a run would ask, counted before anything is spent: the calls that are then really made."""

from __future__ import annotations

import pytest
from judged_conversations import EXPECTED, RUBRICS, exchange, talk

from uaef.api import batch_evaluate, estimate
from uaef.errors import DataError
from uaef.llm.prices import Price
from uaef.llm_judge import Panel, judge_for
from uaef.llm_judge.estimate import ANSWER_TOKENS, CountingJudge, Estimate
from uaef.metrics.registry import list_metrics_by_dimension
from uaef.models import AgentTrace, Conversation, GroundTruth, Message
from uaef.models.base import replaced
from uaef.testing import ScriptedJudge

METRICS = [name for names in list_metrics_by_dimension().values() for name in names if "deepeval" not in name]


class Priced(ScriptedJudge):
    """A judge that says what it costs."""

    price = Price(1, 1)

    def bounded(self, budget, redact):
        """The same."""
        assert (None, None) == (budget, redact)
        return self


def _conversations() -> list[Conversation]:
    """One of each kind: long, short, silent, with everything expected and with nothing."""
    everything = replaced(EXPECTED, context_documents=["Rooms cost 80."])
    silent = AgentTrace(messages=[Message(role="user", content="Hello?")])
    blank = AgentTrace(messages=[Message(role="user", content="Hello?"), Message(role="assistant", content=" ")])
    return [
        talk(),
        talk(expected=None),
        talk(expected=everything),
        Conversation.of(exchange("When?", "At 5."), expected=GroundTruth(expected_output="At 5.")),
        Conversation.of([silent, blank], expected=everything),
    ]


@pytest.mark.parametrize("members", [1, 3])
def test_the_estimate_is_what_is_asked(providers, members):
    """Every metric there is, on every kind of conversation: as many calls, as the server counts them."""
    one = judge_for("openai:m", price=Price(1, 10))
    judge = one if members == 1 else Panel([one, Panel([one, one])])
    counting = CountingJudge(judge)
    estimated = batch_evaluate(_conversations(), metrics=METRICS, judge=counting)
    assert [] == providers.asked
    assert {None} == {
        m.score.score for r in estimated for m in r.measurements if "estimate" in (m.score.reasoning or "")
    }
    expected = counting.estimate()
    batch_evaluate(_conversations(), metrics=METRICS, judge=judge)
    assert len(providers.asked) == expected.calls > 100
    read = sum(len(asked.system) + len(asked.user) for asked in providers.asked) / 4
    assert pytest.approx(read, rel=0.02) == expected.input_tokens
    assert expected.calls * ANSWER_TOKENS == expected.output_tokens
    assert pytest.approx(Price(1, 10).of(expected.input_tokens, expected.output_tokens)) == expected.cost_usd
    assert judge.label == expected.judge == counting.label


def test_a_price_that_is_not_known_makes_no_sum():
    """Not of one judge, and not of a panel with one such member."""
    known, unknown = Priced({}), ScriptedJudge({})
    for judge in (unknown, Panel([known, unknown])):
        counting = CountingJudge(judge)
        batch_evaluate([talk()], metrics=[RUBRICS["0-1"]], judge=counting)
        assert counting.estimate().cost_usd is None


def test_nothing_to_ask_is_nothing():
    """No metric of a judge's: no calls, no dollars."""
    counting = CountingJudge(Priced({}))
    batch_evaluate([talk()], metrics=["latency_score"], judge=counting)
    assert Estimate(judge="scripted", cost_usd=0.0) == counting.estimate()


def test_the_function_asks_nothing(providers):
    """``estimate`` takes what ``batch_evaluate`` takes, counts, and leaves the asking to it."""
    judge = judge_for("openai:m", price=Price(1, 10))
    found = estimate([talk(), talk()], None, [RUBRICS["0-1"], "latency_score"], judge=judge, max_cost_usd=0.0001)
    assert (2, 2 * ANSWER_TOKENS, "openai:m") == (found.calls, found.output_tokens, found.judge)
    assert Price(1, 10).of(found.input_tokens, found.output_tokens) == found.cost_usd
    assert [] == providers.asked


def test_the_function_counts_what_redaction_leaves(providers):
    """A question is as long as what the judge would be shown."""
    whole, hidden = (
        estimate([talk("x" * 4000)], None, [RUBRICS["0-1"]], judge="openai:m", redact=redact).input_tokens
        for redact in (None, lambda _: "")
    )
    assert whole - hidden > 1000
    assert [] == providers.asked


def test_without_a_judge_there_is_nothing_to_count():
    """Nobody is named, so nobody would be asked."""
    assert Estimate(judge=None) == estimate([talk()], None, [RUBRICS["0-1"]])


def test_the_function_refuses_what_the_run_would_refuse(providers):
    """A limit without a price, or a redaction that is none."""
    assert [] == providers.asked
    with pytest.raises(DataError, match="max_cost_usd needs a price"):
        estimate([talk()], judge="openai:m", max_cost_usd=1)
    with pytest.raises(DataError, match="redact is a function from text to text, or 'pii'; got 'all'"):
        estimate([talk()], judge="openai:m", redact="all")


def test_what_cannot_be_read_is_not_free():
    """A conversation that is none would cost nothing, so there is no estimate of it."""
    with pytest.raises(DataError, match="Could not be evaluated: DataError: Expected an AgentTrace"):
        estimate([talk(), [{"role": "user", "content": "Hi"}]], metrics=["coherence"], judge=ScriptedJudge({}))
