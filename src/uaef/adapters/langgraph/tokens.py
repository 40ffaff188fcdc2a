"""How many tokens a turn took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from uaef.adapters.langgraph.listening import Ear
from uaef.adapters.langgraph.messages import Kind, Usage
from uaef.adapters.langgraph.payloads import Payload
from uaef.adapters.langgraph.topology import hands_back

_UNKNOWN: Usage = (None, None)


def tokens_of(payload: Payload, ear: Ear) -> Usage:
    """Tokens read and written: what the caller counted, else the sum over all model calls, unknown where one is.

    Calls of ignored nodes count, and calls whose message a node kept to itself: the turn's latency and cost hold
    them too.
    """
    usages = _usages(ear)
    read, written = (_total([usage[i] for usage in usages]) for i in range(2))
    return (
        read if payload.input_tokens is None else payload.input_tokens,
        written if payload.output_tokens is None else payload.output_tokens,
    )


def uncounted(payload: Payload, ear: Ear) -> Iterator[str]:
    """A warning where the tokens of a turn are unknown because some of its messages do not say theirs."""
    usages = _usages(ear)
    missing = [i for i, given in enumerate((payload.input_tokens, payload.output_tokens)) if given is None]
    silent = max((sum(usage[i] is None for usage in usages) for i in missing), default=0)
    if 0 < silent < len(usages):
        yield (
            f"{silent} of {len(usages)} AI messages do not say how many tokens they took, so the turn's tokens are "
            "unknown; put input_tokens and output_tokens into its payload."
        )


def _usages(ear: Ear) -> list[Usage]:
    """What each message of a model says that it took.

    What the graph's own code wrote took nothing: what hands back to a supervisor; and what bears no sign of a model
    where all that count their tokens do.
    """
    said = [heard.said for heard in ear.heard if heard.said.kind is Kind.AI and not hands_back(heard.said)]
    signs_tell = all(message.is_models for message in said if message.usage != _UNKNOWN)
    return [m.usage for m in said if m.usage != _UNKNOWN or m.is_models or not signs_tell]


def _total(parts: Sequence[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None
