-- What is kept of the data of users: summaries as documents, samples in chunks.

CREATE TABLE summaries (
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
    UNIQUE (user_row, summary_id)
) STRICT;
CREATE INDEX summaries_by_day ON summaries (user_row, resource, day);
CREATE INDEX sessions ON summaries (summary_id) WHERE resource IN ('sleep', 'workouts');

-- Samples of a user, resource, provider, source and UTC day, the day as a number since 1970. Of samples with the same time
-- and type, that of the part with the highest number holds.
CREATE TABLE samples (
    id INTEGER PRIMARY KEY,
    user_row INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    resource TEXT NOT NULL,
    provider TEXT NOT NULL,
    source TEXT NOT NULL,
    day INTEGER NOT NULL,
    part INTEGER NOT NULL,
    chunk BLOB NOT NULL,
    UNIQUE (user_row, resource, provider, source, day, part)
) STRICT;

-- What came of each resource of a user. When it was last attempted, in ns since 1970, and how many events its data caused are
-- not known of what earlier versions took.
CREATE TABLE resources (
    user_row INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    resource TEXT NOT NULL,
    attempted_on INTEGER,
    failed INTEGER NOT NULL,
    events INTEGER,
    PRIMARY KEY (user_row, provider, resource)
) STRICT, WITHOUT ROWID;
INSERT INTO resources (user_row, provider, resource, failed)
    SELECT DISTINCT user_row, provider, resource, 0 FROM days ORDER BY 1, 2, 3;

-- When its first chunk arrived, and the first and the last day of its values.
ALTER TABLE pulls ADD COLUMN started_on INTEGER;
ALTER TABLE pulls ADD COLUMN first_day TEXT;
ALTER TABLE pulls ADD COLUMN last_day TEXT;
