-- Rows as if written one by one, but in seconds. TEAMS and USERS are numbers: the first team has the users, others one
-- each, of their own number.
CREATE FUNCTION id(n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ SELECT decode(lpad(to_hex(n), 32, '0'), 'hex') $$;
INSERT INTO organisations VALUES ('org');
INSERT INTO teams SELECT id(n), 'org', 'production', 'us' FROM generate_series(1, TEAMS) n;
INSERT INTO keys (hash, team_id) SELECT sha256(convert_to('key ' || n, 'UTF8')), id(n) FROM generate_series(1, TEAMS) n;
INSERT INTO link_tokens SELECT sha256(convert_to('token ' || n, 'UTF8')), id(n),
    (extract(epoch FROM timestamptz '2026-06-10T12:30:00Z') * 1e9)::bigint
    FROM generate_series(1, TEAMS) n;
INSERT INTO users (team_id, user_id, client_user_id, created_on, document)
    SELECT id(team), id(n), 'client ' || n, n, json_build_object('user_id', CAST(encode(id(n), 'hex') AS uuid),
        'team_id', CAST(encode(id(team), 'hex') AS uuid), 'client_user_id', 'client ' || n,
        'created_on', '2026-01-01T00:00:00Z', 'connected_sources', CAST('[]' AS json),
        'fallback_time_zone', json_build_object('id', 'Europe/Oslo', 'source_slug', '', 'updated_at', '2026-01-01T00:00:00Z'))
    FROM (SELECT 1 AS team, n FROM generate_series(1, USERS) n UNION ALL
        SELECT n, n FROM generate_series(2, TEAMS) n) AS numbers;
-- As many blocks as a million users have.
INSERT INTO user_blocks SELECT team_id, created_on, user_id, least(16, USERS + 1 - created_on)
    FROM users WHERE team_id = id(1) AND created_on % 16 = 1;
INSERT INTO user_groups SELECT team_id, created_on, user_id, least(128 * 16, USERS + 1 - created_on),
    least(128, (USERS - created_on) / 16 + 1) FROM users WHERE team_id = id(1) AND created_on % (128 * 16) = 1;
INSERT INTO user_blocks SELECT team_id, created_on, user_id, 1 FROM users WHERE team_id <> id(1);
INSERT INTO user_groups SELECT team_id, created_on, user_id, 1, 1 FROM users WHERE team_id <> id(1);
INSERT INTO connections (user_row, slug, created_on, document)
    SELECT id, 'stridewell', 1, json_build_object('name', '', 'slug', 'stridewell',
        'logo', '', 'status', 'connected', 'created_on', '2026-01-01T00:00:00Z', 'resource_availability', CAST('{}' AS json))
    FROM users;
INSERT INTO link_tokens SELECT sha256(convert_to('token of ' || id, 'UTF8')), team_id,
    (extract(epoch FROM timestamptz '2026-06-10T12:30:00Z') * 1e9)::bigint, id, '{}' FROM users;
INSERT INTO authorization_requests (id, link_token, provider, expires, document)
    SELECT substr(sha256(convert_to('state ' || id, 'UTF8')), 1, 16), sha256(convert_to('token of ' || id, 'UTF8')),
        'stridewell', 9e18::bigint, json_build_object('code_verifier', '', 'redirect_uri', '', 'scopes', CAST('[]' AS json),
        'link_token', NULL) FROM users;
INSERT INTO oauth_tokens (connection, grant_id, version, refresh_due, failures, uncertain, document)
    SELECT id, id(id), 0, 8e18::bigint + id, 0, 0,
        json_build_object('access_token', '', 'token_type', '', 'scopes', CAST('[]' AS json)) FROM connections;
INSERT INTO devices (team_id, device_id, user_row, document) SELECT team_id, user_id, id, '' FROM users;
INSERT INTO arrivals (user_row, arrival_id, taken_on) SELECT id, 'arrival', 9e18::bigint FROM users;
INSERT INTO days (user_row, provider, resource, day, source, hash)
    SELECT id, 'stridewell', 'steps', '2026-05-01', '{}', '' FROM users;
INSERT INTO summaries (user_row, summary_id, resource, provider, source, day, document)
    SELECT id, user_id, 'activity', 'stridewell', '{}', '2026-05-01', '{}' FROM users;
-- The day is 2026-05-01.
INSERT INTO samples (user_row, resource, provider, source, day, part, chunk)
    SELECT id, 'steps', 'stridewell', '{}', 20574, 0, '' FROM users;
INSERT INTO pulls (user_row, provider, resource, pull_id, chunks, arrived, touched_on)
    SELECT id, 'stridewell', 'steps', 'pull', 1, 1, 0 FROM users;
INSERT INTO organisations VALUES ('org of few');
INSERT INTO audit_log (organisation_id, team_id, written_on, key_id, request_id, operation, subject)
    SELECT 'org', id(n % TEAMS + 1), n, 'key', 'request', 'create_user', n FROM generate_series(1, USERS) n;
INSERT INTO audit_log (organisation_id, written_on, key_id, request_id, operation)
    SELECT 'org of few', n, 'key', 'request', 'create_key' FROM generate_series(1, 100) n;
INSERT INTO repeatable_requests SELECT sha256(id(n)), sha256(id(n)), 8e18::bigint, '' FROM generate_series(1, USERS) n;
INSERT INTO destinations (team_id, kind, cursor) SELECT id(n), 'rabbitmq', 0 FROM generate_series(2, TEAMS) n;
-- Orders: the first team has few of all, of every fiftieth of its users.
INSERT INTO orders (team_id, order_id, user_row, created_at, updated_at, status, sealed_by, document)
    SELECT team_id, id(created_on * 1000 + n), id, created_on * 1000 + n, created_on * 1000 + n,
        CASE created_on % 100 WHEN 0 THEN 'completed' ELSE 'received' END, '', '{}'
    FROM users, generate_series(1, 50) n WHERE (team_id <> id(1) OR n = 1) AND (team_id <> id(1) OR created_on % 50 = 0);
INSERT INTO order_results SELECT id, '',
    '{"metadata": {"date_reported": "2026-01-01T00:00:00Z", "specimen_number": "1"}, "results": []}' FROM orders;
INSERT INTO lab_tests (lab_test_id, name, document) SELECT 'test ' || n, '', '{}' FROM generate_series(10001, 20000) n;
INSERT INTO lab_accounts (team_id, account_id) SELECT id(n), id(n) FROM generate_series(1, TEAMS) n;
INSERT INTO lab_account_tests (account, lab_test_id)
    SELECT id, 'test ' || n FROM lab_accounts, generate_series(10001, 20000, 100) n;
-- Tasks of connectors: most of the first team's are due, and one of every fiftieth of the other teams.
INSERT INTO pull_queues (slug, priority, team_id, leased_on) SELECT 'stridewell', 1, id(n), 0 FROM generate_series(1, TEAMS) n;
INSERT INTO pull_tasks (connection, queue, name, due, failures, state)
    SELECT connections.id, pull_queues.id, 'recent:sleep',
        CASE WHEN team_id = id(1) AND users.created_on > 1000 OR users.created_on % 50 = 0 THEN users.created_on
            ELSE 8e18::bigint + users.created_on END, 0, '{}'
    FROM connections JOIN users ON users.id = user_row JOIN pull_queues USING (team_id);
UPDATE pull_queues SET due = (SELECT min(due) FROM pull_tasks WHERE queue = pull_queues.id);
