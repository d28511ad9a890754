-- As many events again for each day that has one: every other one is the first team's.
INSERT INTO events (event_id, team_id, user_id, event_type, created_on, payload)
    SELECT 'evt_' || created_on || '_' || n, id(team), id(CASE team WHEN 1 THEN n ELSE team END), 'daily.data.steps.created', created_on + n, '{}'
    FROM (SELECT created_on FROM events ORDER BY number) AS day, generate_series(1, 2500) n,
        LATERAL (SELECT CASE n % 2 WHEN 0 THEN 1 ELSE n % TEAMS + 1 END AS team) AS team ORDER BY created_on, n;
UPDATE destinations SET cursor = (SELECT max(number) - 1000 FROM events);
UPDATE destinations SET cursor = (SELECT max(number) / 2 FROM events) WHERE team_id = id(1);
INSERT INTO deliveries SELECT destinations.id, number, user_id,
        CASE number % 20 WHEN 0 THEN 'waiting' WHEN 2 THEN 'held' ELSE 'parked' END, 1,
        CASE WHEN number % 40 = 0 THEN number ELSE 9e18::bigint END, ''
    FROM destinations JOIN events USING (team_id) WHERE team_id = id(1) AND number <= cursor AND number % 2 = 0;
