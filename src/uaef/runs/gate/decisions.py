"""What becomes of the rules of a gate."""

from __future__ import annotations

from uaef.models.base import Record
from uaef.models.results import Decision

_WORST_FIRST = (Decision.MISSED, Decision.UNMEASURED, Decision.MET)


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
    def decision(self) -> Decision:
        """What the rules come to together: the worst of what became of them; ``not_applicable`` without any."""
        found = {each.decision for each in self.decisions}
        return next((worst for worst in _WORST_FIRST if worst in found), Decision.NOT_APPLICABLE)
