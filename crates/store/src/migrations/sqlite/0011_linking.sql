-- Linking providers. A link token is of a user, or of a team as a whole, as all of earlier versions are. Its document says
-- what it is for.
ALTER TABLE link_tokens ADD COLUMN user_row INTEGER REFERENCES users (id) ON DELETE CASCADE;
ALTER TABLE link_tokens ADD COLUMN document TEXT;
CREATE INDEX link_tokens_by_team ON link_tokens (team_id, hash);
CREATE INDEX link_tokens_by_user ON link_tokens (user_row);

-- What link tokens of a team may name as the URL to go on to.
CREATE TABLE redirect_urls (
    team_id BLOB NOT NULL REFERENCES teams (team_id),
    position INTEGER NOT NULL,
    url TEXT NOT NULL,
    PRIMARY KEY (team_id, position)
) STRICT, WITHOUT ROWID;

-- How an organisation's users link a provider. The id is a hash of organisation and slug; the document has a secret.
CREATE TABLE provider_settings (
    id BLOB PRIMARY KEY,
    organisation_id TEXT NOT NULL REFERENCES organisations (organisation_id),
    slug TEXT NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (organisation_id, slug)
) STRICT;

-- Users who are at a provider's consent page. The id is a hash of the state, `session` one of what their browser has. Once
-- the code is being exchanged, a request is good for nothing else; one that stays so was cut short.
CREATE TABLE authorization_requests (
    id BLOB PRIMARY KEY,
    link_token BLOB NOT NULL REFERENCES link_tokens (hash) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    session BLOB,
    expires INTEGER NOT NULL,
    exchanging_since INTEGER,
    document TEXT NOT NULL
) STRICT;
CREATE INDEX authorization_requests_by_token ON authorization_requests (link_token, expires);
CREATE INDEX authorization_requests_by_end ON authorization_requests (expires);
CREATE INDEX authorization_requests_exchanging ON authorization_requests (exchanging_since)
    WHERE exchanging_since IS NOT NULL;

-- The tokens that providers gave for connections. `grant_id` is another one after each link, and `version` grows with each
-- refresh. While `refreshing_until` is to come, one process refreshes them. `uncertain`: a refresh may have been done at the
-- provider, and its response was lost.
CREATE TABLE oauth_tokens (
    connection INTEGER PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
    grant_id BLOB NOT NULL,
    version INTEGER NOT NULL,
    expires INTEGER,
    refresh_due INTEGER,
    refreshing_until INTEGER,
    failures INTEGER NOT NULL,
    uncertain INTEGER NOT NULL,
    document TEXT NOT NULL
) STRICT;
CREATE INDEX oauth_tokens_due ON oauth_tokens (refresh_due) WHERE refresh_due IS NOT NULL;
CREATE UNIQUE INDEX oauth_tokens_by_grant ON oauth_tokens (grant_id);
