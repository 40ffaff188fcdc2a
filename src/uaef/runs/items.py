"""The items of ``run_evals``, ``input``, ``inputs`` or ``turns``, as cases with what is asserted of them."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from uaef.errors import EvalConfigError, UaefError, misspelt
from uaef.models.base import replaced
from uaef.models.case import Ask, Case
from uaef.models.ground_truth import GroundTruth
from uaef.runs.bounds import assertions
from uaef.runs.jobs import Assertions

FORMS = ("input", "inputs", "turns")
_ITEM_KEYS = (*FORMS, "ground_truth", "id", "tags")
_TURN_KEYS = ("input", "reply", "gates", "scorers", "ground_truth", "tags")
_SHOWN = 60
_Made = TypeVar("_Made")


class Item(NamedTuple):
    """A case, and what is asserted of its turns."""

    case: Case
    asserted: Assertions


def read_item(item: object, place: int) -> Item:
    """The item in ``place``, counted from 0.

    Raises:
        EvalConfigError: with a sentence for everything that is wrong with it, naming the item and the turn.
    """
    where = f"item {place}"
    if not isinstance(item, Mapping):
        raise EvalConfigError(f"{where}: must be a dict with 'input', 'inputs' or 'turns', got {_shown(item)}.")
    problems: list[str] = []
    turns = list(_turns(item, where, problems))
    case = _noting(problems, where, lambda: _case(item, place, [ask for ask, _ in turns]))
    if problems or case is None:
        raise EvalConfigError("\n".join(problems))
    return Item(case, sum((asserted for _, asserted in turns), Assertions()))


def shared_names(cases: Iterable[Case]) -> list[str]:
    """What is wrong with the names of cases that share one."""
    names = Counter(case.case_id for case in cases)
    return [f"{times} items have the id {name!r}; give each its own." for name, times in names.items() if times > 1]


def _case(item: Mapping[str, object], place: int, asks: list[Ask]) -> Case | None:
    _check_keys(item, _ITEM_KEYS)
    name = item.get("id", f"item-{place}")
    if not isinstance(name, str) or not name.strip() or "#" in name:
        raise EvalConfigError(f"the id must be text without '#', got {_shown(name)}")
    expected = _expected(item.get("ground_truth"))
    if len(asks) == 1 and expected is not None:  # of a single turn, what is expected of the whole is expected
        asks = [replaced(asks[0], expected=asks[0].expected or expected.for_turn(1, only=True))]
    return Case(case_id=name, asks=asks, expected=expected, tags=_tags(item)) if asks else None


def _turns(item: Mapping[str, object], where: str, problems: list[str]) -> Iterator[tuple[Ask, Assertions]]:
    form = _noting(problems, where, lambda: _form(item))
    if form is None:
        return
    if form == "input":
        found = _noting(problems, where, lambda: _bare(item["input"], 1))
        yield from [found] if found else []
        return
    for number, turn in enumerate(_listed(item[form]), 1):
        read = _bare if form == "inputs" else _turn
        found = _noting(problems, f"{where}, turn {number}", functools.partial(read, turn, number))
        yield from [found] if found else []


def _form(item: Mapping[str, object]) -> str:
    given = [form for form in FORMS if form in item]
    if len(given) > 1:
        raise EvalConfigError(f"{' and '.join(map(repr, given))} cannot be combined; give one of them")
    if not given:
        raise EvalConfigError("must have 'input', 'inputs' or 'turns'")
    if given[0] != "input" and not _listed(item[given[0]]):
        raise EvalConfigError(f"{given[0]!r} must be a non-empty list, got {_shown(item[given[0]])}")
    return given[0]


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _bare(value: object, number: int) -> tuple[Ask, Assertions]:  # noqa: ARG001 - as _turn
    return Ask(user=_input(value)), Assertions()


def _turn(turn: object, number: int) -> tuple[Ask, Assertions]:
    if not isinstance(turn, Mapping):
        raise EvalConfigError(f"must be a dict with 'input', got {_shown(turn)}")
    _check_keys(turn, _TURN_KEYS)
    if "input" not in turn:
        raise EvalConfigError("must have 'input'")
    expected = _expected(turn.get("ground_truth"))
    ask = Ask(user=_input(turn["input"]), reply=_reply(turn.get("reply")), expected=expected, tags=_tags(turn))
    return ask, assertions(turn.get("scorers"), turn.get("gates"), number)


def _input(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise EvalConfigError(f"'input' must be text that says something, got {_shown(value)}")
    return value


def _reply(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise EvalConfigError(f"'reply' is what the assistant should say, a text, got {_shown(value)}")
    return value


def _expected(value: object) -> GroundTruth | None:
    """A ground truth; of a text, the one whose answer it is."""
    if isinstance(value, str):
        return GroundTruth(expected_output=value)
    if value is not None and not isinstance(value, Mapping | GroundTruth):
        raise EvalConfigError(f"'ground_truth' is a text or the fields of a GroundTruth, got {_shown(value)}")
    return GroundTruth.of(value)


def _tags(fields: Mapping[str, object]) -> list[str]:
    tags = fields.get("tags", [])
    if not isinstance(tags, list | tuple) or not all(isinstance(tag, str) and tag.strip() for tag in tags):
        raise EvalConfigError(f"'tags' is a list of texts, got {_shown(tags)}")
    return list(dict.fromkeys(tags))


def _check_keys(fields: Mapping[str, object], known: Iterable[str]) -> None:
    known = list(known)
    for key in fields:
        if key not in known:
            near = misspelt(str(key), known)
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
            if key == "thresholds":
                hint = "put {'scorer': ..., 'threshold': ...} into scorers"
            raise EvalConfigError(f"there is no key {key!r}; {hint}")


def _noting(problems: list[str], where: str, make: Callable[[], _Made]) -> _Made | None:
    """What ``make`` makes; ``None`` where it refuses, which is noted with its place."""
    try:
        return make()
    except UaefError as error:
        problems += [f"{where}: {_ended(sentence)}" for sentence in str(error).splitlines()]
        return None


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?")) else f"{sentence}."


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}... ({type(value).__name__})"
