"""What measuring would ask a judge: everything is measured with a judge that only counts."""

from __future__ import annotations

from collections.abc import Callable

from uaef.errors import DataError
from uaef.evaluation.settings import Options
from uaef.llm_judge.choice import chosen_judge
from uaef.llm_judge.estimate import CountingJudge, Estimate
from uaef.llm_judge.redaction import redactor
from uaef.models.results import EvaluationResult


def estimate_of(measure: Callable[[Options], list[EvaluationResult]], options: Options) -> Estimate:
    """What ``measure`` with these options would ask a judge, at least.

    Args:
        measure: from options to results; called with a judge that counts.
        options: which judge would be asked.

    Raises:
        ValueError: what ``measure`` raises; also where a conversation cannot be read, since it would cost nothing.
    """
    given: Options = {**options}
    redact = given.pop("redact", None)
    judge = chosen_judge(given.get("judge"), max_cost_usd=given.pop("max_cost_usd", None), redact=redact)
    if judge is None:
        return Estimate(judge=None)
    counting = CountingJudge(judge, redactor(redact))
    given["judge"] = counting
    results = measure(given)
    unread = [f"{r.trace_id}: {failure}" for r in results if r.conversation is None for failure in r.failures]
    if unread:
        raise DataError(*unread)
    return counting.estimate()
