"""Every error that uaef raises on purpose.

UaefError
├── ModelError                  a model was given a value it cannot hold
├── DataError                   a file, a row or a recording is malformed
│   ├── AdapterTransformationError   an adapter cannot read what it was given
│   └── DatasetSchemaError           a conversation dataset is not what it has to be
├── UnknownNameError            a metric, adapter, dimension or parameter that does not exist
├── UsageError                  a call was given an argument it cannot take; nothing was measured
├── EvalConfigError             items, scorers, gates or options of a run do not fit together; nothing was played
├── MetricError                 a metric was declared, combined or configured in a way that cannot work
├── PluginError                 a plug-in cannot be loaded, or its name is taken
├── StoreError                  runs cannot be kept, or what was kept cannot be read
└── ProviderError               a model could not be reached, refused, or answered nonsense

All but the last two are ``ValueError``s as well, because that is what the documented API raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_EDITS = 2
_LISTED = 8
_NEAREST = 5


class UaefError(Exception):
    """The base of them all: ``except UaefError`` catches what uaef raises on purpose."""


class ModelError(UaefError, ValueError):
    """A model was given a value it cannot hold."""


class DataError(UaefError, ValueError):
    """A file, a row or a recording is malformed; the message names every place."""

    def __init__(self, *problems: str) -> None:
        """Args: problems: one sentence each, with its place."""
        self.problems = problems
        super().__init__("\n".join(problems))


class AdapterTransformationError(DataError):
    """An adapter cannot read what it was given.

    Attributes:
        adapter_name: the adapter that refused, for example ``"langgraph"``.
        original_error: the exception behind it, if there was one.
    """

    def __init__(
        self,
        *problems: str,
        adapter_name: str | None = None,
        original_error: Exception | None = None,
    ) -> None:
        """Args: problems: one sentence each; adapter_name: who refused; original_error: what was behind it."""
        self.adapter_name = adapter_name
        self.original_error = original_error
        super().__init__(*(f"[{adapter_name}] {problem}" if adapter_name else problem for problem in problems))


class DatasetSchemaError(DataError):
    """A conversation dataset is not what it has to be; ``problems`` names every place, in the order of the file."""


class UnknownNameError(UaefError, ValueError):
    """A name that nothing answers to; the message suggests the nearest one."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        """Args: kind: what was looked for (``"metric"``); name: as given; known: the names that exist."""
        self.kind, self.name, self.known = kind, name, sorted(known)
        near = closest(name, self.known)
        hint = f"Did you mean {near!r}?" if near else _choice(kind, name, self.known)
        super().__init__(f"Unknown {kind} {name!r}. {hint}")


class UsageError(UaefError, ValueError):
    """A call was given an argument it cannot take; nothing was measured."""


class EvalConfigError(UaefError, ValueError):
    """Items, scorers, gates or options of a run do not fit together; the message names item and turn."""


class PluginError(UaefError, ValueError):
    """A plug-in cannot be loaded, or its name is taken."""


class MetricError(UaefError, ValueError):
    """A metric was declared, combined or configured in a way that cannot work."""


class StoreError(UaefError):
    """Runs cannot be kept, or what was kept cannot be read; what was kept before is not touched by it."""


class ProviderError(UaefError):
    """A model could not be reached, refused, or answered with something that is no answer.

    Attributes:
        status: the HTTP status, where there was one.
        transient: whether trying again may help.
        retry_after: seconds that the provider asked to wait.
        may_be_billed: whether an answer may have been written all the same: it broke off, came too late, or came and
            could not be read.
        lost: how many attempts may be billed so, of all that were made for one answer.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        transient: bool = False,
        retry_after: float | None = None,
        may_be_billed: bool = False,
    ) -> None:
        """Args: message: what happened; status, transient, retry_after, may_be_billed: see the class."""
        self.status, self.transient, self.retry_after = status, transient, retry_after
        self.may_be_billed, self.lost = may_be_billed, int(may_be_billed)
        super().__init__(message)


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant, or None; case and separators do not count."""
    return next(iter(_nearest(name, known, 1, at_least=70)), None)


def misspelt(name: str, known: Iterable[str]) -> str | None:
    """The known name that lies at most two edits away, the nearest one, or None."""
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - as below

    distances = {k: Levenshtein.distance(name, k, score_cutoff=_EDITS) for k in known}
    near = min(distances, key=lambda k: distances[k], default=None)
    return near if near is not None and distances[near] <= _EDITS else None


def _choice(kind: str, name: str, known: Sequence[str]) -> str:
    """What there is to choose from; of very much, what is spelt most alike."""
    if len(known) <= _LISTED:
        return f"Available: {', '.join(known) or 'none'}."
    everything = "; `uaef metrics` lists all" if kind == "metric" else ""
    return f"The nearest of {len(known)}: {', '.join(_nearest(name, known, _NEAREST))}{everything}."


def _nearest(name: str, known: Iterable[str], most: int, *, at_least: float = 0.0) -> list[str]:
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - 12 MB of extension, wanted only when something is misspelt

    plain = {k: _plain(k) for k in known}
    found = process.extract(_plain(name), plain, scorer=fuzz.ratio, limit=most, score_cutoff=at_least)
    return [str(key) for _, _, key in found]


def _plain(name: str) -> str:
    return name.lower().replace("_", " ").replace("-", " ")
