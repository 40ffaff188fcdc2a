"""The runs of a test session in the store, and each beside the run that it is compared with."""

from __future__ import annotations

from collections.abc import Iterator

from uaef.errors import UaefError
from uaef.pytest_plugin.sent import Sent
from uaef.reporting.plain import one_line
from uaef.runs.comparison import compare
from uaef.runs.comparison import reference as named_run
from uaef.runs.comparison.records import Comparison, Status
from uaef.runs.comparison.reference import BASELINE, LATEST
from uaef.runs.conclusion import claims_of, run_verdict
from uaef.runs.records import RunInfo, RunStatus, StoredRun
from uaef.runs.store import open_store, origin
from uaef.runs.wholeness import TEST

_NAMED = 20


def check_reference(reference: str) -> None:
    """Whether there is a run to compare with; a first ``baseline`` or ``latest`` may be wanting yet.

    Raises:
        UaefError: there is no such run, or no store to look for it in.
    """
    if reference not in (BASELINE, LATEST):
        with open_store(create=False) as store:
            store.find(reference)


class KeptRuns:
    """What tests played, run by run: one for each marked test function and agent.

    Args:
        reference: what each is compared with: ``baseline``, ``latest``, a run; ``None`` if nothing is.

    Raises:
        StoreError: the store cannot be opened.
    """

    def __init__(self, reference: str | None) -> None:
        self._reference = reference
        self._store = open_store()
        known = self._store.runs() if reference == LATEST else []
        self._earlier = [each for each in known if each.status is RunStatus.COMPLETE]
        self._runs: dict[tuple[str, str], RunInfo] = {}

    def add(self, sent: Sent) -> None:
        """Keep the results that a test sent.

        Raises:
            StoreError: they cannot be kept.
        """
        played = sent.played
        key = (sent.test, played.agent)
        if key not in self._runs:
            self._runs[key] = RunInfo(
                **origin(),
                dataset=sent.dataset,
                agent=played.agent,
                history=played.history,
                judge=sent.judge,
                repeat=played.repeat,
                trials=played.trials,
                n_planned=played.n_planned,
                parameters={TEST: sent.test, **sent.chosen},
                tags=["pytest"],
            )
            self._store.begin(self._runs[key])
        for place, result in sent.items.items():
            self._store.add(self._runs[key].run_id, place, result)

    def finish(self, *, is_complete: bool) -> list[str]:
        """End the runs, and say in a line each where they are kept and how they compare."""
        try:
            return [line for info in self._runs.values() for line in self._finished(info, is_complete=is_complete)]
        finally:
            self._store.close()

    def _finished(self, info: RunInfo, *, is_complete: bool) -> Iterator[str]:
        try:
            items = list(self._store.results(info.run_id))
            verdict = run_verdict(items, claims_of(items, info.trials), info.trials, info.n_planned)
            self._store.finish(info.run_id, RunStatus.COMPLETE if is_complete else RunStatus.INTERRUPTED, verdict)
            info = self._store.find(info.run_id)
            name = one_line(info.dataset)
            yield f"{name}: kept as {info.run_id} in {self._store.place}"
            if self._reference is not None:
                yield from self._compared(StoredRun(info, items), name)
        except UaefError as error:
            yield str(error)

    def _compared(self, run: StoredRun, name: str) -> Iterator[str]:
        before = self._referred(str(self._reference), run.info)
        if before is None:
            yield f"{name}: there is no {self._reference} to compare with"
        else:
            yield from _lines(compare(before, run), name)

    def _referred(self, reference: str, info: RunInfo) -> StoredRun | None:
        """The run that a reference names, ``None`` where there is none; the latest is of the same test, as it was."""
        if reference != LATEST:
            return named_run(self._store, reference, info)
        for each in self._earlier:
            if each.dataset == info.dataset and each.parameters.get(TEST) == info.parameters[TEST]:
                return self._store.load(each.run_id)
        return None


def _lines(comparison: Comparison, name: str) -> Iterator[str]:
    counts = ", ".join(f"{n} {status}" for status, n in comparison.counts)
    yield f"{name}: compared with {comparison.before.run_id}: {counts or 'nothing in common'}"
    regressed = comparison.having(Status.REGRESSED)
    for each in regressed[:_NAMED]:
        why = next((cell.after.why for cell in each.cells if cell.status is Status.REGRESSED and cell.after), None)
        yield f"  {one_line(each.name)} regressed{f': {one_line(why)}' if why else ''}"
    if len(regressed) > _NAMED:
        yield f"  and {len(regressed) - _NAMED} more"
