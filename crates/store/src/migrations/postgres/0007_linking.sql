-- Linking providers. A link token is of a user, or of a team as a whole, as all of earlier versions are. Its document says
-- what it is for.
ALTER TABLE link_tokens ADD COLUMN user_row bigint REFERENCES users (id) ON DELETE CASCADE;
ALTER TABLE link_tokens ADD COLUMN document text COLLATE "C";
CREATE INDEX link_tokens_by_team ON link_tokens (team_id, hash);
CREATE INDEX link_tokens_by_user ON link_tokens (user_row);

-- What link tokens of a team may name as the URL to go on to.
CREATE TABLE redirect_urls (
    team_id bytea NOT NULL REFERENCES teams (team_id),
    position bigint NOT NULL,
    url text COLLATE "C" NOT NULL,
    PRIMARY KEY (team_id, position)
);

-- How an organisation's users link a provider. The id is a hash of organisation and slug; the document has a secret.
CREATE TABLE provider_settings (
    id bytea PRIMARY KEY,
    organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (organisation_id),
    slug text COLLATE "C" NOT NULL,
    document text COLLATE "C" NOT NULL,
    UNIQUE (organisation_id, slug)
);

-- Users who are at a provider's consent page. The id is a hash of the state, `session` one of what their browser has. Once
-- the code is being exchanged, a request is good for nothing else; one that stays so was cut short.
CREATE TABLE authorization_requests (
    id bytea PRIMARY KEY,
    link_token bytea NOT NULL REFERENCES link_tokens (hash) ON DELETE CASCADE,
    provider text COLLATE "C" NOT NULL,
    session bytea,
    expires bigint NOT NULL,
    exchanging_since bigint,
    document text COLLATE "C" NOT NULL
);
CREATE INDEX authorization_requests_by_token ON authorization_requests (link_token, expires);
CREATE INDEX authorization_requests_by_end ON authorization_requests (expires);
CREATE INDEX authorization_requests_exchanging ON authorization_requests (exchanging_since)
    WHERE exchanging_since IS NOT NULL;

-- The tokens that providers gave for connections. `grant_id` is another one after each link, and `version` grows with each
-- refresh. While `refreshing_until` is to come, one process refreshes them. `uncertain`: a refresh may have been done at the
-- provider, and its response was lost.
CREATE TABLE oauth_tokens (
    connection bigint PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
    grant_id bytea NOT NULL,
    version bigint NOT NULL,
    expires bigint,
    refresh_due bigint,
    refreshing_until bigint,
    failures bigint NOT NULL,
    uncertain bigint NOT NULL,
    document text COLLATE "C" NOT NULL
);
CREATE INDEX oauth_tokens_due ON oauth_tokens (refresh_due) WHERE refresh_due IS NOT NULL;
CREATE UNIQUE INDEX oauth_tokens_by_grant ON oauth_tokens (grant_id);
