"""``uaef baseline``: which run later ones are compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from uaef.cli.exits import OK, complain, names
from uaef.cli.keeping import store_option
from uaef.cli.output import emit
from uaef.errors import UsageError

if TYPE_CHECKING:
    from uaef.runs.records import RunInfo, StoredRun
    from uaef.runs.store import Store


@click.group(no_args_is_help=True)
def command() -> None:
    """Pin a run as what later runs of its dataset are compared with, on this branch.

    What is pinned is a copy: it stays as it is, whatever becomes of the run.

    \b
    Examples:
      uaef baseline set
      uaef baseline set 2026-01-02
      uaef baseline show
      uaef baseline set --store postgresql://db.internal/uaef
      uaef run support.yaml --agent mypkg.bot:answer --compare baseline
    """  # noqa: D301 - the mark of click for lines to be left as they are


_dataset = click.option("--dataset", metavar="NAME", help="Of which dataset; that of the latest run.")
_branch = click.option("--branch", metavar="NAME", help="On which branch; the one that is checked out.")


@command.command("set")
@click.argument("run", required=False)
@_dataset
@_branch
@store_option
def set_(*, run: str | None, dataset: str | None, branch: str | None, store: str | None) -> int:
    """Pin RUN, by its name, its label or the beginning of its name.

    Left out, it is the newest complete run of the whole dataset: not one of a selection, such as with --only, and not
    one that uaef score measured anew.
    """
    from uaef.runs.store import open_store  # noqa: PLC0415 - a database, wanted only now

    branch = _on(branch)
    with open_store(store, create=False) as shelf:
        info = _chosen(shelf, run, dataset, branch)
        if dataset is not None and info.dataset != dataset:
            raise UsageError(
                f"Run {info.run_id} is of the dataset {info.dataset!r}, not of {dataset!r}; pin one of that."
            )
        _refuse_unfinished(shelf, info)
        shelf.pin(info.dataset, branch, info.run_id)
        pinned = shelf.pinned(info.dataset, branch)
    emit(f"The baseline of {_about(info.dataset, branch)} is now run {_named(info)}.\n")
    complain(*_part_remarks(info), *_remarks(pinned))
    return OK


@command.command
@_dataset
@_branch
@store_option
def show(*, dataset: str | None, branch: str | None, store: str | None) -> int:
    """Say which run is pinned."""
    from uaef.runs.store import open_store  # noqa: PLC0415 - as above

    branch = _on(branch)
    with open_store(store, create=False) as shelf:
        name = _dataset_of(shelf, dataset, branch)
        pinned = shelf.pinned(name, branch)
    if pinned is None:
        emit(f"{_about(name, branch)} has no baseline; uaef baseline set pins one.\n")
        return OK
    info = pinned.info
    verdict = "no verdict" if info.verdict is None else str(info.verdict)
    emit(
        f"The baseline of {_about(name, branch)} is run {_named(info)}: {verdict}, "
        f"{len(pinned.items)} results, agent {info.agent or 'unknown'}, begun {info.started_at:%Y-%m-%d %H:%M} UTC.\n"
    )
    return OK


@command.command
@_dataset
@_branch
@store_option
def clear(*, dataset: str | None, branch: str | None, store: str | None) -> int:
    """Take the pin away; the run itself stays."""
    from uaef.runs.store import open_store  # noqa: PLC0415 - as above

    branch = _on(branch)
    with open_store(store, create=False) as shelf:
        name = _dataset_of(shelf, dataset, branch)
        was_there = shelf.unpin(name, branch)
    about = _about(name, branch)
    emit(f"{about} has no baseline any more.\n" if was_there else f"{about} had no baseline.\n")
    return OK


def _chosen(store: Store, run: str | None, dataset: str | None, branch: str | None) -> RunInfo:
    """The run that is named; else the latest complete one of the whole dataset."""
    if run is not None:
        return store.find(run)
    name = _dataset_of(store, dataset, branch)
    info = store.latest(name, whole=True)
    if info is not None:
        return info
    newest = store.latest(name)
    if newest is None:
        raise UsageError(f"There is no complete run of {name!r} to pin; play one with uaef run, or name a run.")
    raise UsageError(
        f"There is no complete run of the whole of {name!r} to pin: the newest, {newest.run_id}, {_why(newest)}; "
        "play one with uaef run, or name a run."
    )


def _why(info: RunInfo) -> str:
    """Why it is not one of the whole dataset."""
    from uaef.runs.wholeness import why_partial  # noqa: PLC0415 - as above

    return why_partial(info) or f"holds less than the {info.n_planned} results that were planned"


def _part_remarks(info: RunInfo) -> list[str]:
    """What is worth knowing of a run that was named and is not of the whole dataset."""
    from uaef.runs.wholeness import why_partial  # noqa: PLC0415 - as above

    why = why_partial(info)
    if why is None:
        return []
    return [f"warning: run {info.run_id} {why}: a comparison with it may lack some of what a whole run has."]


def _dataset_of(store: Store, dataset: str | None, branch: str | None) -> str:
    """The dataset that is named; else that of the latest run; where all runs are deleted, the one that has a pin."""
    if dataset is not None:
        return dataset
    runs = store.runs(limit=1)
    if runs:
        return runs[0].dataset
    pinned = store.datasets_pinned()
    found = list(dict.fromkeys([name for name, on in pinned if on == branch] or [name for name, _ in pinned]))
    if not found:
        raise UsageError("No run is kept, so there is nothing to pin; play one with uaef run.")
    if len(found) > 1:
        raise UsageError(f"No run is kept, and {names(sorted(found))} have a baseline: say which with --dataset.")
    return found[0]


def _on(branch: str | None) -> str | None:
    if branch is not None:
        return branch
    from uaef.runs.store import working_tree  # noqa: PLC0415 - as above

    return working_tree().branch


def _refuse_unfinished(store: Store, info: RunInfo) -> None:
    from uaef.runs.records import RunStatus  # noqa: PLC0415 - as above

    if info.status is not RunStatus.COMPLETE:
        mend = "Wait until it has ended" if info.status is RunStatus.RUNNING else _mend(store, info)
        raise UsageError(
            f"Run {info.run_id} is {info.status}: what is missing in it would be missing in every comparison. {mend}."
        )


def _mend(store: Store, info: RunInfo) -> str:
    """What to do about a run that was interrupted: only one of ``uaef run`` says how it is gone on with."""
    from uaef.runs.records import RunStatus  # noqa: PLC0415 - as above
    from uaef.runs.wholeness import OWN, SCORED  # noqa: PLC0415 - as above

    if OWN in info.parameters:
        return f"Finish it with uaef run --resume {info.run_id}"
    scored = info.parameters.get(SCORED)
    played = next(iter(store.listed(run_id=str(scored))), None) if scored else None
    if played is not None and played.info.status is RunStatus.COMPLETE:
        return f"Score run {scored} anew, and pin that"
    if played is not None and OWN in played.info.parameters:
        return f"Finish run {scored} with uaef run --resume {scored}, and score it anew"
    return "It cannot be gone on with: begin it anew, and pin that"


def _remarks(pinned: StoredRun | None) -> list[str]:
    """What is worth knowing of a run that others are measured by."""
    from uaef.models.results import Verdict  # noqa: PLC0415 - as above
    from uaef.models.scores import ScoreStatus  # noqa: PLC0415 - as above

    if pinned is None:
        return []
    failed = sum(m.score.status is ScoreStatus.FAILED for item in pinned.items for m in item.measurements)
    remarks = []
    if pinned.info.verdict is Verdict.FAILED:
        remarks.append("This run failed a gate: what fails in it can get no worse, so no comparison will show it.")
    if failed:
        remarks.append(f"{failed} measurements of it failed; what they are about cannot be compared.")
    return remarks


def _about(dataset: str, branch: str | None) -> str:
    return f"{dataset!r}" + (f" on {branch!r}" if branch else "")


def _named(info: RunInfo) -> str:
    return info.run_id + (f" ({info.label})" if info.label else "")
