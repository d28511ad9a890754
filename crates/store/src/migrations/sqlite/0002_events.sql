-- The arrival that made a connection, as a hash, until something else changes the connection.
ALTER TABLE connections ADD COLUMN made BLOB;

-- Ids of arrivals that were taken lately, so that one that is sent again is known whatever came after it.
CREATE TABLE arrivals (
    id INTEGER PRIMARY KEY,
    team_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    arrival_id TEXT NOT NULL,
    taken_on INTEGER NOT NULL,
    UNIQUE (team_id, user_id, arrival_id),
    FOREIGN KEY (team_id, user_id) REFERENCES users (team_id, user_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX arrivals_by_age ON arrivals (taken_on);

-- The days that a user has data of, by source. The hash tells whether data that come again have changed; it is empty
-- where a historical pull alone had data of the day.
CREATE TABLE days (
    team_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    provider TEXT NOT NULL,
    resource TEXT NOT NULL,
    day TEXT NOT NULL,
    source TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (team_id, user_id, provider, resource, day, source),
    FOREIGN KEY (team_id, user_id) REFERENCES users (team_id, user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Historical pulls. Their chunks are kept until all of them have arrived, and the pull itself for good: it is told once.
CREATE TABLE pulls (
    id INTEGER PRIMARY KEY,
    team_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    provider TEXT NOT NULL,
    resource TEXT NOT NULL,
    pull_id TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    arrived INTEGER NOT NULL DEFAULT 0,
    -- How long the values that wait are.
    bytes INTEGER NOT NULL DEFAULT 0,
    -- When the last chunk arrived.
    touched_on INTEGER NOT NULL,
    UNIQUE (team_id, user_id, provider, resource, pull_id),
    FOREIGN KEY (team_id, user_id) REFERENCES users (team_id, user_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX pulls_unfinished ON pulls (touched_on) WHERE arrived < chunks;
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
