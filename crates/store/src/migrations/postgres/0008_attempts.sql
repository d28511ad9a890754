-- What became of each attempt to deliver an event, oldest first. All attempts of webhooks are kept; of other kinds those that
-- failed, and the delivery after them. The endpoint is named, not referred to, so that attempts outlive it. `nth` counts the
-- attempts of an event, `attempt` those at one destination since the event was last sent again.
CREATE TABLE attempts (
    number bigint NOT NULL,
    nth bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    webhook_id text COLLATE "C",
    attempt bigint NOT NULL,
    attempted_on bigint NOT NULL,
    duration_ms bigint NOT NULL,
    outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('delivered', 'failed', 'undelivered')),
    status bigint,
    reason text COLLATE "C",
    content_type text COLLATE "C",
    content_length bigint,
    PRIMARY KEY (number, nth)
);

CREATE OR REPLACE FUNCTION forget_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM deliveries WHERE number = OLD.number;
    DELETE FROM attempts WHERE number = OLD.number;
    RETURN NULL;
END $$;

-- A user's events are read in the order of the log. The index of the embedded engine ends in the number by itself.
CREATE INDEX events_by_user_in_order ON events (team_id, user_id, number);
-- The deliveries in a state, in the order of the log.
CREATE INDEX deliveries_by_state ON deliveries (destination, state, number, due);
-- Those before them go last: until then, they can be used.
DROP INDEX events_by_user;
ALTER INDEX events_by_user_in_order RENAME TO events_by_user;
DROP INDEX deliveries_waiting;
DROP INDEX deliveries_parked;
