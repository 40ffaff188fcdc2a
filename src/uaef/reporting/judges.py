"""Who judged, how often it was asked, and what that cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from uaef.models.results import EvaluationResult
from uaef.models.scores import MetricScore, ScoreStatus, total_if_known
from uaef.reporting.plain import one_line


def judged_by(results: Iterable[EvaluationResult]) -> list[str]:
    """One sentence for each judge: its judgements, those that failed, its calls, what was remembered, the dollars."""
    by_judge: dict[str, list[MetricScore]] = {}
    for score in _judged(results):
        by_judge.setdefault(str(score.metadata["judge"]), []).append(score)
    return [_sentence(one_line(judge), scores) for judge, scores in by_judge.items()]


def _judged(results: Iterable[EvaluationResult]) -> Iterator[MetricScore]:
    for result in results:
        for m in result.measurements:
            if "judge" in m.score.metadata:
                yield m.score


def _sentence(judge: str, scores: list[MetricScore]) -> str:
    facts = [score.metadata for score in scores]
    parts = [f"{len(scores)} judgement{'s' * (len(scores) != 1)}"]
    failed = sum(score.status is ScoreStatus.FAILED for score in scores)
    if failed:
        parts.append(f"{failed} failed")
    if any("calls" in f for f in facts):
        parts += [_calls([f.get("calls") for f in facts]), _cost([f.get("cost_usd") for f in facts])]
    remembered = sum(f.get("cached") is True for f in facts)
    if remembered:
        parts.append(f"{remembered} from the cache")
    return f"judged by {judge}: {', '.join(parts)}"


def _calls(made: list[object]) -> str:
    """How many; where somebody does not know, there may have been more."""
    calls = sum(n for n in made if isinstance(n, int))
    return f"{calls} call{'s' * (calls != 1)}{' or more' * (total_if_known(made) is None)}"


def _cost(usd: list[object]) -> str:
    total = total_if_known(usd)
    return "at a cost that is not known" if total is None else f"${total:.4f}"
