"""What a report says of a result, as plain rows: computed once here, for every format that people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from uaef.models.results import DimensionResult, EvaluationResult, Verdict
from uaef.models.scores import MetricScore
from uaef.reporting.cells import cell, number, thresholds
from uaef.reporting.gaps import gaps
from uaef.reporting.low_turns import low_turns
from uaef.reporting.rows import Breakdown, Cell, DimensionRow, Line, Note, Row, State
from uaef.text.numbers import shown

NO_VERDICT = "no verdict"
_FOR_ALL = {"not applicable": "never applicable", "warning": "in every conversation shown"}
"""What a note is called where it is said once for all conversations."""


def break_down(result: EvaluationResult) -> Breakdown:
    """The rows and sentences for one result."""
    bars = thresholds(result)
    labels = _labels(result)
    shown_metrics = {labels[m.metric] for m in result.measurements if m.score.score is not None}
    averages = {s.metric_name: cell(s, bars.get(d.dimension_name)) for d, s in _scores(result)}
    metrics = [name for name in averages if name in shown_metrics]
    low = low_turns(result, labels)
    rows = list(_window_rows(result, metrics, labels, low.turn))
    if any(len(m.turns) > 1 for m in result.measurements) or len(rows) > 1:
        rows.append(Row("all", [averages[name] for name in metrics]))
    return Breakdown(
        name=name_of(result),
        verdict=verdict_of(result),
        overall=shown(result.overall_score),
        low_turn=low.label,
        metrics=metrics,
        rows=rows if metrics else [],
        dimensions=list(_dimensions(result)),
        notes=[*low.notes(), *_notes(result, labels)],
    )


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
        broke = "" if low.turn is None else f"{name_of(result)}#{low.turn}"
        reasons = [*low.texts, *result.failures]
    return Line(name_of(result), verdict_of(result), shown(result.overall_score), broke, "; ".join(reasons[:1]))


def name_of(result: EvaluationResult) -> str:
    """What the conversation is called; where it could not be read, what is known of it."""
    return result.trace_id if result.conversation is None else result.conversation.conversation_id


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
    result: EvaluationResult, metrics: Sequence[str], labels: Mapping[str, str], marked: int | None
) -> Iterator[Row]:
    """One row for each window but the whole of several turns, in the order of the turns."""
    bars = thresholds(result)
    found: dict[tuple[int, ...], dict[str, Cell]] = {}
    for m in result.measurements:
        if len(m.turns) == 1 or not m.whole:
            found.setdefault(m.turns, {})[labels[m.metric]] = cell(m.score, bars.get(m.dimension))
    order = result.conversation.numbers if result.conversation else ()
    places = {turn: place for place, turn in enumerate(order)}
    for turns in sorted(found, key=lambda turns: (places.get(turns[0], 0), len(turns))):
        yield Row(
            window="-".join(map(str, dict.fromkeys((turns[0], turns[-1])))),
            cells=[found[turns].get(name) for name in metrics],
            marked=turns == (marked,),
        )


def _dimensions(result: EvaluationResult) -> Iterator[DimensionRow]:
    """One row for each dimension that was measured, and for each that has a threshold."""
    bars = thresholds(result)
    measured = {d.dimension_name: d for d in result.dimension_results}
    for name in dict.fromkeys((*measured, *bars)):
        dimension, bar = measured.get(name), bars.get(name)
        score = None if dimension is None else dimension.aggregate_score
        yield DimensionRow(
            name=name,
            score=number(score, bar),
            threshold="" if bar is None else f"{bar:g}",
            weight="" if dimension is None else f"{dimension.weight:g}",
            outcome=_outcome(result, name, score, bar),
        )


def _outcome(result: EvaluationResult, name: str, score: float | None, bar: float | None) -> str:
    if name in result.missed:
        return "missed"
    if name in result.unmeasured:
        return "not decided"
    if score is None:
        return "not applicable"
    return "no threshold" if bar is None else "met"


def _notes(result: EvaluationResult, labels: Mapping[str, str]) -> Iterator[Note]:
    missing = gaps(result.measurements, labels)
    yield from (Note("failed", [text], State.LOW) for text in result.failures)
    yield from (Note("not measured", [gap.sentence], State.FAILED) for gap in missing if gap.failed)
    yield from (Note("warning", [text], State.PLAIN) for text in result.warnings)
    inapplicable = [gap.sentence for gap in missing if not gap.failed]
    if inapplicable:
        yield Note("not applicable", inapplicable, State.NOT_APPLICABLE)
