"""The tables of what instances share beside the library: conversations, what people said, who may come in."""

from __future__ import annotations

SHARED_TABLES = (
    """CREATE TABLE conversations (
        thread_id text PRIMARY KEY, "user" text NOT NULL, title text NOT NULL, renamed boolean NOT NULL DEFAULT false,
        created text NOT NULL, updated text NOT NULL, said text NOT NULL DEFAULT '')""",
    'CREATE INDEX conversations_of_user ON conversations ("user", updated)',
    """CREATE TABLE feedback (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, thread text NOT NULL, turn text NOT NULL,
        value int NOT NULL CHECK (value IN (-1, 1)), word text NOT NULL, question text NOT NULL, answer text NOT NULL,
        strategy text NOT NULL, answered_by text NOT NULL, given text NOT NULL)""",
    "CREATE UNIQUE INDEX feedback_turn ON feedback (thread, turn) WHERE thread != ''",
    """CREATE TABLE unanswered (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "user" text NOT NULL, thread text NOT NULL,
        question text NOT NULL, reason text NOT NULL, score float8 NOT NULL, language text NOT NULL,
        doc_sets text NOT NULL, documents text NOT NULL, asked text NOT NULL)""",
    'CREATE INDEX unanswered_user ON unanswered ("user", id)',
    """CREATE TABLE pages (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text COLLATE "C" NOT NULL,
        doc_set text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, url text NOT NULL, final_url text NOT NULL,
        media_type text NOT NULL, charset text NOT NULL, etag text NOT NULL, last_modified text NOT NULL,
        fetched_at text NOT NULL, history text NOT NULL, data bytea STORAGE EXTERNAL, digest text NOT NULL, links text,
        UNIQUE (key, doc_set))""",
    "CREATE INDEX pages_of_set ON pages (doc_set, name)",
    "CREATE TABLE secrets (name text PRIMARY KEY, value text NOT NULL)",
    # A session that was logged out, until it would have expired (seconds since 1970).
    "CREATE TABLE logouts (session text PRIMARY KEY, until bigint NOT NULL)",
    # Names as digests: a password may stand where the name should.
    """CREATE TABLE failed_logins (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, address text NOT NULL, name text NOT NULL,
        at timestamptz NOT NULL DEFAULT clock_timestamp())""",
    "CREATE INDEX failed_logins_of_address ON failed_logins (address, name)",
    "CREATE INDEX failed_logins_of_name ON failed_logins (name)",
    """CREATE TABLE login_homes (
        address text NOT NULL, name text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (address, name))""",
)

# Question sets, runs and chosen settings, which came later.
LAB_TABLES = (
    """CREATE TABLE lab_sets (
        owner text NOT NULL, name text NOT NULL, content text NOT NULL, changed text NOT NULL,
        PRIMARY KEY (owner, name))""",
    """CREATE TABLE lab_runs (
        owner text NOT NULL, name text NOT NULL, info text NOT NULL, state text NOT NULL, begun text NOT NULL,
        PRIMARY KEY (owner, name))""",
    """CREATE TABLE lab_results (
        owner text NOT NULL, run text NOT NULL, case_id text NOT NULL, result text NOT NULL,
        PRIMARY KEY (owner, run, case_id))""",
    """CREATE TABLE lab_choices (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, settings text NOT NULL, chosen text NOT NULL)""",
)
