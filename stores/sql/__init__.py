"""The truth of the embedded store: SQLite, and the nouns as its rows."""
