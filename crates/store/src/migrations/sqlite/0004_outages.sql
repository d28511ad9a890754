-- Destinations that cannot be reached: since when, when they are asked again, and why. Of the processes that deliver; not
-- moved into another store.
CREATE TABLE outages (
    destination INTEGER PRIMARY KEY REFERENCES destinations (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    next_attempt INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT;
