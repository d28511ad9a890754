-- The user that a kept response is about, so that it is deleted with them. Of responses that were kept before, it is not known: they
-- end within a day.
ALTER TABLE repeatable_requests ADD COLUMN user_row bigint REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX repeatable_requests_by_user ON repeatable_requests (user_row);
