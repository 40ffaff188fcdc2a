"""Checks made of checks, and of a user's function; the catalogue of them all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import ParamSpec, TypeAlias

from uaef.errors import MetricError, UnknownNameError
from uaef.foreign import RAISED, is_ours, told
from uaef.metrics.base import Found, Metric
from uaef.metrics.checks import asking, data, expected, limits, similarity, text, tools
from uaef.metrics.checks.base import Check, Factory, Test, factory
from uaef.metrics.checks.said import NOTHING_DONE, NOTHING_SAID, SILENT, idle, said
from uaef.metrics.checks.written import called_with, short_form
from uaef.models.base import replaced
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.text.numbers import shown

Part: TypeAlias = Check | str | Mapping[str, object]
"""A check, or the short form of one: ``"no_tool_errors"``, ``{"includes": "Oslo"}``."""

_P = ParamSpec("_P")


def part_of(value: object) -> Check:
    """The check itself, or the one that a short form means.

    Raises:
        UnknownNameError: there is no such check.
        MetricError: it is neither, or an argument does not fit.
    """
    if isinstance(value, Check):
        return value
    if isinstance(value, Metric | Factory):
        raise MetricError(f"A check made of checks takes ready checks, got {value!r}.")
    name, arguments = short_form(value)
    made = CHECKS.get(ALIASES.get(name, name))
    if made is None:
        raise UnknownNameError("check", name, CHECKS)
    return called_with(made, arguments)


def _of_checks(function: Callable[_P, Test]) -> Factory[_P]:
    """A factory whose arguments are checks; short forms are read before the function sees them."""
    return Factory(function, part_of)


@_of_checks
def all_of(*checks: Part) -> Test:
    """Whether all of ``checks`` hold, where they apply: the lowest of their scores.

    Failed if one of them failed, unless another is 0 already; not applicable if none applies.
    """
    return _combined(checks, min, decided=0.0)


@_of_checks
def any_of(*checks: Part) -> Test:
    """Whether at least one of ``checks`` holds, where they apply: the highest of their scores.

    Failed if one of them failed, unless another is 1 already; not applicable if none applies.
    """
    return _combined(checks, max, decided=1.0)


@_of_checks
def not_(check: Part) -> Test:
    """Whether ``check`` does not hold: 1 less its score.

    Failed where the check failed. Not applicable where the check is, where the assistant did nothing at all, and
    where the check does not hold only because the assistant said nothing. Of a function of yours nobody knows why it
    does not hold, so where nothing was said its opposite is not applicable.
    """
    part = part_of(check)

    def test(window: Conversation) -> Found:
        score = _score(part, window)
        if score.score is None:
            return score
        if SILENT in score.metadata or idle(window):
            return None, NOTHING_SAID if SILENT in score.metadata else NOTHING_DONE
        opposite = 1.0 - score.score
        return (bool(opposite) if "check" in score.metadata else opposite), f"not ({_told(part, score)})"

    return test


@factory
def check(function: Callable[[Conversation], Found | Awaitable[Found]], *, name: str | None = None) -> Test:
    """What ``function`` finds in the window: a yes or no, a number in [0, 1], ``None``, or one of them and a reason.

    It goes by the name of the function, or by ``name``. What it raises, and a value outside [0, 1], is ``failed``. It
    may be an ``async`` function, except inside of ``all_of``, ``any_of`` and ``not_``.
    """
    if isinstance(function, Metric | Factory | type):
        raise TypeError("function: it must be a function of a window; a metric or a check is used as it is")
    if name is not None and not name.isidentifier():
        raise ValueError("name: it has letters, digits and underscores only")
    own = getattr(function, "__name__", "")
    return _Own(function, name or (own if own.isidentifier() else "check"))


class _Own:
    """A user's function as a test that goes by its name."""

    def __init__(self, function: Test, called: str) -> None:
        self._function = function
        self.called = called

    def __call__(self, window: Conversation, /) -> Found | Awaitable[Found]:
        return self._function(window)


CHECKS: Mapping[str, Factory[...]] = {
    made.name: made
    for module in (
        (text.includes, text.excludes, text.equals, text.matches, similarity.similarity, text.one_of),
        (expected.matches_expected, expected.includes_expected, expected.numbers_match),
        (data.json_valid, data.json_schema),
        (tools.called_tool, tools.did_not_call, tools.tool_order, tools.max_tool_calls, tools.used_no_tools),
        (tools.no_tool_errors, tools.required_approval_before, tools.writes_match),
        (limits.max_words, limits.max_latency, limits.max_cost),
        (asking.asked_again_for,),
        (all_of, any_of, not_, check),
    )
    for made in module
}
"""All checks by name, family by family."""

ALIASES = {
    "not": "not_",
    "contains": "includes",
    "not_contains": "excludes",
    "regex": "matches",
    "tool_called": "called_tool",
}
"""Other names of checks, for files."""


def _combined(given: Sequence[Part], best: Callable[[Iterable[float]], float], *, decided: float) -> Test:
    if not given:
        raise ValueError("checks: at least one is needed, else there is nothing to decide")
    parts = [part_of(value) for value in given]  # checks by now

    def test(window: Conversation) -> Found:
        scores = [_score(part, window) for part in parts]
        numbers = [score.score for score in scores if score.score is not None]
        reason = "; ".join(map(_told, parts, scores))
        value = best(numbers) if numbers else None
        if value != decided and any(score.status is ScoreStatus.FAILED for score in scores):
            return MetricScore(metric_name="checks", reasoning=reason, metadata={"warning": "metric_error"})
        if value is None:
            return None, reason
        return _result(value, reason, [score for score in scores if score.score is not None])

    return test


def _result(value: float, reason: str, scores: Sequence[MetricScore]) -> MetricScore:
    """The score, which is a yes or no if all its parts are, and which silence gave if it gave all that are so low."""
    kinds = {"check": True} if all("check" in score.metadata for score in scores) else {}
    if all(SILENT in score.metadata for score in scores if score.score is not None and score.score <= value):
        kinds[SILENT] = True
    return MetricScore(metric_name="checks", score=value, reasoning=reason, metadata={**kinds})


def _score(part: Check, window: Conversation) -> MetricScore:
    """What a part finds; what it raises costs nothing but itself."""
    try:
        found = part.measure(window)
    except RAISED as error:  # it may be a user's function
        if is_ours(error):
            raise
        return part.failed(f"raised {told(error)}")
    if not isinstance(found, Awaitable):
        score = part.score_of(found)
        return _silenced(score) if part.is_own and not said(window, "all") else score
    if isinstance(found, Coroutine):
        found.close()
    return part.failed("it has to be awaited, and a check made of checks takes those that answer at once")


def _silenced(score: MetricScore) -> MetricScore:
    """The score of a user's function where nothing was said: nobody knows whether its no is one of silence."""
    return score if score.score in (None, 1.0) else replaced(score, metadata={**score.metadata, SILENT: True})


def _told(part: Check, score: MetricScore) -> str:
    """What a part found, in words: ``includes('Oslo') no: ...``."""
    if score.score is None:
        outcome = str(score.status).replace("_", " ")
    elif "check" in score.metadata:
        outcome = "yes" if score.score else "no"
    else:
        outcome = shown(score.score)
    return f"{part.key} {outcome}" + (f": {score.reasoning}" if score.reasoning else "")
