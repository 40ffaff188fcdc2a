"""A run as JUnit XML, which every pipeline shows: a suite is a conversation, a case one of its turns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree as ET

from uaef.models.results import Decision, EvaluationResult
from uaef.reporting.evidence import block, said
from uaef.reporting.outcomes import GATE, ItemOutcomes, Outcome, outcomes, rule_outcomes
from uaef.reporting.plain import one_line
from uaef.runs.gate.decisions import GateResult
from uaef.runs.results import RunResult

_NOT_IN_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_EVIDENCE = 20_000
"""How many characters of a conversation stand beside a claim on all of it."""
_TAGS = {Decision.MISSED: "failure", Decision.UNMEASURED: "error", Decision.NOT_APPLICABLE: "skipped"}


def junit_xml(run: RunResult, *, gate: GateResult | None = None, strict: bool = False) -> str:
    """The run as an XML document, to be written in UTF-8.

    A suite is a conversation, or a trial of one. Its cases are its turns (``refund#3``) and, each by itself, the
    claims on all of it. A claim that was missed is a failure, one that could not be decided is an error, as is a
    conversation that could not be evaluated; what nothing is required of, or what does not apply, is skipped.
    The last suite, ``uaef gate``, has a case for each rule of the gate.

    Args:
        run: what was played.
        gate: what became of the rules; ``None`` if there are none.
        strict: whether a missed threshold is a failure, as a missed gate is. If not, its case passes and says so.
    """
    found = outcomes(run, strict=strict)
    root = ET.Element("testsuites", {"name": _attribute(f"uaef: {run.agent}" if run.agent else "uaef")})
    for each in found:
        root.append(_suite(each, several=run.repeat > 1))
    decided = [outcome for each in found for outcome in each.all]
    unplayed = _unplayed(run)
    if unplayed is not None:
        decided.append(unplayed)
        root.append(suite := ET.Element("testsuite", {"name": unplayed.name}))
        _count(suite, [unplayed])
        suite.append(case := _case(unplayed, unplayed.name))
        case.set("name", unplayed.what)
    rules = [] if gate is None else rule_outcomes(gate)
    if rules:
        decided += rules
        root.append(suite := ET.Element("testsuite", {"name": GATE}))
        _fill(suite, rules)
    _count(root, decided)
    del root.attrib["skipped"]  # which the schema has for suites only
    root.set("time", _seconds(sum(each.item.seconds or 0.0 for each in found)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _unplayed(run: RunResult) -> Outcome | None:
    """What a run lacks that was interrupted."""
    lacking = run.n_planned - len(run.items)
    if lacking <= 0:
        return None
    reason = f"{lacking} of {run.n_planned} conversations were not played: the run was interrupted"
    return Outcome("interrupted", "not played", Decision.UNMEASURED, [reason], (), (), None)


def _suite(found: ItemOutcomes, *, several: bool) -> ET.Element:
    item = found.item
    name = _attribute(f"{item.name} [trial {item.trial + 1}]" if several else item.name)
    suite = ET.Element("testsuite", {"name": name})
    if item.seconds is not None:
        suite.set("time", _seconds(item.seconds))
    suite.extend(_properties(item))
    _fill(suite, found.all)
    if item.warnings:
        ET.SubElement(suite, "system-out").text = _text("\n".join(map(one_line, item.warnings)))
    return suite


def _fill(suite: ET.Element, found: Sequence[Outcome]) -> None:
    """The cases of a suite, and how many there are."""
    _count(suite, found)
    for outcome, title in zip(found, _titles(found), strict=True):
        case = _case(outcome, suite.get("name", ""))
        case.set("name", title)
        suite.append(case)


def _titles(found: Sequence[Outcome]) -> Iterator[str]:
    """What the cases of a suite are called; dashboards tell them apart by that, so no two share one."""
    seen: Counter[str] = Counter()
    for outcome in found:
        named = outcome.what if outcome.is_rule else f"{outcome.name}: {outcome.what}"
        title = _attribute(named if outcome.what else outcome.name)
        seen[title] += 1
        yield title if seen[title] == 1 else f"{title} ({seen[title]})"


def _count(element: ET.Element, found: Iterable[Outcome]) -> None:
    decisions = Counter(outcome.decision for outcome in found)
    element.set("tests", str(decisions.total()))
    element.set("failures", str(decisions[Decision.MISSED]))
    element.set("errors", str(decisions[Decision.UNMEASURED]))
    element.set("skipped", str(decisions[Decision.NOT_APPLICABLE]))


def _properties(item: EvaluationResult) -> Iterator[ET.Element]:
    facts = {
        "verdict": item.verdict,
        "thread_id": item.thread_id,
        "tags": None if item.conversation is None else ", ".join(item.conversation.tags) or None,
        "cost_usd": None if item.cost is None else f"{item.cost:.6f}",
    }
    known = {name: str(value) for name, value in facts.items() if value is not None}
    if known:
        properties = ET.Element("properties")
        for name, value in known.items():
            ET.SubElement(properties, "property", {"name": name, "value": _attribute(value)})
        yield properties


def _case(outcome: Outcome, suite: str) -> ET.Element:
    case = ET.Element("testcase", {"name": "", "classname": suite})
    if not outcome.what and outcome.window is not None and outcome.window.latency is not None:
        case.set("time", _seconds(outcome.window.latency))
    tag = _TAGS.get(outcome.decision)
    if tag is not None:
        reasons = outcome.reasons or ["nothing is required of it"]
        element = ET.SubElement(case, tag, {"message": _attribute(reasons[0])})
        if outcome.is_broken:
            element.set("type", _attribute(_kind(outcome)))
            element.text = _text(_body(outcome))
    if outcome.remarks:
        ET.SubElement(case, "system-out").text = _text("\n".join(map(one_line, outcome.remarks)))
    return case


def _kind(outcome: Outcome) -> str:
    """What was broken, for dashboards to group by: the first metric, without its arguments."""
    if outcome.claims:
        return outcome.claims[0].name.partition("(")[0]
    if outcome.is_rule:
        return "gate"
    return "not_evaluated" if outcome.window is None else "agent_failed"


def _body(outcome: Outcome) -> str:
    """The reasons, and what was said and done: enough to understand it without another file."""
    evidence = "" if outcome.window is None else "\n".join(f"{who}: {text}" for who, text in said(outcome.window))
    return "\n".join([*map(one_line, outcome.reasons), "", block(evidence, _EVIDENCE)]).strip()


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _attribute(text: str) -> str:
    return _text(one_line(text))


def _text(text: str) -> str:
    r"""``text`` with what XML 1.0 has no way to write, noncharacters too, as an escape: ``\\uffff``."""
    return _NOT_IN_XML.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
