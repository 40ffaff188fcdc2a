"""Windows and conversations of both runs side by side: what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from uaef.evaluation.derived import mean
from uaef.metrics.checks.calls import told_calls
from uaef.models.conversation import Conversation
from uaef.models.names import slice_name
from uaef.runs.comparison.cells import Cell, became, cells
from uaef.runs.comparison.joining import Joined, Pair
from uaef.runs.comparison.passing import Outcome, together
from uaef.runs.comparison.records import (
    CellComparison,
    ConversationComparison,
    Identity,
    Reading,
    SliceComparison,
    Status,
)
from uaef.runs.comparison.sides import Place, Side, Trial, numbers_of

_LONGEST = 400
"""How much of an answer is kept to be shown."""
_FLAGGED = (Identity.CONTEXT_CHANGED, Identity.RENAMED)


class Slice(NamedTuple):
    """A window in both runs: its record, and its metrics trial by trial."""

    shown: SliceComparison
    cells: Sequence[Cell]
    """Those that can be compared."""
    measured: Sequence[Cell]
    """The same, and those that failed to be measured in one of the runs."""
    before: Mapping[int, bool | None]
    """Whether it passes, by trial of the earlier run; empty where it cannot be compared."""
    after: Mapping[int, bool | None]


def slices(pair: Pair) -> list[Slice]:
    """The windows of a conversation."""
    return [_slice(pair, window) for window in pair.windows]


def _slice(pair: Pair, window: Joined) -> Slice:
    side, place = _newest(pair, window)
    was = _name(pair.before, window.before)
    name = _name(side, place) or ""
    found: list[Cell] = []
    if pair.before and pair.after and window.before is not None and window.after is not None:
        found = cells(pair.before, window.before, pair.after, window.after)
    identity, note = _identity(window, pair)
    measured = [c for c in found if identity.is_compared and c.shown.status is not Status.OTHER_RULER]
    compared = [cell for cell in measured if cell.shown.status.is_compared]
    is_crash = identity.is_compared and not measured and _fails_in_one(pair, window)
    if is_crash:
        ours, theirs = _answered(pair.before, window.before), _answered(pair.after, window.after)
    else:
        ours = _passed(pair.before, window.before, [(cell.shown, cell.before) for cell in compared])
        theirs = _passed(pair.after, window.after, [(cell.shown, cell.after) for cell in compared])
    before = _reading(pair.before, window.before, ours, [c.shown.before for c in compared])
    after = _reading(pair.after, window.after, theirs, [c.shown.after for c in compared])
    shown = SliceComparison(
        name=name,
        conversation=side.name,
        turns=place,
        identity=identity,
        status=_status(identity, found, before, after, is_crash=is_crash),
        before=before,
        after=after,
        cells=tuple(cell.shown for cell in found),
        was=was if was not in (None, name) else None,
        note=note,
        tags=side.tags(place),
    )
    return Slice(shown, compared, measured, ours, theirs)


def _newest(pair: Pair, window: Joined) -> tuple[Side, Place]:
    """The window where it is now; what is gone, where it was."""
    side, place = (pair.before, window.before) if window.after is None else (pair.after, window.after)
    assert side is not None  # noqa: S101 - a window is in one of the two runs; for the type checker
    assert place is not None  # noqa: S101 - as above
    return side, place


def _name(side: Side | None, place: Place | None) -> str | None:
    return None if side is None or place is None else slice_name(side.name, place)


def _identity(window: Joined, pair: Pair) -> tuple[Identity, str | None]:
    """How it is the same; of a turn that a narrowed run left out, which run measured it."""
    if not window.identity.is_compared or pair.before is None or pair.after is None:
        return window.identity, window.note
    if _fails_in_one(pair, window):
        return window.identity, window.note
    if window.after not in pair.after.places and not pair.after.is_lost:
        return Identity.MEASURED_BEFORE_ONLY, None
    if window.before not in pair.before.places and not pair.before.is_lost:
        return Identity.MEASURED_NOW_ONLY, None
    return window.identity, window.note


def _fails_in_one(pair: Pair, window: Joined) -> bool:
    """Whether the agent failed in one of the runs at a turn that both played: that is no answer, required or not."""
    places = (pair.before, window.before), (pair.after, window.after)
    return all(
        side is not None and place is not None and len(place) == 1 and place[0] in side.numbers
        for side, place in places
    ) and any(
        place[0] in trial.errors for side, place in places if side is not None and place for trial in side.trials
    )


def _answered(side: Side | None, place: Place | None) -> dict[int, bool | None]:
    """Whether the agent answered, by the trials that came to the turn."""
    if side is None or not place:
        return {}
    return {t.result.trial: place[0] not in t.errors for t in side.trials if place[0] in numbers_of(t.result)}


def _passed(
    side: Side | None, place: Place | None, compared: Sequence[tuple[CellComparison, Sequence[Outcome]]]
) -> dict[int, bool | None]:
    """Whether the window passes in each trial, by what can be compared; not where the agent failed."""
    if side is None or place is None:
        return {}
    found: dict[int, list[bool | None]] = {}
    for shown, outcomes in compared:
        measured = [t.result.trial for t in side.trials if shown.metric in t.measured.get(place, {})]
        for trial, each in zip(measured, outcomes, strict=True):
            if each.passed is not None or (each.is_open and shown.gated):
                found.setdefault(trial, []).append(each.passed)
    for played in side.trials:
        if compared and len(place) == 1 and place[0] in played.errors:
            found.setdefault(played.result.trial, []).append(False)
    return {trial: together(outcomes) for trial, outcomes in sorted(found.items())}


def _reading(
    side: Side | None, place: Place | None, passed: Mapping[int, bool | None], readings: Sequence[Reading | None]
) -> Reading | None:
    if side is None or place is None:
        return None
    decided = [each for each in passed.values() if each is not None]
    known = [each for each in readings if each is not None]
    lowest = min(
        known, key=lambda each: (each.pass_rate or 0.0, 2.0 if each.score is None else each.score), default=None
    )
    failing = (t for t in side.trials if passed.get(t.result.trial) is False)
    told = next(failing, side.trials[0])
    window = _window(told, place)
    return Reading(
        n=len(side.trials),
        decided=len(decided),
        passed=sum(decided),
        score=mean(each.score for each in known),
        failed=sum(each.failed for each in known),
        skipped=sum(each.skipped for each in known),
        why=told.errors.get(place[0]) if lowest is None and place else None if lowest is None else lowest.why,
        answer=_answer(told, place, window),
        calls=None if window is None else told_calls(window.tool_calls)[:_LONGEST],
    )


def _window(trial: Trial, place: Place) -> Conversation | None:
    """What was said and done at a turn; nothing of a longer window."""
    conversation = trial.result.conversation
    if len(place) != 1 or conversation is None:
        return None
    at = next((i for i, turn in enumerate(conversation.turns) if turn.number == place[0]), None)
    return None if at is None else conversation[at]


def _answer(trial: Trial, place: Place, window: Conversation | None) -> str | None:
    """What the agent said at a turn, or how it failed."""
    if window is not None and place[0] in trial.errors:
        return f"[the agent failed: {trial.errors[place[0]]}]"
    return None if window is None else window.answer[:_LONGEST]


def _status(
    identity: Identity, found: Sequence[Cell], before: Reading | None, after: Reading | None, *, is_crash: bool
) -> Status:
    if not identity.is_compared or before is None or after is None:
        return Status(identity)
    compared = [cell for cell in found if cell.shown.status.is_compared]
    if not compared and not is_crash:
        others = any(cell.shown.status is Status.OTHER_RULER for cell in found)
        failed = any(cell.shown.status is Status.UNMEASURED for cell in found)
        return Status.OTHER_RULER if others and not failed else Status.UNMEASURED
    became_ = became(before, after)
    if became_ is Status.UNMEASURED and not any(cell.shown.status is Status.UNMEASURED for cell in found):
        became_ = Status.UNCHANGED  # everything does not apply, in both
    if became_ is Status.UNCHANGED and identity in _FLAGGED:
        return Status(identity)
    return became_


def conversation(pair: Pair, found: Sequence[Slice]) -> ConversationComparison:
    """The conversation as a whole: it passes in a trial if everything in it does that can be compared."""
    newest = pair.after or pair.before
    assert newest is not None  # noqa: S101 - one of the two is there; for the type checker
    compared = [s for s in found if s.cells or s.before]
    before = _all(pair.before, [s.before for s in found], [s.shown.before for s in compared])
    after = _all(pair.after, [s.after for s in found], [s.shown.after for s in compared])
    broke = next((s.shown for s in found if s.shown.is_turn and s.shown.status is Status.REGRESSED), None)
    if not pair.identity.is_compared or before is None or after is None:
        status = Status(pair.identity)
    elif compared:
        status = became(before, after)
    else:
        others = {s.shown.status for s in found}
        status = Status.OTHER_RULER if others <= {Status.OTHER_RULER} and others else Status.UNMEASURED
    if status is Status.UNCHANGED and pair.identity in _FLAGGED:
        status = Status(pair.identity)
    was = pair.before.name if pair.before is not None and pair.before.name != newest.name else None
    return ConversationComparison(
        name=newest.name,
        identity=pair.identity,
        status=status,
        before=before,
        after=after,
        was=was,
        broke_at=None if broke is None else broke.name,
    )


def _all(
    side: Side | None, passed: Iterable[Mapping[int, bool | None]], readings: Iterable[Reading | None]
) -> Reading | None:
    if side is None:
        return None
    by_trial: dict[int, list[bool | None]] = {}
    for window in passed:
        for trial, each in window.items():
            by_trial.setdefault(trial, []).append(each)
    decided = [whole for each in by_trial.values() if (whole := together(each)) is not None]
    known = [each for each in readings if each is not None]
    return Reading(
        n=len(side.trials),
        decided=len(decided),
        passed=sum(decided),
        score=mean(each.score for each in known),
        failed=sum(each.failed for each in known),
        skipped=sum(each.skipped for each in known),
    )
