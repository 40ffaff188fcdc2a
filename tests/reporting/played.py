"""Runs to be reported: an agent that says what it is told to, and conversations of every outcome."""

from __future__ import annotations

from tests.runs.weather import says

from uaef import checks, metric, run_evals
from uaef.models.results import Decision
from uaef.runs.gate.decisions import Evidence, GateResult, RuleDecision

SUN = checks.includes("sun")


@metric
def outage(_):
    """A measurement that fails."""
    raise ConnectionError("the judge is away")


@metric
def idle(_):
    """A measurement that never applies."""


def every_outcome(said="sun", **options):
    """Five conversations: one passes, in the others a gate, a threshold, an outage and the agent go wrong."""

    async def agent(text):
        if text == "break":
            raise OSError("no line")
        return "rain" if text == "fail" else said

    return run_evals(
        [
            {"id": "good", "turns": [{"input": "a", "gates": [SUN]}, {"input": "b"}], "tags": ["gold"]},
            {"id": "bad", "turns": [{"input": "a", "gates": [SUN]}, {"input": "fail", "gates": [SUN]}]},
            {"id": "low", "turns": [{"input": "fail", "scorers": [{"scorer": SUN, "threshold": 0.5}]}]},
            {"id": "open", "turns": [{"input": "a", "gates": [outage]}]},
            {"id": "down", "turns": [{"input": "break", "gates": [SUN]}, {"input": "b"}]},
        ],
        agent,
        gates=[checks.excludes("snow")],
        **options,
    )


def answered(*answers, question="Weather?", name="c", **options):
    """One conversation in which these things are answered, gated by ``SUN`` at every turn."""
    turns = [{"input": question, "gates": [SUN]} for _ in answers]
    return run_evals([{"id": name, "turns": turns}], says(*answers), **options)


def ruled(*decisions, rule="pass_rate", reason="too few\n::error::x <b>@me</b>"):
    """A gate of which these became, rule by rule."""
    found = [
        RuleDecision(
            rule=f"{rule} {n}", decision=Decision(each), reason=reason, evidence=(Evidence("a", text="a fell"),)
        )
        for n, each in enumerate(decisions, 1)
    ]
    return GateResult(decisions=tuple(found))
