"""Checks made of checks: what they make of a no, of nothing to measure, of a failure; and users' own functions."""

from __future__ import annotations

import pytest

from uaef import Conversation, checks, evaluate
from uaef.errors import MetricError, UnknownNameError
from uaef.metrics import latency_score
from uaef.models import MetricScore, ScoreStatus
from uaef.testing import turn

TURN = turn("question", "It rains in Oslo.", ["weather"])


def constant(outcome, name="some"):
    """A check that always finds this."""

    def function(_):
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return checks.check(function, name=name)


YES, NO, HALF = (constant(outcome, name) for outcome, name in ((True, "yes"), (False, "no"), (0.5, "half")))
NOTHING, BROKEN = constant(None, "nothing"), constant(ValueError("broken"), "broken")
FAILED, SKIPPED = ScoreStatus.FAILED, ScoreStatus.NOT_APPLICABLE


def score(check, trace=TURN):
    """The score of a check on one turn."""
    return evaluate(trace, metrics=[check]).measurements[0].score


@pytest.mark.parametrize(
    ("check", "outcome"),
    [
        (checks.all_of(YES, YES), 1.0),
        (checks.all_of(YES, NO), 0.0),
        (checks.all_of(YES, HALF), 0.5),
        (checks.all_of(YES, NOTHING), 1.0),
        (checks.all_of(NOTHING, NOTHING), SKIPPED),
        (checks.all_of(YES, BROKEN), FAILED),
        (checks.all_of(HALF, BROKEN), FAILED),
        (checks.all_of(NOTHING, BROKEN), FAILED),
        (checks.all_of(BROKEN, NO), 0.0),
        (checks.any_of(NO, YES), 1.0),
        (checks.any_of(NO, NO), 0.0),
        (checks.any_of(NO, HALF), 0.5),
        (checks.any_of(NO, NOTHING), 0.0),
        (checks.any_of(NOTHING), SKIPPED),
        (checks.any_of(NO, BROKEN), FAILED),
        (checks.any_of(HALF, BROKEN), FAILED),
        (checks.any_of(BROKEN, YES), 1.0),
        (checks.not_(YES), 0.0),
        (checks.not_(NO), 1.0),
        (checks.not_(HALF), 0.5),
        (checks.not_(NOTHING), SKIPPED),
        (checks.not_(BROKEN), FAILED),
        (checks.not_(checks.not_(BROKEN)), FAILED),
        (checks.any_of(checks.all_of(YES, NO), checks.not_(NO)), 1.0),
    ],
)
def test_outcomes(check, outcome):
    """A failure stays one unless the rest decides; what does not apply leaves the others to decide."""
    found = score(check)
    assert outcome == (found.status if found.score is None else found.score)


@pytest.mark.parametrize(
    ("check", "says_yes_or_no"),
    [
        (checks.all_of(YES, NO), True),
        (checks.any_of(YES, NOTHING), True),
        (checks.not_(YES), True),
        (checks.all_of(YES, HALF), False),
        (checks.not_(HALF), False),
    ],
)
def test_a_yes_or_no_stays_one(check, says_yes_or_no):
    """Of checks that say yes or no, the combination does too."""
    assert says_yes_or_no == score(check).metadata.get("check", False)


def test_reasons_are_those_of_the_parts():
    """Each part says what it found."""
    check = checks.any_of({"includes": "Rome"}, "used_no_tools", BROKEN, HALF)
    assert score(check).reasoning == (
        "includes('Rome') no: does not say 'Rome'; it said 'It rains in Oslo.'; "
        "used_no_tools() no: called weather(); "
        "broken failed: raised ValueError: broken; "
        "half 0.50"
    )
    assert "not (yes yes)" == score(checks.not_(YES)).reasoning
    assert "broken" in score(checks.not_(BROKEN)).reasoning


def test_short_forms_are_the_checks_that_they_mean():
    """As files write them; the key is that of the check."""
    written = checks.all_of(
        {"includes": "Oslo"}, "no_tool_errors", {"not": {"called_tool": {"name": "x", "times": 2}}}
    )
    built = checks.all_of(
        checks.includes("Oslo"), checks.no_tool_errors(), checks.not_(checks.called_tool("x", times=2))
    )
    assert "all_of(includes('Oslo'), no_tool_errors(), not_(called_tool('x', times=2)))" == written.key == built.key
    assert written.definition == built.definition
    assert 1 == len(evaluate(TURN, metrics=[written, built]).measurements)


@pytest.mark.parametrize(
    ("make", "error", "problem"),
    [
        (checks.all_of, MetricError, "checks: at least one is needed"),
        (checks.not_, MetricError, "missing a required argument"),
        (lambda: checks.any_of("inkludes"), UnknownNameError, "Did you mean 'includes'"),
        (lambda: checks.any_of({"includes": {"txt": "x"}}), UnknownNameError, "Did you mean 'text'"),
        (lambda: checks.any_of({"includes": "x", "excludes": "y"}), MetricError, "a single name"),
        (lambda: checks.all_of(latency_score), MetricError, "takes ready checks, got <Metric latency_score>"),
        (lambda: checks.all_of(checks.no_tool_errors), MetricError, "takes ready checks"),
        (lambda: checks.not_(5), MetricError, "Expected a name"),
        (lambda: checks.check(latency_score), MetricError, "a metric or a check is used as it is"),
        (lambda: checks.check("no"), MetricError, r"check\(function='no'\): Expected a callable, got str"),
        (lambda: checks.check(len, name="two words"), MetricError, "name: it has letters"),
    ],
)
def test_what_is_no_check_is_refused(make, error, problem):
    """Where it is made."""
    with pytest.raises(error, match=problem):
        make()


@pytest.mark.parametrize("outcome", [1.5, -0.1, float("nan"), float("inf"), "yes", ValueError("no"), SystemExit(1)])
def test_what_is_no_score_is_a_failure(outcome):
    """A value outside of [0, 1], something else, and whatever a function raises."""

    def function(_):
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    found = score(checks.check(function))
    assert (None, FAILED, "metric_error") == (found.score, found.status, found.metadata["warning"])


def is_brief(window):
    """Whether the answer is short."""
    return len(window.answer) < 100, f"{len(window.answer)} characters"


def test_a_function_is_known_by_its_name():
    """Or by the one it is given; a function without a good one is a check."""
    assert ("is_brief", "is_brief") == (checks.check(is_brief).name, checks.check(is_brief).key)
    assert "short" == checks.check(is_brief, name="short").name
    assert "check" == checks.check(lambda _: True).name
    found = score(checks.check(is_brief))
    assert ("is_brief", 1.0, "17 characters") == (found.metric_name, found.score, found.reasoning)


def test_two_functions_of_one_name_are_told_apart():
    """They would stand under one key, and that is an error; a name helps."""
    one, other = checks.check(lambda _: True), checks.check(lambda _: False)
    with pytest.raises(MetricError, match="give one of them another name"):
        evaluate(TURN, metrics=[one, other])
    assert 2 == len(evaluate(TURN, metrics=[one, other.named("other")]).measurements)
    assert 1 == len(evaluate(TURN, metrics=[one, one]).measurements)


def test_an_async_function_is_awaited():
    """By the engine; inside of a combination nobody waits for it."""

    async def later(_):
        return MetricScore(metric_name="any", score=0.25)

    class Later:
        def __await__(self):
            yield from ()
            return 0.25

    for function in (later, lambda _: Later()):
        check = checks.check(function)
        assert 0.25 == score(check).score
        found = score(checks.not_(check))
        assert FAILED is found.status
        assert "it has to be awaited" in found.reasoning


def test_silence_is_not_turned_into_praise():
    """Not even through a combination."""
    says_neither = checks.not_(checks.any_of(checks.includes("x"), checks.matches("y")))
    assert 1.0 == score(says_neither).score
    assert SKIPPED is score(says_neither, turn("question", "", ["weather"])).status
    assert SKIPPED is score(checks.not_(NO), turn("question", "")).status


def test_a_failed_agent_is_a_failure_of_each():
    """Whatever the check, a turn at which the agent failed was not measured."""
    broken = turn("question", "", metadata={"error": "timeout"})
    found = evaluate(Conversation.of(broken), metrics=[checks.not_(YES), checks.excludes("x")]).measurements
    assert [FAILED, FAILED] == [m.score.status for m in found]


def _says(window):
    return "fine" in window.answer


def _half(window):
    return 0.5 if window.tool_calls else 0.0


SPOKEN = [
    checks.includes("x"),
    checks.equals("x"),
    checks.one_of(["x"]),
    checks.matches("x"),
    checks.similarity("forbidden words here"),
    checks.similarity("forbidden words here", mode="ratio"),
    checks.json_valid(),
    checks.json_schema({"type": "object"}),
    checks.numbers_match(3),
    checks.asked_again_for("x"),
    checks.excludes("x"),
    checks.max_words(3),
    checks.check(_says),
    checks.check(_says, name="named"),
    checks.check(_half),
]


@pytest.mark.parametrize("spoken", SPOKEN, ids=lambda check: check.name)
@pytest.mark.parametrize(
    "around",
    [
        lambda check: check,
        lambda check: checks.any_of(checks.includes("y"), check),
        checks.all_of,
        lambda check: checks.not_(checks.not_(check)),
    ],
)
def test_an_agent_that_only_calls_tools_is_not_praised_for_what_it_did_not_say(spoken, around):
    """Whatever is asked of its words, and however it is put together: the opposite is not applicable."""
    silent = turn("q", "", ["look"])
    (measured,) = evaluate(silent, metrics=[checks.not_(around(spoken))]).measurements
    assert ScoreStatus.NOT_APPLICABLE is measured.score.status


def test_what_was_called_is_denied_in_silence_too():
    """The opposite of a check of tools needs no words."""
    silent = turn("q", "", ["look"])
    for part, score in ((checks.called_tool("delete"), 1.0), (checks.called_tool("look"), 0.0)):
        (measured,) = evaluate(silent, metrics=[checks.not_(part)]).measurements
        assert score == measured.score.score


def test_a_function_is_denied_where_something_was_said():
    """And one that holds is denied in silence."""
    for reply, function, score in (("no", _says, 1.0), ("fine", _says, 0.0), ("", lambda _: True, 0.0)):
        (measured,) = evaluate(turn("q", reply, ["look"]), metrics=[checks.not_(checks.check(function))]).measurements
        assert score == measured.score.score


def test_a_part_that_raises_what_is_no_exception_fails_alone():
    """As any part that raises."""

    class OutError(BaseException):
        pass

    def out(_):
        raise OutError("gone")

    (measured,) = evaluate(
        turn("q", "a"), metrics=[checks.any_of(checks.includes("a"), checks.check(out))]
    ).measurements
    assert 1.0 == measured.score.score
    (measured,) = evaluate(turn("q", "a"), metrics=[checks.not_(checks.check(out))]).measurements
    assert ScoreStatus.FAILED is measured.score.status
