"""The booking agent, to be named on the command line: ``uaef run ... --agent booking.agent:agent``."""

from __future__ import annotations

from booking.graph import booking_graph

agent = booking_graph()
