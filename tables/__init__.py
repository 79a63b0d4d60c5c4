"""Tables in documents as typed columns: how cells are read, which row names the columns, what is no row of data."""

from tables.columns import text_tables, typed_tables
from tables.grids import Grid, GridRow
from tables.pipes import pipe_grids

__all__ = ["Grid", "GridRow", "pipe_grids", "text_tables", "typed_tables"]
