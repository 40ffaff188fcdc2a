"""What a report says of a result, as plain rows: computed once here, for every format that people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from uaef.evaluation.required import Range
from uaef.models.measurement import Measurement
from uaef.models.names import slice_name, stretch
from uaef.models.results import Decision, DimensionResult, EvaluationResult, Verdict
from uaef.models.scores import MetricScore
from uaef.reporting.cells import Bars, cell, number
from uaef.reporting.gaps import gaps
from uaef.reporting.low_turns import low_turns
from uaef.reporting.rows import Breakdown, Cell, DimensionRow, Line, Note, Row, State
from uaef.text.numbers import shown

NO_VERDICT = "no verdict"
CHECKS = "checks"
"""The column that tells how many of the required checks hold."""
_FOR_ALL = {"not applicable": "never applicable", "warning": "in every conversation shown"}
"""What a note is called where it is said once for all conversations."""


def break_down(result: EvaluationResult) -> Breakdown:
    """The rows and sentences for one result."""
    bars = Bars(result)
    labels = _labels(result)
    shown_metrics = {labels[m.metric] for m in result.measurements if m.score.score is not None}
    averages = {s.metric_name: cell(s, bars.dimensions.get(d.dimension_name)) for d, s in _scores(result)}
    together = _required_checks(result, bars, labels)
    metrics = [name for name in averages if name in shown_metrics and name not in together]
    columns = [*metrics, CHECKS] if together else metrics
    low = low_turns(result, labels)
    rows = list(_window_rows(result, columns, labels, together, low.turn))
    if any(len(m.turns) > 1 for m in result.measurements) or len(rows) > 1:
        whole = [m for m in result.measurements if m.whole and labels[m.metric] in together]
        cells = [*(averages[name] for name in metrics), *([_tally(whole, bars)] if together else [])]
        rows += [Row("all", cells)] if any(cells) else []
    return Breakdown(
        name=_title(result),
        verdict=verdict_of(result),
        overall=_overall(result),
        low_turn=low.label,
        metrics=columns,
        rows=rows if columns else [],
        dimensions=list(_dimensions(result)),
        notes=[*low.notes(), *_notes(result, labels, low.found)],
    )


def _required_checks(result: EvaluationResult, bars: Bars, labels: Mapping[str, str]) -> set[str]:
    """The checks of which something is required wherever they were measured: they are shown as one column."""
    found = {labels[m.metric] for m in result.measurements if m.dimension == "Checks"}
    return found - {labels[m.metric] for m in result.measurements if bars.required(m) is None}


def _tally(checks: Sequence[Measurement], bars: Bars) -> Cell | None:
    """How many of some checks hold: ``4/5``."""
    if not checks:
        return None
    states = [bars.cell(m).state for m in checks]
    counted = [state for state in states if state is not State.NOT_APPLICABLE]
    worst = next((s for s in (State.FAILED, State.LOW, State.GOOD) if s in counted), State.NOT_APPLICABLE)
    return Cell(f"{counted.count(State.GOOD)}/{len(counted)}", worst)


def apart(found: Sequence[Breakdown]) -> tuple[list[Breakdown], list[Note]]:
    """The conversations without what is said of each of them in the same words, and that, said once for all."""
    common = {label: _said_of_all(found, label) if len(found) > 1 else [] for label in _FOR_ALL}
    rest = []
    for each in found:
        notes = [replace(n, texts=[t for t in n.texts if t not in common.get(n.label, ())]) for n in each.notes]
        rest.append(replace(each, notes=[note for note in notes if note.texts]))
    states = {note.label: note.state for each in found for note in each.notes}
    return rest, [Note(_FOR_ALL[label], texts, states[label]) for label, texts in common.items() if texts]


def _said_of_all(found: Sequence[Breakdown], label: str) -> list[str]:
    """What the notes of that label say in every conversation."""
    said = [{text: None for note in each.notes if note.label == label for text in note.texts} for each in found]
    return [text for text in said[0] if all(text in texts for texts in said)]


def line_of(result: EvaluationResult) -> Line:
    """The line for one result in an overview of several."""
    low = low_turns(result, _labels(result))
    if result.passed:
        broke, reasons = "", [f"{low.label}: {text}" for text in low.texts]
    else:
        broke = "" if low.turn is None else slice_name(result.name, [low.turn])
        reasons = [*low.texts, *result.failures]
    return Line(_title(result), verdict_of(result), _overall(result), broke, "; ".join(reasons[:1]))


def _title(result: EvaluationResult) -> str:
    """The conversation's name and, of a repetition, which one it is."""
    return f"{result.name} (trial {result.trial + 1})" if result.trial else result.name


def _overall(result: EvaluationResult) -> str:
    """The overall score; empty where what is required is said of metrics one by one: a mean of all means little."""
    bounded = any(not claim.of_dimension for claim in result.claims)
    return "" if bounded and not any(claim.of_dimension for claim in result.claims) else shown(result.overall_score)


def verdict_of(result: EvaluationResult) -> str:
    """The verdict in words."""
    return NO_VERDICT if result.verdict is None else str(result.verdict)


def totals(results: Iterable[EvaluationResult]) -> dict[str, int]:
    """How many results have each verdict; of those that none has, only passed and failed."""
    counts = Counter(map(verdict_of, results))
    words = (Verdict.PASSED, Verdict.FAILED, Verdict.SCORED, NO_VERDICT)
    return {word: counts[word] for word in words if counts[word] or word in words[:2]}


def _scores(result: EvaluationResult) -> Iterator[tuple[DimensionResult, MetricScore]]:
    return ((d, score) for d in result.dimension_results for score in d.metric_scores)


def _labels(result: EvaluationResult) -> dict[str, str]:
    """What a result calls a metric, by its key: its name, or the key where another metric has the same name."""
    names = {score.metric_name for _, score in _scores(result)}
    return {m.metric: m.metric if m.metric in names else m.score.metric_name for m in result.measurements}


def _window_rows(
    result: EvaluationResult,
    columns: Sequence[str],
    labels: Mapping[str, str],
    together: Collection[str],
    marked: int | None,
) -> Iterator[Row]:
    """One row for each window but the whole of several turns, in the order of the turns."""
    bars = Bars(result)
    found: dict[tuple[int, ...], dict[str, list[Measurement]]] = {}
    for m in result.measurements:
        if len(m.turns) == 1 or not m.whole:
            label = labels[m.metric]
            found.setdefault(m.turns, {}).setdefault(CHECKS if label in together else label, []).append(m)
    order = result.conversation.numbers if result.conversation else ()
    places = {turn: place for place, turn in enumerate(order)}
    for turns in sorted(found, key=lambda turns: (places.get(turns[0], 0), len(turns))):
        yield Row(
            window=stretch(turns),
            cells=[_cell_of(name, found[turns].get(name), bars) for name in columns],
            marked=turns == (marked,),
        )


def _cell_of(column: str, measured: Sequence[Measurement] | None, bars: Bars) -> Cell | None:
    if not measured:
        return None
    return _tally(measured, bars) if column == CHECKS else bars.cell(measured[-1])


def _dimensions(result: EvaluationResult) -> Iterator[DimensionRow]:
    """One row for each dimension that was measured, and for each that has a threshold.

    Where metrics and checks are bounded by themselves, only those that have one.
    """
    bars = Bars(result).dimensions
    bounded = any(not claim.of_dimension for claim in result.claims)
    measured = {d.dimension_name: d for d in result.dimension_results if not bounded or d.dimension_name in bars}
    for name in dict.fromkeys((*measured, *bars)):
        dimension, bar = measured.get(name), bars.get(name)
        score = None if dimension is None else dimension.aggregate_score
        yield DimensionRow(
            name=name,
            score=number(score, bar),
            threshold="" if bar is None else f"{bar.least:g}",
            weight="" if dimension is None else f"{dimension.weight:g}",
            outcome=_outcome(result, name, score, bar),
        )


def _outcome(result: EvaluationResult, name: str, score: float | None, bar: Range | None) -> str:
    if name in result.missed:
        return "missed"
    if name in result.unmeasured:
        return "not decided"
    if score is None:
        return "not applicable"
    return "no threshold" if bar is None else "met"


def _notes(result: EvaluationResult, labels: Mapping[str, str], told: Collection[int]) -> Iterator[Note]:
    """What is said of the conversation beside the turns that are ``told`` of already."""
    missing = gaps(result.measurements, labels)
    yield from (Note("failed", [text], State.LOW) for text in _failures(result, told))
    yield from (Note("not measured", [gap.sentence], State.FAILED) for gap in missing if gap.failed)
    failure = _agent_failure(result)
    warnings = [text for text in result.warnings if not failure or text.casefold() != failure.casefold()]
    yield from (Note("warning", [text], State.PLAIN) for text in warnings)
    inapplicable = [gap.sentence for gap in missing if not gap.failed]
    if inapplicable:
        yield Note("not applicable", inapplicable, State.NOT_APPLICABLE)


def _failures(result: EvaluationResult, told: Collection[int]) -> list[str]:
    """The failures, without those of claims on metrics that the turns themselves show, or the agent's failure."""
    failure = _agent_failure(result)
    told_already = {
        claim.reason
        for claim in result.claims
        if claim.reason
        and claim.decision is Decision.MISSED
        and ((not claim.of_dimension and set(claim.broken_by) & set(told)) or (failure and failure in claim.reason))
    }
    return [text for text in result.failures if text not in told_already]


def _agent_failure(result: EvaluationResult) -> str:
    """How the agent failed, which the turns tell already; empty where it did not."""
    return (result.conversation.failure if result.conversation is not None else None) or ""
