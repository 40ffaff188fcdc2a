"""Adapters: recordings of agent frameworks as traces and sessions."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from uaef.adapters.base import BaseAdapter as BaseAdapter
from uaef.adapters.langgraph import LangGraphAdapter as LangGraphAdapter
from uaef.adapters.openai_messages import OpenAIMessagesAdapter as OpenAIMessagesAdapter
from uaef.errors import AdapterTransformationError as AdapterTransformationError
from uaef.errors import PluginError, UnknownNameError
from uaef.registry import Registry


def get_adapter(name: str, **config: object) -> BaseAdapter:
    """A new adapter of that name, built with ``config``.

    Raises:
        UnknownNameError: no adapter has that name, or it takes no such option.
    """
    adapter = _REGISTRY.get(name)
    options = inspect.signature(adapter).parameters
    takes_any = any(option.kind is option.VAR_KEYWORD for option in options.values())
    for option in config:
        if option not in options and not takes_any:
            raise UnknownNameError(f"{name} adapter option", option, options)
    return adapter(**config)


def list_adapters() -> list[str]:
    """The names of all adapters, sorted."""
    return _REGISTRY.names()


def register_adapter(name: str, cls: type[BaseAdapter], override: bool = False) -> None:  # noqa: FBT001, FBT002 - the documented signature
    """Make ``cls`` known as ``name``, for this process.

    Raises:
        PluginError: ``cls`` is no adapter class, or the name is taken and ``override`` is not set.
    """
    _REGISTRY.register(name, _checked(name, cls), override=override)


def detect(raw: object) -> BaseAdapter | None:
    """An adapter that recognises ``raw`` by its shape, or ``None``."""
    found = next((cls for cls in _REGISTRY.items().values() if cls.recognises(raw)), None)
    return None if found is None else found()


def _checked(name: str, cls: object) -> type[BaseAdapter]:
    if isinstance(cls, type) and issubclass(cls, BaseAdapter):
        return cls
    raise PluginError(f"The adapter {name!r} must be a subclass of BaseAdapter, got {cls!r}.")


def _unpack(name: str, loaded: object) -> Iterable[tuple[str, type[BaseAdapter]]]:
    return [(name, _checked(name, loaded))]


_REGISTRY: Registry[type[BaseAdapter]] = Registry("adapter", "uaef.adapters", _unpack)
