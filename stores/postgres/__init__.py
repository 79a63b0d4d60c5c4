"""The store in PostgreSQL: documents, their vectors (pgvector) and search terms in one database, which is searched."""
