-- The provider's own id of the user of a connection, as notifications of providers name it. Several users may have linked one
-- account.
CREATE TABLE provider_users (
    connection bigint PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
    provider text COLLATE "C" NOT NULL,
    provider_user_id text COLLATE "C" NOT NULL
);
CREATE INDEX provider_users_by_id ON provider_users (provider_user_id, provider, connection);
