-- Queues of connectors: the tasks of a team at a provider with one priority, of which 0 goes first. `due` is the time of the first
-- task, or earlier if that was deleted. Of queues with one priority, the one that was leased from longest ago goes first, so that
-- teams take turns.
CREATE TABLE pull_queues (
    id INTEGER PRIMARY KEY,
    slug TEXT NOT NULL,
    priority INTEGER NOT NULL,
    team_id BLOB NOT NULL REFERENCES teams (team_id),
    due INTEGER,
    leased_on INTEGER NOT NULL,
    UNIQUE (slug, priority, team_id)
) STRICT;
CREATE INDEX pull_queues_due ON pull_queues (slug, due) WHERE due IS NOT NULL;

-- Tasks of connectors: what they pull for a connection. A task without `due` has nothing more to do. While `lease` is set, a process
-- has the task until `due`, and `due_again` is the time at which it was requested meanwhile. `failures` are those in a row, `reason`
-- is a code of the last one, and `state` is JSON of the connector.
CREATE TABLE pull_tasks (
    id INTEGER PRIMARY KEY,
    connection INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    queue INTEGER NOT NULL REFERENCES pull_queues (id),
    name TEXT NOT NULL,
    due INTEGER,
    due_again INTEGER,
    lease BLOB,
    failures INTEGER NOT NULL,
    reason TEXT,
    attempted_on INTEGER,
    state TEXT NOT NULL,
    UNIQUE (connection, name)
) STRICT;
CREATE INDEX pull_tasks_due ON pull_tasks (queue, due, id) WHERE due IS NOT NULL;

-- Connections that are linked already are pulled like new ones.
INSERT INTO pull_queues (slug, priority, team_id, due, leased_on)
    SELECT connections.slug, 0, users.team_id, min(connections.created_on), 0
    FROM oauth_tokens
    JOIN connections ON connections.id = oauth_tokens.connection
    JOIN users ON users.id = connections.user_row
    GROUP BY connections.slug, users.team_id;
INSERT INTO pull_tasks (connection, queue, name, due, failures, state)
    SELECT connections.id, pull_queues.id, 'link', connections.created_on, 0, '{}'
    FROM oauth_tokens
    JOIN connections ON connections.id = oauth_tokens.connection
    JOIN users ON users.id = connections.user_row
    JOIN pull_queues ON pull_queues.slug = connections.slug AND pull_queues.team_id = users.team_id;
