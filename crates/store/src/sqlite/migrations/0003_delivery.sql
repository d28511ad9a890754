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

-- Events at or before the cursor that a destination does not have yet: to be tried again, or parked.
CREATE TABLE deliveries (
    destination INTEGER NOT NULL REFERENCES destinations (id) ON DELETE CASCADE,
    number INTEGER NOT NULL REFERENCES events (number) ON DELETE CASCADE,
    attempts INTEGER NOT NULL,
    -- When to try again; none where it is parked.
    due INTEGER,
    reason TEXT NOT NULL,
    PRIMARY KEY (destination, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_by_time ON deliveries (destination, due);
CREATE INDEX deliveries_by_event ON deliveries (number);
