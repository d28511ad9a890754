-- The last transaction that changed what reads of users show, in one row: what was read before it is read again. Leases, progress and
-- data, which are written all the time, change nothing of that.
CREATE TABLE users_changed (
    changed_by bigint NOT NULL
);
INSERT INTO users_changed (changed_by) VALUES (0);

-- Whoever changes users: also services of earlier versions, and people. A transaction notes it once, or it would make as many
-- versions of the row as it changes users.
CREATE FUNCTION note_users_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    this bigint := CAST(CAST(pg_current_xact_id() AS text) AS bigint);
BEGIN
    UPDATE users_changed SET changed_by = this WHERE changed_by <> this;
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
