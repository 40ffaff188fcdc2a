"""The verdict: a model's reply, read so that nothing but a verdict on this very question can be one."""

from __future__ import annotations

from typing import NamedTuple

from uaef.llm.chat import Finish, Reply
from uaef.llm_judge.prompt import Question
from uaef.llm_judge.scales import InvalidVerdictError, Reading, Scale
from uaef.text.json_in_text import sole_json_object
from uaef.text.well_formed import well_formed

_KEYS = {"token", "reasoning", "score"}
_UNFINISHED = {
    Finish.LENGTH: "the reply was cut off",
    Finish.REFUSAL: "the model refused to answer",
    Finish.OTHER: "the model stopped for another reason than being done",
}


class ReadVerdict(NamedTuple):
    """What the judge found, and why."""

    reading: Reading
    reasoning: str


def read_verdict(reply: Reply, question: Question, scale: Scale) -> ReadVerdict:
    """The verdict in ``reply``.

    Raises:
        InvalidVerdictError: it is no verdict, or not one on this question; the message says what is wrong.
    """
    if reply.finish is not Finish.DONE:
        raise InvalidVerdictError(_UNFINISHED[reply.finish])
    data = sole_json_object(reply.text)
    if data is None:
        raise InvalidVerdictError("the reply is no JSON object")
    if set(data) != _KEYS:
        raise InvalidVerdictError("the keys must be token, reasoning and score, and no others")
    if data["token"] != question.token:
        raise InvalidVerdictError("the token is not the one of this question")
    if not isinstance(data["reasoning"], str) or not data["reasoning"].strip():
        raise InvalidVerdictError("there is no reasoning")
    reading = scale.read(data["score"], question.items, question.turns)
    return ReadVerdict(reading, well_formed(data["reasoning"].strip()))
