"""What becomes of the rules of a gate."""

from __future__ import annotations

from uaef.models.base import Record
from uaef.models.results import Decision

_MISSED, _UNDECIDED = 1, 3


class Evidence(Record, frozen=True, gc=False):
    """One measurement that a rule was decided by.

    Attributes:
        name: what it is of: ``refund#3``, or a metric.
        before: what it was in the earlier run, in [0, 1]; ``None`` where nothing was compared.
        after: what it is.
        text: the same in a sentence.
    """

    name: str
    before: float | None = None
    after: float | None = None
    text: str = ""


class RuleDecision(Record, frozen=True):
    """What became of one rule.

    Attributes:
        rule: as it was written: ``regression``, ``accuracy >= 0.8``.
        decision: ``met``, ``missed``, ``unmeasured``, or ``not_applicable`` where there was nothing to compare with.
        reason: why, in a sentence, with the measurements.
        evidence: what it was decided by, the worst first.
    """

    rule: str
    decision: Decision
    reason: str
    evidence: tuple[Evidence, ...] = ()


class GateResult(Record, frozen=True):
    """What a gate came to.

    Attributes:
        decisions: rule by rule.
    """

    decisions: tuple[RuleDecision, ...] = ()

    def having(self, decision: Decision) -> list[RuleDecision]:
        """The rules of which that became."""
        return [each for each in self.decisions if each.decision is decision]

    @property
    def exit_code(self) -> int:
        """1 if a rule was missed, else 3 if one could not be decided, else 0."""
        if self.having(Decision.MISSED):
            return _MISSED
        return _UNDECIDED if self.having(Decision.UNMEASURED) else 0
