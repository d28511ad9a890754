-- The days that a user has data of; the hash tells whether data that come again have changed.
CREATE TABLE days (
    team_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    provider TEXT NOT NULL,
    resource TEXT NOT NULL,
    day TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (team_id, user_id, provider, resource, day),
    FOREIGN KEY (team_id, user_id) REFERENCES users (team_id, user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Historical pulls. Their chunks are kept until all of them are there, and the pull itself for good: it is told once.
CREATE TABLE pulls (
    id INTEGER PRIMARY KEY,
    team_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    provider TEXT NOT NULL,
    resource TEXT NOT NULL,
    pull_id TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0,
    UNIQUE (team_id, user_id, provider, resource, pull_id),
    FOREIGN KEY (team_id, user_id) REFERENCES users (team_id, user_id) ON DELETE CASCADE
) STRICT;
CREATE TABLE pull_chunks (
    pull INTEGER NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
    chunk INTEGER NOT NULL,
    day TEXT NOT NULL,
    -- The values as a JSON list; none where the day is outside of what the user wants ingested.
    data TEXT,
    PRIMARY KEY (pull, chunk)
) STRICT;

-- The event log. A number is never used again, so that a cursor is good for ever.
CREATE TABLE events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL UNIQUE,
    team_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    event_type TEXT NOT NULL,
    created_on INTEGER NOT NULL,
    payload TEXT NOT NULL,
    FOREIGN KEY (team_id, user_id) REFERENCES users (team_id, user_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX events_by_team ON events (team_id, number);
CREATE INDEX events_by_user ON events (team_id, user_id);
