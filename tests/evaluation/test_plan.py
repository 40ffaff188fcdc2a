"""The plan: what will be measured, known and counted before anything is spent."""

from __future__ import annotations

from uaef.evaluation.plan import Plan
from uaef.metrics import Outline, from_turn, get_metric, latency_score, metric, whole
from uaef.models import Conversation
from uaef.testing import turn


def outline(turns):
    """What is known of a conversation of so many turns, whether it was played or not."""
    return Outline(numbers=tuple(range(1, turns + 1)), tags=((),) * turns)


def test_cells_are_known_before_anything_was_said():
    """Each metric on each of its windows: so many measurements, so many judge calls."""
    names = ["answer_relevance", "coherence", "per_turn_sentiment", "latency_score"]
    cells = list(Plan([get_metric(name) for name in names]).cells(outline(4)))
    assert {"answer_relevance": 4, "coherence": 1, "per_turn_sentiment": 4, "latency_score": 4} == {
        name: sum(cell.metric.name == name for cell in cells) for name in names
    }
    assert 9 == sum(cell.metric.kind == "judge" for cell in cells)


def test_cells_say_when_they_can_be_measured():
    """A turn as soon as it was played, the whole when all of it was."""
    metrics = [latency_score, latency_score.on(whole)(target_s=3), latency_score.on(from_turn(2))(target_s=4)]
    cells = Plan(metrics).cells(outline(3))
    assert [1, 2, 3, 3, 3] == [cell.ready_after for cell in cells]


def test_dependencies_come_first():
    """Stage by stage; what depends on nothing keeps the order of naming."""
    later = metric(name="later", depends_on=["latency_score"])(lambda _: 1)
    last = metric(name="last", depends_on=["later", "absent"])(lambda _: 1)
    plan = Plan([last, later, latency_score, get_metric("throughput")])
    assert [["latency_score", "throughput"], ["later"], ["last"]] == [
        [m.name for m in stage] for stage in plan.stages
    ]


def test_outline_of_what_was_recorded():
    """A conversation that was recorded has the outline that it had before."""
    assert outline(2) == Outline.of(Conversation.of([turn("a", "b"), turn("c", "d")]))
