"""What is derived from SQLite and can always be made again: the term index and the vector index."""
