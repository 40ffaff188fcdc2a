"""Who judged, how often it was asked, and what that cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from uaef.models.results import EvaluationResult
from uaef.reporting.plain import one_line


def judged_by(results: Iterable[EvaluationResult]) -> list[str]:
    """One sentence for each judge: its calls, the judgements that were remembered, the dollars."""
    by_judge: dict[str, list[Mapping[str, object]]] = {}
    for facts in _facts(results):
        by_judge.setdefault(str(facts["judge"]), []).append(facts)
    return [_sentence(one_line(judge), facts) for judge, facts in by_judge.items()]


def _facts(results: Iterable[EvaluationResult]) -> Iterator[Mapping[str, object]]:
    for result in results:
        for m in result.measurements:
            if "judge" in m.score.metadata:
                yield m.score.metadata


def _sentence(judge: str, facts: list[Mapping[str, object]]) -> str:
    calls = sum(n for f in facts if isinstance(n := f.get("calls"), int))
    parts = [f"{len(facts)} judgement{'s' * (len(facts) != 1)}"]
    if any("calls" in f for f in facts):
        costs = [f.get("cost_usd") for f in facts]
        known = [cost for cost in costs if isinstance(cost, int | float)]
        parts.append(f"{calls} call{'s' * (calls != 1)}")
        parts.append(f"${sum(known):.4f}" if len(known) == len(costs) else "at a cost that is not known")
    remembered = sum(f.get("cached") is True for f in facts)
    if remembered:
        parts.append(f"{remembered} from the cache")
    return f"judged by {judge}: {', '.join(parts)}"
