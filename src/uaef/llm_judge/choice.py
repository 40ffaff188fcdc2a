"""Which judge: the one that was given, else ``UAEF_JUDGE``, else ``[tool.uaef]`` in ``pyproject.toml``, else none."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from uaef.errors import DataError, UnknownNameError, closest
from uaef.llm.budget import Budget
from uaef.llm.chat import ChatClient
from uaef.llm.http_client import HttpClient
from uaef.llm.limits import above_zero, not_below_zero
from uaef.llm.objects import ObjectClient
from uaef.llm.pace import Pace
from uaef.llm.prices import Price, price_of
from uaef.llm.providers.base import Provider, dig
from uaef.llm.retries import Patience
from uaef.llm_judge.judge import Bounded, Judge
from uaef.llm_judge.llm import LLMJudge
from uaef.llm_judge.redaction import Redaction, redactor

if TYPE_CHECKING:
    from uaef.llm.cache import ReplyCache

PROVIDERS = ("anthropic", "bedrock", "openai")
LOCAL = "local"
NONE = "none"


def chosen_judge(
    given: object,
    *,
    max_cost_usd: float | None = None,
    redact: Redaction | None = None,
    cached: bool | None = None,
) -> Judge | None:
    """The judge of a run.

    Args:
        given: ``"provider:model"``, ``"local"``, ``"none"``, a judge, a chat model, a function, or ``None`` to look
            at ``UAEF_JUDGE`` and ``pyproject.toml``.
        max_cost_usd: what the run may spend on it.
        redact: applied to what it is shown.
        cached: whether the answers of one that is named are kept between runs: ``False`` never, ``True`` unless
            ``UAEF_CACHE`` is off; left out, as ``UAEF_CACHE`` says.

    Raises:
        DataError, UnknownNameError: there is no such judge, or it lacks a key, an extra or a price.
        UsageError: ``max_cost_usd`` is no number of dollars.
    """
    if max_cost_usd is not None:
        not_below_zero("max_cost_usd", max_cost_usd)
    spec = configured_judge() if given is None else given
    if spec in (None, NONE):
        return None
    judge = judge_for(spec, cache=None if cached is False else cache_for(spec, otherwise=cached is True))
    if max_cost_usd is None and redact is None:
        return judge
    if not isinstance(judge, Bounded):
        raise DataError(f"max_cost_usd and redact do not apply to {judge.label!r}, which does not say what it does.")
    return judge.bounded(None if max_cost_usd is None else Budget(max_cost_usd), redactor(redact))


def judge_for(
    spec: object,
    *,
    cache: ReplyCache | None = None,
    price: Price | None = None,
    timeout_s: float = 60.0,
    patience: Patience | None = None,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
) -> Judge:
    """The judge that ``spec`` names.

    Args:
        spec: ``"provider:model"``, ``"local"``, a chat model or a function; a judge is what it is.
        cache: where answers are kept between runs; of a model, as are price and timeout.
        price: of the model's tokens; left out, the price list's, if that is installed and knows the model.
        timeout_s: for one attempt.
        patience: how often to try, and how long to wait; of a provider, as are the limits.
        requests_per_minute: a limit; ``None`` is none.
        tokens_per_minute: likewise.

    Raises:
        DataError, UnknownNameError: there is no such judge, or it lacks a key or an extra.
        UsageError: a limit is no number above 0.
    """
    pace = Pace(requests_per_minute, tokens_per_minute)
    above_zero("timeout_s", timeout_s)
    named = isinstance(spec, str) and spec != LOCAL
    if not named and (patience, requests_per_minute, tokens_per_minute) != (None, None, None):
        raise DataError(f"patience and limits a minute are for 'provider:model', not for {spec!r}.")
    found = _ready(spec)
    if found is not None:
        return found
    client: ChatClient
    if isinstance(spec, str):
        client = HttpClient(_provider(spec), timeout_s=timeout_s, patience=patience, pace=pace)
    else:
        client = ObjectClient(spec, timeout_s=timeout_s)
    return LLMJudge(client, cache=cache, price=price or price_of(client.label))


def _ready(spec: object) -> Judge | None:
    """The judge that asks no model of ours; ``None`` where one has to be made around a model."""
    if spec == NONE:
        raise DataError(f"{NONE!r} is nobody, and nobody cannot be asked; leave the judge out instead.")
    if spec == LOCAL:
        from uaef.llm_judge.local import LocalJudge  # noqa: PLC0415 - its word lists are read on use

        return LocalJudge()
    if isinstance(spec, type):
        raise DataError(f"A judge is an object, not a class; make one of {spec!r}.")
    return spec if isinstance(spec, Judge) else None


def _provider(spec: str) -> Provider:
    name, colon, model = spec.partition(":")
    if name not in PROVIDERS:
        near = closest(name, PROVIDERS) if colon else None
        known = [f"{near}:{model}"] if near else [LOCAL, *(f"{provider}:MODEL" for provider in PROVIDERS)]
        raise UnknownNameError("judge", spec, known)
    if not colon or not model.strip():
        raise DataError(f"The judge {spec!r} lacks a model; write {name}:MODEL.")
    if name == "openai":
        from uaef.llm.providers.openai import OpenAIProvider  # noqa: PLC0415 - one provider is used, not three

        return OpenAIProvider(model)
    if name == "anthropic":
        from uaef.llm.providers.anthropic import AnthropicProvider  # noqa: PLC0415

        return AnthropicProvider(model)
    from uaef.llm.providers.bedrock import BedrockProvider  # noqa: PLC0415

    return BedrockProvider(model)


def configured_judge() -> str | None:
    """The judge that the environment or the project names."""
    return os.environ.get("UAEF_JUDGE", "").strip() or _project_setting("judge")


def cache_for(spec: object, *, otherwise: bool = False) -> ReplyCache | None:
    """The configured cache, for a model that is named: what an object asks, and how, it does not say."""
    return configured_cache(otherwise=otherwise) if isinstance(spec, str) and ":" in spec else None


def configured_cache(*, otherwise: bool = False) -> ReplyCache | None:
    """The cache that ``UAEF_CACHE`` asks for: a path, ``off``, or unset, which means ``otherwise``."""
    asked = os.environ.get("UAEF_CACHE", "").strip()
    if asked.lower() == "off" or not (asked or otherwise):
        return None
    from uaef.llm.cache import ReplyCache, default_path  # noqa: PLC0415 - SQLite, loaded where there is a cache

    try:
        path = Path(asked).expanduser() if asked else default_path()
    except RuntimeError as error:
        raise DataError(f"UAEF_CACHE={asked!r} names no file: {error}.") from None
    return ReplyCache(path)


def _project_setting(name: str) -> str | None:
    """A text under ``[tool.uaef]`` in the nearest ``pyproject.toml``, from here upwards."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            try:
                settings = dig(tomllib.loads(path.read_text(encoding="utf-8")), "tool", "uaef")
            except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
                raise DataError(f"{path}: cannot be read: {error}") from error
            value = dig(settings, name)
            if value is not None and not isinstance(value, str):
                raise DataError(f"{path}: [tool.uaef] {name} must be text, got {value!r}")
            return value or None
    return None
