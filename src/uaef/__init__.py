"""uaef: evaluate conversations of AI agents."""

__version__ = "0.1.0"
