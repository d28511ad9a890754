-- Documents are the JSON text that clients get; the columns beside them find and order them.
-- Ids that are UUIDs are their sixteen bytes, which sort like their lower-case text.
-- Points in time are nanoseconds since 1970.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE organisations (
    organisation_id TEXT PRIMARY KEY
) STRICT;

CREATE TABLE teams (
    team_id BLOB PRIMARY KEY,
    organisation_id TEXT NOT NULL REFERENCES organisations (organisation_id),
    environment TEXT NOT NULL,
    region TEXT NOT NULL
) STRICT;
CREATE INDEX teams_by_place ON teams (organisation_id, environment, region, team_id);

-- A key is of a team or of an organisation. Its id is the beginning of its hash.
CREATE TABLE keys (
    hash BLOB PRIMARY KEY,
    id TEXT NOT NULL GENERATED ALWAYS AS (lower(hex(substr(hash, 1, 8)))) STORED UNIQUE,
    team_id BLOB REFERENCES teams (team_id),
    organisation_id TEXT REFERENCES organisations (organisation_id),
    name TEXT,
    created_on TEXT,
    revoked_on TEXT,
    CHECK ((team_id IS NULL) <> (organisation_id IS NULL))
) STRICT;

CREATE TABLE link_tokens (
    hash BLOB PRIMARY KEY,
    team_id BLOB NOT NULL REFERENCES teams (team_id),
    expires INTEGER NOT NULL
) STRICT;
CREATE INDEX link_tokens_by_end ON link_tokens (expires);

CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    team_id BLOB NOT NULL REFERENCES teams (team_id),
    user_id BLOB NOT NULL,
    client_user_id TEXT NOT NULL,
    created_on INTEGER NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (team_id, user_id),
    UNIQUE (team_id, client_user_id)
) STRICT;
CREATE INDEX users_by_age ON users (team_id, created_on, user_id);

-- How many users stand where in their order, so that no list has to count or to skip: a block is a run of users, a
-- group a run of blocks. Each begins at its first key and ends where the next one begins.
CREATE TABLE user_blocks (
    team_id BLOB NOT NULL REFERENCES teams (team_id),
    created_on INTEGER NOT NULL,
    user_id BLOB NOT NULL,
    users INTEGER NOT NULL,
    PRIMARY KEY (team_id, created_on, user_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE user_groups (
    team_id BLOB NOT NULL REFERENCES teams (team_id),
    created_on INTEGER NOT NULL,
    user_id BLOB NOT NULL,
    users INTEGER NOT NULL,
    blocks INTEGER NOT NULL,
    PRIMARY KEY (team_id, created_on, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE connections (
    id INTEGER PRIMARY KEY,
    team_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    slug TEXT NOT NULL,
    created_on INTEGER NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (team_id, user_id, slug),
    FOREIGN KEY (team_id, user_id) REFERENCES users (team_id, user_id) ON DELETE CASCADE
) STRICT;

CREATE TABLE devices (
    id INTEGER PRIMARY KEY,
    team_id BLOB NOT NULL,
    device_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (team_id, device_id),
    FOREIGN KEY (team_id, user_id) REFERENCES users (team_id, user_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX devices_by_user ON devices (team_id, user_id, device_id);

CREATE TABLE pipelines (
    team_id BLOB PRIMARY KEY REFERENCES teams (team_id),
    document TEXT NOT NULL
) STRICT;

CREATE TABLE providers (
    slug TEXT PRIMARY KEY,
    source_type TEXT NOT NULL,
    document TEXT NOT NULL,
    link TEXT
) STRICT;

CREATE TABLE lab_tests (
    lab_test_id TEXT PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;

CREATE TABLE markers (
    marker_id INTEGER PRIMARY KEY,
    document TEXT NOT NULL
) STRICT;

CREATE TABLE lab_test_markers (
    lab_test_id TEXT NOT NULL REFERENCES lab_tests (lab_test_id) ON DELETE CASCADE,
    marker_id INTEGER NOT NULL REFERENCES markers (marker_id),
    PRIMARY KEY (lab_test_id, marker_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE lab_accounts (
    id INTEGER PRIMARY KEY,
    team_id BLOB NOT NULL REFERENCES teams (team_id),
    account_id BLOB NOT NULL,
    UNIQUE (team_id, account_id)
) STRICT;

CREATE TABLE lab_account_tests (
    account INTEGER NOT NULL REFERENCES lab_accounts (id) ON DELETE CASCADE,
    lab_test_id TEXT NOT NULL REFERENCES lab_tests (lab_test_id) ON DELETE CASCADE,
    PRIMARY KEY (account, lab_test_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE lab_account_markers (
    account INTEGER NOT NULL,
    lab_test_id TEXT NOT NULL,
    marker_id INTEGER NOT NULL,
    PRIMARY KEY (account, lab_test_id, marker_id),
    FOREIGN KEY (account, lab_test_id) REFERENCES lab_account_tests (account, lab_test_id) ON DELETE CASCADE,
    FOREIGN KEY (lab_test_id, marker_id) REFERENCES lab_test_markers (lab_test_id, marker_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX lab_account_markers_by_marker ON lab_account_markers (lab_test_id, marker_id);

CREATE TABLE cancellation_reasons (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
