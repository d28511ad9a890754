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

-- The deliveries in a state, in the order of the log. An index of some rows is used for none of this: the primary key has the
-- same columns, and the engine takes that for as good.
CREATE INDEX deliveries_by_state ON deliveries (destination, state, number, due);
DROP INDEX deliveries_parked;
