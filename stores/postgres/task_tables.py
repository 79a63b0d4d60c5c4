"""What tasks need in PostgreSQL for several programs to work on them: claims, ends, bytes, and who is told."""

from __future__ import annotations

# `changed` is the transaction that wrote a row last: who looks asks for all since the oldest one that was unfinished at
# his last look, and so misses nothing. What became of a task that is gone stands in `task_ends`: where nobody noted it,
# it was forgotten, as the trigger says at the end of the transaction.
TASK_TABLES = (
    """ALTER TABLE tasks ADD COLUMN owner text, ADD COLUMN lease timestamptz,
        ADD COLUMN attempts int NOT NULL DEFAULT 0, ADD COLUMN stage text,
        ADD COLUMN fraction float8 NOT NULL DEFAULT 0, ADD COLUMN upload text NOT NULL DEFAULT '',
        ADD COLUMN changed xid8 NOT NULL DEFAULT pg_current_xact_id()""",
    "CREATE INDEX tasks_changed ON tasks (changed)",
    "CREATE INDEX tasks_upload ON tasks (upload) WHERE upload != ''",
    "CREATE INDEX tasks_claimed ON tasks (lease) WHERE status = 'processing'",
    """CREATE TABLE uploads (
        name text NOT NULL, part int NOT NULL, data bytea STORAGE EXTERNAL NOT NULL,
        added timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (name, part))""",
    """CREATE TABLE task_ends (
        id bigint PRIMARY KEY, tasks bigint[], document_id bigint, outcome text, kept int, without_vectors int,
        at timestamptz NOT NULL DEFAULT now(), changed xid8 NOT NULL DEFAULT pg_current_xact_id())""",
    "CREATE INDEX task_ends_changed ON task_ends (changed)",
    "CREATE INDEX task_ends_at ON task_ends (at)",
    """CREATE FUNCTION task_changed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.changed := pg_current_xact_id(); RETURN NEW; END $$""",
    """CREATE TRIGGER task_changed BEFORE UPDATE
        OF job, name, doc_set, status, chunking, priority, problem, owner, attempts, stage, fraction
        ON tasks FOR EACH ROW EXECUTE FUNCTION task_changed()""",
    """CREATE FUNCTION task_goes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO task_ends (id) VALUES (OLD.id) ON CONFLICT DO NOTHING;
        DELETE FROM uploads WHERE OLD.upload != '' AND name = OLD.upload
            AND NOT EXISTS (SELECT 1 FROM tasks WHERE upload = OLD.upload);
        RETURN NULL; END $$""",
    """CREATE CONSTRAINT TRIGGER task_goes AFTER DELETE ON tasks DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION task_goes()""",
    """CREATE FUNCTION tell_programs() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_notify('citewise', ''); RETURN NULL; END $$""",
    """CREATE TRIGGER tell_programs AFTER INSERT OR DELETE
        OR UPDATE OF doc_set, status, priority, stage, fraction
        ON tasks FOR EACH STATEMENT EXECUTE FUNCTION tell_programs()""",
    """CREATE TRIGGER tell_programs AFTER UPDATE OF generation ON library
        FOR EACH STATEMENT EXECUTE FUNCTION tell_programs()""",
)
