"""What a test tells the process that keeps runs, which may be another one than played it."""

from __future__ import annotations

from uaef.models.base import Record
from uaef.models.results import EvaluationResult
from uaef.runs.results import Played


class Sent(Record, frozen=True):
    """What was played for a test.

    Attributes:
        test: the test function, by its node id.
        dataset: the name of what was played.
        played: how; ``n_planned`` counts what all tests of the function are to play.
        judge: who judged; ``None`` where nobody did.
        chosen: what makes a run of these tests a part of its dataset.
        items: the results, by their places among those of all tests of the function.
    """

    test: str
    dataset: str
    played: Played
    judge: str | None
    chosen: dict[str, object]
    items: dict[int, EvaluationResult]
