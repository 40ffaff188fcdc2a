"""What a metric is: a function from a window of a conversation to a score, with its name and its needs.

The short form is a function::

    @metric(dimension="Response Quality")
    def is_brief(turn, *, most_words: int = 50):
        words = len(turn.answer.split())
        return words <= most_words, f"{words} words"

Its keyword-only arguments are its parameters: ``is_brief(most_words=20)`` is the same metric, stricter. A
class that derives from ``Metric`` and defines ``measure`` is the long form.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import ClassVar, Self, TypeAlias, overload

import msgspec

from uaef.errors import MetricError, UnknownNameError
from uaef.metrics.needs import NEEDS
from uaef.metrics.scopes import Scope, each_turn
from uaef.models import scores
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore

Found: TypeAlias = MetricScore | float | bool | tuple[float | bool | None, str] | None
"""What ``measure`` may return: a score, a number in [0, 1], a yes or no, nothing, or a number and a reason."""


_Function: TypeAlias = Callable[..., "Found | Awaitable[Found]"]


class Metric:
    """The base of all metrics. Pure: the same window gives the same score, and no order matters.

    Attributes:
        name: how it is asked for; letters, digits and underscores.
        dimension: where its score is counted.
        description: what it measures, in one paragraph.
        formula: how, with the source of a formula that has one.
        scope: where it is measured unless the place of use says otherwise.
        needs: names from ``uaef.metrics.needs.NEEDS``; where one is not met, it is not asked.
        depends_on: metrics (or ``quality_score``, ``completeness_score``) whose scores it wants to know. They
            are measured first if they were asked for, and never run unasked.
        by_default: whether it is measured where nobody names a metric.
        blocking: whether ``measure`` blocks for long and should get a thread.
        spliced_too: whether it means something on several turns of which each was shown another history.
        is_written: whether its name is the call that made it, with arguments, and no single word.
        is_placed: whether the caller said where it is measured (``on``), so that no other place may.
        turns_key: the metadata key under which an average over turns lists them.
        params: the parameters that differ from their defaults.
    """

    name: str = ""
    dimension: str = "Custom"
    description: str = ""
    formula: str = ""
    scope: Scope = staticmethod(each_turn)
    needs: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    by_default: bool = True
    blocking: bool = False
    spliced_too: bool = False
    is_written: bool = False
    is_placed: bool = False
    turns_key: str = "per_turn"
    params: Mapping[str, object] = {}
    kind: ClassVar[str] = "deterministic"

    def __init_subclass__(cls) -> None:
        scope = cls.__dict__.get("scope")
        if inspect.isfunction(scope):  # or it would be bound to the instance like a method
            cls.scope = staticmethod(scope)

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        """A metric that knows which parameters it was made with."""
        self = super().__new__(cls)
        if cls.__init__ is not object.__init__:
            bound = inspect.signature(cls.__init__).bind_partial(self, *args, **kwargs)
            given = list(bound.arguments.items())[1:]
            self.params = {k: v for k, v in given if v != bound.signature.parameters[k].default}
        return self

    def measure(self, window: Conversation) -> Found | Awaitable[Found]:
        """What this metric finds in ``window``. Raising means ``failed``, never zero."""
        raise MetricError(f"Metric {self.name!r} does not define measure(window); asked about {window.name!r}.")

    def get_name(self) -> str:
        """The name."""
        return self.name

    @property
    def key(self) -> str:
        """The name, with the parameters where they differ from the defaults: ``latency_score(target_s=1.5)``."""
        if not self.params:
            return self.name
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in sorted(self.params.items()))})"

    @property
    def definition(self) -> object:
        """What makes it this metric and no other of the same name."""
        return type(self)

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters it takes, by name."""
        if type(self).__init__ is object.__init__:
            return {}
        return dict(list(inspect.signature(type(self).__init__).parameters.items())[1:])

    def configured(self, /, **params: object) -> Self:
        """The same metric with other parameters.

        Raises:
            UnknownNameError: it has no parameter of that name.
            MetricError: the value does not fit.
        """
        for name in params:
            if name not in self.parameters:
                raise UnknownNameError(f"parameter of {self.name}", name, self.parameters)
        return self._with({**self.params, **params})

    def _with(self, params: Mapping[str, object]) -> Self:
        try:
            changed = type(self)(**params)
        except (TypeError, ValueError) as error:
            raise MetricError(f"{self.name} cannot be made with {dict(params)}: {error}") from error
        if "scope" in vars(self):  # where it is measured was said at the place of use
            changed.scope = self.scope
        return changed

    def on(self, scope: Scope) -> Self:
        """The same metric measured elsewhere."""
        return self._but(scope=scope, is_placed=True)

    def opt_in(self) -> Self:
        """The same metric, measured only where it is named."""
        return self._but(by_default=False)

    def _but(self, **changes: object) -> Self:
        changed = object.__new__(type(self))
        vars(changed).update(vars(self), **changes)
        return changed

    def unmet(self, window: Conversation) -> MetricScore | None:
        """Why it cannot be asked about ``window``, or ``None`` if it can."""
        for name in self.needs:
            need = NEEDS[name]
            if not need.met(window):
                return self.not_applicable(need.missing, warning=need.warning)
        return None

    def scored(self, score: float, reasoning: str | None = None, **metadata: object) -> MetricScore:
        """A score of this metric."""
        return scores.scored(self.name, score, reasoning, **metadata)

    def not_applicable(self, reasoning: str, *, warning: str = "not_applicable", **metadata: object) -> MetricScore:
        """No number, because there is nothing to measure."""
        return scores.not_applicable(self.name, reasoning, warning=warning, **metadata)

    def failed(self, reasoning: str, *, warning: str = "metric_error", **metadata: object) -> MetricScore:
        """No number, although there should be one."""
        return scores.failed(self.name, reasoning, warning=warning, **metadata)

    def score_of(self, found: object) -> MetricScore:
        """What ``measure`` returned, as a score under this metric's name."""
        return scores.score_of(self.name, found)

    def __repr__(self) -> str:
        return f"<Metric {self.key}>"


class FunctionMetric(Metric):
    """A metric made of a function; calling it with parameters gives the same metric with those parameters."""

    def __init__(self, function: _Function, declared: Mapping[str, object]) -> None:
        self._function = function
        self.name = function.__name__
        first, _, rest = (inspect.getdoc(function) or "").partition("\n\n")
        self.description, self.formula = " ".join(first.split()), rest
        self.params = {}
        for attribute, value in declared.items():
            setattr(self, attribute, value)

    def measure(self, window: Conversation) -> Found | Awaitable[Found]:
        """What the function finds in ``window``."""
        return self._function(window, **self.params)

    def __call__(self, **params: object) -> Self:
        """The same metric with other parameters."""
        return self.configured(**params)

    @property
    def definition(self) -> object:
        """The function."""
        return self._function

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The function's keyword-only arguments."""
        found = inspect.signature(self._function).parameters
        return {name: p for name, p in found.items() if p.kind is p.KEYWORD_ONLY}

    def _with(self, params: Mapping[str, object]) -> Self:
        checked = {name: self._checked(name, value) for name, value in params.items()}
        return self._but(params={k: v for k, v in checked.items() if v != self.parameters[k].default})

    def _checked(self, name: str, value: object) -> object:
        try:
            hint = typing.get_type_hints(self._function, include_extras=True).get(name, object)
        except NameError:  # an annotation that only a type checker can resolve
            return value
        try:
            return msgspec.convert(value, hint)
        except msgspec.ValidationError as error:
            raise MetricError(f"{self.name}({name}={value!r}): {str(error).replace('`', '')}") from None


@overload
def metric(function: _Function, /) -> FunctionMetric: ...


@overload
def metric(
    *,
    dimension: str = ...,
    name: str | None = ...,
    scope: Scope = ...,
    needs: Sequence[str] = ...,
    depends_on: Sequence[str] = ...,
    blocking: bool = ...,
) -> Callable[[_Function], FunctionMetric]: ...


def metric(
    function: _Function | None = None,
    /,
    *,
    dimension: str = "Custom",
    name: str | None = None,
    scope: Scope = each_turn,
    needs: Sequence[str] = (),
    depends_on: Sequence[str] = (),
    blocking: bool = False,
) -> FunctionMetric | Callable[[_Function], FunctionMetric]:
    """A decorator that makes a function of a window a metric; its docstring becomes the description.

    Raises:
        UnknownNameError: a need that does not exist.
    """
    for need in needs:
        if need not in NEEDS:
            raise UnknownNameError("need", need, NEEDS)
    declared: dict[str, object] = {
        "dimension": dimension,
        "scope": scope,
        "needs": tuple(needs),
        "depends_on": tuple(depends_on),
        "blocking": blocking,
    }
    if name:
        declared["name"] = name
    if function is not None:
        return FunctionMetric(function, declared)
    return lambda given: FunctionMetric(given, declared)
