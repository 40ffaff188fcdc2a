"""From measurements to one score per metric: an average over turns that keeps every turn's score and reason."""

from __future__ import annotations

from collections.abc import Sequence

from uaef.evaluation.derived import mean
from uaef.metrics.base import Metric
from uaef.metrics.scopes import whole
from uaef.models.base import replaced
from uaef.models.measurement import Measurement
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.text.numbers import shown


def summed_up(metric: Metric, label: str, measurements: Sequence[Measurement]) -> MetricScore:
    """One score for all that ``metric`` measured on a conversation.

    What was measured on the whole speaks for the whole; else it is the average over the windows. Either way
    the windows are listed under ``metric.turns_key``.
    """
    if not measurements:
        return replaced(metric.not_applicable("its scope holds no turn of this conversation"), metric_name=label)
    on_whole = next((m for m in measurements if m.whole), None)
    if on_whole is None:
        return _average(metric, label, measurements)
    score = on_whole.score
    turns = [m for m in measurements if len(m.turns) == 1]
    if turns and metric.scope is not whole:
        score = replaced(score, metadata=score.metadata | {metric.turns_key: entries(turns)})
    return score if score.metric_name == label else replaced(score, metric_name=label)


def entries(measurements: Sequence[Measurement]) -> list[dict[str, object]]:
    """Each window's score and reason, for programs: ``{turn, score, reasoning}``."""
    return [{"turn": m.turns[-1], "score": m.score.score, "reasoning": m.score.reasoning} for m in measurements]


def _average(metric: Metric, label: str, measurements: Sequence[Measurement]) -> MetricScore:
    found = [m.score.status for m in measurements]
    scored = [m for m in measurements if m.score.score is not None]
    worst = min(scored, key=lambda m: m.score.score or 0.0, default=None)
    metadata: dict[str, object] = {
        metric.turns_key: entries(measurements),
        "n_scored": found.count(ScoreStatus.SCORED),
        "n_not_applicable": found.count(ScoreStatus.NOT_APPLICABLE),
        "n_failed": found.count(ScoreStatus.FAILED),
        "worst_turn": worst.turns[-1] if worst else None,
    }
    status = next((s for s in (ScoreStatus.SCORED, ScoreStatus.FAILED) if s in found), ScoreStatus.NOT_APPLICABLE)
    if status is not ScoreStatus.SCORED:
        telling = next(m for m in measurements if m.score.status is status)
        metadata["warning"] = telling.score.metadata.get("warning", "not_applicable")
    return MetricScore(
        metric_name=label,
        score=mean([m.score.score for m in scored]),
        reasoning=_printed(measurements),
        metadata=metadata,
        status=status,
    )


def _printed(measurements: Sequence[Measurement]) -> str:
    """Each turn's score and reason, for people."""
    lines = [f"Average across {len(measurements)} turns:"]
    for m in measurements:
        numbers = str(m.turns[0]) if len(m.turns) == 1 else f"{m.turns[0]}-{m.turns[-1]}"
        reason = f": {_indented(m.score.reasoning)}" if m.score.reasoning else ""
        lines.append(f"  Turn {numbers} ({shown(m.score.score)}){reason}")
    return "\n".join(lines)


def _indented(reason: str) -> str:
    """A reason whose lines cannot be taken for turns."""
    if reason.isprintable():  # then it is one line
        return reason
    return "\n    ".join(reason.splitlines())
