"""Which cohorts a run will have, as far as that is known before anything is played."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from uaef.errors import UnknownNameError
from uaef.models.case import Case
from uaef.runs.comparison.cohorts import KINDS, Cohort, Where, cohort

_AFTERWARDS = ("turn", "depth")
"""How long a conversation becomes is known once it was played."""


def windows(case: Case, dataset: str = "", only: Collection[int] | None = None) -> Iterator[Where]:
    """What may be measured of a case: the whole, then each turn, or the turns of these numbers."""
    yield Where(case.case_id, (), tuple(case.tags), dataset, case.metadata)
    for number, ask in enumerate(case.asks, 1):
        if only is None or number in only:
            yield Where(case.case_id, (number,), tuple(ask.tags), dataset, {**case.metadata, **ask.metadata})


def is_there(name: str, known: Iterable[Where]) -> bool:
    """Whether something belongs to the cohort of this name, or may turn out to.

    Raises:
        UsageError: the name stands for no cohort.
    """
    group = cohort(name)
    return group.kind in _AFTERWARDS or any(group.labels(where) for where in known)


def unknown(name: str, option: str, known: Sequence[Where], *, in_list: bool = False) -> UnknownNameError:
    """The error that nothing belongs to a cohort, with the name that is spelt most alike.

    Args:
        name: of the cohort.
        option: where it was asked for.
        known: what may be measured.
        in_list: whether a name is written there as one of several, which commas separate.
    """
    kinds = dict.fromkeys((*KINDS, *(key for where in known for key in where.metadata)))
    if cohort(name).value is None:
        return UnknownNameError(f"cohort in {option}", name, kinds)
    groups = [Cohort(kind) for kind in kinds if kind not in _AFTERWARDS]
    labels = {label for where in known for group in groups for label in group.labels(where)}
    written = {label.replace(",", r"\,") for label in labels} if in_list else labels
    return UnknownNameError(f"cohort in {option}", name, written)
