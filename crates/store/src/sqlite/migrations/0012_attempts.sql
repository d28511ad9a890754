-- What became of each attempt to deliver an event, oldest first. All attempts of webhooks are kept; of other kinds those that
-- failed, and the delivery after them. The endpoint is named, not referred to, so that attempts outlive it. `nth` counts the
-- attempts of an event, `attempt` those at one destination since the event was last sent again.
CREATE TABLE attempts (
    number INTEGER NOT NULL REFERENCES events (number) ON DELETE CASCADE,
    nth INTEGER NOT NULL,
    kind TEXT NOT NULL,
    webhook_id TEXT,
    attempt INTEGER NOT NULL,
    attempted_on INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('delivered', 'failed', 'undelivered')),
    status INTEGER,
    reason TEXT,
    content_type TEXT,
    content_length INTEGER,
    PRIMARY KEY (number, nth)
) STRICT, WITHOUT ROWID;
