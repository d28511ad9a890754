-- The last transaction that changed what reads of users show, in one row: what was read before it is read again. Leases, progress and
-- data, which are written all the time, change nothing of that. The index leads to the row past those that it was before, which stay
-- while anybody reads for long; the key lets the table be replicated.
CREATE TABLE users_changed (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    changed_by bigint NOT NULL
);
CREATE INDEX users_changed_last ON users_changed (changed_by);
INSERT INTO users_changed (changed_by) VALUES (0);

-- Whoever changes users: also services of earlier versions, and people, with whatever search path. A transaction notes it once, or it
-- would make as many versions of the row as it changes users; what is rolled back to a savepoint is noted again.
CREATE FUNCTION note_users_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    this text := CAST(pg_current_xact_id() AS text);
    note text := concat(this, ' ', TG_TABLE_SCHEMA);
BEGIN
    IF current_setting('wearlab.users_changed', true) IS DISTINCT FROM note THEN
        EXECUTE format('UPDATE %I.users_changed SET changed_by = $1', TG_TABLE_SCHEMA) USING CAST(this AS bigint);
        PERFORM set_config('wearlab.users_changed', note, true);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_inserted_or_deleted AFTER INSERT OR DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION note_users_changed();
CREATE TRIGGER note_updated AFTER UPDATE ON users
    FOR EACH ROW WHEN (
        (OLD.team_id, OLD.user_id, OLD.client_user_id, OLD.created_on, OLD.document)
        IS DISTINCT FROM (NEW.team_id, NEW.user_id, NEW.client_user_id, NEW.created_on, NEW.document)
    )
    EXECUTE FUNCTION note_users_changed();
CREATE TRIGGER note_truncated AFTER TRUNCATE ON users
    FOR EACH STATEMENT EXECUTE FUNCTION note_users_changed();

-- Pages count by these. As a rule they change with the users, but not where a store is copied, table by table.
CREATE TRIGGER note_counted AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON user_blocks
    FOR EACH STATEMENT EXECUTE FUNCTION note_users_changed();
CREATE TRIGGER note_counted AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON user_groups
    FOR EACH STATEMENT EXECUTE FUNCTION note_users_changed();
