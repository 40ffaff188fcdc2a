"""What a metric may need before it can say anything, and what is said where it is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from uaef.models.conversation import Conversation
from uaef.models.ground_truth import GroundTruth
from uaef.models.message import MessageRole


class Need(NamedTuple):
    """One need: how to tell whether it is met, and the words for when it is not."""

    met: Callable[[Conversation], bool]
    missing: str
    warning: str = "missing_data"


def _expects(part: Callable[[GroundTruth], object]) -> Callable[[Conversation], bool]:
    return lambda window: (expected := window.expected) is not None and bool(part(expected))


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _spoke(role: MessageRole) -> Callable[[Conversation], bool]:
    return lambda window: any(message.role is role for message in window.messages)


NEEDS: dict[str, Need] = {
    "judge": Need(lambda _: True, "no judge was given", "no_judge"),
    "question": Need(lambda w: _text(w.question), "the user said nothing"),
    "answer": Need(lambda w: bool(w.replies), "the assistant said nothing"),
    "assistant_message": Need(_spoke(MessageRole.ASSISTANT), "there is no assistant message"),
    "expected_output": Need(
        _expects(lambda gt: gt.expected_output and gt.expected_output.strip()), "no expected output is given"
    ),
    "criteria": Need(
        _expects(lambda gt: gt.criteria or _text(gt.expected_output)), "it is not said what is expected"
    ),
    "expected_tool_calls": Need(
        _expects(lambda gt: gt.expected_tool_calls is not None), "it is not said which tools are expected"
    ),
    "context_documents": Need(_expects(lambda gt: gt.context_documents), "no context documents are given"),
    "chatbot_role": Need(
        _expects(lambda gt: _text(gt.expected_arguments.get("chatbot_role"))),
        "no role is given (expected_arguments['chatbot_role'])",
        "not_applicable",
    ),
    "system_instructions": Need(
        _expects(lambda gt: _text(gt.expected_arguments.get("system_instructions")) or _text(gt.expected_output)),
        "no instructions are given (expected_arguments['system_instructions'] or expected_output)",
        "not_applicable",
    ),
    "several_turns": Need(
        lambda w: len(w.user_messages) > 1,
        "there is a single turn, so nothing to carry over",
        "not_applicable",
    ),
    "several_agents": Need(lambda w: w.is_multi_agent, "a single agent acted", "not_applicable"),
    "handovers": Need(
        lambda w: bool(getattr(w.trace, "coordination_events", ())),
        "no agent handed anything over",
        "not_applicable",
    ),
    "latency": Need(lambda w: w.latency is not None, "the latency was not recorded"),
    "cost": Need(lambda w: w.cost is not None, "the cost was not recorded"),
    "tokens": Need(
        lambda w: w.input_tokens is not None and w.output_tokens is not None, "the tokens were not recorded"
    ),
}
