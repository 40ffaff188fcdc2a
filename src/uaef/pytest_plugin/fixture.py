"""The fixture ``evals``: what a test asks of uaef."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from uaef.api import run_evals
from uaef.errors import UsageError
from uaef.models.results import ClaimResult, Decision
from uaef.pytest_plugin.failures import failure
from uaef.pytest_plugin.marked import NOBODY, Part, found
from uaef.pytest_plugin.sent import Sent
from uaef.reporting.outcomes import Outcome, outcomes
from uaef.runs.results import Played, RunResult


class Evals:
    """What a test asks of uaef.

    Args:
        part: what the test is about, where it is marked ``uaef``.
        folders: where datasets are looked for, the first first.
    """

    def __init__(self, part: Part | None, folders: Sequence[Path]) -> None:
        self._part = part
        self._folders = folders
        self._result: RunResult | None = None
        self._is_unused = part is not None

    @property
    def name(self) -> str:
        """What the test is about: ``refund``, with ``per="turn"`` also ``refund#3``; empty if it is not marked."""
        return "" if self._part is None else self._part.name

    @property
    def result(self) -> RunResult:
        """What playing came to: the conversation that the test is about, or else the last ``run``.

        Raises:
            UaefError: it cannot be played.
        """
        self._is_unused = False
        if self._result is None:
            self._result = self._played(None)
        return self._result

    @property
    def is_unused(self) -> bool:
        """Whether the test is marked and has looked at nothing so far, so that it could not fail."""
        return self._is_unused

    def run(self, data: object, target: object, **options: object) -> RunResult:
        """What ``run_evals`` says of ``data``, for ``check`` to check. Nobody judges unless ``judge`` is given.

        Args:
            data: as for ``run_evals``; a path is looked for beside the test, then from where pytest runs.
            target: the agent.
            **options: as for ``run_evals``.

        Raises:
            UaefError: something that was given cannot be.
        """
        entries = data if isinstance(data, list | tuple) else [data]
        given = [found(entry, self._folders) for entry in entries]
        self._part = None
        self._result = run_evals(given, target, **{"judge": NOBODY, **options})  # type: ignore[arg-type] # it checks them
        return self._result

    def check(self, agent: object = None, *, strict: bool = True) -> RunResult:
        """Play, if that was not done yet, and fail if something that is required does not hold.

        The failure names the turns that broke, and why. What could not be decided fails too, and says so: a test
        that passes has been measured. A test of which nothing is required is skipped.

        Args:
            agent: who answers, where the marker does not say.
            strict: whether a missed threshold fails the test, as a missed gate does.

        Raises:
            UaefError: it cannot be played.
        """
        __tracebackhide__ = True
        self._is_unused = False
        if agent is not None:
            self._result = self._played(agent)
        result = self.result
        decided = [o for each in outcomes(result, strict=strict) for o in each.all if self._is_mine(o)]
        idle = [claim for claim in result.claims if self._is_idle(claim)]
        words = failure(self.name, decided, idle)
        if words:
            pytest.fail(words, pytrace=False)
        if all(outcome.decision is Decision.NOT_APPLICABLE for outcome in decided):
            pytest.skip(f"nothing is required of {self.name or 'what was played'}, so nothing could be missed")
        return result

    def to_keep(self, test: str) -> Sent | None:
        """What was played for ``test`` and nobody has kept yet; ``None`` if there is nothing."""
        if self._part is None or self._part.played.fresh is None:
            return None
        played, result = self._part.played, self._part.played.fresh
        played.fresh = None
        marked, first = played.marked, played.marked.first(played)
        judge = next((m.score.metadata["judge"] for m in result.measurements if "judge" in m.score.metadata), None)
        return Sent(
            test=test,
            dataset=marked.dataset or test,
            played=Played(result.agent, result.history, result.repeat, result.trials, marked.n_planned),
            judge=None if judge is None else str(judge),
            chosen=marked.chosen,
            items={first + place: item for place, item in enumerate(result.items)},
        )

    def _played(self, agent: object) -> RunResult:
        if self._part is None:
            raise UsageError(
                "There is nothing to check: mark the test @pytest.mark.uaef(dataset=..., agent=...), or call "
                "evals.run(data, agent) before."
            )
        return self._part.played.result(agent)

    def _is_mine(self, outcome: Outcome) -> bool:
        """Whether it is what this test is about; a conversation that was not evaluated concerns all its turns."""
        is_of_part = self._part is not None and self._part.played.is_by_turn
        return not is_of_part or outcome.name == self.name or outcome.window is None

    def _is_idle(self, claim: ClaimResult) -> bool:
        """Whether something was required of what this test is about and does not apply, so that it has no verdict."""
        if claim.decision is not Decision.NOT_APPLICABLE or not claim.explicit:
            return False
        if self._part is None or not self._part.played.is_by_turn:
            return True
        conversation = self._part.played.name
        return self.name == (conversation if claim.turn is None else f"{conversation}#{claim.turn}")
