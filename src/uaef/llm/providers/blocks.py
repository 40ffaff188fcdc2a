"""Replies that come in blocks: a call of the verdict tool, or text where the model did not call it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from uaef.errors import ProviderError
from uaef.llm.providers.base import dig


def blocks_at(data: object, *path: str) -> list[Mapping[str, object]]:
    """The blocks at ``path`` of a response.

    Raises:
        ProviderError: there are none, so that it is another kind of response.
    """
    content = dig(data, *path)
    if not isinstance(content, list):
        missing = f"the response has no {'.'.join(path)}: {str(data)[:300]}"
        raise ProviderError(missing, status=200, may_be_billed=True)
    return [block for block in content if isinstance(block, Mapping)]


def reply_text(blocks: Iterable[tuple[bool, object, object]]) -> str:
    """The reply as text, from blocks given as (is a call, its input, its text); empty where there is neither.

    Every call counts, and so does what is said beside it: whether that makes two verdicts is not decided here.
    """
    blocks = list(blocks)
    calls = [json.dumps(given) for is_call, given, _ in blocks if is_call]
    texts = [text for is_call, _, text in blocks if not is_call and isinstance(text, str)]
    return "\n".join(calls + texts)
