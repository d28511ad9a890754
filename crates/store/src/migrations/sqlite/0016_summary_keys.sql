-- Summaries of different resources may have the same id, such as a sleep and its cycle.
CREATE TABLE new_summaries (
    id INTEGER PRIMARY KEY,
    user_row INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    summary_id BLOB NOT NULL,
    resource TEXT NOT NULL,
    provider TEXT NOT NULL,
    source TEXT NOT NULL,
    day TEXT NOT NULL,
    -- The session that it is of, in µs since 1970.
    starts INTEGER,
    ends INTEGER,
    document TEXT NOT NULL,
    UNIQUE (user_row, resource, summary_id)
) STRICT;
INSERT INTO new_summaries (id, user_row, summary_id, resource, provider, source, day, starts, ends, document)
    SELECT id, user_row, summary_id, resource, provider, source, day, starts, ends, document FROM summaries ORDER BY id;
DROP TABLE summaries;
ALTER TABLE new_summaries RENAME TO summaries;
CREATE INDEX summaries_by_day ON summaries (user_row, resource, day);
CREATE INDEX sessions ON summaries (summary_id) WHERE resource IN ('sleep', 'workouts');
