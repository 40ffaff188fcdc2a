"""A run where GitHub shows it: annotations on the lines of a dataset, and the summary of a step.

What an agent says is text to all of it: it can neither give the runner a command nor change how a page looks.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from uaef.errors import DataError
from uaef.metrics.named import metric_named
from uaef.models.case import Case, NamedClaim
from uaef.models.results import Decision
from uaef.reporting.comparison import gate_remarks
from uaef.reporting.evidence import said
from uaef.reporting.outcomes import GATE, Outcome, outcomes
from uaef.reporting.plain import one_line
from uaef.runs.gate.decisions import GateResult
from uaef.runs.results import RunResult

MOST = 10
"""How many annotations of one kind GitHub shows for a step."""
_LONGEST = 300
_PLACE = re.compile(r"(?P<file>.+):(?P<line>[0-9]+):(?P<col>[0-9]+)", re.DOTALL)
_LEVELS = {Decision.MISSED: "error", Decision.UNMEASURED: "warning"}


class ClaimAt(NamedTuple):
    """A claim of a dataset: the conversation or the turn that it is made on, and the key of its metric."""

    name: str
    metric: str


def is_github(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this is a step of GitHub Actions."""
    return environ.get("GITHUB_ACTIONS") == "true"


def places_of(cases: Iterable[Case]) -> dict[ClaimAt, str]:
    """Where each claim of a dataset was written, ``support.yaml:12:9``, as far as that is known."""
    return {
        ClaimAt(name, metric_named(claim.name, claim.arguments).key): claim.place
        for case in cases
        for name, claims in _by_level(case)
        for claim in claims
        if claim.place
    }


def _by_level(case: Case) -> Iterator[tuple[str, list[NamedClaim]]]:
    yield case.case_id, case.claims
    yield from ((name, ask.claims) for name, ask in zip(case.turn_names, case.asks, strict=True))


def github_annotations(
    run: RunResult,
    places: Mapping[ClaimAt, str] | None = None,
    *,
    gate: GateResult | None = None,
    strict: bool = False,
) -> list[str]:
    """Workflow commands, a line each, to be printed: an error where a claim or a rule of the gate was missed.

    Where one was not decided it is a warning. Rules come first.

    GitHub shows ten of a kind; of more, the last says how many there are.

    Args:
        run: what was played.
        places: where the claims were written (``places_of``), so that an annotation stands on that line.
        gate: what became of the rules; ``None`` if there are none.
        strict: whether a missed threshold is an error, as a missed gate is.
    """
    broken = [o for each in outcomes(run, strict=strict) for o in _told_once(each.turns, each.whole)]
    lines: list[str] = []
    for decision, level in _LEVELS.items():
        rules = GateResult() if gate is None else GateResult(decisions=tuple(gate.having(decision)))
        found = [command(level, one_line(remark), title=GATE) for remark in gate_remarks(rules)]
        found += [_annotation(level, outcome, places or {}) for outcome in broken if outcome.decision is decision]
        shown = found if len(found) <= MOST else found[: MOST - 1]
        lines += shown
        if len(found) > len(shown):
            lines.append(command(level, f"and {len(found) - len(shown)} more", title="uaef"))
    return lines


def _told_once(turns: Iterable[Outcome], whole: Iterable[Outcome]) -> Iterator[Outcome]:
    """The turns that broke, and the claims on the conversation that no turn is named for."""
    broken = [turn for turn in turns if turn.is_broken]
    yield from broken
    named = {id(claim) for turn in broken for claim in turn.claims}
    yield from (each for each in whole if each.is_broken and id(each.claims[0] if each.claims else each) not in named)


def _annotation(level: str, outcome: Outcome, places: Mapping[ClaimAt, str]) -> str:
    what = "broke" if outcome.decision is Decision.MISSED else "could not be decided"
    properties = {"title": one_line(f"{outcome.name} {what}", _LONGEST)}
    lines = [one_line(reason) for reason in outcome.reasons]
    if outcome.window is not None and len(outcome.window) == 1:
        lines += [f"{who}: {one_line(text, _LONGEST)}" for who, text in said(outcome.window)]
    place = next(iter(_places(outcome, places)), None)
    return command(level, "\n".join(lines), **({} if place is None else place.groupdict()), **properties)


def _places(outcome: Outcome, places: Mapping[ClaimAt, str]) -> Iterator[re.Match[str]]:
    """Where the claims that decided were written: on the turn, else on the conversation."""
    conversation = outcome.name.partition("#")[0]
    for claim in outcome.claims:
        for name in dict.fromkeys((outcome.name, claim.slice_name, conversation)):
            place = _PLACE.fullmatch(places.get(ClaimAt(name, claim.name), ""))
            if place is not None:
                yield place


def command(level: str, message: str, **properties: str) -> str:
    """A workflow command, escaped as the runner reads it: ``::error file=a.yaml,line=3::It broke%0Ahere``."""
    escaped = [f"{name}={_escaped(value, also=':,')}" for name, value in properties.items()]
    return f"::{level}{' ' if escaped else ''}{','.join(escaped)}::{_escaped(message)}"


def _escaped(text: str, also: str = "") -> str:
    for character in f"%\r\n{also}":  # the percent sign first, since it begins every escape
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def inert(text: str) -> str:
    """A report that is printed in a step, between two lines that keep the runner from obeying any line of it.

    The mark that ends it is drawn anew each time: nothing that was recorded can know it.
    """
    mark = secrets.token_hex(16)
    end = "" if text.endswith("\n") else "\n"
    return f"::stop-commands::{mark}\n{text}{end}::{mark}::\n"


def write_step_summary(text: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Append Markdown to the summary of the step; ``False`` where there is none to write to.

    Raises:
        DataError: the file that ``GITHUB_STEP_SUMMARY`` names cannot be written.
    """
    file = environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return False
    try:
        with Path(file).open("a", encoding="utf-8") as summary:
            summary.write(f"{text.rstrip()}\n\n")
    except OSError as error:
        raise DataError(f"GITHUB_STEP_SUMMARY names {file}, which cannot be written: {error.strerror}.") from None
    return True
