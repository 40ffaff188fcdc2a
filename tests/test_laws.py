"""The laws of the design, each tried on whatever hypothesis comes up with."""

from __future__ import annotations

import asyncio
import copy
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uaef.api import batch_evaluate, evaluate
from uaef.errors import DataError
from uaef.metrics import each_turn, get_metric, metric, whole
from uaef.models import Conversation, GroundTruth, MetricScore, ScoreStatus, ToolCall, Verdict
from uaef.testing import ScriptedJudge, turn

TOOLS = st.lists(st.sampled_from(["find", "book", "pay"]), max_size=3)
SCORES = st.none() | st.floats(0, 1)


@st.composite
def traces(draw):
    """The trace of a turn: some text, some calls, figures that may be unknown."""
    calls = [ToolCall(name=name, arguments={"n": draw(st.integers(0, 1))}) for name in draw(TOOLS)]
    return turn(
        draw(st.text(max_size=5)),
        draw(st.text(max_size=5)),
        calls,
        latency=draw(st.none() | st.floats(0, 5)),
        cost=draw(st.none() | st.floats(0, 1)),
        input_tokens=draw(st.none() | st.integers(0, 2000)),
        output_tokens=draw(st.none() | st.integers(0, 2000)),
    )


@st.composite
def truths(draw, most=4):
    """A ground truth for up to so many turns."""
    entries = st.builds(
        GroundTruth,
        expected_output=st.none() | st.text(max_size=5),
        expected_tool_calls=st.none() | TOOLS.map(lambda names: [ToolCall(name=name) for name in names]),
    )
    return GroundTruth(
        expected_output=draw(st.none() | st.text(max_size=5)),
        expected_tool_calls=draw(st.none() | TOOLS.map(lambda names: [ToolCall(name=name) for name in names])),
        turns=draw(st.dictionaries(st.integers(1, most), entries, max_size=most)),
    )


@st.composite
def conversations(draw, most=4):
    """A conversation of up to so many turns, with gaps in their numbers, and perhaps a ground truth."""
    numbers = draw(st.lists(st.integers(1, 9), min_size=1, max_size=most, unique=True))
    turns = [draw(traces()) for _ in numbers]
    numbered = [turn_with(trace, number) for trace, number in zip(turns, sorted(numbers), strict=True)]
    return Conversation.of(numbered, name="talk", expected=draw(st.none() | truths(9)))


def turn_with(trace, number):
    """The trace, with its number recorded."""
    trace.metadata["turn_id"] = number
    return trace


def findings(result):
    """What was measured, without what differs from run to run."""
    return {(m.slice_name, m.metric): (m.score.score, m.score.status, m.score.reasoning) for m in result.measurements}


def same(result):
    """Everything that a result says, without what differs from run to run."""
    return (
        findings(result),
        {d.dimension_name: (d.aggregate_score, d.weight) for d in result.dimension_results},
        result.overall_score,
        result.verdict,
        result.metadata["per_turn_averages"],
        result.metadata["coverage"],
    )


# --- slicing --------------------------------------------------------------------------


@given(conversations(), st.data())
def test_windows_are_conversations(conversation, data):
    """c[0:len(c)] == c, and c[a:b][i] == c[a+i], history, name and expectations included."""
    assert conversation == conversation[0 : len(conversation)] == conversation[:]
    start = data.draw(st.integers(0, len(conversation) - 1))
    stop = data.draw(st.integers(start + 1, len(conversation)))
    stretch = conversation[start:stop]
    assert stop - start == len(stretch)
    for place, window in enumerate(stretch):
        direct = conversation[start + place]
        assert window == direct == window == stretch[place - len(stretch)]
        assert (window.name, window.history, window.expected) == (direct.name, direct.history, direct.expected)


@given(conversations())
def test_history_and_windows_tell_the_whole_story(conversation):
    """What came before a turn, the turn and what came after it are the conversation."""
    for place, window in enumerate(conversation):
        after = [m for later in list(conversation)[place + 1 :] for m in later.messages]
        assert conversation.messages == [*window.history, *window.messages, *after]


@given(conversations())
def test_turns_add_up_to_the_whole(conversation):
    """Calls, user messages and known figures of the turns are those of the whole."""
    parts = list(conversation)
    assert conversation.tool_calls == [call for window in parts for call in window.tool_calls]
    assert conversation.user_messages == [text for window in parts for text in window.user_messages]
    tokens = [window.input_tokens for window in parts]
    assert conversation.input_tokens == (None if None in tokens else sum(tokens))


@given(conversations())
def test_session_dict_keeps_everything_recorded(conversation):
    """from_session(to_session(c)) is c in all that was recorded."""
    again = Conversation.from_session(conversation.to_session())
    assert [w.trace for w in conversation] == [w.trace for w in again]
    assert (conversation.name, conversation.numbers, conversation.trace) == (again.name, again.numbers, again.trace)


@given(conversations(), st.data())
def test_conversations_survive_being_written(conversation, data):
    """from_dict(to_dict(c)) == c, for windows as well."""
    window = conversation[data.draw(st.integers(0, len(conversation) - 1)) :]
    assert window == Conversation.from_dict(window.to_dict())


@given(conversations())
def test_changed_story_of_the_whole_is_noticed(conversation):
    """A full trace in which one user message differs is refused, whichever it is."""
    whole_trace = conversation.trace
    texts = [m.content for m in whole_trace.messages if m.role == "user"]
    messages = [{"role": "user", "content": text} for text in texts]
    changed = random.Random(len(texts)).randrange(len(texts))  # noqa: S311 - any of them will do
    messages[changed]["content"] += "!"
    session = conversation.to_session() | {"full_trace": {"messages": messages}}
    with pytest.raises(DataError, match=rf"from turn {conversation.numbers[changed]} on"):
        Conversation.from_session(session)


# --- scoring --------------------------------------------------------------------------

DETERMINISTIC = (
    "tool_selection_accuracy",
    "tool_sequence_correctness",
    "parameter_quality",
    "latency_score",
    "token_efficiency",
    "cost_efficiency",
    "throughput",
    "prompt_injection_detection",
    "turn_efficiency",
    "mcp_compliance",
)


@given(traces(), st.none() | truths(2))
def test_one_turn_scores_alike_as_a_turn_and_as_a_whole(trace, truth):
    """A turn is a conversation of length one: the scope makes no difference to it."""
    metrics = [get_metric(name) for name in DETERMINISTIC]
    by_turn = evaluate(trace, truth, metrics=[m.on(each_turn) for m in metrics])
    by_whole = evaluate(trace, truth, metrics=[m.on(whole) for m in metrics])
    assert findings(by_turn) == findings(by_whole)
    assert (by_turn.overall_score, by_turn.verdict) == (by_whole.overall_score, by_whole.verdict)


@given(conversations(), st.none() | truths(), st.permutations(DETERMINISTIC))
def test_order_of_metrics_changes_nothing(conversation, truth, order):
    """Whichever metric comes first, every number, mean and verdict stays the same, to the last digit."""
    assert same(evaluate(conversation, truth, metrics=DETERMINISTIC)) == same(
        evaluate(conversation, truth, metrics=order)
    )


JUDGED = ("answer_relevance", "coherence", "conversation_completeness", "safety_score", "turn_efficiency")


class ShufflingJudge(ScriptedJudge):
    """A judge whose answers arrive in any order."""

    def __init__(self, seed):
        super().__init__({}, default=lambda window: len(window.name) % 7 / 7)
        self._random = random.Random(seed)  # noqa: S311 - which order is all the same

    async def judge(self, rubric, window):
        """What the script says, after a while."""
        for _ in range(self._random.randrange(5)):
            await asyncio.sleep(0)
        return super().judge(rubric, window)


@given(conversations(), st.permutations(JUDGED), st.integers(), st.integers())
def test_order_of_answers_changes_nothing(conversation, order, one, other):
    """However the judge's answers overtake each other, the result is the same."""
    results = [
        evaluate(conversation, metrics=metrics, judge=ShufflingJudge(seed))
        for metrics, seed in ((JUDGED, one), (order, other))
    ]
    assert same(results[0]) == same(results[1])


@given(conversations(), st.none() | truths())
def test_evaluation_changes_nothing_it_was_given(conversation, truth):
    """The caller's traces and ground truths are the same before and after, deep down; they used to be written to."""
    before = copy.deepcopy(([t.trace for t in conversation.turns], truth))
    session = conversation.to_session()
    judge = ScriptedJudge({}, default=0.5)
    for item in (session, conversation):
        evaluate(item, truth, metrics=[*DETERMINISTIC, *JUDGED[:4]], judge=judge)
    assert before == ([t.trace for t in conversation.turns], truth)


@given(st.lists(conversations(2), max_size=4))
def test_batch_says_what_each_evaluation_says(many):
    """Evaluated together, in a batch, each conversation gets the numbers that it gets alone, in the order given."""
    batch = batch_evaluate(many, metrics=DETERMINISTIC)
    assert [same(evaluate(item, metrics=DETERMINISTIC)) for item in many] == [same(result) for result in batch]


# --- counts and verdicts --------------------------------------------------------------


def scripted(name, dimension, values):
    """A metric that gives these values, turn by turn: a score, None for not applicable, "failed" for a failure."""

    def found(window):
        value = values[window.numbers[0] - 1]
        if value == "failed":
            raise RuntimeError("failed as scripted")
        return value

    found.__name__ = name
    return metric(dimension=dimension)(found)


VALUES = st.lists(SCORES | st.just("failed"), min_size=1, max_size=4)


def talk(turns):
    """A conversation of so many turns."""
    return Conversation.of([turn("a", "b") for _ in range(turns)], name="talk")


@given(VALUES)
def test_counts_add_up(values):
    """Scored, not applicable and failed are all there is, in the average as in the coverage."""
    result = evaluate(talk(len(values)), metrics=[scripted("m", "Performance", values)])
    (score,) = result.dimension_results[0].metric_scores
    counts = {
        "scored": sum(isinstance(value, float) for value in values),
        "not_applicable": values.count(None),
        "failed": values.count("failed"),
    }
    if len(values) > 1:
        assert counts == {name: score.metadata[f"n_{name}"] for name in counts}
    assert counts == result.metadata["coverage"]
    assert len(values) == len(score.metadata["per_turn"]) == len(result.measurements)


@given(VALUES)
def test_average_lies_among_what_was_averaged(values):
    """A mean is never outside its parts, not even by a rounding error; without parts there is none."""
    result = evaluate(talk(len(values)), metrics=[scripted("m", "Performance", values)])
    known = [value for value in values if isinstance(value, float)]
    found = result.dimension_results[0].aggregate_score
    if known:
        assert min(known) <= found == result.overall_score <= max(known)
    else:
        assert found is result.overall_score is None


@given(st.floats(0, 1), st.integers(2, 9))
def test_equal_scores_meet_a_bar_of_the_same_height(score, turns):
    """Three times 0.7 makes 0.7 and not 0.6999999999999998."""
    result = evaluate(
        talk(turns), metrics=[scripted("m", "Performance", [score] * turns)], thresholds={"Performance": score}
    )
    assert Verdict.PASSED is result.verdict


RANK = {Verdict.FAILED: 0, Verdict.SCORED: 1, None: 2, Verdict.PASSED: 3}
DIMENSIONS = ("Performance", "Tool Calling")


@given(
    st.lists(st.tuples(st.sampled_from(DIMENSIONS), SCORES | st.just("failed")), min_size=1, max_size=5),
    st.dictionaries(st.sampled_from([*DIMENSIONS, "Reasoning"]), st.floats(0, 1)),
    st.data(),
)
def test_a_failure_or_a_lower_score_never_raises_the_verdict(found, thresholds, data):
    """Adding a failed measurement, or one below what its dimension has, can only lower the verdict."""

    def verdict(findings):
        metrics = [scripted(f"m{i}", dimension, [value]) for i, (dimension, value) in enumerate(findings)]
        return evaluate(talk(1), metrics=metrics, thresholds=thresholds).verdict

    dimension = data.draw(st.sampled_from(DIMENSIONS))
    scores = [value for where, value in found if where == dimension and isinstance(value, float)]
    lower = data.draw(st.floats(0, min(scores)) if scores else st.just("failed"))
    for added in ("failed", lower):
        assert RANK[verdict([*found, (dimension, added)])] <= RANK[verdict(found)]


@given(SCORES, st.floats(0, 1))
def test_only_a_score_that_reaches_the_bar_passes(score, bar):
    """Never round a verdict: passing is score >= bar, and a bar of 1 means 1."""
    result = evaluate(talk(1), metrics=[scripted("m", "Performance", [score])], thresholds={"Performance": bar})
    assert (score is not None and score >= bar) is result.passed


@given(st.sampled_from(list(ScoreStatus)), st.none() | st.floats(0, 1))
def test_only_scored_carries_a_number(status, score):
    """A number and the status always agree."""
    if (score is not None) is (status is ScoreStatus.SCORED):
        assert score == MetricScore(metric_name="m", score=score, status=status).score
    else:
        with pytest.raises(ValueError, match="contradict each other"):
            MetricScore(metric_name="m", score=score, status=status)
