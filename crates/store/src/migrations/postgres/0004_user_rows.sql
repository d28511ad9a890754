-- What hangs on a user refers to the user's row by its number, which grows with each user: by the random ids of team and
-- user, each new row touched other pages of each index. A row whose user is not there fails the migration, and is not
-- dropped. Indexes and references by the columns that go, go with them.
LOCK TABLE users, connections, devices, arrivals, days, pulls IN ACCESS EXCLUSIVE MODE;

ALTER TABLE connections ADD COLUMN user_row bigint;
UPDATE connections SET user_row = (SELECT users.id FROM users
    WHERE users.team_id = connections.team_id AND users.user_id = connections.user_id);
ALTER TABLE connections
    DROP COLUMN team_id,
    DROP COLUMN user_id,
    ALTER COLUMN user_row SET NOT NULL,
    ADD UNIQUE (user_row, slug),
    ADD FOREIGN KEY (user_row) REFERENCES users (id) ON DELETE CASCADE;

-- Devices keep their team: their ids are unique in it.
ALTER TABLE devices ADD COLUMN user_row bigint;
UPDATE devices SET user_row = (SELECT users.id FROM users
    WHERE users.team_id = devices.team_id AND users.user_id = devices.user_id);
ALTER TABLE devices
    DROP COLUMN user_id,
    ALTER COLUMN user_row SET NOT NULL,
    ADD FOREIGN KEY (user_row) REFERENCES users (id) ON DELETE CASCADE;
CREATE INDEX devices_by_user ON devices (user_row, device_id);

ALTER TABLE arrivals ADD COLUMN user_row bigint;
UPDATE arrivals SET user_row = (SELECT users.id FROM users
    WHERE users.team_id = arrivals.team_id AND users.user_id = arrivals.user_id);
ALTER TABLE arrivals
    DROP COLUMN team_id,
    DROP COLUMN user_id,
    ALTER COLUMN user_row SET NOT NULL,
    ADD UNIQUE (user_row, arrival_id),
    ADD FOREIGN KEY (user_row) REFERENCES users (id) ON DELETE CASCADE;

ALTER TABLE days ADD COLUMN user_row bigint;
UPDATE days SET user_row = (SELECT users.id FROM users
    WHERE users.team_id = days.team_id AND users.user_id = days.user_id);
ALTER TABLE days
    DROP COLUMN team_id,
    DROP COLUMN user_id,
    ALTER COLUMN user_row SET NOT NULL,
    ADD PRIMARY KEY (user_row, provider, resource, day, source),
    ADD FOREIGN KEY (user_row) REFERENCES users (id) ON DELETE CASCADE;

ALTER TABLE pulls ADD COLUMN user_row bigint;
UPDATE pulls SET user_row = (SELECT users.id FROM users
    WHERE users.team_id = pulls.team_id AND users.user_id = pulls.user_id);
ALTER TABLE pulls
    DROP COLUMN team_id,
    DROP COLUMN user_id,
    ALTER COLUMN user_row SET NOT NULL,
    ADD UNIQUE (user_row, provider, resource, pull_id),
    ADD FOREIGN KEY (user_row) REFERENCES users (id) ON DELETE CASCADE;

-- The server knows nothing yet of the new columns when it plans.
ANALYZE connections;
ANALYZE devices;
ANALYZE arrivals;
ANALYZE days;
ANALYZE pulls;
