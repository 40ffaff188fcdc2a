"""A run as Markdown: the comment on a pull request, and the summary of a step, which may be longer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from uaef.models.results import Decision, EvaluationResult, Verdict
from uaef.models.scores import ScoreStatus
from uaef.reporting.breakdown import NO_VERDICT, totals
from uaef.reporting.changes import changes, regressions
from uaef.reporting.common_failures import standing_out
from uaef.reporting.comparison import gate_remarks
from uaef.reporting.evidence import LONGEST, said
from uaef.reporting.judges import judged_by
from uaef.reporting.markup import LISTED, QUOTED, SHOWN, bounded, code, more, table, told
from uaef.reporting.outcomes import ItemOutcomes, Outcome, outcomes
from uaef.reporting.runs import played_how
from uaef.runs.comparison.records import Comparison
from uaef.runs.gate.decisions import GateResult
from uaef.runs.results import RunResult

MARK = "<!-- uaef -->"
"""How a comment begins, for whoever looks for the one to replace."""
_COMMENT = 65_536
_SUMMARY = 250_000
"""In characters: a summary may have 1,048,576 bytes, and a character up to four."""


def pr_comment(
    run: RunResult, comparison: Comparison | None = None, *, gate: GateResult | None = None, strict: bool = False
) -> str:
    """The comment on a pull request, within the 65,536 characters that GitHub takes.

    The verdict and the rules of the gate first; then the turns that broke, with question, answer and reason; what
    regressed, before and after; cohorts; what could not be measured. Recorded text is fenced and cannot break out.

    Args:
        run: what was played.
        comparison: with an earlier run; ``None`` if nothing was compared.
        gate: what became of the rules; ``None`` if there are none.
        strict: whether a missed threshold breaks a turn, as a missed gate does.
    """
    return bounded([MARK, *_blocks(run, comparison, gate or GateResult(), strict=strict)], _COMMENT)


def step_summary(
    run: RunResult, comparison: Comparison | None = None, *, gate: GateResult | None = None, strict: bool = False
) -> str:
    """The same for the summary of a step, which may be four times as long; arguments as for ``pr_comment``."""
    return bounded(_blocks(run, comparison, gate or GateResult(), strict=strict), _SUMMARY)


def _blocks(run: RunResult, comparison: Comparison | None, gate: GateResult, *, strict: bool) -> Iterator[str]:
    found = outcomes(run, strict=strict)
    yield _heading(run, gate)
    if gate.decisions:
        rules = [f"- {code(text, LONGEST)}" for text in gate_remarks(gate)]
        yield "\n".join(["### The gate", "", *rules[:LISTED], *more(rules)])
    if comparison is not None:
        yield from regressions(comparison)
    yield from _broken(found, Decision.MISSED, "What broke")
    yield from _broken(found, Decision.UNMEASURED, "What could not be decided")
    if comparison is not None:
        yield from changes(comparison)
    yield from _cascades(run)
    yield from _cohorts(run.items)
    yield from _unmeasured(run.items)
    warnings = [f"- {code(text, LONGEST)}" for text in run.warnings[:LISTED]]
    if warnings:
        yield "\n".join(["### Warnings", "", *warnings])


def _heading(run: RunResult, gate: GateResult) -> str:
    """The verdict, how many conversations have which, and how they were played."""
    counts = ", ".join(f"{count} {word}" for word, count in totals(run.items).items())
    played = len(run.items)
    cut = f" of {run.n_planned}" if run.n_planned > played else ""  # it was interrupted
    many = f"{played}{cut} conversation{'s' * (bool(cut) or played != 1)}"
    lines = [f"## uaef: {_verdict(run, gate)}", "", f"{many}: {counts}. {code(played_how(run))}"]
    if not run.claims and len(gate.having(Decision.NOT_APPLICABLE)) == len(gate.decisions):
        lines += ["", "Nothing was required, so nothing could be missed."]
    common = standing_out(run.items)
    if common:
        lines += ["", f"**{code(common)}**"]
    lines += [line for sentence in judged_by(run.items) for line in ("", code(sentence))]
    return "\n".join(lines)


def _verdict(run: RunResult, gate: GateResult) -> str:
    """What the claims and the rules come to together, as the exit code does."""
    missed, undecided = gate.having(Decision.MISSED), gate.having(Decision.UNMEASURED)
    if missed:
        return f"{Verdict.FAILED}, {_rules(len(missed))} missed"
    if undecided:
        word = Verdict.FAILED if run.verdict is Verdict.FAILED else NO_VERDICT
        return f"{word}, {_rules(len(undecided))} not decided"
    if not run.claims and gate.having(Decision.MET):
        return "the gate was met"
    return str(run.verdict or NO_VERDICT)


def _rules(count: int) -> str:
    return f"{count} rules of the gate were" if count > 1 else "a rule of the gate was"


def _broken(found: Iterable[ItemOutcomes], decision: Decision, title: str) -> Iterator[str]:
    """What broke so, each with what was said; a claim on the conversation after the turns that broke it."""
    broken = [(each, outcome) for each in found for outcome in each.all if outcome.decision is decision]
    if not broken:
        return
    yield f"### {title} ({len(broken)})"
    for each, outcome in broken[:SHOWN]:
        yield _one(each, outcome)
    rest = [code(_titled(each, outcome)) for each, outcome in broken[SHOWN:][:LISTED]]
    if rest:
        others = len(broken) - SHOWN - len(rest)
        yield f"Also: {', '.join(rest)}{f' and {others} more' if others else ''}."


def _one(each: ItemOutcomes, outcome: Outcome) -> str:
    lines = [
        f"#### {code(_titled(each, outcome))}",
        "",
        *(f"- {code(text, LONGEST)}" for text in outcome.reasons[:5]),
    ]
    if outcome.window is not None and not outcome.what:
        lines += [line for part in said(outcome.window, QUOTED) for line in told(*part)]
    return "\n".join(lines)


def _titled(each: ItemOutcomes, outcome: Outcome) -> str:
    trial = f" [trial {each.item.trial + 1}]" if each.item.trial else ""
    return f"{outcome.name}{trial}{f': {outcome.what}' if outcome.what else ''}"


def _cascades(run: RunResult) -> Iterator[str]:
    if run.cascades:
        rows = [[code(each.slice_name), each.cause or ""] for each in run.cascades[:LISTED]]
        lines = ["### Where failures come from", "", table(["turn that fails", "cause"], rows), *more(run.cascades)]
        yield "\n".join(lines)


def _cohorts(items: Sequence[EvaluationResult]) -> Iterator[str]:
    """How many turns of each number and of each tag pass, of those of which it is known."""
    found: dict[str, list[bool | None]] = {}
    for item in items:
        for window in item.conversation or ():
            (number,) = window.numbers
            for cohort in (f"turn {number}", *(f"tag {tag}" for tag in window.tags)):
                found.setdefault(cohort, []).append(item.turns_passed.get(number))
    decided = {cohort: passed for cohort, passed in found.items() if set(passed) - {None}}
    if len(decided) > 1:
        rows = [
            [code(cohort), *(str(passed.count(each)) for each in (True, False, None))]
            for cohort, passed in sorted(decided.items(), key=lambda entry: -entry[1].count(False))
        ]
        lines = ["### Cohorts", "", table(["turns", "pass", "fail", "undecided"], rows[:LISTED]), *more(rows)]
        yield "\n".join(lines)


def _unmeasured(items: Iterable[EvaluationResult]) -> Iterator[str]:
    """What should have a number and has none, by metric and reason; where an agent failed, its turn tells that."""
    places: dict[tuple[str, str], list[str]] = {}
    for item in items:
        for m in item.measurements:
            if m.score.status is ScoreStatus.FAILED and m.score.metadata.get("warning") != "agent_error":
                reason = m.score.reasoning or str(m.score.metadata.get("warning") or "no reason was given")
                places.setdefault((m.metric, reason), []).append(m.slice_name)
    if places:
        rows = [
            [code(metric), code(reason), str(len(where)), code(where[0])]
            for (metric, reason), where in sorted(places.items(), key=lambda entry: -len(entry[1]))
        ]
        heads = ["metric", "why", "times", "first at"]
        yield "\n".join(["### What could not be measured", "", table(heads, rows[:LISTED]), *more(rows)])
