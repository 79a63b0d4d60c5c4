"""The web: finding pages, fetching them safely, keeping the record of them. Ingestion reads what was fetched."""
