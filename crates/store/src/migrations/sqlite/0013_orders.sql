-- What a lab test is beside its name, as reads show it. Tests of earlier versions have none, until they are imported again.
ALTER TABLE lab_tests ADD COLUMN document TEXT;

-- Orders of lab tests. The document is encrypted, with the key that `sealed_by` names; what lists are filtered by is not.
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    team_id BLOB NOT NULL,
    order_id BLOB NOT NULL,
    user_row INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    sealed_by TEXT NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (team_id, order_id)
) STRICT;
CREATE INDEX orders_by_time ON orders (team_id, created_at, order_id);
CREATE INDEX orders_by_change ON orders (team_id, updated_at);
CREATE INDEX orders_by_status ON orders (team_id, status, created_at, order_id);
CREATE INDEX orders_by_user ON orders (user_row, created_at);
CREATE INDEX orders_by_key ON orders (sealed_by);

-- What labs reported of an order, encrypted in the same way.
CREATE TABLE order_results (
    order_row INTEGER PRIMARY KEY REFERENCES orders (id) ON DELETE CASCADE,
    sealed_by TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
CREATE INDEX order_results_by_key ON order_results (sealed_by);
