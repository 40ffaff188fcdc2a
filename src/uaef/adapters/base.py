"""The base of all adapters: from what a framework recorded to traces and sessions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NoReturn

from uaef.errors import AdapterTransformationError
from uaef.models.conversation import SessionDict
from uaef.models.traces import Trace


class BaseAdapter(ABC):
    """Reads one recording format. A subclass gives ``name`` and ``transform_to_canonical``."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the adapter is called in messages and in ``get_adapter``; a class attribute will do."""

    @classmethod
    def recognises(cls, raw: object) -> bool:  # noqa: ARG003 - the signature that subclasses fill
        """Whether ``raw`` looks like this format: by shape, cheaply, and never in doubt."""
        return False

    @abstractmethod
    def transform_to_canonical(self, raw: object) -> Trace | SessionDict | list[SessionDict]:
        """One trace, or session dicts (``session_id``, ``per_turn_traces``, ``full_trace``).

        Raises:
            AdapterTransformationError: ``raw`` cannot be read; every problem is named with its place.
        """

    def refuse(self, *problems: str) -> NoReturn:
        """Raise an ``AdapterTransformationError`` with one sentence a problem."""
        raise AdapterTransformationError(*problems, adapter_name=self.name)
