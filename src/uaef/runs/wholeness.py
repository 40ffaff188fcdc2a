"""Whether a run that was kept is a play of its whole dataset, so that others may be measured by it unasked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from uaef.runs.records import RunInfo

RECORDED = "recorded"
"""The history of what was not played, but recorded elsewhere."""
SCORED = "scored"
"""The parameter of a run whose conversations were played in another one: the name of that."""
RETRIED = "retried"
"""The parameter of a run in which only what had failed in another one was played: the name of that."""
TAKEN = "taken"
"""The parameter of a run that took results over from another one: the name of the first that had any of them."""
OWN = "datasets"
"""The parameter that only a run of ``uaef run`` has, which says how it was played and so can be played on."""
SELECTED = "selected"
"""The parameter of a run of pytest that ran some of its tests: how many, of how many."""
TEST = "test"
"""The parameter of a run of pytest: which test function it is of."""
_SELECTING = {"only": "--only", "tags": "--tag", "limit": "--limit"}


def why_partial(info: RunInfo) -> str | None:
    """Why a run is no play of its whole dataset, to stand after its name; ``None`` where it is one."""
    return next(_reasons(info), None)


def _reasons(info: RunInfo) -> Iterator[str]:
    given = info.parameters
    if SCORED in given:
        yield f"measures anew what run {given[SCORED]} played"
    if RETRIED in given:
        yield f"played again what had failed in run {given[RETRIED]} alone"
    if info.history == RECORDED:
        yield "is of recordings and was not played"
    chosen = [f"{option} {value}" for name, option in _SELECTING.items() for value in _values(given.get(name))]
    if chosen:
        yield f"was played with {' '.join(chosen)}"
    if SELECTED in given:
        yield f"is of pytest, which ran {given[SELECTED]} tests"
    if TEST in given and not info.n_planned:
        yield "is of pytest and does not say whether all of its tests ran"


def _values(given: object) -> Sequence[object]:
    if given is None:
        return ()
    return given if isinstance(given, list | tuple) else (given,)
