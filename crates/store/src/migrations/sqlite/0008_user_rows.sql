-- What hangs on a user refers to the user's row by its number, which grows with each user: by the random ids of team and
-- user, each new row touched other pages of each index. A row whose user is not there fails the migration, and is not
-- dropped.

CREATE TABLE new_connections (
    id INTEGER PRIMARY KEY,
    user_row INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    slug TEXT NOT NULL,
    created_on INTEGER NOT NULL,
    document TEXT NOT NULL,
    -- The arrival that made it, as a hash, until something else changes it.
    made BLOB,
    UNIQUE (user_row, slug)
) STRICT;
INSERT INTO new_connections (id, user_row, slug, created_on, document, made)
    SELECT id, (SELECT users.id FROM users WHERE (users.team_id, users.user_id) = (old.team_id, old.user_id)),
        slug, created_on, document, made
    FROM connections AS old ORDER BY id;
DROP TABLE connections;
ALTER TABLE new_connections RENAME TO connections;

-- Devices keep their team: their ids are unique in it.
CREATE TABLE new_devices (
    id INTEGER PRIMARY KEY,
    team_id BLOB NOT NULL,
    device_id BLOB NOT NULL,
    user_row INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    document TEXT NOT NULL,
    UNIQUE (team_id, device_id)
) STRICT;
INSERT INTO new_devices (id, team_id, device_id, user_row, document)
    SELECT id, team_id, device_id,
        (SELECT users.id FROM users WHERE (users.team_id, users.user_id) = (old.team_id, old.user_id)), document
    FROM devices AS old ORDER BY id;
DROP TABLE devices;
ALTER TABLE new_devices RENAME TO devices;
CREATE INDEX devices_by_user ON devices (user_row, device_id);

CREATE TABLE new_arrivals (
    id INTEGER PRIMARY KEY,
    user_row INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    arrival_id TEXT NOT NULL,
    taken_on INTEGER NOT NULL,
    UNIQUE (user_row, arrival_id)
) STRICT;
INSERT INTO new_arrivals (id, user_row, arrival_id, taken_on)
    SELECT id, (SELECT users.id FROM users WHERE (users.team_id, users.user_id) = (old.team_id, old.user_id)),
        arrival_id, taken_on
    FROM arrivals AS old ORDER BY id;
DROP TABLE arrivals;
ALTER TABLE new_arrivals RENAME TO arrivals;
CREATE INDEX arrivals_by_age ON arrivals (taken_on);

CREATE TABLE new_days (
    user_row INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    resource TEXT NOT NULL,
    day TEXT NOT NULL,
    source TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (user_row, provider, resource, day, source)
) STRICT, WITHOUT ROWID;
INSERT INTO new_days (user_row, provider, resource, day, source, hash)
    SELECT (SELECT users.id FROM users WHERE (users.team_id, users.user_id) = (old.team_id, old.user_id)),
        provider, resource, day, source, hash
    FROM days AS old ORDER BY 1, 2, 3, 4, 5;
DROP TABLE days;
ALTER TABLE new_days RENAME TO days;

CREATE TABLE new_pulls (
    id INTEGER PRIMARY KEY,
    user_row INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    resource TEXT NOT NULL,
    pull_id TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    arrived INTEGER NOT NULL DEFAULT 0,
    -- How long the values that wait are.
    bytes INTEGER NOT NULL DEFAULT 0,
    -- When the last chunk arrived.
    touched_on INTEGER NOT NULL,
    UNIQUE (user_row, provider, resource, pull_id)
) STRICT;
INSERT INTO new_pulls (id, user_row, provider, resource, pull_id, chunks, arrived, bytes, touched_on)
    SELECT id, (SELECT users.id FROM users WHERE (users.team_id, users.user_id) = (old.team_id, old.user_id)),
        provider, resource, pull_id, chunks, arrived, bytes, touched_on
    FROM pulls AS old ORDER BY id;
DROP TABLE pulls;
ALTER TABLE new_pulls RENAME TO pulls;
CREATE INDEX pulls_unfinished ON pulls (touched_on) WHERE arrived < chunks;
