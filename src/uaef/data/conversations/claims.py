"""What is to be measured, as datasets write it: by name, in one of three short forms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from uaef.data.conversations.kinds import Kind, Schema
from uaef.data.conversations.nodes import Node, Place, Problems, Trail, as_text, numbers_in, plain, shape
from uaef.errors import MetricError, UaefError, UnknownNameError
from uaef.foreign import told
from uaef.metrics.named import ONLY, check_named, metric_named, short_form
from uaef.metrics.registry import get_metric
from uaef.models.case import ClaimKind, NamedClaim

AT_LEAST, AT_MOST, SCOPE = "at_least", "at_most", "scope"
TAGGED = "tagged:"
_SCOPES = ("whole", "each_turn")
_SCORER, _THRESHOLD = "scorer", "threshold"
_SHOWN, _LISTED = 40, 3
_BOUND: Schema = {"type": "number", "minimum": 0, "maximum": 1}


def reaches(claim: NamedClaim, tags: Collection[str]) -> bool:
    """Whether a claim on a conversation is about a turn with these tags, among others or alone."""
    scope = claim.scope or ""
    return not scope.startswith(TAGGED) or scope.removeprefix(TAGGED) in tags


class _RefusedError(Exception):
    """A claim that cannot be; the message is the reason."""


class Placed(NamedTuple):
    """A claim, and where it was written."""

    claim: NamedClaim
    at: Place


class _Bounds(NamedTuple):
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class Claim(Kind):
    """A metric or a check by its name, and what must come of it.

    Attributes:
        claims: whether anything must come of it.
        scoped: whether it may say where it is measured; a turn's claims are about that turn.
    """

    claims: ClaimKind
    scoped: bool = True

    def read(self, node: Node, name: str, trail: Trail, problems: Problems) -> object:
        """See ``Kind``."""
        if problems.add_faults(node, trail):
            return None
        try:
            return Placed(self._claim(node, problems.place(node.at)), node.at)
        except (_RefusedError, UaefError) as error:
            problems.add(node.at, f"{name}: {str(error).rstrip('.')}", trail)
        except Exception as error:  # noqa: BLE001 - metrics may be anybody's, and arguments go deep into libraries
            problems.add(node.at, f"{name}: cannot be made of these arguments, {told(error)}", trail)
        return None

    def _claim(self, node: Node, place: str) -> NamedClaim:
        written, arguments_in = plain(node), node
        given: object = None
        if self.claims is ClaimKind.THRESHOLD and isinstance(written, dict) and _SCORER in written:
            if written.keys() != {_SCORER, _THRESHOLD}:
                raise _RefusedError(f"the form with {_SCORER} has a {_THRESHOLD} too and nothing else")
            written, given = written[_SCORER], written[_THRESHOLD]
            arguments_in = node.value[_SCORER]  # type: ignore[index] # an object, as the line above says
        elif not isinstance(written, str | dict):
            raise _RefusedError(
                f"must be a name, {{name: argument}} or {{name: {{parameter: argument}}}}, got {shape(node)}"
            )
        name, arguments = short_form(written)
        scope = self._scope(arguments)
        bounds = _between(given) if given is not None else self._bounds(name, arguments)
        _check_arguments(name, arguments, arguments_in)
        if self.claims is ClaimKind.THRESHOLD and bounds == _Bounds():
            raise _RefusedError("a threshold needs a bound: at_least, at_most, or {scorer: ..., threshold: 0.8}")
        return NamedClaim(
            name=name,
            arguments=arguments,
            kind=self.claims,
            at_least=bounds.at_least,
            at_most=bounds.at_most,
            scope=scope,
            place=place,
        )

    def _scope(self, arguments: dict[str, object]) -> str | None:
        if SCOPE not in arguments:
            return None
        scope = arguments.pop(SCOPE)
        if not self.scoped:
            raise _RefusedError("what is written in a turn is about that turn; a scope belongs to a conversation")
        if isinstance(scope, str) and (scope in _SCOPES or scope.removeprefix(TAGGED) not in (scope, "")):
            return scope
        raise _RefusedError(f"scope must be whole, each_turn or tagged:NAME, got {scope!r}")

    def _bounds(self, name: str, arguments: dict[str, object]) -> _Bounds:
        """The bounds among the arguments, which are taken out; a lone number bounds what takes no argument."""
        if self.claims is ClaimKind.SCORE:
            if AT_LEAST in arguments and AT_LEAST not in _parameters(name):
                raise _RefusedError("metrics are only measured; a bound stands under gates or thresholds")
            return _Bounds()
        lone = arguments.get(ONLY)
        if _is_number(lone) and _takes_nothing(name, arguments):
            return _Bounds(at_least=_bound(arguments.pop(ONLY), name))
        found = {key: arguments.pop(key) for key in _own_bounds(name, arguments)}
        if self.claims is ClaimKind.GATE and AT_MOST in found:
            raise _RefusedError("a gate has a lower bound only; at_most belongs under thresholds")
        return _ordered(*(_bound(found[key], key) if key in found else None for key in (AT_LEAST, AT_MOST)))

    def schema(self) -> Schema:
        """See ``Kind``."""
        if self.claims is not ClaimKind.THRESHOLD:
            one: Schema = {"type": "object", "minProperties": 1, "maxProperties": 1}
            return {"anyOf": [{"type": "string", "pattern": r"\S"}, one]}
        arguments: Schema = {"type": "object", "anyOf": [{"required": [AT_LEAST]}, {"required": [AT_MOST]}]}
        short = {"not": {"required": [_SCORER]}, "additionalProperties": {"anyOf": [_BOUND, arguments]}}
        between = {
            "type": "object",
            "properties": {"min": _BOUND, "max": _BOUND},
            "additionalProperties": False,
            "minProperties": 1,
        }
        long: Schema = {
            "type": "object",
            "properties": {
                _SCORER: Claim(ClaimKind.SCORE),
                _THRESHOLD: {"anyOf": [_BOUND, between]},
            },
            "required": [_SCORER, _THRESHOLD],
            "additionalProperties": False,
        }
        return {"anyOf": [{"type": "object", "minProperties": 1, "maxProperties": 1, **short}, long]}

    @property
    def title(self) -> str:
        """See ``Kind``."""
        return "threshold" if self.claims is ClaimKind.THRESHOLD else "measure"


def _check_arguments(name: str, arguments: Mapping[str, object], written: Node) -> None:
    """Make sure that something can be measured by that name with these arguments.

    Raises:
        UaefError: it cannot.
        _RefusedError: it cannot, and could if they were written in another way.
    """
    try:
        metric_named(name, arguments)
    except MetricError as error:
        inside = next(iter(written.value.values())) if isinstance(written.value, dict) else Node(None, written.at)
        nodes = {ONLY: inside} if ONLY in arguments else inside.value if isinstance(inside.value, dict) else {}
        for key in arguments.keys() & nodes.keys():
            for value, hint in _otherwise(nodes[key]):
                if _fits(name, {**arguments, key: value}):
                    raise _RefusedError(f"{str(error).rstrip('.')}; {hint}") from None
        raise


def _otherwise(node: Node) -> Iterator[tuple[object, str]]:
    """What an argument would be in quotes, and in brackets; each with what to do for it to be that."""
    words = [f'"{word[:_SHOWN]}"' for word in numbers_in(node)]
    in_quotes = f"put {'it' if len(words) == 1 else 'them'} in quotes: {', '.join(words[:_LISTED])}"
    if words:
        yield as_text(node), in_quotes
    if not isinstance(node.value, list | dict):
        yield [plain(node)], f"write [{node.written[:_SHOWN]}]"
    if words and not isinstance(node.value, list | dict):
        yield [as_text(node)], f"write [{words[0]}]"


def _fits(name: str, arguments: Mapping[str, object]) -> bool:
    try:
        metric_named(name, arguments)
    except UaefError:
        return False
    return True


def _parameters(name: str) -> Mapping[str, object]:
    check = check_named(name)
    try:
        return get_metric(name).parameters if check is None else check.parameters
    except UnknownNameError:  # which whoever makes it says better
        return {}


def _own_bounds(name: str, arguments: Mapping[str, object]) -> list[str]:
    """The bounds among the arguments that are not parameters of what is measured, as ``at_most`` is of some."""
    given = [key for key in (AT_LEAST, AT_MOST) if key in arguments]
    return [key for key in given if key not in _parameters(name)] if given else []


def _takes_nothing(name: str, arguments: Mapping[str, object]) -> bool:
    """Whether it works without an argument and not with this one."""
    return _fits(name, {}) and not _fits(name, arguments)


def _between(given: object) -> _Bounds:
    """A threshold as a number or as ``{min, max}``."""
    if not isinstance(given, dict):
        return _Bounds(at_least=_bound(given, _THRESHOLD))
    if not given or given.keys() - {"min", "max"}:
        raise _RefusedError(f"threshold has min, max or both, got {', '.join(map(str, given)) or 'neither'}")
    return _ordered(*(_bound(given[key], key) if key in given else None for key in ("min", "max")))


def _ordered(at_least: float | None, at_most: float | None) -> _Bounds:
    if at_least is not None and at_most is not None and at_least > at_most:
        raise _RefusedError(f"no number is at least {at_least:g} and at most {at_most:g}")
    return _Bounds(at_least, at_most)


def _bound(value: object, name: str) -> float:
    if _is_number(value) and 0 <= value <= 1:  # type: ignore[operator] # a number, as the line says
        return value  # type: ignore[return-value] # as above
    raise _RefusedError(f"{name} must be a number from 0 to 1, got {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
