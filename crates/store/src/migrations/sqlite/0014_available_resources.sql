-- The resources that the connections of a user show as available, as JSON: an object of lists by provider. It follows from the
-- connections, and spares arrivals of data a look at them. Null where no connection has changed and no data came since.
ALTER TABLE users ADD COLUMN available TEXT;
