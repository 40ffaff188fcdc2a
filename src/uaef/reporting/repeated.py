"""What several trials of the same conversations say together: how often they pass, and which turns are flaky."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from uaef.models.names import slice_name
from uaef.models.results import EvaluationResult
from uaef.reporting.plain import one_line
from uaef.runs.results import RunResult
from uaef.runs.statistics import Trialled, flaky, trial_rates
from uaef.text.numbers import counted, listed, shown

_NAMED = 5


def repeated(run: RunResult) -> str | None:
    """In a sentence, pass@k and pass^k of the conversations and the flaky turns; ``None`` if nothing was repeated.

    A trial passes if its verdict does. One without a verdict says nothing, and leaves both estimates.
    """
    if run.repeat < 2:  # noqa: PLR2004 - one trial is no repetition
        return None
    parts = [*_rates(run.items), *_flaky(run.items)]
    return f"trials: {'; '.join(parts)}" if parts else None


def _rates(items: Iterable[EvaluationResult]) -> Iterator[str]:
    counts = _counts((item.name, item.passed) for item in items if item.verdict is not None)
    rates = trial_rates(counts.values())
    if rates:
        most = rates[-1]
        known = f"of {counted(most.n, 'conversation')}"
        every = (
            f", pass@{most.k} {shown(most.any_passes)}, pass^{most.k} {shown(most.all_pass)}" if most.k > 1 else ""
        )
        yield f"pass@1 {shown(rates[0].any_passes)}{every} {known}"


def _flaky(items: Iterable[EvaluationResult]) -> Iterator[str]:
    counts = _counts(
        (slice_name(item.name, [number]), passed)
        for item in items
        for number, passed in item.turns_passed.items()
        if passed is not None
    )
    found = [f"{one_line(name)} ({counts[name].passed} of {counts[name].trials})" for name in flaky(counts)]
    if found:
        yield f"flaky: {listed(found, _NAMED)}"


def _counts(outcomes: Iterable[tuple[str, bool]]) -> dict[str, Trialled]:
    """By name, how many of so many trials passed."""
    found: dict[str, Trialled] = {}
    for name, passed in outcomes:
        before = found.get(name, Trialled(0, 0))
        found[name] = Trialled(before.passed + passed, before.trials + 1)
    return found
