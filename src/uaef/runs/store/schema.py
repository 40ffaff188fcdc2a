"""The tables of a store: the same on SQLite and on PostgreSQL.

A run has results, one for each conversation and trial; a result has measurements. A pin names a copy of a run's
results by its content, and outlives the run. Whoever changes a table raises ``VERSION`` and adds a step to
``upgrades``; what stands in a column as JSON may gain members that have a default without either.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

from uaef.runs.store.types import AnyFloat, AnyText, Key, Sorted

VERSION = 2
"""Of the tables as they stand here."""

TABLES = MetaData()

versions = Table("uaef_version", TABLES, Column("version", Integer, nullable=False))

runs = Table(
    "uaef_runs",
    TABLES,
    Column("run_id", Sorted, primary_key=True),
    Column("status", Text, nullable=False),
    Column("verdict", Text),
    Column("finished_at", Text),
    Column("label", AnyText),
    Column("dataset", AnyText, nullable=False),
    Column("branch", AnyText),
    Column("info", Text, nullable=False),  # JSON: everything that was known when it began
    Column("writer", Text, nullable=False),  # who may write it; another one takes over with another word
    Column("n_results", BigInteger, nullable=False, server_default="0"),
    Column("n_scored", BigInteger, nullable=False, server_default="0"),
    Column("n_not_applicable", BigInteger, nullable=False, server_default="0"),
    Column("n_failed", BigInteger, nullable=False, server_default="0"),
)

results = Table(
    "uaef_results",
    TABLES,
    Column("result_id", Key, primary_key=True),
    Column("run_id", Sorted, ForeignKey("uaef_runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("beside", Boolean, nullable=False),  # of the play that does not decide, with history="both"
    Column("position", BigInteger, nullable=False),
    Column("name", AnyText, nullable=False),
    Column("trial", BigInteger, nullable=False),
    Column("thread_id", AnyText),
    Column("n_scored", BigInteger, nullable=False),
    Column("n_not_applicable", BigInteger, nullable=False),
    Column("n_failed", BigInteger, nullable=False),
    Column("conversation", Text),  # JSON
    Column("rest", Text, nullable=False),  # JSON: the result without its conversation and its measurements
    UniqueConstraint("run_id", "beside", "position"),
)

measurements = Table(
    "uaef_measurements",
    TABLES,
    Column("result_id", Key, ForeignKey("uaef_results.result_id", ondelete="CASCADE"), nullable=False),
    Column("place", BigInteger, nullable=False),
    Column("slice_name", AnyText, nullable=False),
    Column("turns", Text, nullable=False),  # JSON: their numbers
    Column("turn", BigInteger),  # the number, where it is one turn
    Column("whole", Boolean, nullable=False),
    Column("trial", BigInteger, nullable=False),
    Column("metric", AnyText, nullable=False),
    Column("dimension", AnyText, nullable=False),
    Column("status", Text, nullable=False),
    Column("score", AnyFloat),
    Column("reasoning", AnyText),
    Column("score_name", AnyText, nullable=False),
    Column("metadata", Text, nullable=False),  # JSON
    Column("judge", AnyText),
    Column("rubric_version", AnyText),
    Column("tags", Text, nullable=False),  # JSON
    Column("seconds", AnyFloat),
    Column("cost", AnyFloat),
    Column("thread_id", AnyText),
    Column("trace_id", AnyText),
    Column("span_id", AnyText),
    Column("own", AnyText),
    Column("context", AnyText),
    PrimaryKeyConstraint("result_id", "place"),
    sqlite_with_rowid=False,
)

pins = Table(
    "uaef_pins",
    TABLES,
    Column("pin_id", Text, primary_key=True),  # a hash of dataset and branch, which may be longer than an index takes
    Column("dataset", AnyText, nullable=False),
    Column("branch", AnyText),
    Column("info", Text, nullable=False),  # JSON: of the run, as it was when it was pinned
    Column("digest", Text, nullable=False),
)

copies = Table(
    "uaef_copies",
    TABLES,
    Column("digest", Text, nullable=False),  # of all items of the copy, in order
    Column("position", BigInteger, nullable=False),
    Column("item", AnyText, nullable=False),  # JSON: a result with everything
    PrimaryKeyConstraint("digest", "position"),
)
