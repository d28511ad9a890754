-- Writes over HTTP. The audit log says who wrote what, by ids alone. It refers to no user, so that an entry outlives what it
-- is about. Entries without a team are of the organisation itself. A number is never used again.
CREATE TABLE audit_log (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    organisation_id TEXT NOT NULL REFERENCES organisations (organisation_id),
    team_id BLOB REFERENCES teams (team_id),
    written_on INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    subject TEXT
) STRICT;
CREATE INDEX audit_log_by_organisation ON audit_log (organisation_id, number);

-- Requests that may be sent again, each by the hash of its API key and its Idempotency-Key, with the hash of its content. The
-- response is encrypted with a key that follows from these two alone.
CREATE TABLE repeatable_requests (
    request_hash BLOB PRIMARY KEY,
    content_hash BLOB NOT NULL,
    kept_on INTEGER NOT NULL,
    response BLOB NOT NULL
) STRICT;
CREATE INDEX repeatable_requests_by_age ON repeatable_requests (kept_on);
