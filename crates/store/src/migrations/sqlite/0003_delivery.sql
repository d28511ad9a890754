-- Endpoints of webhooks. The document holds their secrets, encrypted where a key is configured.
CREATE TABLE webhooks (
    webhook_id TEXT PRIMARY KEY,
    team_id BLOB NOT NULL REFERENCES teams (team_id),
    document TEXT NOT NULL
) STRICT;

-- Where events of a team go, and how far: everything up to the cursor was delivered, or stands in `deliveries`.
CREATE TABLE destinations (
    id INTEGER PRIMARY KEY,
    team_id BLOB NOT NULL REFERENCES teams (team_id),
    kind TEXT NOT NULL,
    webhook_id TEXT REFERENCES webhooks (webhook_id) ON DELETE CASCADE,
    cursor INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX destinations_by_owner ON destinations (team_id, kind, ifnull(webhook_id, ''));

-- Events at or before the cursor that a destination does not have yet. Those that wait are due at a time; those that are
-- held wait for an earlier one of their user, where order is kept; those that are parked wait for somebody.
CREATE TABLE deliveries (
    destination INTEGER NOT NULL REFERENCES destinations (id) ON DELETE CASCADE,
    number INTEGER NOT NULL REFERENCES events (number) ON DELETE CASCADE,
    user_id BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'parked')),
    attempts INTEGER NOT NULL,
    due INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (destination, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_by_time ON deliveries (destination, due) WHERE state = 'waiting';
CREATE INDEX deliveries_by_user ON deliveries (destination, user_id, number) WHERE state <> 'parked';
CREATE INDEX deliveries_parked ON deliveries (destination, number) WHERE state = 'parked';
CREATE INDEX deliveries_by_event ON deliveries (number);

-- Counts what a dispatcher must hear of: where events go, and what is to be sent again.
CREATE TABLE revisions (
    name TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT;
INSERT INTO revisions (name, number) VALUES ('routes', 0), ('replays', 0);
