"""The comparison of two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from uaef.errors import UsageError
from uaef.models.base import replaced
from uaef.runs import statistics
from uaef.runs.comparison.cohorts import Cohort, Where, cohorts, metadata_of
from uaef.runs.comparison.differences import differences, tested_turns
from uaef.runs.comparison.joining import Pair, pairs
from uaef.runs.comparison.records import (
    Comparison,
    ConversationComparison,
    Identity,
    RunNamed,
    SliceComparison,
    Status,
)
from uaef.runs.comparison.sides import sides
from uaef.runs.comparison.slices import Slice, conversation, slices
from uaef.runs.records import RunInfo, RunStatus, StoredRun
from uaef.runs.wholeness import why_partial

ALPHA = 0.05


def compare(
    before: StoredRun, after: StoredRun, *, by: Iterable[str | Cohort] = (), alpha: float = ALPHA
) -> Comparison:
    """``after`` beside ``before``: what became of every turn, conversation, metric and cohort.

    Turns are joined by name and content. What was measured by another ruler is shown and not compared. Tests are
    paired, with the conversation as their unit.

    Args:
        before: the reference.
        after: the run in question.
        by: the cohorts to compare too: ``turn``, ``tag:returns``.
        alpha: the level of the tests, above 0 and below 1.

    Raises:
        UsageError: both are one run, or a cohort is none.
        DataError: a run holds two conversations of one name.
    """
    _refuse_one_run(before, after)
    groups = cohorts(by)
    joined = [_narrowed(pair, before.info, after.info) for pair in pairs(sides(before), sides(after))]
    found = [(pair, slices(pair)) for pair in joined]
    every = [each for _, members in found for each in members]
    where = [_where(each, pair, after.info, before.info) for pair, members in found for each in members]
    compared = [conversation(pair, members) for pair, members in found]
    tested = statistics.is_installed()
    shown = tested_turns(every, alpha) if tested else [each.shown for each in every]
    shown = [_unfinished(each) if _is_cut(after) else each for each in shown]
    return Comparison(
        before=_named(before),
        after=_named(after),
        slices=tuple(shown),
        conversations=tuple(_unfinished_conversation(each) if _is_cut(after) else each for each in compared),
        differences=tuple(differences(every, where, groups, alpha)),
        counts=tuple(sorted(Counter(str(each.status) for each in shown if each.is_turn).items())),
        tested=tested,
        alpha=alpha,
        warnings=tuple(_warnings(before, after, joined, groups, where)),
    )


def _narrowed(pair: Pair, before: RunInfo, after: RunInfo) -> Pair:
    """What a run of a part of its dataset lacks is no change of the dataset."""
    identity: Identity | None = None
    if pair.after is None and why_partial(after):
        identity = Identity.MEASURED_BEFORE_ONLY
    if pair.before is None and why_partial(before):
        identity = Identity.MEASURED_NOW_ONLY
    if identity is None:
        return pair
    return pair._replace(identity=identity, windows=[w._replace(identity=identity) for w in pair.windows])


def _refuse_one_run(before: StoredRun, after: StoredRun) -> None:
    if before.info.run_id == after.info.run_id or before.items is after.items:
        raise UsageError(
            f"Run {after.info.run_id!r} cannot be compared with itself: every turn would be unchanged. Name another "
            "run as the reference."
        )


def _where(found: Slice, pair: Pair, after: RunInfo, before: RunInfo) -> Where:
    shown, side = found.shown, pair.after or pair.before
    info = before if shown.identity.is_gone else after
    metadata = metadata_of(side.trials[0].result, shown.turns) if side is not None else {}
    return Where(shown.conversation, shown.turns, shown.tags, info.dataset, metadata)


def _named(run: StoredRun) -> RunNamed:
    info = run.info
    return RunNamed(
        run_id=info.run_id,
        label=info.label,
        agent=info.agent,
        judge=info.judge,
        started_at=info.started_at.isoformat(),
        is_complete=not _is_cut(run),
    )


def _is_cut(run: StoredRun) -> bool:
    """Whether conversations of it are missing."""
    return run.info.status is RunStatus.INTERRUPTED or len(run.items) < run.info.n_planned


def _unfinished(shown: SliceComparison) -> SliceComparison:
    """Of a run that was cut short, what is missing may come yet: it is not removed."""
    if shown.identity.is_gone:
        return replaced(shown, status=Status.UNMEASURED, note="the later run ended before it was played")
    return shown


def _unfinished_conversation(shown: ConversationComparison) -> ConversationComparison:
    return replaced(shown, status=Status.UNMEASURED) if shown.identity.is_gone else shown


def _warnings(
    before: StoredRun,
    after: StoredRun,
    joined: Sequence[Pair],
    groups: Sequence[Cohort],
    where: Sequence[Where],
) -> Iterator[str]:
    """What keeps the two from being alike, and what could not be grouped."""
    for which, run in (("earlier", before), ("later", after)):
        if _is_cut(run):
            planned = f" of {run.info.n_planned}" if run.info.n_planned else ""
            yield f"The {which} run {run.info.run_id} is not complete: it holds {len(run.items)}{planned} results."
    for what, old, new in (
        ("datasets", before.info.dataset, after.info.dataset),
        ("histories", before.info.history, after.info.history),
    ):
        if old and new and old != new:
            yield f"The two runs have other {what}: {old} before, {new} now."
    keyless = [
        pair.after.name
        for pair in joined
        if pair.before and pair.after and not (pair.before.keys and pair.after.keys)
    ]
    if keyless:
        some = f"{keyless[0]!r}" + (f" and {len(keyless) - 1} more" if len(keyless) > 1 else "")
        yield f"Joined by name alone, since nothing is known of what was asked and expected: {some}."
    for group in groups:
        if not any(group.labels(each) for each in where):
            yield f"No turn and no conversation belongs to the cohort {str(group)!r}."
