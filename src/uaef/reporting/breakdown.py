"""What a report says of a result, as plain rows: computed once here, for every format that people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from uaef.models.results import DimensionResult, EvaluationResult, Verdict
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.reporting.gaps import Gap, gaps
from uaef.reporting.rows import Breakdown, Cell, DimensionRow, Line, Note, Row, State
from uaef.text.numbers import shown, shown_below

NO_VERDICT = "no verdict"


def break_down(result: EvaluationResult) -> Breakdown:
    """The rows and sentences for one result."""
    bars = _thresholds(result)
    labels = _labels(result)
    shown_metrics = {labels[m.metric] for m in result.measurements if m.score.score is not None}
    averages = {s.metric_name: (s, _bar(s, bars.get(d.dimension_name))) for d, s in _scores(result)}
    metrics = [name for name in averages if name in shown_metrics]
    rows = list(_window_rows(result, metrics, labels))
    if any(len(m.turns) > 1 for m in result.measurements) or len(rows) > 1:
        rows.append(Row("all", [_cell(*averages[name]) for name in metrics]))
    return Breakdown(
        name=name_of(result),
        verdict=verdict_of(result),
        overall=shown(result.overall_score),
        broken_turn=result.broken_turn,
        metrics=metrics,
        rows=rows if metrics else [],
        dimensions=list(_dimensions(result)),
        notes=list(_notes(result, gaps(result.measurements, labels))),
    )


def apart(found: Sequence[Breakdown]) -> tuple[list[Breakdown], Note]:
    """The conversations without what is not applicable in every one of them, and that, said once for all."""
    said = [
        {text for note in each.notes if note.state is State.NOT_APPLICABLE for text in note.texts} for each in found
    ]
    common = set.intersection(*said) if len(said) > 1 else set()
    texts = [text for note in (found[0].notes if common else ()) for text in note.texts if text in common]
    rest = [replace(each, notes=[note for n in each.notes if (note := _less(n, common)).texts]) for each in found]
    return rest, Note("never applicable", texts, State.NOT_APPLICABLE)


def _less(note: Note, texts: Container[str]) -> Note:
    if note.state is not State.NOT_APPLICABLE:
        return note
    return replace(note, texts=[text for text in note.texts if text not in texts])


def line_of(result: EvaluationResult) -> Line:
    """The line for one result in an overview of several."""
    broke = "" if result.broken_turn is None else f"{name_of(result)}#{result.broken_turn}"
    reasons = [*_broke(result), *result.failures]
    return Line(name_of(result), verdict_of(result), shown(result.overall_score), broke, "; ".join(reasons[:1]))


def name_of(result: EvaluationResult) -> str:
    """What the conversation is called; where it could not be read, what is known of it."""
    return result.trace_id if result.conversation is None else result.conversation.conversation_id


def verdict_of(result: EvaluationResult) -> str:
    """The verdict in words."""
    return NO_VERDICT if result.verdict is None else str(result.verdict)


def totals(results: Iterable[EvaluationResult]) -> dict[str, int]:
    """How many results have each verdict: passed, failed, scored, no verdict, also where that is 0."""
    counts = Counter(map(verdict_of, results))
    return {word: counts[word] for word in (Verdict.PASSED, Verdict.FAILED, Verdict.SCORED, NO_VERDICT)}


def _thresholds(result: EvaluationResult) -> Mapping[str, float]:
    found = result.metadata.get("thresholds")
    return found if isinstance(found, dict) else {}


def _bar(score: MetricScore, threshold: float | None) -> float | None:
    """What a measurement has to reach: its dimension's threshold; without one, a check of yes or no has to be yes."""
    return 1.0 if threshold is None and score.metadata.get("check") else threshold


def _scores(result: EvaluationResult) -> Iterator[tuple[DimensionResult, MetricScore]]:
    return ((d, score) for d in result.dimension_results for score in d.metric_scores)


def _labels(result: EvaluationResult) -> dict[str, str]:
    """What a result calls a metric, by its key: its name, or the key where another metric has the same name."""
    names = {score.metric_name for _, score in _scores(result)}
    return {m.metric: m.metric if m.metric in names else m.score.metric_name for m in result.measurements}


def _window_rows(result: EvaluationResult, metrics: Sequence[str], labels: Mapping[str, str]) -> Iterator[Row]:
    """One row for each window but the whole of several turns, in the order of the turns."""
    bars = _thresholds(result)
    found: dict[tuple[int, ...], dict[str, Cell]] = {}
    for m in result.measurements:
        if len(m.turns) == 1 or not m.whole:
            found.setdefault(m.turns, {})[labels[m.metric]] = _cell(m.score, _bar(m.score, bars.get(m.dimension)))
    order = result.conversation.numbers if result.conversation else ()
    places = {number: place for place, number in enumerate(order)}
    for turns in sorted(found, key=lambda turns: (places.get(turns[0], 0), len(turns))):
        yield Row(
            window="-".join(map(str, dict.fromkeys((turns[0], turns[-1])))),
            cells=[found[turns].get(name) for name in metrics],
            broke=turns == (result.broken_turn,),
        )


def _cell(score: MetricScore, bar: float | None) -> Cell:
    if score.status is ScoreStatus.FAILED:
        return Cell("FAILED", State.FAILED)
    return _number(score.score, bar)


def _number(score: float | None, bar: float | None) -> Cell:
    if score is None:
        return Cell(shown(None), State.NOT_APPLICABLE)
    if bar is None:
        return Cell(shown(score), State.PLAIN)
    if score >= bar:
        return Cell(shown(score), State.GOOD)
    return Cell(shown_below(score, bar, digits=2)[0], State.LOW)


def _dimensions(result: EvaluationResult) -> Iterator[DimensionRow]:
    """One row for each dimension that was measured, and for each that has a threshold."""
    bars = _thresholds(result)
    measured = {d.dimension_name: d for d in result.dimension_results}
    for name in dict.fromkeys((*measured, *bars)):
        dimension, bar = measured.get(name), bars.get(name)
        score = None if dimension is None else dimension.aggregate_score
        yield DimensionRow(
            name=name,
            score=_number(score, bar),
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


def _notes(result: EvaluationResult, missing: Sequence[Gap]) -> Iterator[Note]:
    yield from (Note(f"turn {result.broken_turn} broke", [text], State.LOW) for text in _broke(result))
    yield from (Note("failed", [text], State.LOW) for text in result.failures)
    yield from (Note("not measured", [gap.sentence], State.FAILED) for gap in missing if gap.failed)
    yield from (Note("warning", [text], State.PLAIN) for text in result.warnings if not _repeats(text, missing))
    inapplicable = [gap.sentence for gap in missing if not gap.failed]
    if inapplicable:
        yield Note("not applicable", inapplicable, State.NOT_APPLICABLE)


def _broke(result: EvaluationResult) -> Iterator[str]:
    """What is below its threshold in the first turn that does not pass: ``<metric> <score>: <reason>``."""
    bars, labels = _thresholds(result), _labels(result)
    for m in result.measurements:
        number = _number(m.score.score, _bar(m.score, bars.get(m.dimension)))
        if m.turns == (result.broken_turn,) and number.state is State.LOW:
            yield f"{labels[m.metric]} {number.text}: {m.score.reasoning or 'no reason was given'}"


def _repeats(warning: str, missing: Sequence[Gap]) -> bool:
    """Whether a warning only lists the metrics that lack a judge, which a shorter note says already."""
    unjudged = [name for gap in missing if gap.why is None for name in gap.metrics]
    return bool(unjudged) and "judge" in warning and all(name in warning for name in unjudged)
