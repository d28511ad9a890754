-- Destinations that cannot be reached: since when, when they are asked again, and why. Of the processes that deliver; not
-- moved into another store.
CREATE TABLE outages (
    destination bigint PRIMARY KEY REFERENCES destinations (id) ON DELETE CASCADE,
    since bigint NOT NULL,
    next_attempt bigint NOT NULL,
    reason text COLLATE "C" NOT NULL
);
